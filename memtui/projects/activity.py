"""Undo and redo of everything that was done to a project: files, pins, sessions, moves.

The history keeps one order of all operations; here each subject gets the one who can take its operations back.
"""

from collections.abc import Collection
from pathlib import Path

from msgspec.structs import replace

from memtui.client.retention import DEFAULT_RETENTION_DAYS, cleanup_days
from memtui.client.running import running_sessions
from memtui.history.trash import put_in_trash
from memtui.history.undo import UndoOrder
from memtui.history.versions import UNDO, NotRestored, Operation, Saved
from memtui.memory.workspace import Workspace
from memtui.projects import journal
from memtui.projects.relocate import apply_move, plan_move
from memtui.projects.relocate_undo import undo_move
from memtui.resume.fork import Fork
from memtui.resume.launch import LaunchPlan, write_fork
from memtui.sessions import operations_log
from memtui.sessions.archive import SessionArchive
from memtui.sessions.operations_log import session_operation
from memtui.util.errors import Conflict, MemtuiError


def archive_for(workspace: Workspace) -> SessionArchive:
    days = cleanup_days(workspace.location.layers)
    trash = put_in_trash if workspace.trash else None
    return SessionArchive(
        workspace.dirs, now=workspace.now, trash=trash, cleanup=DEFAULT_RETENTION_DAYS if days is None else days
    )


def live_sessions(workspace: Workspace) -> frozenset[str]:
    return frozenset(running_sessions(workspace.env))


def make_fork(workspace: Workspace, plan: LaunchPlan) -> Fork:
    """Write the fork that a resume needs, so that it can be taken back; after a `MemtuiError` there is none."""
    made = write_fork(plan, workspace.now())
    try:
        recorded = archive_for(workspace).record_fork(made.path, made.title)
    except MemtuiError:
        made.path.unlink(missing_ok=True)
        raise
    return replace(made, operation=recorded.id)


def undo_order(workspace: Workspace) -> UndoOrder:
    """Undo and redo of everything that concerns a project; `Refused` if memtui is read only."""
    archive = archive_for(workspace)

    def sessions(operation: Operation, over: Collection[str]) -> Saved:
        turn = archive.redo if operation.kind == UNDO else archive.undo
        done = turn(session_operation(operation), live=live_sessions(workspace))
        return Saved(workspace.history.operation(done.operation.id), left=done.left)

    def moves(operation: Operation, over: Collection[str]) -> Saved:
        if operation.kind == UNDO:
            return _move_again(workspace, operation)
        undone = undo_move(workspace.dirs, operation.id, live=live_sessions(workspace), now=workspace.now)
        return Saved(undone.operation, left=tuple(NotRestored(stay.what, stay.why) for stay in undone.stays))

    return workspace.undo_order({operations_log.SUBJECT: sessions, journal.SUBJECT: moves}, [archive.recover])


def _move_again(workspace: Workspace, undo: Operation) -> Saved:
    move = workspace.history.origin(undo)
    if undo.undone:
        raise Conflict(f"{undo.id[:8]} is undone already")
    about = move.extra or {}
    old = Path(about["old"])
    directory = old if old != Path(about["folder"]) else None
    live = live_sessions(workspace)
    steps = [item.data for item in move.items if "do" in item.data]
    plan = plan_move(
        workspace.env, workspace.dirs, Path(about["folder"]), Path(about["new"]), directory=directory,
        sessions=any(step["do"] == "files" and step["id"] for step in steps),
        memory=any(step["do"] == "memory" for step in steps),
        live=live, now=workspace.now,
    )  # fmt: skip
    done = apply_move(plan, live=live, now=workspace.now, redoes=undo.id)
    left = [NotRestored(stay.what, stay.why) for stay in done.stays]
    return Saved(workspace.history.operation(done.id), left=tuple(left))
