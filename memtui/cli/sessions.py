"""Past sessions: listed, looked at, given away; what is done to them as a whole is in `session_deeds`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.base.errors import MemtuiError, Refused
from memtui.base.text import age, size
from memtui.cli.context import Call, Group, pass_call
from memtui.cli.output import SHORT, Column, Data, Line, Part, iso, table
from memtui.cli.session_deeds import COMMANDS, kept_ls

if TYPE_CHECKING:
    from memtui.host.running import Running
    from memtui.sessions.listing import Session


def places(call: Call, *, everywhere: bool) -> list[Path]:
    """The folders whose sessions are meant: the project's, or all."""
    from memtui.host.paths import projects_dir
    from memtui.sessions.listing import folders

    return folders(projects_dir(call.env)) if everywhere else [call.place.transcripts]


def session_data(session: "Session", live: "Running | None", left: float | None) -> Data:
    """A session for scripts; `left` are the days to the client's clean-up, `None` while that is off."""
    facts = session.facts
    return {
        "id": session.file.id,
        "path": session.file.place,
        "modified": iso(session.file.modified),
        "size": session.file.size,
        "live": live is not None,
        "pid": live.pid if live else None,
        "days_left": None if left is None else round(left, 2),
        **{name: getattr(facts, name) for name in facts.__slots__},
    }


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
    """List the sessions of the project, newest first: age, messages, size, title, id.

    "live" marks a session that is open in a client now, "goes in 2d" one that the client's own clean-up takes soon.
    Ends with 1 if there is none.
    """
    from memtui.host.retention import cleanup_days, days_left, leaving
    from memtui.host.running import running
    from memtui.search import shelf

    if place is not None:
        return kept_ls(call, place, everywhere=everywhere, branch=branch)
    faults: list[MemtuiError] = []
    found = [one for one in shelf.sessions(call.dirs.cache, places(call, everywhere=everywhere), faults)
             if branch in (None, one.facts.branch)]  # fmt: skip
    live, days, now = running(call.env), cleanup_days(call.place.layers), call.now()
    left = [None if days is None else days_left(one.file.modified, now, days) for one in found]
    rows = []
    if call.out.structured:
        rows = [session_data(one, live.get(one.file.id), rest) for one, rest in zip(found, left, strict=True)]
    states = [
        Part("live", "good") if one.file.id in live else Part(leaving(rest), "warn")
        for one, rest in zip(found, left, strict=True)
    ]
    text = _ls_table(call, found, states, everywhere=everywhere)
    call.out.answer("sessions", rows, text, rows=rows, warnings=[fault.message for fault in faults], page=True)
    if not found:
        call.out.note("no session here" if branch is None else f"no session on branch {branch}")
    return int(not found)


def _ls_table(call: Call, found: "list[Session]", states: list[Part], *, everywhere: bool) -> Iterator[Line]:
    from memtui.host.titles import NAMELESS

    marked, now = call.out.plain or any(state.text for state in states), call.now()
    columns = [Column("age", right=True), Column("messages", right=True), Column("size", right=True)]
    columns.append(Column("title", rest=True))
    columns += [*([Column("project", rest=True)] if everywhere else []), Column("branch", rest=True)]
    columns += [*([Column("state")] if marked else []), Column("id")]
    lines: list[list[str | Part]] = []
    for one, state in zip(found, states, strict=True):
        facts = one.facts
        line: list[str | Part] = [age(now - one.when), str(facts.messages), size(one.file.size)]
        line.append(one.title or Part(NAMELESS, "dim"))
        line += [facts.cwd.rpartition("/")[2]] if everywhere else []
        line += [facts.branch, *([state] if marked else [])]
        lines.append([*line, Part(one.file.id[:SHORT], "dim")])
    return table(call.out, columns, lines)


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
