"""Reading the history: operations, the versions of a file, a folder as it was."""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from memtui.history.database import BEGUN, IN_FOLDER, HistoryDatabase, read_blob
from memtui.util.resolve import matches_prefix, resolve_one

FILES: Final = "files"  # subject of an operation on file contents: memory, instructions, settings
FOUND: Final = "found"  # kind of the first operation on a folder: the files as they were when memtui came
OUTSIDE: Final = "outside"  # kind of a change that somebody else made
KEPT: Final = "kept"  # kind of a text that was put by without touching the file: the side that lost a conflict
UNDO: Final = "undo"
REDO: Final = "redo"
MOVED: Final = "moved"  # memory that came from or went to another folder: only both sides together are taken back
_NEVER_BY_KEY = (FOUND, OUTSIDE, KEPT, UNDO, REDO, MOVED)
_MAX_DIFF_LINES = 2000
_BATCH_SIZE = 100


class FileChange(Struct, frozen=True):
    """One file in an operation."""

    name: str
    kind: str  # "added", "changed", "removed" or "kept"
    added: int
    removed: int
    before: str | None  # SHA-256 digest, `None` where there was no file
    after: str | None
    before_mtime_ns: int | None = None  # since 1970, `None` where it isn't known
    after_mtime_ns: int | None = None


class Item(Struct, frozen=True):
    """One thing in an operation that is not about file contents: a session, a step of a move, a pinned name."""

    folder: str  # the real path of the folder that it belongs to
    key: str  # what it is called there
    data: Mapping[str, Any]  # belongs to the operation's subject


class Operation(Struct, frozen=True):
    """One thing that somebody did."""

    id: str
    when: float  # in seconds since 1970 by the clock of that moment, which their order doesn't depend on
    who: str
    why: str
    kind: str  # a word for what was done ("edit", "new", "delete", "rename", "restore", "adopt", …)
    files: tuple[FileChange, ...] = ()
    undoes: str | None = None  # the operation that this one takes back
    undone: bool = False  # it was taken back itself, and still is
    extra: Mapping[str, str] | None = None
    subject: str = FILES  # what it is about, such as "session"
    folder: str = ""  # the real path of the folder of its `files`
    items: tuple[Item, ...] = ()
    finished: bool = True  # not stopped half-way

    @property
    def undoable(self) -> bool:
        """Whether plain undo may take this one: something that was done here, and is not itself an undo or redo."""
        return self.kind not in _NEVER_BY_KEY

    def file(self, name: str) -> FileChange | None:
        """What happened to one file in this operation."""
        return next((change for change in self.files if change.name == name), None)


class FolderScope(Struct, frozen=True):
    """A folder whose operations count."""

    folder: str  # its real path
    names: frozenset[str] | None = None  # only those of these files; `None`: all of memory files and of other subjects

    def covers(self, name: str) -> bool:
        """Whether a file of this name is among those that the scope is about."""
        if self.names is not None:
            return name in self.names
        return name.endswith(".md") and not any(part.startswith(".") for part in name.split("/"))


class FileVersion(Struct, frozen=True):
    """A file as it was at a moment: the digest of its bytes (`None`: it wasn't there) and its mtime, if known."""

    digest: str | None
    mtime_ns: int | None


class NotRestored(Struct, frozen=True):
    """A file that an undo or a restore left as it is, and why."""

    name: str
    reason: str
    wanted: bytes | None = None  # what it would have become, `None` for no file
    disk: bytes | None = None  # what is there
    merged: bytes | None = None  # both with diff3 marks where later edits overlap
    overridable: bool = False  # can be done all the same, with the name in `over`; the history keeps what is there


class Saved(Struct, frozen=True):
    """What was done."""

    operation: Operation | None  # `None` if nothing had to be
    merged: tuple[str, ...] = ()  # names whose text was merged
    left: tuple[NotRestored, ...] = ()  # what an undo or a restore could not do


class Versions:
    """Reads one database. Nothing here writes, or makes the database."""

    def __init__(self, database: HistoryDatabase) -> None:
        self.database = database

    def walk(
        self, scopes: Collection[FolderScope] | None = None, *, subject: str | None = None, begun: bool = False
    ) -> Iterator[Operation]:
        """Operations, newest first, read as they are asked for; `HistoryDamaged` if the database can't be read.

        Only those that touch something of `scopes`, and of this `subject`, where given. `begun`: writes of files that
        are not finished are among them; operations on other subjects always are, since each of their items has
        happened.
        """
        below: int | None = None
        while True:
            with self._reading() as reader:
                rows = reader.newest(scopes, subject, below, begun)
                found = [reader.operation(row) for row in rows]
            for operation in found:
                if scopes is None or any(_touches(operation, scope) for scope in scopes):
                    yield operation
            if len(rows) < _BATCH_SIZE:
                return
            below = rows[-1]["id"]

    def operations(
        self, scopes: Collection[FolderScope] | None = None, limit: int | None = 100
    ) -> tuple[Operation, ...]:
        """As `walk`, at most `limit`."""
        return tuple(islice(self.walk(scopes), limit))

    def operation(self, word: str) -> Operation:
        """The operation whose id begins with `word` (4 characters or more).

        Raises `NotFound` if there is none, `UsageError` if there are several.
        """
        found: list[Operation] = []
        if matches_prefix(word.lower(), word):
            with self._reading() as reader:
                found = [reader.operation(row) for row in reader.named(word.lower())]
        return resolve_one(found, word, "operation", lists="memtui history lists them")

    def standing(self, operation: Operation) -> Operation:
        """An operation with only those of its files and items that were not taken back yet."""
        back: set[object] = set()
        with self._reading() as reader:
            for undo in reader.undoing(operation.id):
                rest = self.standing(undo)
                back.update(change.name for change in rest.files)
                back.update((item.folder, item.key) for item in rest.items)
        files = tuple(change for change in operation.files if change.name not in back)
        items = tuple(item for item in operation.items if (item.folder, item.key) not in back)
        return replace(operation, files=files, items=items)

    def interrupted(self) -> tuple[Operation, ...]:
        """The writes of files that a crash stopped, or that another process is at; oldest first."""
        with self._reading() as reader:
            return tuple(reader.operation(row) for row in reader.begun())

    def origin(self, operation: Operation) -> Operation:
        """What an undo or a redo is about in the end."""
        with self._reading() as reader:
            while operation.undoes is not None:
                [row] = reader.named(operation.undoes)
                operation = reader.operation(row)
        return operation

    @contextmanager
    def _reading(self) -> Iterator["_Reader"]:
        with self.database.read() as connection:
            yield _Reader(connection)

    def content(self, digest: str) -> bytes | None:
        """The bytes of a SHA-256 digest, if the history has them."""
        with self.database.read() as connection:
            row = (
                connection
                and connection.execute("select id from blobs where digest = ?", (bytes.fromhex(digest),)).fetchone()
            )
            return read_blob(connection, row[0], self.database.path) if connection and row else None

    def read(self, operation_id: str, name: str) -> bytes | None:
        """A file of an operation's folder as it was after the operation; `None` if it wasn't there."""
        return self._at(operation_id, name, "after")

    def before(self, operation_id: str, name: str) -> bytes | None:
        """A file of an operation's folder as it was before the operation; `None` if it wasn't there."""
        return self._at(operation_id, name, "before")

    def _at(self, operation_id: str, name: str, side: str) -> bytes | None:
        with self.database.read() as connection:
            if connection is None:
                return None
            key = os.fsencode(name)
            query = (
                f"select c.{side} from operations o join changes c on c.operation = o.id "
                "where o.name = ? and c.name = ?"
            )
            row = connection.execute(query, (operation_id, key)).fetchone()
            if row is None:  # the newest change of the file before that operation tells
                row = connection.execute(
                    "select c.after from operations o join operations p on p.folder = o.folder and p.id < o.id "
                    "join changes c on c.operation = p.id where o.name = ? and c.name = ? and c.kind != ? "
                    "and p.state != 0 order by p.id desc limit 1",
                    (operation_id, key, KEPT),
                ).fetchone()
            return read_blob(connection, row[0], self.database.path) if row and row[0] is not None else None

    def folder_at(
        self, folder: str, *, until: float | None = None, before: str | None = None
    ) -> dict[str, FileVersion]:
        """Every file that the history knows of a folder (a real path), by name, as it was at a moment: after the newest
        operation not later than `until` (seconds since 1970), or right before the operation `before`.

        A file is missing here if memtui first saw it later: nobody knows what it was then.
        """
        earlier, limit = ("o.time <= ?", until) if before is None else (
            "o.id < (select id from operations where name = ?)", before)  # fmt: skip
        # SQLite takes the other columns from the row that has the maximum, or the minimum.
        changes = (
            "from operations o join changes c on c.operation = o.id left join blobs b on b.id = c.after "
            f"where o.{IN_FOLDER} and o.state != 0 and c.kind != ?"
        )
        begin = f"select c.name, o.kind, c.before, min(o.id) {changes} group by c.name"
        end = f"select c.name, b.digest, c.after_mtime_ns, max(o.id) {changes} and {earlier} group by c.name"
        key = os.fsencode(folder)
        with self.database.read():  # one view for both
            first = self.database.select(begin, key, KEPT)
            last = self.database.select(end, key, KEPT, limit)
        # What appeared only later was not there; but what memtui found when it first looked may have been.
        absent = FileVersion(None, None)
        found = {os.fsdecode(name): absent for name, kind, old, _ in first if kind != FOUND and old is None}
        for name, digest, mtime_ns, _ in last:
            found[os.fsdecode(name)] = FileVersion(digest.hex(), mtime_ns) if digest is not None else absent
        return found


class FolderVersions(Versions):
    """The versions of the files in one folder, given by its real path."""

    def __init__(self, database: HistoryDatabase, folder: Path | str) -> None:
        super().__init__(database)
        self.folder = os.fspath(folder)

    def head(self, name: str) -> bytes | None:
        """A file as the history has it last; `None` if it isn't there."""
        digest = self.heads().get(name)
        return self.content(digest) if digest is not None else None

    def heads(self) -> dict[str, str]:
        """Every file that the folder has by what the history knows last: name to digest."""
        query = f"select f.name, b.digest from files f join blobs b on b.id = f.blob where f.{IN_FOLDER}"
        rows = self.database.select(query, os.fsencode(self.folder))
        return {os.fsdecode(name): digest.hex() for name, digest in rows}

    def recent(self, wanted: str) -> bool:
        """Whether one of the newest operations on the folder left bytes of this digest: such bytes are whole."""
        query = (
            f"select 1 from (select id from operations where {IN_FOLDER} order by id desc limit 20) o "
            "join changes c on c.operation = o.id join blobs b on b.id = c.after where b.digest = ? limit 1"
        )
        return bool(self.database.select(query, os.fsencode(self.folder), bytes.fromhex(wanted)))


class _Reader:
    """Makes operations of rows, within one view of the database; of none if there is no database yet."""

    def __init__(self, connection: sqlite3.Connection | None) -> None:
        self._cursor = connection and connection.cursor()
        if self._cursor is not None:
            self._cursor.row_factory = sqlite3.Row
        self._undone: set[int] | None = None

    def _select(self, query: str, *values: object) -> list[sqlite3.Row]:
        return self._cursor.execute(query, values).fetchall() if self._cursor is not None else []

    _COLUMNS = (
        "o.id, o.name, o.state, o.subject, o.kind, o.who, o.why, o.time, o.undoes, o.extra, f.path as folder, "
        "u.name as undoes_name from operations o left join folders f on f.id = o.folder "
        "left join operations u on u.id = o.undoes"
    )

    def newest(
        self, scopes: Collection[FolderScope] | None, subject: str | None, below: int | None, begun: bool
    ) -> list[sqlite3.Row]:
        conditions: list[str] = ["o.id < ?"]
        values: list[int | str | bytes] = [below if below is not None else 1 << 62]
        if subject is not None:
            conditions.append("o.subject = ?")
            values.append(subject)
        if not begun:
            conditions.append("(o.state != 0 or o.subject != 'files')")
        if scopes is not None:
            folders = {os.fsencode(scope.folder) for scope in scopes}
            known = f"select id from folders where path in ({', '.join('?' * len(folders))})"
            conditions.append(
                f"(o.folder in ({known}) or o.id in (select operation from items where folder in ({known})))"
            )
            values += [*folders, *folders]
        query = f"select {self._COLUMNS} where {' and '.join(conditions)} order by o.id desc limit {_BATCH_SIZE}"
        return self._select(query, *values)

    def begun(self) -> list[sqlite3.Row]:
        """The rows of writes of files that are not finished."""
        return self._select(f"select {self._COLUMNS} where o.state = 0 and o.subject = 'files' order by o.id")

    def named(self, word: str) -> list[sqlite3.Row]:
        """The rows whose public id begins with a word."""
        query = f"select {self._COLUMNS} where o.name >= ? and o.name < ? order by o.id"
        return self._select(query, word, word + "\uffff")

    def undoing(self, name: str) -> list[Operation]:
        """The operations that take this one back, or some of it."""
        rows = self._select(
            f"select {self._COLUMNS} where o.undoes = (select id from operations where name = ?) "
            "and (o.state != 0 or o.subject != 'files') order by o.id",
            name,
        )
        return [self.operation(row) for row in rows]

    def operation(self, row: sqlite3.Row) -> Operation:
        changes = self._select(
            "select c.name, c.kind, c.added, c.removed, b.digest, a.digest, c.before_mtime_ns, c.after_mtime_ns "
            "from changes c left join blobs b on b.id = c.before left join blobs a on a.id = c.after "
            "where c.operation = ? order by c.name",
            row["id"],
        )
        items = self._select(
            "select f.path, i.key, i.data from items i left join folders f on f.id = i.folder "
            "where i.operation = ? order by i.position",
            row["id"],
        )
        files = (
            FileChange(
                os.fsdecode(name), kind, added, removed, before and before.hex(), after and after.hex(), old, new
            )
            for name, kind, added, removed, before, after, old, new in map(tuple, changes)
        )
        return Operation(
            row["name"],
            row["time"],
            text_of(row["who"]),
            text_of(row["why"]),
            row["kind"],
            tuple(files),
            row["undoes_name"],
            row["id"] in self.undone(),
            json.loads(row["extra"]) if row["extra"] else None,
            row["subject"],
            os.fsdecode(row["folder"] or b""),
            tuple(Item(os.fsdecode(path or b""), key, json.loads(data)) for path, key, data in map(tuple, items)),
            row["state"] != BEGUN,
        )

    def undone(self) -> set[int]:
        """The rows of all operations that were taken back and still are.

        An undo that has come to its end takes back all of its operation, what it had to leave included: plain undo
        goes on to the one before. Of one that was stopped half-way each item counts by itself, so that it is continued.
        """
        if self._undone is None:
            self._undone = set()
            of: dict[int, set[object]] = {}
            for operation, folder, key in self._select(
                "select i.operation, i.folder, i.key from items i join operations o on o.id = i.operation "
                "where o.undoes is not null or o.id in (select undoes from operations where undoes is not null)"
            ):
                of.setdefault(operation, set()).add((folder, key))
            back: dict[int, set[object]] = {}
            undos = self._select(
                "select id, undoes, state from operations where undoes is not null "
                "and (state != 0 or subject != 'files') order by id desc"
            )
            for row in undos:
                undo, target = row["id"], row["undoes"]
                if undo in self._undone:
                    continue
                if row["state"] != BEGUN:
                    self._undone.add(target)
                    continue
                back.setdefault(target, set()).update(of.get(undo, set()) - back.get(undo, set()))
                if of.get(target, set()) <= back[target]:
                    self._undone.add(target)
        return self._undone


def text_of(stored: bytes) -> str:
    """Foreign text as it was given, lone surrogates included."""
    return stored.decode("utf-8", "surrogatepass")


def stored_text(text: str) -> bytes:
    """Foreign text as the database keeps it."""
    return " ".join(text.split()).encode("utf-8", "surrogatepass")


def count_lines(before: bytes, after: bytes) -> tuple[int, int]:
    """Lines added and removed, as a diff shows them; in very large texts, as a comparison of sets with repetitions."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    start = 0
    while start < len(old) and start < len(new) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if not old or not new:
        return len(new), len(old)
    if max(len(old), len(new)) > _MAX_DIFF_LINES:
        return (Counter(new) - Counter(old)).total(), (Counter(old) - Counter(new)).total()
    same = sum(block.size for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks())
    return len(new) - same, len(old) - same


def _touches(operation: Operation, scope: FolderScope) -> bool:
    if scope.names is None and any(item.folder == scope.folder for item in operation.items):
        return True
    if operation.folder != scope.folder:
        return False
    return not operation.files or any(scope.covers(change.name) for change in operation.files)


def undo_target(operations: Iterable[Operation]) -> Operation | None:
    """The newest operation that still stands and may be taken back; `operations` come newest first."""
    return next((one for one in operations if one.undoable and not one.undone), None)


def redo_target(operations: Iterable[Operation]) -> Operation | None:
    """The newest undo that still stands, unless something new was done since: redoing over that would surprise."""
    for one in operations:
        if one.undone:
            continue
        if one.kind == UNDO:
            return one
        if one.undoable:
            return None
    return None
