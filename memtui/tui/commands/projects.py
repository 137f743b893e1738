"""Commands about other projects: opening one, and bringing along what one that moved has left."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.client import memory_location, session_files
from memtui.client import projects as client_projects
from memtui.client.paths import tilde_path
from memtui.memory.workspace import Workspace
from memtui.tui import dialogs
from memtui.tui.app_base import CommandContext
from memtui.tui.commands import questions, registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.messages import SessionsChanged
from memtui.util.errors import NotFound
from memtui.util.lazy_module import LazyModule
from memtui.util.text import clip, pluralize, size

if TYPE_CHECKING:
    from memtui.projects import relocate_sessions
    from memtui.projects.relocate import MovePlan
    from memtui.services import projects as services
else:  # 0.3 MB, in the thread that makes the plan
    services = LazyModule("memtui.services.projects")
    relocate_sessions = LazyModule("memtui.projects.relocate_sessions")

TITLE_CELLS = 48  # cells of a session's title in the plan


def amounts(project: client_projects.Project) -> str:
    marks = ("the folder is gone", project.gone), ("directory unknown", project.cwd is None)
    shared = ("shares its folder", project.collision)
    words = [word for word, holds in (*marks, shared) if holds]
    return "  ".join([pluralize(project.topics, "topic"), pluralize(project.sessions, "session"), *words])


async def open_project(context: CommandContext, cwd: Path) -> None:
    old = context.workspace
    location = await context.in_thread(memory_location.locate_memory, old.env, cwd)
    context.app.open_workspace(
        Workspace(old.env, old.dirs, location, read_only=old.read_only, trash=old.trash, now=old.now)
    )


async def bring(context: CommandContext, folder: Path | None = None) -> None:
    """Choose whose memory and sessions, unless `folder` says so, show what would be done, and do it."""
    workspace = context.workspace
    if folder is None:
        project = await _choose(context)
    else:
        project = await context.in_thread(client_projects.find_project, workspace.env, str(folder))
    if project is None:
        return
    name = _name(context, project)
    plan = await context.in_thread(lambda: services.plan_project_move(workspace, project, workspace.location.cwd))
    if plan.empty:
        raise NotFound(f"{name} has left nothing that could be moved")
    notes = [*plan.notes, *(f"stays: {stay.what}: {stay.why}" for stay in plan.stays)]
    yes = "" if workspace.read_only else "move"
    if await context.ask(dialogs.ShowDiff(f"Bring what {name} has left here", _rows(plan), notes=notes, yes=yes)):
        moved = await questions.ask_until_done(context, partial(services.move_project, workspace, plan), confirmed=True)
        assert moved is not None
        words = f"moved {plan.amount(len(moved.sessions))} here; z undoes it"
        context.done(words, problem="; ".join(stay.why for stay in moved.stays))
        context.app.post_message(SessionsChanged())


async def _choose(context: CommandContext) -> client_projects.Project | None:
    gone = await context.in_thread(client_projects.gone_projects, context.workspace.env)
    if not gone:
        raise NotFound("no project's directory is gone", hint="memtui projects move brings others along")
    options = [dialogs.Option(one.folder, _name(context, one), amounts(one)) for one in gone]
    likely = next((one.folder for one in gone if one.name == context.workspace.location.cwd.name), None)
    chosen = await context.ask(dialogs.Choose("Bring what which project has left here?", options, start=likely))
    return next((one for one in gone if one.folder == chosen), None)


def _name(context: CommandContext, project: client_projects.Project) -> str:
    return tilde_path(project.cwd or project.folder, context.workspace.env.home)


def _rows(plan: MovePlan) -> str:
    """The plan in the form of a difference: what comes, then what it does to the memory that is there."""
    lines = [f"--- {plan.old or plan.source}", f"+++ {plan.new}"]
    for session in plan.sessions:
        id, title = session.id[: relocate_sessions.SHORT], clip(session.title or session_files.UNTITLED, TITLE_CELLS)
        lines.append(f"+session {id}  {size(session.size):>6}  {title}{session.how and f'  ({session.how})'}")
    files = plan.memory.files if plan.memory is not None else ()
    lines += (f"+memory  {file.source}{f'  ({file.how})' if file.how else ''}" for file in files)
    return "\n".join([*lines, plan.memory.coming.diff() if plan.memory is not None else ""])


BRING = Command("projects.bring", "Bring what a project that moved has left", "", bring, "", registry.read_only)
declare(registry.EVERYWHERE, BRING)
