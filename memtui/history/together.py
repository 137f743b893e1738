"""Changes in several folders as one operation, which one undo takes back.

Each folder's part is an operation of its store, of the kind `MOVED`, which plain undo passes over; its `extra` names
the whole. The whole is written down first, so after a crash between two parts an undo takes back what was done so far.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct

from memtui.history.log import OperationsLog
from memtui.history.store import Change, Store
from memtui.history.versions import FILES, MOVED, REDO, UNDO, FolderScope, Item, NotRestored, Operation, Saved, Versions
from memtui.util.errors import Conflict, MemtuiError

SUBJECT: Final = "folders"
"""What these operations are about."""
WHOLE: Final = "whole"
"""Key in the `extra` of a part: the id of the operation that it belongs to."""


class Part(Struct, frozen=True):
    """What is done in one folder, and one line for its history."""

    store: Store
    changes: Sequence[Change]
    why: str


def whole_of(operation: Operation) -> str:
    """The id of the operation of which this one is a part; "" if it is by itself."""
    return (operation.extra or {}).get(WHOLE, "")


def parts_of(versions: Versions, operation: Operation) -> Iterator[Operation]:
    """The parts of an operation, in the order in which they were done; none of one that is about something else."""
    for item in operation.items if operation.subject == SUBJECT else ():
        found = versions.walk([FolderScope(item.folder)], subject=FILES)
        yield from (one for one in found if whole_of(one) == operation.id)


class Together:
    """Does changes of several folders as one, and takes them back.

    `store_of` gives the store of a folder by its real path; `now` is the clock, in seconds since 1970.
    """

    def __init__(self, log: OperationsLog, store_of: Callable[[str], Store], now: Callable[[], float]) -> None:
        self._log, self._store_of, self._now = log, store_of, now
        self._versions = Versions(log.database)

    def apply(self, parts: Sequence[Part], *, kind: str, why: str) -> Saved:
        """Do all parts, one after the other; each folder may occur once.

        What a part raises takes the parts before it back. Raises as `Store.apply`.
        """
        items = [Item(part.store.scope.folder, "", {}) for part in parts]
        id = self._log.record(SUBJECT, kind, why, items, when=self._now(), finished=False)
        done: list[tuple[Store, Operation]] = []
        merged: list[str] = []
        try:
            for part in parts:
                saved = part.store.apply(part.changes, why=part.why, kind=MOVED, extra={WHOLE: id})
                merged += saved.merged
                if saved.operation is not None:
                    done.append((part.store, saved.operation))
        except (MemtuiError, OSError):
            with suppress(MemtuiError):  # a part that was edited meanwhile stays, and so does the whole: undo is asked
                for store, operation in reversed(done):
                    store.undo(operation.id, whole=True)
                self._log.drop(id)
            raise
        self._log.finish(id)
        return Saved(self._versions.operation(id), tuple(merged))

    def invert(self, operation: Operation, over: Collection[str] = ()) -> Saved:
        """Take an operation back, last part first, or do it again. As `history.undo.Inverse`."""
        if operation.undone and not over:
            raise Conflict(f"{operation.id[:8]} is undone already")
        kind = REDO if operation.kind == UNDO else UNDO
        why = f"{kind}: {self._versions.origin(operation).why}"
        id = self._log.record(SUBJECT, kind, why, (), when=self._now(), undoes=operation.id, finished=False)
        merged, left, faults = list[str](), list[NotRestored](), list[MemtuiError]()
        is_done = False
        for part in reversed(list(parts_of(self._versions, operation))):
            if not self._versions.standing(part).files:
                continue
            try:
                saved = self._store_of(part.folder).undo(part.id, over=over, extra={WHOLE: id})
            except MemtuiError as error:
                faults.append(error)
                left += [NotRestored(change.name, error.message) for change in part.files]
                continue
            merged += saved.merged
            left += saved.left
            if saved.operation is not None:
                is_done = True
                self._log.add(id, [Item(part.folder, "", {})])
        if not is_done:
            self._log.drop(id)
            if faults and not any(one.overridable for one in left):
                raise faults[0]
            return Saved(None, (), tuple(left))
        self._log.finish(id)
        return Saved(self._versions.operation(id), tuple(merged), tuple(left))
