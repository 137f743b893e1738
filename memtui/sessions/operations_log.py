"""What a person did to whole sessions, in the operations log, so that it can be listed and taken back.

An operation that moves three sessions gets three items, each written when its session has moved, so that a crash in
between leaves a true list. An undo names what it took back, a redo the undo.
"""

import os
from typing import Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from memtui.fs.filesystem import REAL, FileSystem
from memtui.history.database import HistoryDatabase
from memtui.history.log import OperationsLog
from memtui.history.versions import REDO, UNDO, Item, Operation, Versions
from memtui.util.app_dirs import Dirs
from memtui.util.text import clip

SUBJECT: Final = "session"  # what these operations are about; their kinds are "session-rename" and so on
RENAME: Final = "rename"
ARCHIVE: Final = "archive"
DELETE: Final = "delete"
RESTORE: Final = "restore"
FORK: Final = "fork"

_CELLS = 60
_WORDS = {
    RENAME: ("rename", "renamed"),
    ARCHIVE: ("archive", "archived"),
    DELETE: ("delete", "deleted"),
    RESTORE: ("put back", "put back"),
    FORK: ("fork", "forked"),
}


class TouchedSession(Struct, frozen=True):
    """One session in an operation."""

    id: str
    project: str  # the path of its project folder
    title: str = ""  # what it was called at that time
    before: str = ""  # the title before a rename
    after: str = ""  # that after it
    place: str = ""  # where an operation that moves it keeps it: "archive" or "deleted"


class SessionOperation(Struct, frozen=True):
    """One operation, at a `time` in seconds since 1970; a redo `undoes` the undo, `of` is what was undone or redone."""

    id: str
    time: float
    what: str
    sessions: tuple[TouchedSession, ...]
    undoes: str = ""
    of: str = ""
    undone: bool = False

    @property
    def words(self) -> str:
        """The operation in a few words, for people; long titles are cut."""
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
        if len(self.sessions) > 1:
            return f"{verb} {len(self.sessions)} sessions"
        return f"{verb} session {_short(first.title) or first.id[:8]!r}"


def new_id() -> str:
    """An id for an operation that isn't written down yet; it looks like every other operation's."""
    return os.urandom(6).hex()


class SessionOperations:
    """The operations in the operations log. Adding needs the lock of the sessions; reading needs none."""

    def __init__(self, dirs: Dirs, *, fs: FileSystem = REAL) -> None:
        database = HistoryDatabase.of(dirs, fs=fs)
        self._log = OperationsLog(database)
        self.versions = Versions(database)

    def add(self, operation: SessionOperation, *, finished: bool = False) -> None:
        """Write an operation down, durably; or add the sessions that are new in it, each when it has moved."""
        items = [Item(one.project, one.id, to_builtins(one)) for one in operation.sessions]
        known = [one for one in self.all() if one.id == operation.id]
        sessions = tuple(dict.fromkeys([*(one for old in known for one in old.sessions), *operation.sessions]))
        why = replace(operation, sessions=sessions).words
        kind = operation.what if operation.what in (UNDO, REDO) else f"{SUBJECT}-{operation.what}"
        self._log.record(
            SUBJECT, kind, why, items, when=operation.time, id=operation.id, undoes=operation.undoes or None,
            extra={"of": operation.of} if operation.of else None, finished=finished,
        )  # fmt: skip

    def finish(self, operation: SessionOperation) -> None:
        """Say that an operation has come to its end, whatever it had to leave."""
        self._log.finish(operation.id)

    def check(self) -> None:
        """Make sure that the history can be used, before anything is moved; else `MemtuiError`."""
        self.versions.operations(limit=1)

    def all(self) -> list[SessionOperation]:
        """Every operation, oldest first, with what became of it."""
        return [session_operation(one) for one in self.versions.walk(subject=SUBJECT)][::-1]

    def rest(self, operation: SessionOperation) -> tuple[TouchedSession, ...]:
        """The sessions of an operation that weren't taken back yet: a crash may have stopped an undo of several."""
        return session_operation(self.versions.standing(self.versions.operation(operation.id))).sessions


def session_operation(operation: Operation) -> SessionOperation:
    what = operation.kind.removeprefix(f"{SUBJECT}-")
    touched = tuple(TouchedSession(**{key: str(value) for key, value in item.data.items()}) for item in operation.items)
    of = (operation.extra or {}).get("of", "")
    return SessionOperation(operation.id, operation.when, what, touched, operation.undoes or "", of, operation.undone)


def _short(title: str) -> str:
    return clip(" ".join(title.split()), _CELLS)
