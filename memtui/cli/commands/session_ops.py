"""What is done to past sessions as a whole: rename, archive, restore, rm, save; and how `undo` and `history` see it."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.context import CliContext
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import SHORT, Data, Line, StyledText, iso
from memtui.cli.table import Column, table
from memtui.util.errors import MemtuiError, NotFound, Refused, UsageError
from memtui.util.resolve import matches_prefix, resolve_one
from memtui.util.text import age, pluralize, size

if TYPE_CHECKING:
    from memtui.sessions.archive import ArchivedSession, SessionArchive
    from memtui.sessions.operations_log import SessionOperation

_SPAN = re.compile(r"(\d{1,6})(h|d|w|mo|y)")
_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400, "mo": 30 * 86_400, "y": 365 * 86_400}


def _span(context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """The seconds of a length of time."""
    if value is None:
        return None
    match = _SPAN.fullmatch(value)
    if match is None:
        raise click.BadParameter(f"{value!r} is no length of time: 12h, 30d, 6w, 3mo, 1y", context, parameter)
    return int(match[1]) * _SECONDS[match[2]]


@click.command("rename", cls=CliCommand, short_help="Give a session another title.")
@click.argument("session", metavar="ID")
@click.argument("title")
@pass_context
def rename(call: CliContext, session: str, title: str) -> None:
    """Give a session another title, as the client's /rename does: one record more at the end of its file."""
    from memtui.client.session_files import title_line
    from memtui.projects.activity import archive_for
    from memtui.sessions.rename import check_title, title_before

    call.may_write()
    path = _find(call, session)
    title = check_title(title)
    if call.asked.dry_run:
        words = f"would rename session {title_line(title_before(path)) or path.stem[:SHORT]!r} to {title!r}"
        _told(call, "rename", None, [words])
        return
    _told(call, "rename", archive_for(call.workspace).rename(path, title))


@click.command("archive", cls=CliCommand, short_help="Move sessions out of the client's reach.")
@click.argument("sessions", nargs=-1, required=True, metavar="ID…")
@pass_context
def archive(call: CliContext, sessions: Sequence[str]) -> None:
    """Move sessions to where the client's clean-up doesn't find them; restore brings them back."""
    from memtui.projects.activity import archive_for, live_sessions

    call.may_write()
    keeper, paths = archive_for(call.workspace), [_find(call, word, move=True) for word in sessions]
    if call.asked.dry_run:
        _would(call, "archive", keeper, paths)
        return
    done = keeper.archive(paths, live=live_sessions(call.workspace))
    _told(call, "archive", done.operation, notes=done.notes)


@click.command("rm", cls=CliCommand, short_help="Delete sessions; undo brings them back.")
@click.argument("sessions", nargs=-1, metavar="[ID…]")
@click.option("--older-than", callback=_span, metavar="30d", help="Those whose newest record is older: h, d, w, mo, y.")
@click.option("--all", "everywhere", is_flag=True, help="With --older-than: of all projects.")
@pass_context
def rm(call: CliContext, sessions: Sequence[str], older_than: int | None, everywhere: bool) -> int:
    """Delete sessions, sub-agents and large results included.

    They are kept for 30 days: undo and restore bring back every byte. -n shows what would go. Ends with 1 if none is
    old enough.
    """
    from memtui.projects.activity import archive_for, live_sessions

    if bool(sessions) == (older_than is not None):
        raise UsageError("which sessions?", hint="memtui sessions rm ID… or --older-than 30d, not both")
    call.may_write()
    keeper, live = archive_for(call.workspace), live_sessions(call.workspace)
    if older_than is None:
        paths = [_find(call, word, move=True) for word in sessions]
    else:
        paths = _older(call, older_than, everywhere, live)
        if not paths:
            call.out.answer("rm", _plan([], 0), [])
            call.out.note("no session is that old")
            return 1
    if call.asked.dry_run:
        _would(call, "rm", keeper, paths)
        return 0
    total = sum(keeper.files(path)[1] for path in paths)
    if not call.asked.yes and call.out.interactive():
        call.out.note(*_listed(call, keeper, paths))
    what = f"session {paths[0].stem[:SHORT]}" if len(paths) == 1 else f"{len(paths)} sessions"
    if not call.out.ask(f"Delete {what} ({size(total)})?"):
        call.out.note("nothing was deleted")
        return 1
    done = keeper.delete(paths, live=live)
    _told(call, "rm", done.operation, notes=done.notes)
    return 0


@click.command("restore", cls=CliCommand, short_help="Put archived or deleted sessions back.")
@click.argument("sessions", nargs=-1, required=True, metavar="ID…")
@pass_context
def restore(call: CliContext, sessions: Sequence[str]) -> None:
    """Put archived or deleted sessions back into their projects; ls --archived and --deleted list them.

    What the client's clean-up would take at once gets the present time.
    """
    from memtui.projects.activity import archive_for

    call.may_write()
    keeper = archive_for(call.workspace)
    kept = keeper.kept()
    chosen = [_find_kept(kept, word) for word in sessions]
    if call.asked.dry_run:
        _told(call, "restore", None, [f"would put back session {one.note.title or one.note.id!r}" for one in chosen])
        return
    _told(call, "restore", keeper.put_back(chosen))


@click.command("save", cls=CliCommand, short_help="Copy a transcript into a new file.")
@click.argument("session", metavar="ID")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The new file.")
@pass_context
def save(call: CliContext, session: str, output: Path) -> None:
    """Copy a session's transcript, byte by byte, into a file that isn't there yet."""
    from memtui.sessions.archive import save_copy

    call.may_write()
    path = _find(call, session)
    bytes_ = path.stat().st_size if call.asked.dry_run else save_copy(path, output)
    data = {"done": not call.asked.dry_run, "id": path.stem, "path": str(output), "size": bytes_}
    would = "would write" if call.asked.dry_run else "written"
    call.out.answer("save", data, [] if call.out.quiet else [f"{would} {bytes_} bytes to {output}"])


def kept_ls(call: CliContext, place: str, *, everywhere: bool, branch: str | None) -> int:
    """List archived or deleted sessions, those put away last first; 1 if there is none."""
    import os

    from msgspec.structs import asdict

    from memtui.projects.activity import archive_for
    from memtui.sessions.archive import DELETED
    from memtui.transcripts.summary import SessionSummary, SummaryScanner

    here = os.path.realpath(call.location.transcripts)
    found: list[tuple[ArchivedSession, SessionSummary]] = []
    warnings = []
    for kept in archive_for(call.workspace).kept(place):
        if not everywhere and str(kept.project) != here:
            continue
        try:
            facts = SummaryScanner().file(kept.file.path)
        except OSError as error:
            warnings.append(f"{kept.file.id}: {error.strerror}, not listed")
            continue
        if branch in (None, facts.branch):
            found.append((kept, facts))
    rows = [{**_kept_data(kept), **asdict(facts)} for kept, facts in found]

    def text() -> Iterator[Line]:
        columns = [Column("deleted" if place == DELETED else "archived", right=True), Column("messages", right=True)]
        columns += [Column("size", right=True), Column("title", rest=1), Column("project", rest=1), Column("id")]
        lines: list[list[str | StyledText]] = []
        for kept, facts in found:
            title = StyledText(facts.title) if facts.title else StyledText("no title", "dim")
            name = Path(facts.cwd).name or kept.project.name
            lines.append(
                [age(call.now() - kept.at), str(facts.messages), size(kept.note.size), title, name,
                 StyledText(kept.file.id[:SHORT], "dim")]
            )  # fmt: skip
        yield from table(call.out, columns, lines)

    call.out.answer("sessions", rows, text(), rows=rows, warnings=warnings, page=True)
    if not rows:
        call.out.note("no session here was deleted" if place == DELETED else "no session here is archived")
    return int(not rows)


def _kept_data(kept: "ArchivedSession") -> Data:
    return {
        "id": kept.file.id,
        "path": kept.file.file_path,
        "modified": iso(kept.file.modified),
        "size": kept.note.size,
        "place": kept.place,
        "put_away": iso(kept.at),
        "project": str(kept.project),
    }


def _find(call: CliContext, word: str, *, move: bool = False) -> Path:
    """The file of a session, of any project; one that shall be moved has to be in a project folder."""
    from memtui.client.paths import projects_dir, real_path
    from memtui.projects.activity import archive_for
    from memtui.sessions import catalog
    from memtui.sessions.listing import project_folders

    projects = projects_dir(call.env)
    try:
        path = catalog.find_session(call.dirs.cache, project_folders(projects), word)
    except NotFound as error:
        if any(one.note.id.startswith(word.lower()) for one in archive_for(call.workspace).kept()):
            error.hint = f"it is archived or deleted: memtui sessions restore {word}"
        raise
    if move and path.absolute().parent.parent != projects and real_path(path.parent).parent != real_path(projects):
        raise Refused(f"{path} is in no project folder of the agent client: it was left where it is")
    return path


def _find_kept(kept: "list[ArchivedSession]", word: str) -> "ArchivedSession":
    """A kept session by the beginning of its id or by its title; of several of one id the one put away last."""
    fits = [one for one in kept if matches_prefix(one.note.id, word)]
    fits = fits or [one for one in kept if one.note.title.casefold() == word.casefold()]
    last = list({one.note.id: one for one in reversed(fits)}.values())
    lists = "memtui sessions ls --archived lists them"
    return resolve_one(last, word, "archived or deleted session", lists=lists, name=lambda one: one.note.id)


def _older(call: CliContext, seconds: int, everywhere: bool, live: frozenset[str]) -> list[Path]:
    """The sessions whose newest record is older; those that a client has open are left out."""
    from memtui.client.paths import projects_dir
    from memtui.sessions import catalog
    from memtui.sessions.listing import project_folders

    faults: list[MemtuiError] = []
    places = project_folders(projects_dir(call.env)) if everywhere else [call.location.transcripts]
    found = [one for one in catalog.load_sessions(call.dirs.cache, places, faults) if call.now() - one.when > seconds]
    call.out.warn(fault.message for fault in faults)
    for one in found:
        if one.id in live:
            call.out.note(f"session {one.id[:SHORT]} is open in the agent client: left where it is")
    return [one.path for one in found if one.id not in live]


def _listed(call: CliContext, keeper: "SessionArchive", paths: Sequence[Path]) -> Iterator[Line]:
    from memtui.client.session_files import UNTITLED
    from memtui.transcripts.summary import SummaryScanner

    columns = [Column("", right=True), Column("", right=True), Column("", rest=1), Column("")]
    rows: list[list[str | StyledText]] = []
    for path in paths:
        names, total = keeper.files(path)
        title = SummaryScanner().file(path).title
        rows.append(
            [size(total), pluralize(len(names), "file"), title or StyledText(UNTITLED, "dim"), path.stem[:SHORT]]
        )
    yield from table(call.out, columns, rows)


def _plan(sessions: list[Data], total: int) -> Data:
    return {"done": False, "deed": None, "sessions": sessions, "bytes": total, "notes": []}


def _would(call: CliContext, kind: str, keeper: "SessionArchive", paths: Sequence[Path]) -> None:
    """Show what would be moved, and how much that is."""
    sessions: list[Data] = []
    for path in paths:
        names, total = keeper.files(path)
        sessions.append({"id": path.stem, "project": str(path.parent), "files": names, "size": total})
    total = sum(one["size"] for one in sessions)

    def text() -> Iterator[Line]:
        yield from _listed(call, keeper, paths)
        yield f"{pluralize(len(paths), 'session')}, {total} bytes"

    call.out.answer(kind, _plan(sessions, total), text())
    call.out.note("-n: nothing was moved")


def _told(
    call: CliContext,
    kind: str,
    operation: "SessionOperation | None",
    would: Sequence[str] = (),
    *,
    notes: Sequence[str] = (),
) -> None:
    """Say what was done and how to take it back; or what would be done."""
    if operation is None:
        call.out.answer(kind, {"done": False, "deed": None, "would": list(would), "notes": []}, would)
        call.out.note("-n: nothing was written")
        return
    sessions = [
        {"id": one.id, "project": one.project, "title": one.title, "before": one.before, "after": one.after}
        for one in operation.sessions
    ]
    data = {
        "done": True,
        "deed": {"id": operation.id, "when": iso(operation.time), "what": operation.what, "words": operation.words},
        "sessions": sessions,
        "notes": list(notes),
    }
    call.out.answer(kind, data, [] if call.out.quiet else [operation.told])
    call.out.note(*notes, StyledText(f"memtui undo {operation.id} takes it back", "dim"))


COMMANDS = (rename, archive, restore, rm, save)
"""What `memtui sessions` takes up."""
