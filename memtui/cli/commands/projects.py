"""The projects that have left sessions or memory: listed, and brought to where they are now.

A project that moved: what it left in its old folder goes to that of its new directory.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.options import CliCommand, CliGroup, pass_context
from memtui.cli.output import SHORT, Data, Line, StyledText, iso
from memtui.cli.table import Column, table
from memtui.util.errors import NotFound, UsageError
from memtui.util.text import age, pluralize, size, visible

if TYPE_CHECKING:
    from memtui.client.projects import Project
    from memtui.projects.journal import MoveRecord
    from memtui.projects.relocate import FileName, MovePlan, MoveResult
    from memtui.projects.relocate_sessions import SessionMove, Stay
    from memtui.projects.relocate_undo import Undone


MOST = 20
"""Sessions and memories that are listed without -v."""


@click.command("move", cls=CliCommand, short_help="Bring what a project has left to another directory.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW", type=click.Path(path_type=Path))
@click.option("--memory", "only_memory", is_flag=True, help="Only the memory; the sessions stay.")
@pass_context
def move(call: CliContext, old: str, new: Path, only_memory: bool) -> int:
    """Bring sessions and memory of a project that moved to the folder of the directory where it is now.

    OLD is its old directory, its name, or its folder below projects/; NEW is a directory. Shows what it will do, asks,
    and does it; projects undo-move takes it back. Nothing is overwritten: of two sessions or memories with one name
    both stay. Running sessions stay where they are. Ends with 1 if there is nothing to move, or on a no.
    """
    from memtui.client.running import running_sessions_in
    from memtui.projects.relocate import apply_move, plan_move

    call.may_write()
    project, directory = _source(call, old)
    config = project.folder.parent.parent
    plan = plan_move(
        call.env,
        call.dirs,
        project.folder,
        (call.cwd / new.expanduser()).absolute(),
        directory=directory,
        shared=project.collision,
        sessions=not only_memory,
        live=frozenset(running_sessions_in(config)),
        now=call.now,
    )
    if plan.empty or call.asked.dry_run:
        _told(call, plan, None)
        return int(plan.empty)
    if not call.asked.yes and call.out.interactive():
        call.out.note(*_plan_lines(call, plan))
    if not call.out.ask("Move this?"):
        call.out.note("nothing was moved")
        return 1
    _told(call, plan, apply_move(plan, live=frozenset(running_sessions_in(config)), now=call.now))
    return 0


def _source(call: CliContext, word: str) -> "tuple[Project, Path | None]":
    """The project that a word means, and the directory of it.

    Raises:
        NotFound: If there is none; a directory never stands for the project of a repository around it.
        Usage: If two directories share the folder and the word doesn't say which.
    """
    from memtui.client.paths import real_path
    from memtui.client.projects import find_project

    project = find_project(call.env, word)
    if not ("/" in word or word in (".", "..", "~")):
        if project.collision:
            paths = " or ".join(visible(str(path), keep="") for path in project.cwds)
            raise UsageError(f"two directories share {project.folder.name}", hint=f"name one by its path: {paths}")
        return project, project.cwd
    path = Path(os.path.normpath(call.cwd / Path(word).expanduser()))
    if project.folder in (path, *path.parents):
        return project, project.cwd
    for directory in (project.cwd, *project.cwds):
        if directory is not None and directory in (path, real_path(path)):
            return project, directory
    raise NotFound(f"{visible(word, keep='')} has left nothing", hint="memtui projects lists the projects")


def _session_row(session: "SessionMove") -> Data:
    return {
        "id": session.id,
        "as": session.new_id,
        "title": session.title,
        "files": len(session.files),
        "size": session.size,
        "there": session.there,
    }


def _memory_row(file: "FileName") -> Data:
    return {"name": file.source, "as": file.target, "there": file.there, "lines": list(file.lines)}


def _told(call: CliContext, plan: "MovePlan", moved: "MoveResult | None") -> None:
    stays = [*plan.stays, *(moved.stays if moved is not None else ())]
    data = {
        "old": None if plan.old is None else str(plan.old),
        "new": str(plan.new),
        "from": str(plan.source),
        "to": str(plan.target),
        "sessions": [_session_row(session) for session in (plan.sessions if moved is None else moved.sessions)],
        "memory": [] if plan.memory is None else [_memory_row(file) for file in plan.memory.files],
        "stays": [{"what": stay.what, "why": stay.why} for stay in stays],
        "notes": list(plan.notes),
        "diff": "" if plan.memory is None else plan.memory.coming.diff(),
        "move": None if moved is None else moved.id,
    }

    def text() -> Iterator[Line]:
        if moved is None or call.out.verbose:
            yield from _plan_lines(call, plan)
        if moved is not None:
            yield f"moved {plan.amount(len(moved.sessions))} to {plan.new}"
            yield from _stay_lines(moved.stays)
            if not call.out.quiet:
                yield StyledText("  memtui projects undo-move takes it back", "dim")

    call.out.answer("move", data, text())
    if plan.empty:
        call.out.note("nothing to move")
    elif moved is None:
        call.out.note("-n: nothing was moved")


def _plan_lines(call: CliContext, plan: "MovePlan") -> Iterator[Line]:
    from memtui.client.session_files import UNTITLED

    yield ["from  ", StyledText(str(plan.old or plan.source), "bold")]
    yield ["to    ", StyledText(str(plan.new), "bold")]
    most = len(plan.sessions) if call.out.verbose else MOST
    rows: list[list[str | StyledText]] = []
    for session in plan.sessions[:most]:
        title = session.title or StyledText(UNTITLED, "dim")
        rows.append(["session", session.id[:SHORT], size(session.size), title, StyledText(session.how, "warn")])
    if len(plan.sessions) > most:
        rows.append(["", "", "", StyledText(f"and {len(plan.sessions) - most} more: -v lists them", "dim"), ""])
    columns = [Column(""), Column(""), Column("", right=True), Column("", rest=1), Column("")]
    yield from table(call.out, columns, rows)
    yield from table(call.out, [Column(""), Column("", rest=1), Column("")], _memory_rows(call, plan))
    yield from _stay_lines(plan.stays)
    yield from (StyledText(f"  {note}", "dim") for note in plan.notes)
    if call.out.verbose and plan.memory is not None:
        yield from diff_lines(plan.memory.coming.diff())


def _memory_rows(call: CliContext, plan: "MovePlan") -> Iterator[list[str | StyledText]]:
    files = () if plan.memory is None else plan.memory.files
    most = len(files) if call.out.verbose else MOST
    for file in files[:most]:
        yield ["memory", file.source, StyledText(file.how, "warn")]
    if len(files) > most:
        yield ["", StyledText(f"and {len(files) - most} more: -v lists them", "dim"), ""]


def _stay_lines(stays: "tuple[Stay, ...]") -> Iterator[Line]:
    for stay in stays:
        yield [StyledText("stays  ", "warn"), f"{stay.what}: {stay.why}"]


@click.command("undo-move", cls=CliCommand, short_help="Take a move back.")
@click.argument("id", required=False, default="", metavar="[ID]")
@click.option("--list", "listed", is_flag=True, help="List the moves instead, newest first.")
@pass_context
def undo_move(call: CliContext, id: str, listed: bool) -> int:
    """Take back the newest move that still stands, or one by the beginning of its id.

    A session that went on since goes back with all of it.
    """
    from memtui.client.paths import projects_dir
    from memtui.client.running import running_sessions_in
    from memtui.projects.relocate_undo import past_move
    from memtui.projects.relocate_undo import undo_move as take_back

    if listed:
        return _listed(call)
    call.may_write()
    past = past_move(call.dirs, id)
    if call.asked.dry_run:
        _undone(call, past, None)
        return 0
    live = frozenset(running_sessions_in(projects_dir(call.env).parent)) | frozenset(
        running_sessions_in(past.folder.parent.parent)
    )
    _undone(call, past, take_back(call.dirs, past.id, live=live, now=call.now))
    return 0


def _past_data(past: "MoveRecord") -> Data:
    return {
        "id": past.id,
        "when": iso(past.when),
        "old": past.old,
        "new": past.new,
        "sessions": past.sessions,
        "memory": past.memory,
        "ended": past.ended,
        "undone": past.undone,
    }


def _listed(call: CliContext) -> int:
    from memtui.projects.journal import Journal

    moves = Journal(call.dirs).moves()[::-1]
    rows = [_past_data(past) for past in moves]

    def text() -> Iterator[Line]:
        lines: list[list[str | StyledText]] = []
        for past in moves:
            state = "taken back" if past.undone else "" if past.ended else "stopped half-way"
            what = pluralize(past.sessions, "session") + (", memory" if past.memory else "")
            lines.append(
                [past.id[:SHORT], age(call.now() - past.when), what, past.old, past.new, StyledText(state, "warn")]
            )
        columns = [Column("id"), Column("", right=True), Column(""), Column("from", rest=1), Column("to", rest=1)]
        yield from table(call.out, [*columns, Column("")], lines)

    call.out.answer("moves", rows, text(), rows=rows)
    if not rows:
        call.out.note("nothing was ever moved")
    return int(not rows)


def _undone(call: CliContext, past: "MoveRecord", done: "Undone | None") -> None:
    stays = done.stays if done is not None else ()
    sessions = past.sessions if done is None else done.sessions
    memory = past.memory if done is None else done.memory
    data = {
        "move": _past_data(past),
        "done": done is not None,
        "sessions": sessions,
        "memory": memory,
        "stays": [{"what": stay.what, "why": stay.why} for stay in stays],
    }

    def text() -> Iterator[Line]:
        what = pluralize(sessions, "session") + (" and the memory" if memory else "")
        yield f"{'would bring' if done is None else 'brought'} {what} back from {past.new} to {past.old}"
        yield from _stay_lines(stays)

    call.out.answer("undo-move", data, text())
    if done is None:
        call.out.note("-n: nothing was moved")


@click.group("projects", cls=CliGroup, invoke_without_command=True, short_help="List the projects, move one.")
@click.option("--gone", is_flag=True, help="Only those whose directory no longer exists.")
@click.pass_context
def projects(context: click.Context, gone: bool) -> int | None:
    """List the projects, or bring what one has left to the directory where it is now.

    Without a command they are listed as by ls.
    """
    if context.invoked_subcommand is not None:
        if gone:
            raise UsageError("--gone goes with the list", hint="memtui projects ls --gone")
        return None
    return _list(context.ensure_object(CliContext), gone=gone)


@projects.command("ls")
@click.option("--gone", is_flag=True, help="Only those whose directory no longer exists.")
@pass_context
def projects_ls(call: CliContext, gone: bool) -> int:
    """List the projects: directory, topics, sessions, when the newest session was.

    Ends with 1 if there is none.
    """
    return _list(call, gone=gone)


projects.add_command(move)
projects.add_command(undo_move)


def _list(call: CliContext, *, gone: bool) -> int:
    from memtui.client.projects import list_projects

    out = call.out
    found = [project for project in list_projects(call.env) if project.gone or not gone]
    rows: list[Data] = [
        {
            "name": project.name,
            "cwd": None if project.cwd is None else str(project.cwd),
            "cwds": [str(path) for path in project.cwds],
            "folder": str(project.folder),
            "memory": None if project.memory is None else str(project.memory),
            "topics": project.topics,
            "sessions": project.sessions,
            "newest": iso(project.newest),
            "collision": project.collision,
            "gone": project.gone,
        }
        for project in found
    ]

    def text() -> Iterator[Line]:
        columns = [Column("project"), Column("topics", right=True), Column("sessions", right=True), Column("last")]
        columns += [Column("directory", rest=1), Column("")]
        lines = []
        for project, row in zip(found, rows, strict=True):
            last = "never" if project.newest is None else age(call.now() - project.newest)
            marks = [word for word, on in (("gone", project.gone), ("shares its folder", project.collision)) if on]
            topics = str(project.topics) if project.memory is not None else "-"
            where = row["cwd"] or f"unknown ({project.folder.name})"
            lines.append(
                [project.name, topics, str(project.sessions), last, where, StyledText(", ".join(marks), "warn")]
            )
        yield from table(out, columns, lines)
        if out.verbose:
            for project in found:
                for path in project.cwds[1:] if project.collision else ():
                    yield f"{project.folder.name} is also {path}"

    out.answer("projects", rows, text(), rows=rows)
    if not rows:
        from memtui.client.paths import projects_dir

        out.note(f"no project in {projects_dir(call.env)}")
    return int(not rows)
