"""The projects that have left sessions or memory: listed, and brought to where they are now."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from memtui.cli.asking import may_write
from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.options import DIRECTORY, CliCommand, CliGroup, pass_context
from memtui.cli.output import SHORT, Cell, Data, Line, StyledText, fields, iso
from memtui.cli.table import columns, table
from memtui.client.paths import projects_dir, real_path
from memtui.client.projects import Project, find_project, is_path, list_projects
from memtui.client.session_files import UNTITLED
from memtui.projects.journal import Journal, MoveRecord
from memtui.projects.relocate import MovePlan, MoveResult
from memtui.projects.relocate_sessions import Stay
from memtui.projects.relocate_undo import Undone, past_move
from memtui.services import projects as services
from memtui.services.questions import Allow, NeedsConfirmation
from memtui.util.errors import NotFound, UsageError
from memtui.util.paths import expand_tilde
from memtui.util.text import age, pluralize, size, visible

MOST = 20  # sessions and memories that are listed without -v


@click.command("move", cls=CliCommand, short_help="Move a project's sessions and memory to another directory.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW", type=DIRECTORY)
@click.option("--memory", "only_memory", is_flag=True, help="Only the memory; the sessions stay.")
@pass_context
def move(context: CliContext, old: str, new: Path, only_memory: bool) -> int:
    """Move sessions and memory of a project whose directory moved to the folder of its new directory.

    OLD is its old directory, its name, or its folder below projects/; NEW is a directory. Shows what it will do, asks,
    and does it; projects undo-move takes it back. Nothing is overwritten: of two sessions or memories with one name
    both stay. Running sessions stay where they are. Ends with 1 if there is nothing to move, or on a no.
    """
    may_write(context)
    project, directory = _source(context, old)
    target = (context.cwd / new).absolute()
    plan = services.plan_project_move(context.workspace, project, target, directory=directory, sessions=not only_memory)
    if plan.empty or context.options.dry_run:
        _tell(context, plan, None)
        return int(plan.empty)
    if not context.options.yes and context.out.interactive():
        context.out.status(*_plan_lines(context, plan))
    if not context.out.ask("Move this?"):
        context.out.status("nothing was moved")
        return 1
    moved = services.move_project(context.workspace, plan, Allow(confirmed=True))
    if not isinstance(moved, NeedsConfirmation):
        _tell(context, plan, moved)
    return 0


def _source(context: CliContext, word: str) -> tuple[Project, Path | None]:
    """The project that a word means, and the directory of it; a directory never means the repository around it.

    `UsageError` if two directories share the folder and the word doesn't say which.
    """
    project = find_project(context.env, word)
    path = Path(os.path.normpath(context.cwd / expand_tilde(word, users=True)))
    if not is_path(word) or project.folder in (path, *path.parents):
        if project.collision:
            paths = " or ".join(visible(str(path), keep="") for path in project.cwds)
            raise UsageError(f"two directories share {project.folder.name}", hint=f"name one by its path: {paths}")
        return project, project.cwd
    for directory in (project.cwd, *project.cwds):
        if directory is not None and directory in (path, real_path(path)):
            return project, directory
    raise NotFound(f"{visible(word, keep='')} has left nothing", hint="memtui projects lists the projects")


def _tell(context: CliContext, plan: MovePlan, moved: MoveResult | None) -> None:
    sessions = plan.sessions if moved is None else moved.sessions
    files = () if plan.memory is None else plan.memory.files
    stays = (*plan.stays, *(moved.stays if moved else ()))
    data = {
        **fields(plan, "old new"), "from": plan.source, "to": plan.target,
        "sessions": [
            {**fields(one, "id title size there"), "as": one.new_id, "files": len(one.files)} for one in sessions
        ],
        "memory": [
            {"name": one.source, "as": one.target, "there": one.there, "lines": list(one.lines)} for one in files
        ],
        "stays": [fields(stay, "what why") for stay in stays], "notes": list(plan.notes),
        "diff": "" if plan.memory is None else plan.memory.coming.diff(), "move": None if moved is None else moved.id,
    }  # fmt: skip

    def text() -> Iterator[Line]:
        if moved is None or context.out.verbose:
            yield from _plan_lines(context, plan)
        if moved is not None:
            yield f"moved {plan.amount(len(moved.sessions))} to {plan.new}"
            yield from _stay_lines(moved.stays)
            if not context.out.quiet:
                yield StyledText("  memtui projects undo-move takes it back", "dim")

    context.out.result("move", data, text())
    if plan.empty:
        context.out.status("nothing to move")
    elif moved is None:
        context.out.unwritten("moved")


def _plan_lines(context: CliContext, plan: MovePlan) -> Iterator[Line]:
    yield ["from  ", StyledText(str(plan.old or plan.source), "bold")]
    yield ["to    ", StyledText(str(plan.new), "bold")]
    most = len(plan.sessions) if context.out.verbose else MOST
    rows: list[list[Cell]] = []
    for session in plan.sessions[:most]:
        title = session.title or StyledText(UNTITLED, "dim")
        rows.append(["session", session.id[:SHORT], size(session.size), title, StyledText(session.how, "warn")])
    if len(plan.sessions) > most:
        rows.append(["", "", "", StyledText(f"and {len(plan.sessions) - most} more: -v lists them", "dim"), ""])
    yield from table(context.out, columns("", "", ">", "*", ""), rows)
    files = () if plan.memory is None else plan.memory.files
    most = len(files) if context.out.verbose else MOST
    rows = [["memory", file.source, StyledText(file.how, "warn")] for file in files[:most]]
    if len(files) > most:
        rows.append(["", StyledText(f"and {len(files) - most} more: -v lists them", "dim"), ""])
    yield from table(context.out, columns("", "*", ""), rows)
    yield from _stay_lines(plan.stays)
    yield from (StyledText(f"  {note}", "dim") for note in plan.notes)
    if context.out.verbose and plan.memory is not None:
        yield from diff_lines(plan.memory.coming.diff())


def _stay_lines(stays: tuple[Stay, ...]) -> Iterator[Line]:
    for stay in stays:
        yield [StyledText("stays  ", "warn"), f"{stay.what}: {stay.why}"]


@click.command("undo-move", cls=CliCommand, short_help="Take a move back.")
@click.argument("id", required=False, default="", metavar="[ID]")
@click.option("--list", "listed", is_flag=True, help="List the moves instead, newest first.")
@pass_context
def undo_move(context: CliContext, id: str, listed: bool) -> int:
    """Take back the newest move that still stands, or one by the beginning of its id.

    A session that went on since goes back with all of it.
    """
    if listed:
        return _listed(context)
    may_write(context)
    past = past_move(context.dirs, id)
    _undone(context, past, None if context.options.dry_run else services.undo_move(context.workspace, past))
    return 0


def _past_data(past: MoveRecord) -> Data:
    return {**fields(past, "id old new sessions memory ended undone"), "when": iso(past.when)}


def _listed(context: CliContext) -> int:
    moves = Journal(context.dirs).moves()[::-1]
    rows = [_past_data(past) for past in moves]

    def text() -> Iterator[Line]:
        lines: list[list[Cell]] = []
        for past in moves:
            state = "undone" if past.undone else "" if past.ended else "stopped half-way"
            what = pluralize(past.sessions, "session") + (", memory" if past.memory else "")
            ago = age(context.now() - past.when)
            lines.append([past.id[:SHORT], ago, what, past.old, past.new, StyledText(state, "warn")])
        yield from table(context.out, columns("id", ">", "", "from*", "to*", ""), lines)

    return context.out.listing("moves", rows, text(), empty="nothing was ever moved")


def _undone(context: CliContext, past: MoveRecord, done: Undone | None) -> None:
    stays = done.stays if done is not None else ()
    sessions, memory = (done or past).sessions, (done or past).memory
    data = {
        "move": _past_data(past), "done": done is not None, "sessions": sessions, "memory": memory,
        "stays": [fields(stay, "what why") for stay in stays],
    }  # fmt: skip

    def text() -> Iterator[Line]:
        what = pluralize(sessions, "session") + (" and the memory" if memory else "")
        yield f"{'would bring' if done is None else 'brought'} {what} back from {past.new} to {past.old}"
        yield from _stay_lines(stays)

    context.out.result("undo-move", data, text())
    if done is None:
        context.out.unwritten("moved")


@click.group("projects", cls=CliGroup, invoke_without_command=True, short_help="List the projects, move one.")
@click.option("--gone", is_flag=True, help="Only those whose directory no longer exists.")
@click.pass_context
def projects(ctx: click.Context, gone: bool) -> int | None:
    """List the projects, or move one's sessions and memory to its new directory.

    Without a command they are listed as by ls.
    """
    if ctx.invoked_subcommand is not None:
        if gone:
            raise UsageError("--gone goes with the list", hint="memtui projects ls --gone")
        return None
    return int(ctx.invoke(projects_ls, gone=gone))


@projects.command("ls")
@click.option("--gone", is_flag=True, help="Only those whose directory no longer exists.")
@pass_context
def projects_ls(context: CliContext, gone: bool) -> int:
    """List the projects: directory, topics, sessions, when the newest session was.

    Ends with 1 if there is none.
    """
    out = context.out
    found = [project for project in list_projects(context.env) if project.gone or not gone]
    rows: list[Data] = [
        {
            **fields(project, "name cwd folder memory topics sessions collision gone"),
            "cwds": list(project.cwds), "newest": iso(project.newest),
        } for project in found
    ]  # fmt: skip

    def text() -> Iterator[Line]:
        lines: list[list[Cell]] = []
        for project in found:
            last = "never" if project.newest is None else age(context.now() - project.newest)
            marks = [word for word, on in (("gone", project.gone), ("shares its folder", project.collision)) if on]
            topics = str(project.topics) if project.memory is not None else "-"
            where = str(project.cwd or f"unknown ({project.folder.name})")
            state = StyledText(", ".join(marks), "warn")
            lines.append([project.name, topics, str(project.sessions), last, where, state])
        yield from table(out, columns("project", ">topics", ">sessions", "last", "directory*", ""), lines)
        if out.verbose:
            for project in found:
                for path in project.cwds[1:] if project.collision else ():
                    yield f"{project.folder.name} is also {path}"

    return out.listing("projects", rows, text(), empty=f"no project in {projects_dir(context.env)}")


projects.add_command(move)
projects.add_command(undo_move)
