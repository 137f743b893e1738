"""The catalogue: an SQLite cache of what a list shows of every session.

`Catalogue.cached` answers from the cache alone, in milliseconds, with what was true at the last `refresh`. `refresh`
compares size, time and inode of every file, reads what changed, newest first, and reports progress. A file that grew is
read on from where reading stopped, if the bytes before that offset are still the same.

Each row carries a checksum of what is read of it: a cache in which one is wrong, or that SQLite calls damaged, is
deleted and made anew from the files, so that damage neither changes nor hides a session.
"""

from __future__ import annotations

import json
import marshal
import sqlite3
import time
from binascii import crc32
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from msgspec import Struct, field

from memtui.client.session_files import UNTITLED, ListedFile, SessionFile, listed_files, read_part, session_files
from memtui.sessions.listing import CompressedSessions, Session
from memtui.util.errors import MemtuiError, Unsupported
from memtui.util.hashing import blake2b
from memtui.util.resolve import matches_prefix, resolve_one
from memtui.util.text import replace_surrogates

if TYPE_CHECKING:  # 10 to 14 ms to import, a fifth of `sessions ls`: loaded where files changed only
    from memtui.sessions.scan_workers import Scanned
    from memtui.transcripts.summary import SessionSummary, SummaryScanner

Row = tuple[Any, ...]
T = TypeVar("T")

FILE_NAME = "catalogue.db"
LOCK_TIMEOUT_S = 2.0  # how long to wait for another program that writes
_NOT_DAMAGED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL)
PAGE_CACHE_KIB = 512  # SQLite's: a list is read once from end to end, and the system has a cache of its own
PROGRESS_INTERVAL_S = 0.4  # how long files are read before the result so far is stored and reported
ReportProgress = Callable[[int, int], None]  # how many of the changed files were read, and how many there are
_FINGERPRINT_BYTES = 1024  # bytes at a file's start and before its offset that must be the same for it to be read on
_MANY_FOLDERS = 20  # folders from which on reading all rows costs less than looking each folder up in the index
_SUMMARY = (
    "title, first_prompt, first_time, last_time, messages, prompts, rewinds, compactions, side, lines, bad, offset,"
    " cwd, branch, kind, tag, forked_from, continued_in"
)
_SCHEMA = """
create table session(
    path text primary key, folder text not null, modified real not null, size integer not null,
    inode integer not null, last_activity real not null, listed integer not null,
    title text not null, first_prompt text not null, first_time text not null, last_time text not null,
    messages integer not null, prompts integer not null, rewinds integer not null, compactions integer not null,
    side integer not null, lines integer not null, bad integer not null, offset integer not null,
    cwd text not null, branch text not null, kind text not null, tag text not null, forked_from text not null,
    continued_in text not null, row_check integer not null, summary_check integer not null
);
create table progress(path text primary key, fingerprint blob not null, state text not null);
create table health(path text primary key, modified real not null, size integer not null, problem text not null);
create index by_folder on session(folder, listed, last_activity desc, path);
create index by_time on session(last_activity desc, path) where listed;
create index unlisted on session(folder) where not listed
"""

_FILE = "path, modified, size, inode"  # what tells whether a file changed: the fields of a `SessionFile`
_ROW = (
    f"{_FILE}, last_activity, title, messages, bad, branch, cwd, iif(first_prompt = title, '', first_prompt), kind,"
    " tag, forked_from, continued_in"
)
_STORE = (
    "insert or replace into session(path, folder, modified, size, inode, last_activity, listed, row_check,"
    f" summary_check, {_SUMMARY}) values ({', '.join('?' * (10 + _SUMMARY.count(',')))})"
)


def open_database(file: Path | None, schema: str, *, damaged: bool = False) -> sqlite3.Connection:
    """Open a cache that commits by itself, in memory without a usable file; a damaged one is made anew."""
    if file is not None:
        with suppress(OSError, sqlite3.Error):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                if not damaged:
                    return _connect(str(file), schema)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                    raise
            for name in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
                name.unlink(missing_ok=True)
            return _connect(str(file), schema)
    return _connect(":memory:", schema)


def _connect(database: str, schema: str) -> sqlite3.Connection:
    version = crc32(schema.encode()) & 0x7FFF_FFFF | 1
    connection = sqlite3.connect(database, timeout=LOCK_TIMEOUT_S, isolation_level=None)
    try:
        if connection.execute("pragma user_version").fetchone()[0] != version:
            connection.execute("pragma journal_mode = wal")
            _make_tables(connection, schema, version)
        connection.execute("pragma synchronous = normal")
        connection.execute(f"pragma cache_size = -{PAGE_CACHE_KIB}")
    except BaseException:
        connection.close()
        raise
    return connection


def _make_tables(connection: sqlite3.Connection, schema: str, version: int) -> None:
    connection.execute("begin immediate")
    if connection.execute("pragma user_version").fetchone()[0] == version:  # another program was faster
        connection.execute("rollback")
        return
    tables = connection.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    for (name,) in tables.fetchall():
        connection.execute(f'drop table "{name}"')
    for statement in schema.split(";"):
        connection.execute(statement)
    connection.execute(f"pragma user_version = {version}")
    connection.execute("commit")


class RefreshResult:
    """How many files a refresh read from their start, read on, or found gone, and what kept it from reading others."""

    def __init__(self, gone: int) -> None:
        self.read = self.grown = 0
        self.gone = gone
        self.errors: list[MemtuiError] = []

    @property
    def changed(self) -> bool:
        return bool(self.read or self.grown or self.gone)


class Catalogue:
    """The sessions of one machine, cached in a folder of ours; one object a thread, closed after use."""

    def __init__(self, cache: Path) -> None:
        self._file = cache / FILE_NAME
        self._db = open_database(self._file, _SCHEMA)
        self._restarts = 0  # how often it was begun anew because it was damaged

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._db.close()

    def cached(self, folders: Sequence[Path] | None = None, limit: int = -1) -> list[Session]:
        """List sessions as they were at the last refresh, newest first, without sub-agents' files and empty ones.

        Without `folders`, those of all project folders that were ever refreshed; `limit` -1 is for all.
        """
        return self._cached(_sessions, folders, limit)

    def compressed(self, folders: Sequence[Path]) -> CompressedSessions:
        """As `cached`, for a list that stays in memory."""
        return self._cached(CompressedSessions, folders, -1)

    def _cached(self, make: Callable[[Iterable[Row]], T], folders: Sequence[Path] | None, limit: int) -> T:
        where, values = _in_folders(folders)
        query = f"select {_ROW}, row_check from session where listed and {where} order by last_activity desc, path"
        return self._select_as(lambda rows: make(_checked(rows)), f"{query} limit ?", *values, limit)

    def current(
        self,
        folders: Sequence[Path],
        errors: list[MemtuiError],  # takes what kept a file from being read; the others are listed all the same
        list_files: Callable[[], list[ListedFile]] | None = None,  # gives `listed_files`, if that is under way already
        cached: list[Session] | None = None,  # what that method gave, if the caller has it
    ) -> list[Session]:
        """List sessions as their files are now: `refresh` and `cached`, in one step where nothing changed."""
        restarts = self._restarts
        sessions = self.cached(folders) if cached is None else cached
        where, values = _in_folders(folders)
        query = f"select {_FILE}, row_check from session where not listed and {where}"
        unlisted = self._select_as(lambda rows: list(_checked(rows)), query, *values)
        known: dict[str, Row] = {row[0]: row for row in [*sessions, *unlisted]}
        stale, gone = _compare(list_files() if list_files else listed_files(folders), known)
        if not stale and not gone and restarts == self._restarts:
            return sessions
        faults = self._read_changed(stale, gone).errors
        sessions = self.cached(folders)
        if restarts != self._restarts:
            faults = self.refresh(folders).errors
            sessions = self.cached(folders)
        errors += faults
        return sessions

    def summaries(self, folders: Sequence[Path]) -> dict[str, SessionSummary]:
        """Everything known of the sessions of these folders, by the path of their file."""
        return self._summaries(folders, *_in_folders(folders))

    def summary(self, path: str) -> SessionSummary | None:
        """Everything known of one session; None if it was never refreshed."""
        return self._summaries([Path(path).parent], "path = ?", (path,)).get(path)

    def _summaries(self, folders: Sequence[Path], where: str, values: tuple[str, ...]) -> dict[str, SessionSummary]:
        from memtui.transcripts.summary import SessionSummary  # 10 ms, not needed by a plain list

        query = f"select path, {_SUMMARY}, summary_check from session where {where}"
        restarts = self._restarts
        rows = self._select_as(lambda rows: list(_checked(rows)), query, *values)
        if restarts != self._restarts:
            self.refresh(folders)
            rows = [row[:-1] for row in self._select(query, *values)]
        return {row[0]: SessionSummary(*row[1:]) for row in rows}

    def health(self, session: Session) -> str | None:
        """What a resume would lose of a session as its file is now, "" for nothing; None if that is not known."""
        query = "select problem from health where path = ? and modified = ? and size = ?"
        rows = self._select(query, *session[:3])
        return str(rows[0][0]) if rows else None

    def store_health(self, session: Session, problem: str) -> None:
        with suppress(sqlite3.OperationalError):  # locked by another program: it is worked out again
            self._db.execute("insert or replace into health values (?, ?, ?, ?)", (*session[:3], problem))

    def refresh(
        self,
        folders: Iterable[Path],
        *,
        report: ReportProgress = lambda read, total: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> RefreshResult:
        """Bring the sessions of these folders up to date; a folder that is gone has no sessions any more.

        `report` is called whenever more is stored, `stopped` asked before each file; what was read until then is
        stored.
        """
        stale: list[SessionFile] = []
        gone: list[str] = []
        for folder in folders:  # one by one: few rows and files are held at a time
            where, values = _in_folders([folder])
            rows = self._select(f"select {_FILE} from session where {where}", *values)
            changed, lost = _compare(listed_files([folder]), {row[0]: row for row in rows})
            stale += changed
            gone += lost
        return self._read_changed(stale, gone, report, stopped)

    def _read_changed(
        self,
        stale: list[SessionFile],
        gone: list[str],
        report: ReportProgress = lambda read, total: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> RefreshResult:
        result = RefreshResult(len(gone))
        result.errors += map(_not_listed, sorted({file.path.parent for file in stale if not _is_utf8(file.file_path)}))
        stale = [file for file in stale if _is_utf8(file.file_path)]
        stale.sort(key=lambda file: (-file.modified, file.file_path))
        self._write([], gone)
        if not stale:
            return result  # most of the time: what scans files need not even be imported
        rows: list[tuple[Row, Row]] = []
        since = time.monotonic()
        with closing(self._scan(stale, result)) as scanned:
            for count, (file, scanner) in enumerate(_until(stopped, scanned), 1):
                if isinstance(scanner, OSError):
                    from memtui.fs.atomic import to_error  # needed for files that can't be read only

                    result.errors.append(to_error(scanner, file.id, outcome="not listed"))
                else:
                    rows.append(_rows(file, scanner))
                if time.monotonic() - since > PROGRESS_INTERVAL_S:
                    self._write(rows, [])
                    rows, since = [], time.monotonic()
                    report(count, len(stale))
        self._write(rows, [])
        return result

    def _scan(self, stale: list[SessionFile], result: RefreshResult) -> Generator[Scanned, None, None]:
        """Scan files: first those that only grew, from where reading stopped, then all others."""
        from memtui.sessions.scan_workers import scan_many  # 14 ms, where files changed only

        others = []
        for file in stale:
            scanner = self._stored_scanner(file)
            if scanner is None:
                others.append(file)
                continue
            result.grown += 1
            try:
                scanner.file(file.path)
            except OSError as error:
                yield file, error
            else:
                yield file, scanner
        with closing(scan_many(others)) as scanned:
            for found in scanned:
                result.read += 1
                yield found

    def _stored_scanner(self, file: SessionFile) -> SummaryScanner | None:
        """A scanner that goes on where the last one stopped; None if the file did more than grow."""
        for state, fingerprint, offset in self._select(
            "select state, fingerprint, offset from session join progress using (path)"
            " where path = ? and inode = ? and size < ?",
            file.file_path, file.inode, file.size,
        ):  # fmt: skip
            if fingerprint == _fingerprint(file.file_path, offset, state):
                from memtui.transcripts.summary import SummaryScanner  # 10 ms, where files changed only

                return SummaryScanner.resumed(state)
        return None

    def _select(self, query: str, *values: object) -> list[Row]:
        return self._select_as(list, query, *values)

    def _select_as(self, make: Callable[[Iterable[Row]], T], query: str, *values: object) -> T:
        """Make something of rows as they come: two forms of thousands of them are never in memory."""
        with closing(self._db.cursor()) as cursor:  # an open one would delete the journal of the next database
            try:
                return make(cursor.execute(query, values))
            except (sqlite3.DatabaseError, ValueError, TypeError) as error:
                damage = error
        self._start_anew(damage)
        return make(self._db.execute(query, values))

    def _start_anew(self, error: Exception) -> None:
        """Go on with an empty cache, from which the files are read again: a damaged one, and one that another program
        deleted, is replaced; beside one that is only locked or can't be written, it is in memory.
        """
        self._db.close()
        self._restarts += 1
        kept = (
            isinstance(error, sqlite3.OperationalError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_DAMAGED
        )
        self._db = open_database(None if kept else self._file, _SCHEMA, damaged=True)

    def _write(self, rows: list[tuple[Row, Row]], gone: list[str]) -> None:
        try:
            self._commit(rows, gone)
        except sqlite3.DatabaseError as error:
            if not isinstance(error, sqlite3.OperationalError):
                self._start_anew(error)
                self._commit(rows, [])
                return
            # Locked, no room, read only: go on with a copy in memory.
            copy = open_database(None, _SCHEMA)
            with suppress(sqlite3.Error):
                self._db.backup(copy)
            self._db.close()
            self._db = copy
            self._commit(rows, gone)

    def _commit(self, rows: list[tuple[Row, Row]], gone: list[str]) -> None:
        if not rows and not gone:
            return
        self._db.execute("begin immediate")
        try:
            for table in ("session", "progress", "health"):
                self._db.executemany(f"delete from {table} where path = ?", [(path,) for path in gone])
            self._db.executemany(_STORE, [row for row, _ in rows])
            self._db.executemany("insert or replace into progress values (?, ?, ?)", [progress for _, progress in rows])
            self._db.execute("commit")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("rollback")
            raise


def _checksum(row: Row) -> int:
    return crc32(marshal.dumps(row, 2))  # version 2 writes equal values alike


def _checked(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows without their last value, which is the checksum of the others; `ValueError` if one is damaged."""
    for *values, check in rows:
        row = tuple(values)
        if check != _checksum(row):
            raise ValueError("a row of the cache is damaged")
        yield row


def _until(stopped: Callable[[], bool], scanned: Generator[Scanned, None, None]) -> Generator[Scanned, None, None]:
    while not stopped() and (found := next(scanned, None)) is not None:
        yield found


def _sessions(rows: Iterable[Row]) -> list[Session]:
    # What Session._make does without looking at the length: 1 ms of 5,000 rows.
    return list(map(partial(tuple.__new__, Session), rows))


def _in_folders(folders: Sequence[Path] | None) -> tuple[str, tuple[str, ...]]:
    """A condition on the folder, and its values; a "+" keeps SQLite from using the index where there are many."""
    if folders is None:
        return "true", ()
    column = "folder" if len(folders) <= _MANY_FOLDERS else "+folder"
    return f"{column} in (select value from json_each(?))", (json.dumps(list(map(str, folders))),)


def _compare(files: list[ListedFile], known: dict[str, Row]) -> tuple[list[SessionFile], list[str]]:
    """The new or changed files and the paths of those that are gone; `known` rows begin as a `SessionFile` does."""
    stale = [SessionFile(*file) for file in files if known.get(file[0], ())[:4] != file]
    if not stale and len(files) == len(known):
        return [], []
    return stale, list(known.keys() - {file[0] for file in files})


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _not_listed(folder: Path) -> MemtuiError:
    return Unsupported(f"{folder}: its sessions are not listed, for its name is not UTF-8", hint="give it another name")


def _rows(file: SessionFile, scanner: SummaryScanner) -> tuple[Row, Row]:
    """What is stored of a session: the row of a list, and what is needed to read on."""
    summary = scanner.summary
    path, modified, when = file.file_path, file.modified, summary.when(file.modified)
    names = _SUMMARY.split(", ")
    found = (getattr(summary, name) for name in names)
    values = [replace_surrogates(value) if isinstance(value, str) else value for value in found]
    named = dict(zip(names, values, strict=True))
    shown = [named[name] for name in ("title", "messages", "bad", "branch", "cwd")]
    first = "" if named["first_prompt"] == named["title"] else named["first_prompt"]
    stamp = (path, float(modified), file.size, file.inode)
    more = [named[name] for name in ("kind", "tag", "forked_from", "continued_in")]
    row_check = _checksum((*stamp, float(when), *shown, first, *more) if summary.listed else stamp)
    folder = path.rpartition("/")[0]
    row = (
        path, folder, modified, file.size, file.inode, when, summary.listed, row_check, _checksum((path, *values)),
        *values,
    )  # fmt: skip
    state = scanner.state()
    return row, (path, _fingerprint(path, summary.offset, state), state)


def _fingerprint(path: str, offset: int, state: str) -> bytes:
    """A digest of a file's start, of the bytes before an offset, and of what was known there."""
    size = min(_FINGERPRINT_BYTES, offset)
    parts = read_part(path, 0, size) + read_part(path, offset - size, size) + state.encode()
    return blake2b(parts, digest_size=16).digest()


def load_sessions(cache: Path, folders: Sequence[Path], errors: list[MemtuiError]) -> list[Session]:
    """As `Catalogue.current`, for a caller without a catalogue."""
    with Catalogue(cache) as catalogue:
        return catalogue.current(folders, errors)


def newest_session(cache: Path, folder: Path) -> Session | None:
    """The session of a folder that `claude --continue` opens: by its file's time, none that a program began."""
    with Catalogue(cache) as catalogue:
        catalogue.refresh([folder])
        persons = (one for one in catalogue.cached([folder]) if not one.by_program)
        return max(persons, key=lambda one: one.modified, default=None)


class Lineage(Struct, frozen=True):
    """How a session goes on as others of its folder, and came from them: ids, "" and none where it doesn't."""

    forked_from: str = ""
    forks: tuple[str, ...] = ()
    continues: str = ""  # the session that names it as where it goes on
    continued_in: str = ""
    titles: dict[str, str] = field(default_factory=dict)  # of those that are there; a parent may be gone

    @property
    def words(self) -> list[tuple[str, str]]:
        """Label and text of each relation."""
        ids = ("fork of", [self.forked_from]), ("forks", self.forks), ("continues", [self.continues])
        related = (*ids, ("continued in", [self.continued_in]))
        return [(label, ", ".join(map(self._named, found))) for label, found in related if any(found)]

    def _named(self, session: str) -> str:
        title = self.titles.get(session)
        return f"{session[:8]}, which is gone" if title is None else f"{title or UNTITLED} ({session[:8]})"


def find_lineage(cache: Path, path: Path) -> Lineage:
    """The relations of a session to the others of its folder."""
    by_id = {one.id: one for one in load_sessions(cache, [path.parent], [])}
    own = by_id.get(path.stem)
    if own is None:
        return Lineage()
    forks = tuple(one.id for one in by_id.values() if one.forked_from == own.id)
    before = next((one.id for one in by_id.values() if one.continued_in == own.id), "")
    near = {*forks, before, own.forked_from, own.continued_in} & by_id.keys()
    return Lineage(own.forked_from, forks, before, own.continued_in, {each: by_id[each].title for each in near})


def find_session(cache: Path, folders: Sequence[Path], word: str) -> Path:
    """Find a session's file by its path, the beginning of its id, or its title; `NotFound`, `UsageError`."""
    if word.endswith(".jsonl") and Path(word).is_file():
        return Path(word)
    matches = [file.path for folder in folders for file in session_files(folder) if matches_prefix(file.id, word)]
    if not matches:
        title = word.casefold()
        matches = [one.path for one in load_sessions(cache, folders, []) if one.title.casefold() == title]
    same_id = len({path.stem for path in matches}) < len(matches)  # in two projects: only the path tells them apart
    lists = "memtui sessions ls --all lists them"
    return resolve_one(matches, word, "session", lists=lists, name=str if same_id else lambda path: path.stem)
