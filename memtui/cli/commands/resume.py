"""Going on with a past session: in Claude Code, or with its conversation elsewhere."""

import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path

import click

from memtui.cli.context import CliContext
from memtui.cli.options import DIRECTORY, CliCommand, pass_context
from memtui.cli.output import Data
from memtui.cli.session_list import places
from memtui.client.executable import CLIENT_NAME, find_client, resume_command, resume_environment, shell_command
from memtui.resume.context import context_messages
from memtui.resume.export import export_transcript
from memtui.resume.fork import Fork
from memtui.resume.launch import LaunchPlan, plan_launch, resolve_message
from memtui.resume.resume import plan_resume
from memtui.services import sessions as services
from memtui.sessions import catalog
from memtui.transcripts.summary import SummaryScanner
from memtui.transcripts.transcript import read_transcript
from memtui.util.errors import MemtuiError, NotFound, Unsupported, UsageError

CONFIG = "CLAUDE_CONFIG_DIR"


@click.command("resume", cls=CliCommand, short_help="Continue a past session in Claude Code.")
@click.argument("session", metavar="[ID]", required=False)
@click.option("--last", is_flag=True, help="The newest session of the project.")
@click.option("--at", "at", default="", metavar="MESSAGE", help="Continue from this message, in a fork.")
@click.option("--fork", is_flag=True, help="Continue in a new session; this one stays as it is.")
@click.option("--in", "directory", type=DIRECTORY, metavar="DIR", help="Work in another directory.")
@click.option("--print", "show", is_flag=True, help="Print the command instead of running it.")
@click.option("--context", "form", type=click.Choice(["md", "json"]), help="Print the conversation instead.")
@pass_context
def resume(
    context: CliContext, session: str | None, last: bool, at: str, fork: bool, directory: Path | None, show: bool,
    form: str | None,
) -> int:  # fmt: skip
    """Open a past session in Claude Code, in the directory that it began in; ends with its exit code.

    ID is the beginning of an id, a title, or a transcript's path. MESSAGE is a uuid or its first 8 characters or more
    (memtui sessions tree shows them). Claude Code continues at its own leaf alone, so with --at a fork that ends at the
    message is written beside the session, and that is resumed. So it is with a DIR from which Claude Code doesn't find
    the session (another repository, a subfolder), and with a transcript that lies outside Claude Code's folder: resumed
    by its path, it would write what comes next into another file. With --print too: memtui undo removes the fork.

    --context json gives the messages as the Messages API takes them; md is for reading, without what looks like a
    secret.
    """
    if form is not None and (show or fork or directory is not None):
        raise UsageError("--context prints the conversation; it goes with --at, not with --fork, --in or --print")
    path = _session(context, session, last=last)
    if form is not None:
        return _context(context, path, at, form)
    if context.out.structured and not show:
        hint = "--print --json, or --context json"
        raise UsageError("Claude Code takes the terminal, so there is no JSON", hint=hint)
    wanted = None if directory is None else context.cwd / directory
    plan = plan_launch(context.env, path, at=at, fork=fork, directory=wanted)
    if not show:
        return _run(context, plan)
    _show(context, plan)
    return 0


def _session(context: CliContext, word: str | None, *, last: bool) -> Path:
    if last == (word is not None):
        raise UsageError("name one session, or --last", hint="memtui sessions ls lists them")
    here = context.location.transcripts
    if word is None:
        found = catalog.newest_session(context.dirs.cache, here)
        if found is None:
            raise NotFound("no session of this project", hint="memtui sessions ls --all lists those of all projects")
        return found.path
    try:
        return catalog.find_session(context.dirs.cache, [here], word)
    except NotFound:
        return catalog.find_session(context.dirs.cache, places(context, everywhere=True), word)


def _run(context: CliContext, plan: LaunchPlan) -> int:
    plan.refuse_open()
    find_client(context.env)
    if context.options.dry_run:
        context.out.print(_would_fork(plan) if plan.writes else f"would run: {_command(context, plan, plan.id)}")
        return 0
    if not (context.out.interactive() and sys.stdout.isatty()):
        raise Unsupported("Claude Code needs a terminal", hint="--print shows the command, --context the conversation")
    name = _forked(context, plan).id if plan.writes else ""
    return services.resume_in_client(context.workspace, plan, name=name, suspend=nullcontext)


def _show(context: CliContext, plan: LaunchPlan) -> None:
    made: Fork | None = None
    if plan.writes and context.options.dry_run:
        context.out.status(_would_fork(plan))
    elif plan.writes:
        made = _forked(context, plan)
    elif plan.ended:
        plan.refuse_open()
    elif plan.open_elsewhere:
        context.out.status(f"{plan.open_elsewhere}; --fork continues in a new session")
    name = plan.id if not plan.writes else made.id if made else ""
    command = _command(context, plan, name) if name else ""
    data: Data = {
        "session": plan.id, "resumes": name or None, "directory": plan.directory, "at": plan.at or None,
        "argv": resume_command(CLIENT_NAME, name, fork=plan.forks) if name else None, "command": command or None,
        "fork": plan.forks or plan.writes, "written": made.path if made else None,
        "live": plan.live.pid if plan.live else None,
    }  # fmt: skip
    context.out.result("resume", data, [command] if command else [])


def _forked(context: CliContext, plan: LaunchPlan) -> Fork:
    made = services.fork_session(context.workspace, plan)
    then = f"the session itself stays as it is; memtui undo {made.operation[:8]} removes it"
    context.out.status(f"a fork was written, since {plan.fork_reason}: {made.path}; {then}")
    return made


def _would_fork(plan: LaunchPlan) -> str:
    return f"would write a fork into {plan.folder}, since {plan.fork_reason}, and resume it; -n: nothing was written"


def _command(context: CliContext, plan: LaunchPlan, name: str) -> str:
    """The command for a shell; the client's folder is named where the shell's own variables would lead elsewhere."""
    config = resume_environment(context.env).get(CONFIG)
    given = {CONFIG: config} if config is not None and config != os.environ.get(CONFIG) else {}
    return shell_command(plan.directory, name, fork=plan.forks, environ=given)


def _context(context: CliContext, path: Path, at: str, form: str) -> int:
    transcript = read_transcript(path)
    resumed = plan_resume(transcript, resolve_message(transcript, at) if at else "")
    if resumed.messages is None:
        raise MemtuiError("Claude Code finds no conversation here", hint=f"memtui sessions tree {path.stem}")
    if form == "json":
        messages = context_messages(resumed)
        context.out.result("context", messages, [json.dumps(messages)], rows=messages)
        return 0
    made = export_transcript(resumed, SummaryScanner().file(path).title or path.stem, "markdown")
    if context.out.structured:
        context.out.result("context", {"markdown": made.text, "removed": made.removed}, ())
    else:
        context.out.raw(made.text.encode("utf-8", "replace"))
    if made.removed:
        context.out.status(f"taken out: {services.removed_words(made.removed)}")
    return 0
