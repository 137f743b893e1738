"""Pins as a person sets them: each change is an operation of the history, so it can be undone.

Apart from `pins`, so that what only reads them doesn't load the history.
"""

import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Final

from memtui.history.database import HistoryDatabase
from memtui.history.log import OperationsLog, real_folder
from memtui.history.versions import REDO, UNDO, Item, Operation, Saved, Versions
from memtui.memory.pins import Pins
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict
from memtui.util.text import nfc

SUBJECT: Final = "pins"  # what these operations are about; their kinds are "pin" and "unpin"


class RecordedPins(Pins):
    """Pins whose changes are recorded; `now` is the clock, in seconds since 1970."""

    def __init__(self, dirs: Dirs, *, now: Callable[[], float] = time.time) -> None:
        super().__init__(dirs)
        self._now = now
        self._database = HistoryDatabase.of(dirs)

    def pin(self, folder: Path, names: Collection[str], pinned: bool) -> frozenset[str]:
        """Pin or unpin files as a person's own operation. Arguments, result and errors as for `Pins.set`."""
        there = self.names(folder)
        changed = sorted({nfc(name) for name in names if (nfc(name) in there) != pinned})
        if changed:
            kind = "pin" if pinned else "unpin"
            what = changed[0] if len(changed) == 1 else f"{len(changed)} files"
            self._record(folder, changed, pinned, kind, f"{kind} {what}")
        return self.set(folder, names, pinned)

    def invert(self, operation: Operation, over: Collection[str] = ()) -> Saved:
        """Take an operation on pins back, or do it again. As `history.undo.Inverse`."""
        if operation.undone:
            raise Conflict(f"{operation.id[:8]} is undone already")
        pinned = not operation.items[0].data["pinned"]
        folder, names = Path(operation.items[0].folder), [item.key for item in operation.items]
        kind = REDO if operation.kind == UNDO else UNDO
        why = f"{kind}: {Versions(self._database).origin(operation).why}"
        made = self._record(folder, names, pinned, kind, why, operation.id)
        self.set(folder, names, pinned)
        return Saved(made)

    def _record(
        self, folder: Path, names: Iterable[str], pinned: bool, kind: str, why: str, undoes: str | None = None
    ) -> Operation:
        """Write it down, before it is done: an undo of what a crash then prevented changes nothing."""
        items = [Item(real_folder(folder), name, {"pinned": pinned}) for name in names]
        id = OperationsLog(self._database).record(SUBJECT, kind, why, items, when=self._now(), undoes=undoes)
        return Versions(self._database).operation(id)
