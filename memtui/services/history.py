"""Undo, redo and restore of whatever was done: thin over the one order of operations."""

from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from memtui.history.store import RestorePlan
from memtui.history.undo import UndoOrder
from memtui.history.versions import Operation, Saved
from memtui.memory.workspace import Workspace
from memtui.projects.activity import undo_order
from memtui.services.access import require_writable
from memtui.services.memory import text_on_disk
from memtui.services.questions import NOTHING_YET, Allow, NeedsConfirmation
from memtui.util.errors import MemtuiError, UsageError
from memtui.util.text import pluralize

_UNITS_S = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


class TakenBack(Struct, frozen=True):
    """An operation that was undone or done again: what it was, what was done, and that in words."""

    operation: Operation
    saved: Saved
    words: str


def record_outside_changes(workspace: Workspace) -> str:
    """Record what others did meanwhile, in its order, unless read-only; why it could not be recorded, "" if it was."""
    if workspace.read_only:
        return ""
    try:
        workspace.note_outside()
    except MemtuiError as error:
        return f"what others changed is not recorded: {error.message}"
    return ""


def next_operation(workspace: Workspace, word: str | None = None, *, redo: bool = False, end: bool = True) -> Operation:
    """The operation that undo or redo would take, or an id's; `end`: what a crash left half done is ended first."""
    order = _order(workspace)
    if end:
        order.end_interrupted()
    if word is not None:
        return order.find(word)
    return order.next_redo() if redo else order.next_undo()


def undo(workspace: Workspace, word: str | None = None, *, over: Collection[str] = ()) -> TakenBack:
    """Take back the newest operation that still stands, a background run's too, or any by the beginning of its id.

    `over` names files to take back even where later edits overlap; `saved.left` is what couldn't be taken back.
    """
    record_outside_changes(workspace)
    saved, operation = _order(workspace).undo(word, over=over)
    return TakenBack(operation, saved, _words(saved, "undone", operation.why))


def redo(workspace: Workspace) -> TakenBack:
    """Do again what was undone last. Errors as for `undo`."""
    record_outside_changes(workspace)
    saved, operation = _order(workspace).redo()
    return TakenBack(operation, saved, _words(saved, "done again", operation.why.removeprefix("undo: ")))


def _words(saved: Saved, done: str, why: str) -> str:
    return f"nothing was {done}: {why}" if saved.left and saved.operation is None else f"{done}: {why}"


def _order(workspace: Workspace) -> UndoOrder:
    require_writable(workspace)
    return undo_order(workspace)


class FileRestore(Struct, frozen=True):
    """What restoring a file would do: the version it goes back to, the file's name there, its bytes now and then."""

    path: Path
    name: str
    version: Operation
    now: bytes | None
    then: bytes | None


def plan_restore(workspace: Workspace, path: Path, word: str) -> FileRestore:
    """Look what bringing a file back to a version, by the start of its id, would do; `NotFound` if there is none."""
    store, name = workspace.home_of(path)
    version = store.history.operation(word)
    then = store.history.read(version.id, name)
    if then is None:
        then = store.history.before(version.id, name)
    return FileRestore(path, name, version, text_on_disk(workspace, path), then)


def restore(workspace: Workspace, planned: FileRestore) -> Saved:
    """Bring a file back; what is there now goes into the history first. `NotFound` if the file wasn't there then."""
    require_writable(workspace)
    record_outside_changes(workspace)
    return workspace.restore(planned.path, planned.version.id)


class FolderRestore(Struct, frozen=True):
    """What restoring the memory folder would do. `until` is in seconds since 1970, `before` an operation's id."""

    plan: RestorePlan
    until: float | None
    before: str | None
    words: str


def plan_folder_restore(workspace: Workspace, *, as_of: str | None = None, before: str | None = None) -> FolderRestore:
    """Look what restoring the memory folder to a time, or before an operation, would do; `UsageError`, `NotFound`."""
    store = workspace.store(workspace.location.folder)
    until = _moment(as_of, workspace.now()) if as_of is not None else None
    when = f"before {before}"
    if until is not None:
        when = f"as of {datetime.fromtimestamp(until).astimezone().isoformat(timespec='milliseconds')}"
    return FolderRestore(store.plan_restore_as_of(until=until, before=before), until, before, when)


def restore_folder(
    workspace: Workspace, planned: FolderRestore, allow: Allow = NOTHING_YET
) -> Saved | NeedsConfirmation:
    """Bring the whole memory folder back, mtimes too; asked about if some of it can't be."""
    require_writable(workspace)
    if planned.plan.left and not allow.confirmed:
        lines = tuple(f"{one.name} can't be restored: {one.reason}" for one in planned.plan.left)
        files = pluralize(len(planned.plan.files), "file")
        return NeedsConfirmation(f"Restore the other {files}?", lines, yes="Restore")
    store = workspace.store(workspace.location.folder)
    why = f"restore the folder {planned.words}"
    return store.restore_as_of(until=planned.until, before=planned.before, why=why)


def time_problem(word: str) -> str:
    """Why a text is no time or age that `plan_folder_restore` takes; "" if it is one."""
    try:
        _moment(word, 0.0)
    except UsageError as error:
        return f"{error.message}: {error.hint}"
    return ""


def _moment(word: str, now: float) -> float:
    """A time that a person gave, in seconds since 1970: ISO 8601, local where nothing else is said; or an age."""
    unit = _UNITS_S.get(word[-1:])
    if unit is not None and word[:-1].isdecimal():
        return now - int(word[:-1]) * unit
    try:
        return datetime.fromisoformat(word).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(f"{word!r} is no time", hint="2026-11-30T18:00, or an age: 90m, 6h, 3d, 2w") from None
