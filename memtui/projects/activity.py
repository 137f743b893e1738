"""What was done to a project, to its memory and its sessions alike: the list, and taking back the newest.

Memory has its history, sessions have their deeds; a person has one past.
"""

from contextlib import suppress

from memtui.client.retention import DEFAULT_RETENTION_DAYS, cleanup_days
from memtui.client.running import running_sessions
from memtui.history.trash import put_in_trash
from memtui.history.undo import redo_target
from memtui.history.versions import REDO, UNDO, Version
from memtui.memory.workspace import Workspace
from memtui.sessions.archive import SessionArchive
from memtui.sessions.operations_log import Operation, OperationsLog
from memtui.util.errors import NotFound


def archive_for(workspace: Workspace) -> SessionArchive:
    """The one who moves sessions, with the person's trash and the client's clean-up."""
    days = cleanup_days(workspace.location.layers)
    trash = put_in_trash if workspace.trash else None
    return SessionArchive(
        workspace.dirs, now=workspace.now, trash=trash, cleanup=DEFAULT_RETENTION_DAYS if days is None else days
    )


def live_sessions(workspace: Workspace) -> frozenset[str]:
    """The ids of the sessions that a client has open."""
    return frozenset(running_sessions(workspace.env))


def session_versions(workspace: Workspace, limit: int = 200) -> list[Version]:
    """What was done to the sessions of the project, newest first, in the form of everything else that was done."""
    return [
        as_version(operation)
        for operation in OperationsLog(workspace.dirs).newest(limit, project=workspace.location.transcripts)
    ]


def as_version(operation: Operation) -> Version:
    """A deed in the form of everything else that can be undone; it has no files."""
    kind = operation.what if operation.what in (UNDO, REDO) else f"session-{operation.what}"
    return Version(
        operation.id, operation.time, "you", operation.words, kind, (), operation.undoes or None, operation.undone
    )


def operation_to_undo(workspace: Workspace, word: str | None = None) -> Operation | None:
    """The deed that a word means, or the newest one if nothing that stands was written since; None if there is none.

    Raises:
        NotFound: If the word can only be a deed's id, and there is no such deed.
    """
    operations = OperationsLog(workspace.dirs)
    if word is not None:
        return operations.get(word) if word.startswith("s") else None
    operation = operations.last(project=workspace.location.transcripts)
    if operation is None:
        return None
    try:
        written = workspace.next_undo()[1].when
    except NotFound:
        return operation
    return operation if operation.time > written else None


def undo_operation(workspace: Workspace, operation: Operation) -> Operation:
    """Take a deed back.

    Raises:
        MemtuiError: As from `SessionArchive.undo`.
    """
    return archive_for(workspace).undo(operation, live=live_sessions(workspace))


def operation_to_redo(workspace: Workspace) -> Operation | None:
    """The undo of a deed that a redo means; None if memory's own is meant, or there is none.

    As for memory, what was done since stands in its way.
    """
    operations = {
        operation.id: operation
        for operation in OperationsLog(workspace.dirs).newest(None, project=workspace.location.transcripts)
    }
    target = redo_target(map(as_version, operations.values()))
    if target is None:
        return None
    for written in (workspace.next_undo, workspace.next_redo):
        with suppress(NotFound):
            if written()[1].when > target.when:
                return None
    return operations[target.id]


def redo_operation(workspace: Workspace, undone: Operation) -> Operation:
    """Do again what was undone.

    Raises:
        MemtuiError: As from `SessionArchive.redo`.
    """
    return archive_for(workspace).redo(undone, live=live_sessions(workspace))
