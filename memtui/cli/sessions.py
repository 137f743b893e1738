"""Past sessions: listed, looked at, given away; what is done to them as a whole is in `session_deeds`."""

from pathlib import Path

import click

from memtui.base.errors import Refused
from memtui.cli.call import Call
from memtui.cli.context import Group, pass_call
from memtui.cli.session_deeds import COMMANDS, kept_ls
from memtui.cli.session_list import list_sessions, places


@click.group("sessions", cls=Group, short_help="List past sessions, look at one, rename, archive, delete.")
def sessions() -> None:
    """List past sessions, look at one, or do something to one as a whole. No record in a transcript is ever changed."""


@sessions.command("ls")
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@click.option("--branch", metavar="B", help="Only those whose last prompt was typed on this branch.")
@click.option("--archived", "place", flag_value="archive", help="Those that were archived.")
@click.option("--deleted", "place", flag_value="deleted", help="Those that were deleted and can still be had back.")
@pass_call
def sessions_ls(call: Call, everywhere: bool, branch: str | None, place: str | None) -> int:
    """List the sessions of the project, newest first: age, messages, size, id, title.

    "live" marks a session that is open in a client now, "goes in 2d" one that the client's own clean-up takes soon,
    "due" one that it takes at its next start.
    Ends with 1 if there is none.
    """
    if place is not None:
        return kept_ls(call, place, everywhere=everywhere, branch=branch)
    return list_sessions(call, everywhere=everywhere, branch=branch)


for _command in COMMANDS:
    sessions.add_command(_command)


@click.group("export", cls=Group, short_help="Write a session down for others.")
def export() -> None:
    """Write a session down for others, as text or for a browser."""


@export.command("session")
@click.argument("session", metavar="ID")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Into a file that isn't there yet."
)
@click.option("--format", "form", type=click.Choice(["md", "json", "html"]), default="md", show_default=True)
@click.option("--at", default="", metavar="UUID", help="Up to this message instead of the client's own choice.")
@click.option("--redact", is_flag=True, help="Take out what looks like a secret, and say how much that was.")
@pass_call
def export_session(call: Call, session: str, output: Path | None, form: str, at: str, redact: bool) -> None:
    """The conversation as a resume would send it, as Markdown, JSON or one HTML page.

    Where something in it looks like a secret nothing is written, unless --redact takes it out.
    """
    from memtui.base.files import create_file
    from memtui.search import shelf
    from memtui.sessions.chain import resume
    from memtui.sessions.export import export as write_down
    from memtui.sessions.scan import Scanner
    from memtui.sessions.transcript import read_transcript

    path = shelf.find(call.dirs.cache, places(call, everywhere=True), session)
    title = Scanner().file(path).title or path.stem
    forms = {"md": "markdown", "json": "json", "html": "html"}
    made = write_down(resume(read_transcript(path), at), title, forms[form])  # type: ignore[arg-type]
    secrets = ", ".join(f"{count} × {name}" for name, count in sorted(made.removed.items()))
    if secrets and not redact:
        raise Refused(f"looks like secrets: {secrets}; nothing was written", hint="--redact takes them out")
    if output is None:
        call.out.raw(made.text.encode("utf-8", "replace"))
    elif call.asked.dry_run:
        call.out.note(f"would write {len(made.text.encode())} bytes to {output}; -n: nothing was written")
    else:
        create_file(output, made.text.encode("utf-8", "replace"))
        call.out.note(f"written to {output}")
    if secrets:
        call.out.note(f"taken out: {secrets}")
