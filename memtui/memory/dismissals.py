"""Findings that a person has judged and doesn't want to be told again.

A dismissal holds while the files that it is about are as they were then. It is nothing but an operation of the history,
so undo takes it back.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from memtui.history.database import HistoryDatabase
from memtui.history.log import OperationsLog, real_folder
from memtui.history.versions import REDO, UNDO, FolderScope, Item, Operation, Saved, Versions
from memtui.util.errors import Conflict

SUBJECT: Final = "dismissal"  # what these operations are about
DISMISS: Final = "dismiss"


class Dismissal(Struct, frozen=True):
    """What was dismissed: a kind of finding, and its files (names in the memory folder) with their digests then."""

    kind: str
    files: tuple[tuple[str, str], ...]


class Dismissals:
    """The dismissals of memory folders; `now` is the clock, in seconds since 1970."""

    def __init__(self, database: HistoryDatabase, now: Callable[[], float]) -> None:
        self._database = database
        self._now = now

    def of(self, folder: Path) -> frozenset[Dismissal]:
        """What was dismissed in a folder and was not taken back."""
        operations = Versions(self._database).walk([FolderScope(real_folder(folder))], subject=SUBJECT)
        items = (item for one in operations if one.kind == DISMISS and not one.undone for item in one.items)
        return frozenset(
            Dismissal(item.data["kind"], tuple((name, digest) for name, digest in item.data["files"])) for item in items
        )

    def dismiss(self, folder: Path, dismissal: Dismissal) -> Operation:
        """Write a dismissal down."""
        names = [name for name, _ in dismissal.files]
        data = {"kind": dismissal.kind, "files": dismissal.files}
        item = Item(real_folder(folder), json.dumps([dismissal.kind, *names]), data)
        return self._record(DISMISS, f"dismiss the proposal about {' and '.join(names)}", (item,))

    def invert(self, operation: Operation, over: object = ()) -> Saved:
        """Take a dismissal back, or dismiss again. As `history.undo.Inverse`."""
        if operation.undone:
            raise Conflict(f"{operation.id[:8]} is undone already")
        kind = REDO if operation.kind == UNDO else UNDO
        why = f"{kind}: {Versions(self._database).origin(operation).why}"
        return Saved(self._record(kind, why, operation.items, operation.id))

    def _record(self, kind: str, why: str, items: tuple[Item, ...], undoes: str | None = None) -> Operation:
        id = OperationsLog(self._database).record(SUBJECT, kind, why, items, when=self._now(), undoes=undoes)
        return Versions(self._database).operation(id)
