"""A project that moved: what it left comes to where it is now, and goes back."""

from pathlib import Path

from memtui.client.paths import projects_dir
from memtui.client.projects import Project
from memtui.client.running import running_sessions_in
from memtui.memory.workspace import Workspace
from memtui.projects.journal import MoveRecord
from memtui.projects.relocate import MovePlan, MoveResult, apply_move, plan_move
from memtui.projects.relocate_undo import Undone
from memtui.projects.relocate_undo import undo_move as take_back
from memtui.services.access import require_writable
from memtui.services.questions import NOTHING_YET, Allow, NeedsConfirmation
from memtui.util.errors import NotFound


def plan_project_move(
    workspace: Workspace, project: Project, new: Path, *, directory: Path | None = None, sessions: bool = True
) -> MovePlan:
    """Plan to bring what a project has left to another directory (`directory`: where several share it).

    `NotFound` if either isn't there, `Refused` if a folder is a link, or a dream may be running in one of them.
    """
    return plan_move(
        workspace.env, workspace.dirs, project.folder, new, directory=directory or project.cwd,
        shared=project.collision, sessions=sessions, live=_running(project.folder), now=workspace.now,
    )  # fmt: skip


def _running(folder: Path) -> frozenset[str]:
    """The sessions that are open in Claude Code, where a project folder lies."""
    return frozenset(running_sessions_in(folder.parent.parent))


def move_project(workspace: Workspace, plan: MovePlan, allow: Allow = NOTHING_YET) -> MoveResult | NeedsConfirmation:
    """Carry a plan out; asked about. `NotFound` if nothing moves; after `MemtuiError` the same again ends it."""
    require_writable(workspace)
    if plan.empty:
        raise NotFound(f"{plan.old or plan.source} has left nothing that could be moved")
    if not allow.confirmed:
        diff = "" if plan.memory is None else plan.memory.coming.diff()
        stays = tuple(f"stays: {stay.what}: {stay.why}" for stay in plan.stays)
        return NeedsConfirmation("Move this?", (*plan.notes, *stays), yes="Move", diff=diff)
    return apply_move(plan, live=_running(plan.source), now=workspace.now)


def undo_move(workspace: Workspace, move: MoveRecord) -> Undone:
    """Take a move back, with all of a session that went on since; `Refused` if one is open in Claude Code."""
    require_writable(workspace)
    live = frozenset(running_sessions_in(projects_dir(workspace.env).parent)) | _running(move.folder)
    return take_back(workspace.dirs, move.id, live=live, now=workspace.now)
