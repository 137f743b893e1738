"""Going on with a past session: in the agent client, or with its conversation elsewhere."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.base.errors import MemtuiError, NotFound, Refused, Unsupported, Usage
from memtui.base.text import visible
from memtui.cli.context import Call, Command, pass_call
from memtui.cli.output import Data
from memtui.cli.sessions import places

if TYPE_CHECKING:
    from memtui.host.heads import SessionFile
    from memtui.sessions.fork import Fork

CONFIG = "CLAUDE_CONFIG_DIR"


@click.command("resume", cls=Command, short_help="Go on with a past session in the agent client.")
@click.argument("session", metavar="[ID]", required=False)
@click.option("--last", is_flag=True, help="The newest session of the project.")
@click.option("--at", "at", default="", metavar="MESSAGE", help="Go on from this message, in a fork.")
@click.option("--fork", is_flag=True, help="Go on in a new session; this one stays as it is.")
@click.option("--in", "directory", type=click.Path(path_type=Path), metavar="DIR", help="Work in another directory.")
@click.option("--print", "show", is_flag=True, help="Print the command instead of running it.")
@click.option("--context", "form", type=click.Choice(["md", "json"]), help="Print the conversation instead.")
@pass_call
def resume(
    call: Call,
    session: str | None,
    last: bool,
    at: str,
    fork: bool,
    directory: Path | None,
    show: bool,
    form: str | None,
) -> int:
    """Open a past session in the agent client, in the directory that it began in; ends with the client's exit code.

    ID is the beginning of an id, a title, or a transcript's path. MESSAGE is a uuid or its first 8 characters or more
    (memtui sessions tree shows them). The client itself goes on from its own leaf alone, so with --at a fork that ends
    at the message is written beside the session, and that is resumed.

    --context json gives the messages as the Messages API takes them; md is for reading, without what looks like a
    secret.
    """
    if form is not None and (show or fork or directory is not None):
        raise Usage("--context prints the conversation; it goes with --at, not with --fork, --in or --print")
    path = _session(call, session, last=last)
    if form is not None:
        return _context(call, path, at, form)
    if call.out.structured and not show:
        raise Usage("the client takes the terminal, so there is no JSON", hint="--print --json, or --context json")
    plan = _plan(call, path, at, directory, fork=fork)
    return _show(call, plan) if show else _run(call, plan)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What will be resumed: `name` is the session as the client is told it, `at` the message at which a fork of ours
    ends ("" for none), `folder` where that fork goes, `live` the process that has the session open (0: none)."""

    path: Path
    name: str
    directory: Path
    at: str
    folder: Path
    fork: bool
    live: int


def _session(call: Call, word: str | None, *, last: bool) -> Path:
    """The transcript that is meant: the project's own sessions come first."""
    from memtui.sessions import listing

    if last == (word is not None):
        raise Usage("name one session, or --last", hint="memtui sessions ls lists them")
    here = call.place.transcripts
    if word is None:
        found = listing.newest(here)
        if found is None:
            raise NotFound("no session of this project", hint="memtui sessions ls --all lists those of all projects")
        return found.file.path
    try:
        return listing.find([here], word)
    except NotFound:
        return listing.find(places(call, everywhere=True), word)


def _plan(call: Call, path: Path, at: str, wanted: Path | None, *, fork: bool) -> _Plan:
    from memtui.host.heads import SessionFile
    from memtui.host.paths import projects_dir, transcripts_dir
    from memtui.host.running import running

    known = path.stat()
    directory = _directory(call, SessionFile(str(path.absolute()), known.st_mtime, known.st_size), wanted)
    ours = path.absolute().parent.parent == projects_dir(call.env)
    live = running(call.env).get(path.stem)
    point = ""
    if at:
        from memtui.sessions.pick import message_of
        from memtui.sessions.transcript import read_transcript

        point = message_of(read_transcript(path), at)
    return _Plan(
        path,
        path.stem if ours else str(path.absolute()),
        directory,
        point,
        path.parent if ours and wanted is None else transcripts_dir(call.env, directory),
        fork and not at,
        live.pid if live else 0,
    )


def _directory(call: Call, file: "SessionFile", wanted: Path | None) -> Path:
    """Where the client shall work."""
    from memtui.host.client import start_of

    if wanted is not None:
        place = call.cwd / wanted.expanduser()
        if not place.is_dir():
            raise NotFound(f"there is no directory {visible(str(wanted), keep='')}")
        return place
    start = start_of(file)
    if start.directory is not None and start.there:
        return start.directory
    others = ", ".join(visible(str(other), keep="") for other in start.others[:3])
    hint = "--in DIR resumes it elsewhere" + (f"; it also worked in {others}" if others else "")
    if start.directory is None:
        raise NotFound("no record of this session tells where it began", hint=hint)
    raise NotFound(f"the directory of this session is gone: {visible(str(start.directory), keep='')}", hint=hint)


def _run(call: Call, plan: _Plan) -> int:
    """Hand the terminal to the client, and come back with its exit code."""
    from memtui.base.foreground import run_in_foreground
    from memtui.host.client import find_client, resume_environ, resume_words

    if plan.live and not (plan.fork or plan.at):
        raise Refused(
            f"already open in pid {plan.live}: both would write one transcript", hint="--fork goes on in a new session"
        )
    client = find_client(call.env)
    if call.asked.dry_run:
        call.out.say(f"would run: {_command(call, plan, plan.name)}" if not plan.at else _would_fork(plan))
        return 0
    if not (call.out.interactive() and sys.stdout.isatty()):
        raise Unsupported("the client needs a terminal", hint="--print shows the command, --context the conversation")
    name = plan.name
    if plan.at:
        name = _write_fork(call, plan).id
    try:
        return run_in_foreground(
            resume_words(client, name, fork=plan.fork), cwd=plan.directory, environ=resume_environ(call.env)
        )
    except OSError as error:
        raise Unsupported(f"{visible(client, keep='')} can't be started: {error.strerror}") from error


def _show(call: Call, plan: _Plan) -> int:
    """Print the command, with a fork written if it needs one."""
    from memtui.host.client import resume_words

    made: Fork | None = None
    if plan.at and call.asked.dry_run:
        call.out.note(_would_fork(plan))
    elif plan.at:
        made = _write_fork(call, plan)
    elif plan.live and not plan.fork:
        call.out.note(f"already open in pid {plan.live}: both would write one transcript; --fork goes on in a new one")
    name = plan.name if not plan.at else made.id if made else ""
    command = _command(call, plan, name) if name else ""
    data: Data = {
        "session": plan.path.stem,
        "resumes": name or None,
        "directory": plan.directory,
        "argv": resume_words("claude", name, fork=plan.fork) if name else None,
        "command": command or None,
        "fork": bool(plan.fork or plan.at),
        "written": made.path if made else None,
        "at": plan.at or None,
        "live": plan.live or None,
    }
    call.out.answer("resume", data, [command] if command else [])
    return 0


def _would_fork(plan: _Plan) -> str:
    return f"would write a fork that ends at {plan.at} into {plan.folder} and resume it; -n: nothing was written"


def _write_fork(call: Call, plan: _Plan) -> "Fork":
    from memtui.sessions.fork import fork
    from memtui.sessions.transcript import read_transcript

    if call.asked.read_only:
        raise Refused("memtui was started with --read-only", hint="without --at nothing is written")
    plan.folder.mkdir(parents=True, exist_ok=True)
    made = fork(read_transcript(plan.path), plan.at, now=call.now(), folder=plan.folder)
    call.out.note(f"a fork that ends at {plan.at} was written: {made.path}; the session itself stays as it is")
    return made


def _command(call: Call, plan: _Plan, name: str) -> str:
    """The command for a shell; the client's folder is named where the shell's own variables would lead elsewhere."""
    from memtui.host.client import copied_command, resume_environ

    config = resume_environ(call.env).get(CONFIG)
    given = {CONFIG: config} if config is not None and config != os.environ.get(CONFIG) else {}
    return copied_command(plan.directory, name, fork=plan.fork, environ=given)


def _context(call: Call, path: Path, at: str, form: str) -> int:
    """Print the conversation."""
    from memtui.sessions.chain import resume as resumed
    from memtui.sessions.context import context_messages
    from memtui.sessions.export import export
    from memtui.sessions.pick import message_of
    from memtui.sessions.scan import Scanner
    from memtui.sessions.transcript import read_transcript

    transcript = read_transcript(path)
    told = resumed(transcript, message_of(transcript, at) if at else "")
    if told.messages is None:
        raise MemtuiError("the client finds no conversation here", hint=f"memtui sessions tree {path.stem}")
    if form == "json":
        messages = context_messages(told)
        call.out.answer("context", messages, [json.dumps(messages)], rows=messages)
        return 0
    made = export(told, Scanner().file(path).title or path.stem, "markdown")
    if call.out.structured:
        call.out.answer("context", {"markdown": made.text, "removed": made.removed}, ())
    else:
        call.out.raw(made.text.encode("utf-8", "replace"))
    if made.removed:
        count = ", ".join(f"{count} × {name}" for name, count in sorted(made.removed.items()))
        call.out.note(f"taken out: {count}")
    return 0
