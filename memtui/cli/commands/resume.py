"""Going on with a past session: in the agent client, or with its conversation elsewhere."""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.context import CliContext
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import Data
from memtui.cli.session_list import places
from memtui.util.errors import MemtuiError, NotFound, Refused, Unsupported, UsageError
from memtui.util.text import visible

if TYPE_CHECKING:
    from memtui.resume.fork import Fork
    from memtui.resume.launch import LaunchPlan

CONFIG = "CLAUDE_CONFIG_DIR"


@click.command("resume", cls=CliCommand, short_help="Go on with a past session in the agent client.")
@click.argument("session", metavar="[ID]", required=False)
@click.option("--last", is_flag=True, help="The newest session of the project.")
@click.option("--at", "at", default="", metavar="MESSAGE", help="Go on from this message, in a fork.")
@click.option("--fork", is_flag=True, help="Go on in a new session; this one stays as it is.")
@click.option("--in", "directory", type=click.Path(path_type=Path), metavar="DIR", help="Work in another directory.")
@click.option("--print", "show", is_flag=True, help="Print the command instead of running it.")
@click.option("--context", "form", type=click.Choice(["md", "json"]), help="Print the conversation instead.")
@pass_context
def resume(
    call: CliContext,
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
    at the message is written beside the session, and that is resumed. So it is with a transcript that lies outside the
    client's folder: resumed by its path, the client would write what comes next into another file.

    --context json gives the messages as the Messages API takes them; md is for reading, without what looks like a
    secret.
    """
    from memtui.resume.launch import plan_launch

    if form is not None and (show or fork or directory is not None):
        raise UsageError("--context prints the conversation; it goes with --at, not with --fork, --in or --print")
    path = _session(call, session, last=last)
    if form is not None:
        return _context(call, path, at, form)
    if call.out.structured and not show:
        raise UsageError("the client takes the terminal, so there is no JSON", hint="--print --json, or --context json")
    wanted = None if directory is None else call.cwd / directory.expanduser()
    plan = plan_launch(call.env, path, at=at, fork=fork, directory=wanted)
    if not show:
        return _run(call, plan)
    _show(call, plan)
    return 0


def _session(call: CliContext, word: str | None, *, last: bool) -> Path:
    """The transcript that is meant: the project's own sessions come first."""
    from memtui.sessions import catalog

    if last == (word is not None):
        raise UsageError("name one session, or --last", hint="memtui sessions ls lists them")
    here = call.location.transcripts
    if word is None:
        found = catalog.newest_session(call.dirs.cache, here)
        if found is None:
            raise NotFound("no session of this project", hint="memtui sessions ls --all lists those of all projects")
        return found.path
    try:
        return catalog.find_session(call.dirs.cache, [here], word)
    except NotFound:
        return catalog.find_session(call.dirs.cache, places(call, everywhere=True), word)


def _run(call: CliContext, plan: "LaunchPlan") -> int:
    """Hand the terminal to the client, and come back with its exit code."""
    from memtui.client.executable import find_client, resume_command, resume_environment
    from memtui.util.foreground import run_in_foreground

    plan.refuse_open()
    client = find_client(call.env)
    if call.asked.dry_run:
        call.out.say(_would_fork(plan) if plan.writes else f"would run: {_command(call, plan, plan.id)}")
        return 0
    if not (call.out.interactive() and sys.stdout.isatty()):
        raise Unsupported("the client needs a terminal", hint="--print shows the command, --context the conversation")
    words = resume_command(client, _forked(call, plan).id if plan.writes else plan.id, fork=plan.forks)
    try:
        return run_in_foreground(words, cwd=plan.directory, environ=resume_environment(call.env))
    except OSError as error:
        raise Unsupported(f"{visible(client, keep='')} can't be started: {error.strerror}") from error


def _show(call: CliContext, plan: "LaunchPlan") -> None:
    """Print the command, with a fork written if it needs one."""
    from memtui.client.executable import CLIENT_NAME, resume_command

    made: Fork | None = None
    if plan.writes and call.asked.dry_run:
        call.out.note(_would_fork(plan))
    elif plan.writes:
        made = _forked(call, plan)
    elif plan.open_elsewhere:
        call.out.note(f"{plan.open_elsewhere}; --fork goes on in a new session")
    name = plan.id if not plan.writes else made.id if made else ""
    command = _command(call, plan, name) if name else ""
    data: Data = {
        "session": plan.id,
        "resumes": name or None,
        "directory": plan.directory,
        "argv": resume_command(CLIENT_NAME, name, fork=plan.forks) if name else None,
        "command": command or None,
        "fork": plan.forks or plan.writes,
        "written": made.path if made else None,
        "at": plan.at or None,
        "live": plan.live.pid if plan.live else None,
    }
    call.out.answer("resume", data, [command] if command else [])


def _forked(call: CliContext, plan: "LaunchPlan") -> "Fork":
    """Write the fork, and say so."""
    from memtui.projects.activity import make_fork

    if call.asked.read_only:
        raise Refused(
            "memtui was started with --read-only, and this needs a fork",
            hint="--context prints the conversation and writes nothing",
        )
    made = make_fork(call.workspace, plan)
    call.out.note(
        f"a fork {_end(plan)} was written: {made.path}; the session itself stays as it is; memtui undo removes it"
    )
    return made


def _would_fork(plan: "LaunchPlan") -> str:
    return f"would write a fork {_end(plan)} into {plan.folder} and resume it; -n: nothing was written"


def _end(plan: "LaunchPlan") -> str:
    return f"that ends at {plan.at}" if plan.at else "of this transcript, which lies outside the client's folder,"


def _command(call: CliContext, plan: "LaunchPlan", name: str) -> str:
    """The command for a shell; the client's folder is named where the shell's own variables would lead elsewhere."""
    from memtui.client.executable import resume_environment, shell_command

    config = resume_environment(call.env).get(CONFIG)
    given = {CONFIG: config} if config is not None and config != os.environ.get(CONFIG) else {}
    return shell_command(plan.directory, name, fork=plan.forks, environ=given)


def _context(call: CliContext, path: Path, at: str, form: str) -> int:
    """Print the conversation."""
    from memtui.resume.context import context_messages
    from memtui.resume.export import export_transcript
    from memtui.resume.launch import resolve_message
    from memtui.resume.resume import plan_resume as resumed
    from memtui.transcripts.summary import SummaryScanner
    from memtui.transcripts.transcript import read_transcript

    transcript = read_transcript(path)
    told = resumed(transcript, resolve_message(transcript, at) if at else "")
    if told.messages is None:
        raise MemtuiError("the client finds no conversation here", hint=f"memtui sessions tree {path.stem}")
    if form == "json":
        messages = context_messages(told)
        call.out.answer("context", messages, [json.dumps(messages)], rows=messages)
        return 0
    made = export_transcript(told, SummaryScanner().file(path).title or path.stem, "markdown")
    if call.out.structured:
        call.out.answer("context", {"markdown": made.text, "removed": made.removed}, ())
    else:
        call.out.raw(made.text.encode("utf-8", "replace"))
    if made.removed:
        count = ", ".join(f"{count} × {name}" for name, count in sorted(made.removed.items()))
        call.out.note(f"taken out: {count}")
    return 0
