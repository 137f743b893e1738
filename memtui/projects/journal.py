"""What every move of a project was about to do, written down before it is done: one operation of the history a move.

A move is an operation with the subject "project", and an item for each step, durable before the step begins. A step is
told by `do`: "files" (a session, or what else goes as a file) or "memory". Two more items name the folders, so that the
move is found from either project. A move that was stopped half-way is an operation that isn't finished.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.lock import file_lock
from memtui.history.database import HistoryDatabase
from memtui.history.log import OperationsLog, real_folder
from memtui.history.versions import REDO, UNDO, Item, Operation, Versions
from memtui.util.app_dirs import Dirs

SUBJECT: Final = "project"
MOVE: Final = "move"
Line = Mapping[str, Any]


class MoveRecord(Struct, frozen=True):
    """A move as the history has it."""

    id: str
    when: float  # in seconds since 1970
    old: str  # the directory, or the project's folder where that wasn't known
    new: str
    folder: Path
    ended: bool  # it wasn't stopped half-way
    undone: bool
    steps: tuple[Line, ...]  # what it did, or was about to do
    carried_out: str  # the operation of the steps: another than `id` once it was done again

    @property
    def sessions(self) -> int:
        return sum(bool(step["id"]) for step in self.steps if step["do"] == "files")

    @property
    def memory(self) -> bool:
        return any(step["do"] == "memory" for step in self.steps)


class Journal:
    """Reads and writes moves."""

    def __init__(self, dirs: Dirs, *, fs: FileSystem = REAL) -> None:
        database = HistoryDatabase.of(dirs, fs=fs)
        self.versions = Versions(database)
        self._log = OperationsLog(database)
        self._lock = dirs.state / "moves" / "lock"
        self._fs = fs
        self._steps = 0

    def held(self) -> AbstractContextManager[None]:
        """One move at a time, over all our processes. Raises `Conflict` if another doesn't end, `OSError`."""
        return file_lock(self._lock, fs=self._fs)

    def begin(
        self, move: str, *, when: float, old: str, new: str, source: Path, target: Path, redoes: str | None = None
    ) -> None:
        """Write down that a move begins, from the folder `source` to `target`. Needs `held`.

        `old` and `new` are the directories, or what stands for one that isn't known; `redoes` is the undo that it takes
        back. Raises `OSError` or `MemtuiError` if it can't be written; nothing may be done then.
        """
        why = f"move {old} to {new}"
        about = {"old": old, "new": new, "folder": str(source)}
        items = [Item(real_folder(folder), "folder", {}) for folder in (source, target)]
        kind, why = (REDO, f"{REDO}: {why}") if redoes is not None else (MOVE, why)
        self._log.record(SUBJECT, kind, why, items, when=when, id=move, undoes=redoes, extra=about, finished=False)

    def add(self, move: str, do: str, **more: object) -> None:
        """Write a step of the move that was begun down, on the disk when this returns. Raises as `begin`."""
        self._steps += 1
        self._log.add(move, [Item(real_folder(str(more["to"])), f"step {self._steps}", {"do": do, **more})])

    def end(self, move: str) -> None:
        self._log.finish(move)

    def undone(self, past: MoveRecord, when: float) -> Operation:
        """Write down that a move was taken back; the operation that says so."""
        move = self.versions.operation(past.id)
        folders = [item for item in move.items if item.key == "folder"]
        id = self._log.record(SUBJECT, UNDO, f"{UNDO}: {move.why}", folders, when=when, undoes=move.id)
        return self.versions.operation(id)

    def moves(self) -> tuple[MoveRecord, ...]:
        """All moves, the newest last; `HistoryDamaged` if the history can't be read."""
        origins: dict[str, Operation] = {}
        last: dict[str, Operation] = {}
        for one in [*self.versions.walk(subject=SUBJECT)][::-1]:
            origins[one.id] = origin = one if one.undoes is None else origins[one.undoes]
            if one.kind != UNDO:
                last[origin.id] = one
        return tuple(_move_record(origins[id], carried_out) for id, carried_out in last.items())


def unfinished(dirs: Dirs) -> tuple[MoveRecord, ...]:
    """The moves that were stopped half-way and that no later move of the same folder ended."""
    moves = Journal(dirs).moves()
    return tuple(
        move
        for number, move in enumerate(moves)
        if not move.ended
        and not move.undone
        and not any(later.folder == move.folder and later.ended for later in moves[number + 1 :])
    )


def _move_record(move: Operation, carried_out: Operation) -> MoveRecord:
    about = move.extra or {}
    steps = tuple(item.data for item in carried_out.items if "do" in item.data)
    folder, ended = Path(about["folder"]), carried_out.finished
    return MoveRecord(move.id, move.when, about["old"], about["new"], folder, ended, move.undone, steps, carried_out.id)
