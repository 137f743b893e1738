"""The SQLite file: schema, connection, transactions, contents of files, integrity check.

All objects of one process that name the same file share one connection, guarded by a lock: SQLite's file locks belong
to a process, not to a connection. A fork would inherit the connection without its locks, so it is closed before one.
"""

import errno
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from memtui.fs.atomic import make_folders, sync_folder
from memtui.fs.filesystem import REAL, FileSystem
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, MemtuiError, Unsupported
from memtui.util.hashing import sha256

SCHEMA_VERSION = 1

BEGUN, DONE = 0, 1  # states of an operation
MAX_DELTA_DEPTH = 20  # versions that are stored as a difference from the one before, until one is stored whole again
_WINDOW_SIZE = 32_768  # bytes at the end of a content that zlib can refer to as a dictionary
_APPLICATION_ID = 0x6D656D74  # "memt"

_SCHEMA = f"""
create table folders (id integer primary key, path blob not null unique);
create table blobs (
    id integer primary key,
    digest blob not null unique,
    base integer references blobs,
    depth integer not null,
    data blob not null
);
create table operations (
    id integer primary key autoincrement,
    name text not null unique,
    state integer not null,
    subject text not null,
    kind text not null,
    folder integer references folders,
    who blob not null,
    why blob not null,
    time real not null,
    undoes integer references operations on delete cascade,
    extra text
);
create index operations_by_folder on operations (folder, id);
create index operations_undoing on operations (undoes) where undoes is not null;
create index operations_begun on operations (id) where state = 0;
create table changes (
    operation integer not null references operations on delete cascade,
    name blob not null,
    kind text not null,
    added integer not null,
    removed integer not null,
    before integer references blobs,
    after integer references blobs,
    before_mtime_ns integer,
    after_mtime_ns integer,
    primary key (operation, name)
) without rowid;
create table items (
    operation integer not null references operations on delete cascade,
    position integer not null,
    folder integer references folders,
    key text not null,
    data text not null,
    primary key (operation, position)
) without rowid;
create index items_by_folder on items (folder, operation);
create table files (
    folder integer not null references folders,
    name blob not null,
    blob integer references blobs,
    size integer,
    mtime_ns integer,
    ctime_ns integer,
    inode integer,
    looked_at real,
    primary key (folder, name)
) without rowid;
create table looks (folder integer not null references folders, scope text not null, primary key (folder, scope))
    without rowid;
create table unseen (
    folder integer not null references folders,
    name blob not null,
    digest text not null,
    primary key (folder, name)
) without rowid;
pragma application_id = {_APPLICATION_ID};
pragma user_version = {SCHEMA_VERSION};
"""


IN_FOLDER = "folder = (select id from folders where path = ?)"

_WRONG_HEADS = """
select f.name from files f where f.blob is not null and f.blob is not (
    select c.after from operations o join changes c on c.operation = o.id
    where o.folder = f.folder and c.name = f.name and o.state != 0 and c.kind != ? order by o.id desc limit 1
)
"""


class HistoryDamaged(MemtuiError):
    """The database can't be used: no part of it is changed, and no file is written until it is moved away."""

    def __init__(self, path: Path, what: str = "is damaged") -> None:
        super().__init__(
            f"The history {path} {what}: nothing was written",
            hint="move it elsewhere to start a new one; the memory files are not touched",
        )


class _Shared:
    """The connection of this process to one file, and the lock around it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.connection: sqlite3.Connection | None = None
        self.file: tuple[int, int] | None = None
        self.writing = False

    def close(self) -> None:
        if self.connection is not None:
            with suppress(sqlite3.Error):
                self.connection.close()
            self.connection = None
        self.file = None


_shared: dict[str, _Shared] = {}
_shared_lock = threading.Lock()


def _before_fork() -> None:
    _shared_lock.acquire()
    for shared in _shared.values():
        shared.lock.acquire()
        if shared.connection is not None and not shared.connection.in_transaction:
            shared.close()


def _after_fork() -> None:
    for shared in _shared.values():
        shared.lock.release()
    _shared_lock.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


class HistoryDatabase:
    """The history of one home, a file made by the first write; without it, the history is empty."""

    def __init__(self, path: Path, *, fs: FileSystem = REAL, patience_s: float = 30.0) -> None:
        self.path = path
        self.fs = fs
        self._patience_s = patience_s  # to wait for another process that writes
        with _shared_lock:
            self._shared = _shared.setdefault(str(path.absolute()), _Shared())

    @classmethod
    def of(cls, dirs: Dirs, *, fs: FileSystem = REAL, patience_s: float = 30.0) -> "HistoryDatabase":
        """The history of the home whose state folder is in `dirs`."""
        return cls(dirs.state / "history.db", fs=fs, patience_s=patience_s)

    @property
    def exists(self) -> bool:
        """Whether anything was recorded yet."""
        return self.path.exists()

    def close(self) -> None:
        """Close the connection of this process; the next use opens another."""
        with self._shared.lock:
            self._shared.close()

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection | None]:
        """One consistent view of the database while the block runs; `None` if there is no database yet.

        Raises `HistoryDamaged` if it can't be read, `OSError` if the disk refuses.
        """
        with self._shared.lock, self._faults():
            connection = self._connect(create=False)
            inside = connection is not None and connection.in_transaction
            if connection is None or inside:
                yield connection
                return
            connection.execute("begin")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("rollback")

    def select(self, query: str, *values: object) -> list[Any]:
        """The rows of one query; none if there is no database yet. Raises as `read`."""
        with self.read() as connection:
            return [] if connection is None else connection.execute(query, values).fetchall()

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """A transaction: all that the block does, or nothing of it. A block inside another one belongs to it.

        With `durable` it is on the disk when the block ends; else a power cut may take it, but never a part. Raises
        `Conflict` if another process writes for too long, `HistoryDamaged` if the database can't be used, `OSError` if
        the disk refuses, for instance because it is full; nothing was written then.
        """
        with self._shared.lock, self._faults():
            connection = self._connect(create=True)
            assert connection is not None  # it was made if there was none
            inside = connection.in_transaction
            if inside:
                assert self._shared.writing, "a write inside a read would be lost with it"
                yield connection
                return
            connection.execute(f"pragma synchronous = {'full' if durable else 'normal'}")
            connection.execute("begin immediate")
            self._shared.writing = True
            try:
                yield connection
                self.fs.commit(self.path, partial(connection.execute, "commit"), durable=durable)
            except BaseException:
                if connection.in_transaction:
                    try:
                        connection.execute("rollback")
                    except sqlite3.Error:
                        self._shared.close()  # which takes the rest of the transaction along
                raise
            finally:
                self._shared.writing = False

    def check(self) -> list[str]:
        """Look for damage: SQLite's own integrity check, the digest of every content, references, and whether the last
        version of each file is what its newest operation left. Returns what is wrong, one line each.
        """
        found: list[str] = []
        try:
            with self.read() as connection:
                if connection is None:
                    return []
                found += [row[0] for row in connection.execute("pragma integrity_check") if row[0] != "ok"]
                found += [
                    f"row without its reference in {row[0]}" for row in connection.execute("pragma foreign_key_check")
                ]
                found += [f"{os.fsdecode(name)} is not what its newest operation left" for (name,) in
                          connection.execute(_WRONG_HEADS, ("kept",))]  # fmt: skip
                for (blob,) in connection.execute("select id from blobs").fetchall():
                    try:
                        read_blob(connection, blob, self.path)
                    except HistoryDamaged:
                        found.append(f"content {blob} is another than was stored")
        except HistoryDamaged as error:
            found.append(error.message)
        return found

    def _connect(self, *, create: bool) -> sqlite3.Connection | None:
        """The connection; another one if the file was replaced."""
        shared = self._shared
        try:
            info = self.path.stat()
            now = (info.st_dev, info.st_ino)
        except (FileNotFoundError, NotADirectoryError):
            now = None
        if shared.connection is not None and shared.file == now and now is not None:
            return shared.connection
        shared.close()
        if now is None:
            if not create:
                return None
            make_folders(self.path.parent, fs=self.fs)
        shared.connection = self._open(create=create)
        if shared.connection is not None:
            info = self.path.stat()
            shared.file = (info.st_dev, info.st_ino)
        return shared.connection

    def _open(self, *, create: bool) -> sqlite3.Connection | None:
        connection = self._connection(os.fspath(self.path), uri=False)
        try:
            try:
                version = connection.execute("pragma user_version").fetchone()[0]
            except sqlite3.OperationalError as error:
                if create or _code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                    raise
                # Beside a file on a read-only disk SQLite can't make what it shares with other processes.
                connection.close()
                connection = self._connection(f"{self.path.absolute().as_uri()}?immutable=1", uri=True)
                version = connection.execute("pragma user_version").fetchone()[0]
            if version == 0 and not create:
                if connection.execute("select count(*) from sqlite_master").fetchone()[0]:
                    raise HistoryDamaged(self.path, "is no history of memtui")
                connection.close()
                return None
            if version == 0:
                self._make(connection)
            elif version > SCHEMA_VERSION:
                raise Unsupported(
                    "The history was written by a newer memtui: nothing was written", hint="update memtui"
                )
            connection.execute("pragma foreign_keys = on")
        except BaseException:
            connection.close()
            raise
        return connection

    def _connection(self, place: str, *, uri: bool) -> sqlite3.Connection:
        return sqlite3.connect(place, uri=uri, timeout=self._patience_s, isolation_level=None, check_same_thread=False)

    def _make(self, connection: sqlite3.Connection) -> None:
        with suppress(OSError):
            self.path.chmod(0o600)
        connection.execute("pragma journal_mode = wal")  # where the disk can't (some network mounts), it stays as it is
        connection.execute("pragma synchronous = full")
        connection.execute("begin immediate")
        try:
            if connection.execute("pragma user_version").fetchone()[0] == 0:  # else another process was faster
                for statement in _SCHEMA.split(";"):
                    connection.execute(statement)
            self.fs.commit(self.path, partial(connection.execute, "commit"), durable=True)
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            raise
        sync_folder(self.path.parent, fs=self.fs)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn what SQLite raises into what the system would, or into an expected error."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            code = _code(error)
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise Conflict(
                    "another memtui is writing the history and doesn't finish", hint="end it, then try again"
                ) from error
            number = _ERRNO.get(code)
            if number is None and isinstance(error, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
                raise  # a mistake of memtui
            if number is None:
                raise HistoryDamaged(self.path) from error
            raise OSError(number, os.strerror(number), str(self.path)) from error


_ERRNO = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
}


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary code of an error; 0 where it has none."""
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def folder_id(connection: sqlite3.Connection, path: Path | str, *, create: bool = False) -> int | None:
    """The row of a folder by its real path; `None` if the history knows nothing of it and `create` is off."""
    key = os.fsencode(path)
    row = connection.execute("select id from folders where path = ?", (key,)).fetchone()
    if row is None and create:
        return connection.execute("insert into folders (path) values (?)", (key,)).lastrowid
    return row[0] if row is not None else None


def put_blob(connection: sqlite3.Connection, data: bytes, digest: str, before: tuple[int, bytes] | None = None) -> int:
    """Store a content once, under its SHA-256 in hex, and answer its row.

    `before` is row and bytes of the content that it replaces: most of it is the same, and is not stored twice.
    """
    key = bytes.fromhex(digest)
    row = connection.execute("select id from blobs where digest = ?", (key,)).fetchone()
    if row is not None:
        return int(row[0])
    base, depth, window = None, 0, b""
    if before is not None and before[1]:
        above = connection.execute("select depth from blobs where id = ?", (before[0],)).fetchone()[0]
        if above < MAX_DELTA_DEPTH:
            base, depth, window = before[0], above + 1, before[1][-_WINDOW_SIZE:]
    # Level 1: five times as fast as the default for a tenth more room.
    packer = zlib.compressobj(1, zdict=window) if window else zlib.compressobj(1)
    stored = packer.compress(data) + packer.flush()
    made = connection.execute(
        "insert into blobs (digest, base, depth, data) values (?, ?, ?, ?)", (key, base, depth, stored)
    )
    return int(made.lastrowid or 0)


def read_blob(connection: sqlite3.Connection, blob: int, path: Path) -> bytes:
    """A stored content, checked against its digest; raises `HistoryDamaged` of `path`, the database, if it differs."""
    chain: list[tuple[bytes, bytes]] = []
    at: int | None = blob
    while at is not None:
        row = connection.execute("select base, digest, data from blobs where id = ?", (at,)).fetchone()
        if row is None or len(chain) > MAX_DELTA_DEPTH:
            raise HistoryDamaged(path)
        at = row[0]
        chain.append((row[1], row[2]))
    data = b""
    for _, stored in reversed(chain):
        window = data[-_WINDOW_SIZE:]
        try:
            unpacker = zlib.decompressobj(zdict=window) if window else zlib.decompressobj()
            data = unpacker.decompress(stored) + unpacker.flush()
        except zlib.error as error:
            raise HistoryDamaged(path) from error
    if sha256(data).digest() != chain[0][0]:
        raise HistoryDamaged(path)
    return data
