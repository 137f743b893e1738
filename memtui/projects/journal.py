"""What every move was about to do, written down and synced before it is done: one line of JSON for each step.

`moves/journal.jsonl` in our state folder. A line is of one of five kinds, told by `do`: "begin" (which directories and
folders), "files" (a session, or what else goes as a file), "memory", "end", "undone". A line that a crash cut short is
left out: its step hasn't begun.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.jsonl import append_record
from memtui.fs.lock import file_lock
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Unsupported

Line = Mapping[str, Any]

_NEEDED: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "begin": {"when": (int, float), "old": str, "new": str, "folder": str},
    "files": {"id": str, "as": str, "from": str, "to": str, "files": list, "had": list},
    "memory": {"from": str, "to": str, "files": list, "pinned": list},
    "end": {},
    "undone": {},
}


class MoveRecord(Struct, frozen=True):
    """A move as the journal has it.

    `old` and `new` are the directories, `old` the project's folder where its directory wasn't known; `when` is in
    seconds since 1970. `ended`: it wasn't stopped half-way. `steps` are the lines in between.
    """

    id: str
    when: float
    old: str
    new: str
    folder: Path
    ended: bool
    undone: bool
    steps: tuple[Line, ...]

    @property
    def sessions(self) -> int:
        """How many sessions it was about to move."""
        return sum(bool(step["id"]) for step in self.steps if step["do"] == "files")

    @property
    def memory(self) -> bool:
        """Whether it was about to move memory."""
        return any(step["do"] == "memory" for step in self.steps)


class Journal:
    """Reads and writes the lines.

    Args:
        dirs: Ours.
    """

    def __init__(self, dirs: Dirs, *, fs: FileSystem = REAL) -> None:
        self.path = dirs.state / "moves" / "journal.jsonl"
        self._fs = fs

    @contextmanager
    def held(self) -> Iterator[None]:
        """One move at a time, over all our processes.

        Raises:
            Conflict: If another one doesn't end.
            OSError: If our state folder can't be written.
        """
        with file_lock(self.path.with_name("lock"), fs=self._fs):
            yield

    def add(self, move: str, do: str, **more: object) -> None:
        """Write a line, on the disk when this returns. Needs `held`.

        Raises:
            OSError: If it can't be written; nothing may be done then.
        """
        append_record(self.path, {"move": move, "do": do, **more}, fs=self._fs)

    def moves(self) -> tuple[MoveRecord, ...]:
        """All moves, the newest last.

        Raises:
            Unsupported: If the journal is there and can't be read.
        """
        try:
            data = self.path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as error:
            raise Unsupported(f"{self.path} can't be read: {os.strerror(error.errno or 0)}") from error
        lines: dict[str, list[Line]] = {}
        for line in data.split(b"\n"):
            found = _line(line)
            if found is not None and (found["do"] == "begin" or found["move"] in lines):
                lines.setdefault(found["move"], []).append(found)
        return tuple(_past(id, found) for id, found in lines.items())


def unfinished(dirs: Dirs) -> tuple[MoveRecord, ...]:
    """The moves that were stopped half-way and that no later move of the same folder ended.

    Raises:
        Unsupported: As from `Journal.moves`.
    """
    moves = Journal(dirs).moves()
    return tuple(
        move
        for number, move in enumerate(moves)
        if not move.ended
        and not move.undone
        and not any(later.folder == move.folder and later.ended for later in moves[number + 1 :])
    )


def _line(line: bytes) -> Line | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("move"), str):
        return None
    needed = _NEEDED.get(str(found.get("do")))
    if needed is None or not all(isinstance(found.get(key), kind) for key, kind in needed.items()):
        return None
    return found


def _past(id: str, lines: list[Line]) -> MoveRecord:
    begin, done = lines[0], {line["do"] for line in lines}
    steps = tuple(line for line in lines if line["do"] in ("files", "memory"))
    folder = Path(begin["folder"])
    return MoveRecord(id, begin["when"], begin["old"], begin["new"], folder, "end" in done, "undone" in done, steps)
