"""What a person did to whole sessions, so that it can be listed and taken back.

One JSON record a line, only ever added to: a deed that moves three sessions is three records of one id, each written
when its session has moved, so that a crash in between leaves a true list. An undo is a record that names what it took
back, a redo one that names the undo.
"""

import json
import os
import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.jsonl import append_record
from memtui.util.app_dirs import Dirs
from memtui.util.resolve import matches_prefix, resolve_one
from memtui.util.text import clip

RENAME: Final = "rename"
ARCHIVE: Final = "archive"
DELETE: Final = "delete"
RESTORE: Final = "restore"
UNDO: Final = "undo"
REDO: Final = "redo"

_CELLS = 60
"""Cells of a title in the words of a deed."""

_WORDS = {
    RENAME: ("rename", "renamed"),
    ARCHIVE: ("archive", "archived"),
    DELETE: ("delete", "deleted"),
    RESTORE: ("put back", "put back"),
}


class TouchedSession(Struct, frozen=True):
    """One session in a deed.

    `project` is the path of its project folder, `title` what it was called when the deed was done. A rename has the
    titles `before` and `after`; a deed that moves it has the `place` that it was kept in ("archive" or "deleted").
    """

    id: str
    project: str
    title: str = ""
    before: str = ""
    after: str = ""
    place: str = ""


class Operation(Struct, frozen=True):
    """One deed. `time` is in seconds since 1970.

    `undoes` is the id of the deed that this one took back, for a redo that of the undo; `of` what was undone or done
    again.
    """

    id: str
    time: float
    what: str
    sessions: tuple[TouchedSession, ...]
    undoes: str = ""
    of: str = ""
    undone: bool = False

    @property
    def words(self) -> str:
        """The deed in a few words, for people; long titles are cut."""
        return f"{self.what}: {self._say(self.of, 0)}" if self.what in (UNDO, REDO) else self._say(self.what, 0)

    @property
    def told(self) -> str:
        """The same once it is done."""
        again = {UNDO: "undone", REDO: "done again"}.get(self.what)
        return f"{again}: {self._say(self.of, 0)}" if again else self._say(self.what, 1)

    def _say(self, what: str, done: int) -> str:
        verb = _WORDS.get(what, (what, what))[done]
        first = self.sessions[0]
        if what == RENAME:
            return f"{verb} session {_short(first.before) or first.id[:8]!r} to {_short(first.after)!r}"
        name = (
            f"session {_short(first.title) or first.id[:8]!r}"
            if len(self.sessions) == 1
            else f"{len(self.sessions)} sessions"
        )
        return f"{verb} {name}"


def new_id() -> str:
    """An id of 8 characters that no version of a memory file begins with: theirs are hex digits."""
    return "s" + secrets.token_hex(4)[:7]


class OperationsLog:
    """The list of deeds. Adding needs the lock of the sessions; reading needs none.

    Args:
        dirs: Ours; the list is in the state folder.
    """

    def __init__(self, dirs: Dirs, *, fs: FileSystem = REAL) -> None:
        self.path = dirs.sessions / "deeds.jsonl"
        self._fs = fs

    def add(self, operation: Operation) -> None:
        """Write a deed down, durably.

        Raises:
            OSError: If it can't be written.
        """
        append_record(self.path, record_of(operation), fs=self._fs)

    def all(self) -> list[Operation]:
        """Every deed, oldest first, with what became of it. Lines that are none of ours are passed over."""
        found: dict[str, Operation] = {}
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError:
            return []
        for line in lines:
            with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
                operation = operation_of(json.loads(line))
                known = found.get(operation.id)
                new = [one for one in operation.sessions if known is None or one not in known.sessions]
                found[operation.id] = operation if known is None else replace(known, sessions=(*known.sessions, *new))
        standing = _standing(list(found.values()))
        return [replace(operation, undone=not standing[operation.id]) for operation in found.values()]

    def newest(self, limit: int | None = 100, *, project: Path | None = None) -> list[Operation]:
        """The deeds, newest first.

        Args:
            limit: How many at most.
            project: Only those that touched a session of this project folder.
        """
        wanted = None if project is None else os.path.realpath(project)
        found = [operation for operation in reversed(self.all()) if wanted is None or _in(operation.sessions, wanted)]
        return found if limit is None else found[:limit]

    def last(self, *, project: Path | None = None) -> Operation | None:
        """The newest deed that still stands and is no undo: what `undo` would take back."""
        operations = self.newest(None, project=project)
        return next(
            (operation for operation in operations if operation.what not in (UNDO, REDO) and not operation.undone), None
        )

    def rest(self, operation: Operation) -> tuple[TouchedSession, ...]:
        """The sessions of a deed that weren't taken back yet: a crash may have ended an undo of several half-way."""
        return _standing(self.all()).get(operation.id, operation.sessions)

    def get(self, word: str) -> Operation:
        """The deed whose id begins with `word` (4 characters or more).

        Raises:
            NotFound: If there is none.
            Usage: If there are several.
        """
        return resolve_one(
            [operation for operation in self.all() if matches_prefix(operation.id, word)],
            word,
            "deed",
            lists="memtui history lists them",
        )


def _standing(operations: Sequence[Operation]) -> dict[str, tuple[TouchedSession, ...]]:
    """The sessions for which each deed stands, by its id: nothing took it back later, or what did was taken back too.

    Args:
        deeds: Oldest first.
    """
    back: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    found: dict[str, tuple[TouchedSession, ...]] = {}
    for operation in reversed(operations):
        found[operation.id] = tuple(
            one for one in operation.sessions if (one.id, one.project) not in back[operation.id]
        )
        back[operation.undoes].update((one.id, one.project) for one in found[operation.id])
    return found


def record_of(operation: Operation) -> dict[str, Any]:
    """A deed as JSON has it."""
    data: dict[str, Any] = to_builtins(operation)
    del data["undone"]
    return data


def operation_of(data: Mapping[str, Any]) -> Operation:
    """The deed that `record_of` made a record of.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: If it is none.
    """
    known = set(TouchedSession.__struct_fields__)
    sessions = (
        {key: str(value) for key, value in one.items() if key in known}  # a newer memtui may write more
        for one in data["sessions"]
    )
    touched = tuple(TouchedSession(**one) for one in sessions)
    if not touched:
        raise ValueError("a deed without a session")
    more = (str(data.get("undoes", "")), str(data.get("of", "")))
    return Operation(str(data["id"]), float(data["time"]), str(data["what"]), touched, *more)


def _short(title: str) -> str:
    return clip(" ".join(title.split()), _CELLS)


def _in(sessions: Iterable[TouchedSession], project: str) -> bool:
    return any(one.project == project for one in sessions)
