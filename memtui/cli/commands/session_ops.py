"""What is done to past sessions as a whole: rename, archive, restore, rm, save; and how `undo` and `history` see it."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec.structs import asdict

from memtui.cli.asking import answered, may_write
from memtui.cli.context import CliContext
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import SHORT, Data, Line, StyledText, fields, iso
from memtui.cli.table import columns, table
from memtui.client.paths import projects_dir
from memtui.client.session_files import UNTITLED
from memtui.projects.activity import archive_for, live_sessions
from memtui.services import sessions as services
from memtui.sessions import catalog
from memtui.sessions.archive import DELETED, ArchivedSession, ArchiveResult
from memtui.sessions.listing import project_folders
from memtui.sessions.rename import check_title
from memtui.transcripts.summary import SessionSummary, SummaryScanner
from memtui.util.errors import MemtuiError, NotFound, UsageError
from memtui.util.resolve import matches_prefix, resolve_one
from memtui.util.text import age, pluralize, size

_SPAN = re.compile(r"(\d{1,6})(h|d|w|mo|y)")
_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400, "mo": 30 * 86_400, "y": 365 * 86_400}


def _span(ctx: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """The seconds of a length of time."""
    if value is None:
        return None
    match = _SPAN.fullmatch(value)
    if match is None:
        raise click.BadParameter(f"{value!r} is no length of time: 12h, 30d, 6w, 3mo, 1y", ctx, parameter)
    return int(match[1]) * _SECONDS[match[2]]


@click.command("rename", cls=CliCommand, short_help="Give a session another title.")
@click.argument("session", metavar="ID")
@click.argument("title")
@pass_context
def rename(context: CliContext, session: str, title: str) -> None:
    """Give a session another title, as Claude Code's /rename does: one record more at the end of its file."""
    may_write(context)
    path = _find(context, session)
    if not context.options.dry_run:
        _tell(context, "rename", services.rename_session(context.workspace, path, title))
        return
    called = services.current_title(path) or path.stem[:SHORT]
    _tell(context, "rename", None, [f"would rename session {called!r} to {check_title(title)!r}"])


@click.command("archive", cls=CliCommand, short_help="Move sessions out of reach of Claude Code's clean-up.")
@click.argument("sessions", nargs=-1, required=True, metavar="ID…")
@pass_context
def archive(context: CliContext, sessions: Sequence[str]) -> None:
    """Move sessions to where Claude Code's clean-up doesn't find them; restore brings them back."""
    may_write(context)
    paths = [_find(context, word, move=True) for word in sessions]
    if context.options.dry_run:
        _would(context, "archive", paths)
    else:
        _tell(context, "archive", services.archive_sessions(context.workspace, paths))


@click.command("rm", cls=CliCommand, short_help="Delete sessions; undo brings them back.")
@click.argument("sessions", nargs=-1, metavar="[ID…]")
@click.option("--older-than", callback=_span, metavar="30d", help="Those whose newest record is older: h, d, w, mo, y.")
@click.option("--all", "everywhere", is_flag=True, help="With --older-than: of all projects.")
@pass_context
def rm(context: CliContext, sessions: Sequence[str], older_than: int | None, everywhere: bool) -> int:
    """Delete sessions, sub-agents and large results included.

    They are kept for 30 days: undo and restore bring back every byte. -n shows what would go. Ends with 1 if none is
    old enough.
    """
    if bool(sessions) == (older_than is not None):
        raise UsageError("which sessions?", hint="memtui sessions rm ID… or --older-than 30d, not both")
    may_write(context)
    if older_than is None:
        paths = [_find(context, word, move=True) for word in sessions]
    else:
        paths = _older(context, older_than, everywhere)
        if not paths:
            context.out.result("rm", _plan([], 0), [])
            context.out.status("no session is that old")
            return 1
    if context.options.dry_run:
        _would(context, "rm", paths)
        return 0
    done = answered(context, lambda allow: services.delete_sessions(context.workspace, paths, allow))
    if done is None:
        context.out.status("nothing was deleted")
        return 1
    _tell(context, "rm", done)
    return 0


@click.command("restore", cls=CliCommand, short_help="Put archived or deleted sessions back.")
@click.argument("sessions", nargs=-1, required=True, metavar="ID…")
@pass_context
def restore(context: CliContext, sessions: Sequence[str]) -> None:
    """Put archived or deleted sessions back into their projects; ls --archived and --deleted list them.

    What Claude Code's clean-up would take at once gets the present time.
    """
    may_write(context)
    kept = archive_for(context.workspace).kept()
    chosen = [_find_kept(kept, word) for word in sessions]
    if context.options.dry_run:
        _tell(context, "restore", None, [f"would put back session {one.note.title or one.note.id!r}" for one in chosen])
    else:
        _tell(context, "restore", services.put_back(context.workspace, chosen))


@click.command("save", cls=CliCommand, short_help="Copy a transcript into a new file.")
@click.argument("session", metavar="ID")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The new file.")
@pass_context
def save(context: CliContext, session: str, output: Path) -> None:
    """Copy a session's transcript, byte by byte, into a file that isn't there yet."""
    may_write(context)
    path = _find(context, session)
    bytes_ = path.stat().st_size if context.options.dry_run else services.save_copy(context.workspace, path, output)
    data = {"done": not context.options.dry_run, "id": path.stem, "path": str(output), "size": bytes_}
    would = "would write" if context.options.dry_run else "written"
    context.out.result("save", data, [] if context.out.quiet else [f"{would} {bytes_} bytes to {output}"])


def list_kept(context: CliContext, place: str, *, everywhere: bool, branch: str | None) -> int:
    """List archived or deleted sessions, those put away last first; 1 if there is none."""
    here = os.path.realpath(context.location.transcripts)
    found: list[tuple[ArchivedSession, SessionSummary]] = []
    warnings = []
    for kept in archive_for(context.workspace).kept(place):
        if not everywhere and str(kept.project) != here:
            continue
        try:
            summary = SummaryScanner().file(kept.file.path)
        except OSError as error:
            warnings.append(f"{kept.file.id}: {error.strerror}, not listed")
            continue
        if branch in (None, summary.branch):
            found.append((kept, summary))
    rows = [{**_kept_data(kept), **asdict(summary)} for kept, summary in found]

    def text() -> Iterator[Line]:
        lines: list[list[str | StyledText]] = []
        for kept, summary in found:
            title = StyledText(summary.title) if summary.title else StyledText("no title", "dim")
            name = Path(summary.cwd).name or kept.project.name
            lines.append(
                [age(context.now() - kept.at), str(summary.messages), size(kept.note.size), title, name,
                 StyledText(kept.file.id[:SHORT], "dim")]
            )  # fmt: skip
        when = ">deleted" if place == DELETED else ">archived"
        yield from table(context.out, columns(when, ">messages", ">size", "title*", "project*", "id"), lines)

    context.out.result("sessions", rows, text(), rows=rows, warnings=warnings, page=True)
    if not rows:
        context.out.status("no session here was deleted" if place == DELETED else "no session here is archived")
    return int(not rows)


def _kept_data(kept: ArchivedSession) -> Data:
    return {
        "id": kept.file.id,
        "path": kept.file.file_path,
        "modified": iso(kept.file.modified),
        "size": kept.note.size,
        "place": kept.place,
        "put_away": iso(kept.at),
        "project": str(kept.project),
    }


def _find(context: CliContext, word: str, *, move: bool = False) -> Path:
    """The file of a session, of any project; one that shall be moved has to be in a project folder."""
    projects = projects_dir(context.env)
    try:
        path = catalog.find_session(context.dirs.cache, project_folders(projects), word)
    except NotFound as error:
        if any(one.note.id.startswith(word.lower()) for one in archive_for(context.workspace).kept()):
            error.hint = f"it is archived or deleted: memtui sessions restore {word}"
        raise
    if move:
        services.require_project_session(context.workspace, path)
    return path


def _find_kept(kept: list[ArchivedSession], word: str) -> ArchivedSession:
    """A kept session by the beginning of its id or by its title; of several of one id the one put away last."""
    fits = [one for one in kept if matches_prefix(one.note.id, word)]
    fits = fits or [one for one in kept if one.note.title.casefold() == word.casefold()]
    last = list({one.note.id: one for one in reversed(fits)}.values())
    lists = "memtui sessions ls --archived lists them"
    return resolve_one(last, word, "archived or deleted session", lists=lists, name=lambda one: one.note.id)


def _older(context: CliContext, seconds: int, everywhere: bool) -> list[Path]:
    """The sessions whose newest record is older; those that are open in Claude Code are left out."""
    live = live_sessions(context.workspace)
    errors: list[MemtuiError] = []
    places = project_folders(projects_dir(context.env)) if everywhere else [context.location.transcripts]
    found = [
        one for one in catalog.load_sessions(context.dirs.cache, places, errors) if context.now() - one.when > seconds
    ]
    context.out.warn(error.message for error in errors)
    for one in found:
        if one.id in live:
            context.out.status(f"session {one.id[:SHORT]} is open in Claude Code: left where it is")
    return [one.path for one in found if one.id not in live]


def _plan(sessions: list[Data], total: int) -> Data:
    return {"done": False, "deed": None, "sessions": sessions, "bytes": total, "notes": []}


def _would(context: CliContext, kind: str, paths: Sequence[Path]) -> None:
    """Show what would be moved, and how much that is."""
    found = services.session_files(context.workspace, paths)
    total = sum(one.size for one in found)
    sessions: list[Data] = [
        {"id": one.path.stem, "project": str(one.path.parent), "files": list(one.files), "size": one.size}
        for one in found
    ]

    def text() -> Iterator[Line]:
        rows: list[list[str | StyledText]] = [
            [size(one.size), pluralize(len(one.files), "file"), one.title or StyledText(UNTITLED, "dim"),
             one.path.stem[:SHORT]] for one in found
        ]  # fmt: skip
        yield from table(context.out, columns(">", ">", "*", ""), rows)
        yield f"{pluralize(len(paths), 'session')}, {total} bytes"

    context.out.result(kind, _plan(sessions, total), text())
    context.out.status("-n: nothing was moved")


def _tell(context: CliContext, kind: str, done: ArchiveResult | None, would: Sequence[str] = ()) -> None:
    """Say what was done and how to undo it; or what would be done."""
    if done is None:
        context.out.result(kind, {"done": False, "deed": None, "would": list(would), "notes": []}, would)
        context.out.status("-n: nothing was written")
        return
    operation = done.operation
    data = {
        "done": True,
        "deed": {"id": operation.id, "when": iso(operation.time), "what": operation.what, "words": operation.words},
        "sessions": [fields(one, "id project title before after") for one in operation.sessions],
        "notes": list(done.notes),
    }
    context.out.result(kind, data, [] if context.out.quiet else [operation.told])
    context.out.status(*done.notes, StyledText(f"memtui undo {operation.id} takes it back", "dim"))


COMMANDS = (rename, archive, restore, rm, save)
"""What `memtui sessions` takes up."""
