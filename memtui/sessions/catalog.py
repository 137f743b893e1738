"""The catalogue: a list's facts of every session, kept between two starts.

`page` answers from the cache alone, in milliseconds, with what was true at the last `refresh`. `refresh` looks at the
size, time and inode of every file, reads what changed, newest first, and says after each part that there is more to
show. A file that grew is read on from where reading stopped, if the bytes before that place are still the same.

The cache's SQLite file: opened, of this version, or made anew.

Sessions for one question: all of some folders, the newest, or the one that a word means.
"""

from __future__ import annotations

import json
import sqlite3
import time
from binascii import crc32
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from memtui.client.session_files import SessionFile, listed_files, read_part, session_files
from memtui.sessions.listing import Session
from memtui.util.errors import MemtuiError, Unsupported
from memtui.util.resolve import matches_prefix, resolve_one

WAIT = 2.0
"""Seconds to wait for another program that writes."""


CACHE = 512
"""KiB of pages that SQLite keeps: a list is read once from end to end, the system's own cache does the rest."""


def open_database(file: Path | None, schema: str) -> sqlite3.Connection:
    """Open the cache; one of another version, or one that is damaged, is thrown away.

    Args:
        file: The file, its folder is made where it is missing; None for one in memory.
        schema: The statements that make its tables; another schema is another version.

    Returns:
        A connection that commits by itself; one to a database in memory where the file can't be used.
    """
    if file is None:
        return _opened(":memory:", schema)
    with suppress(OSError, sqlite3.Error):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            return _opened(str(file), schema)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise
        for name in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
            name.unlink(missing_ok=True)
        return _opened(str(file), schema)
    return open_database(None, schema)


def _opened(place: str, schema: str) -> sqlite3.Connection:
    version = crc32(schema.encode()) & 0x7FFF_FFFF | 1
    connection = sqlite3.connect(place, timeout=WAIT, isolation_level=None)
    try:
        if connection.execute("pragma user_version").fetchone()[0] != version:
            connection.execute("pragma journal_mode = wal")
            _make(connection, schema, version)
        connection.execute("pragma synchronous = normal")
        connection.execute(f"pragma cache_size = -{CACHE}")
    except BaseException:
        connection.close()
        raise
    return connection


def _make(connection: sqlite3.Connection, schema: str, version: int) -> None:
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


if TYPE_CHECKING:
    from typing import Any, Self, TypeVar

    from memtui.client.session_files import ListedFile
    from memtui.sessions.listing import CompressedList
    from memtui.sessions.scan_workers import Scanned
    from memtui.transcripts.summary import Scanner, SessionSummary

    Row = tuple[Any, ...]
    T = TypeVar("T")
FILE = "catalogue.db"
"""The cache's name in our cache folder."""
SHOW_EVERY = 0.4
"""Seconds of reading after which what is known is kept and shown."""
Shown = Callable[[int, int], None]
"""Told how many of the changed files were read, and how many there are."""
_MARK = 1024
"""Bytes at a file's start and before its offset that must be the same for it to be read on."""
_FACTS = (
    "title, first_prompt, first_time, last_time, messages, prompts, rewinds, compactions, side, lines, bad, offset,"
    " cwd, branch"
)
"""The fields of `sessions.facts.SessionSummary`, which isn't imported for this: a list needs only a few of them."""
_SCHEMA = """
create table session(
    place text primary key, folder text not null, modified real not null, size integer not null,
    inode integer not null, written real not null, listed integer not null,
    title text not null, first_prompt text not null, first_time text not null, last_time text not null,
    messages integer not null, prompts integer not null, rewinds integer not null, compactions integer not null,
    side integer not null, lines integer not null, bad integer not null, offset integer not null,
    cwd text not null, branch text not null
);
create table progress(place text primary key, mark blob not null, state text not null);
create table health(place text primary key, modified real not null, size integer not null, words text not null);
create index by_folder on session(folder, listed, written desc, place);
create index by_time on session(written desc, place) where listed;
create index unlisted on session(folder) where not listed
"""
_FILE = "place, modified, size, inode"
"""What tells whether a file is another one than before."""
_LINE = f"{_FILE}, written, title, messages, bad, branch, cwd, iif(first_prompt = title, '', first_prompt)"
"""What a `Session` is made of."""
_KEEP = (
    f"insert or replace into session(place, folder, modified, size, inode, written, listed, {_FACTS})"
    f" values ({', '.join('?' * (8 + _FACTS.count(',')))})"
)
_KEEP_PROGRESS = "insert or replace into progress values (?, ?, ?)"
_MANY = 20
"""Folders from which on it costs less to read the rows of all than to look for those of each."""


class Refreshed:
    """What a refresh did: files read from their start, read on, and forgotten; `faults` kept a file from being read."""

    def __init__(self, gone: int) -> None:
        self.read = self.grown = 0
        self.gone = gone
        self.faults: list[MemtuiError] = []

    @property
    def changed(self) -> bool:
        """Whether a list may look different now."""
        return bool(self.read or self.grown or self.gone)


class Catalogue:
    """The sessions of one machine; one object a thread, closed after use.

    Args:
        cache: Our cache folder.
    """

    def __init__(self, cache: Path) -> None:
        self._db = open_database(cache / FILE, _SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def page(self, folders: Sequence[Path] | None = None, limit: int = -1) -> list[Session]:
        """Sessions as they were at the last refresh, newest first; sub-agents' files and empty ones are left out.

        Args:
            folders: Of these project folders; of all that were ever refreshed if left out.
            limit: How many at most; -1 for all.
        """
        return self._page(_sessions, folders, limit)

    def packed(self, folders: Sequence[Path]) -> CompressedList:
        """As `page`, for a list that stays: the sessions of these project folders."""
        from memtui.sessions.listing import CompressedList

        return self._page(CompressedList, folders, -1)

    def _page(self, make: Callable[[Iterable[Row]], T], folders: Sequence[Path] | None, limit: int) -> T:
        where, values = _among(folders)
        asked = f"select {_LINE} from session where listed and {where} order by written desc, place limit ?"
        return self._made(make, asked, *values, limit)

    def current(
        self, folders: Sequence[Path], faults: list[MemtuiError], look: Callable[[], list[ListedFile]] | None = None
    ) -> list[Session]:
        """Sessions as their files are now: `refresh` and `page`, in one go where nothing changed, as most of the time.

        Args:
            folders: Of these project folders.
            faults: Takes what kept a file from being read; the others are listed all the same.
            look: Gives `listed_files` these folders, if somebody looks already.
        """
        return self.checked(self.page(folders), folders, faults, look)

    def checked(
        self,
        listed: list[Session],
        folders: Sequence[Path],
        faults: list[MemtuiError],
        look: Callable[[], list[ListedFile]] | None = None,
    ) -> list[Session]:
        """As `current`, for somebody who has the page and did something with it before the look was over.

        Returns:
            The same list if nothing changed.
        """
        where, values = _among(folders)
        rest = self._ask(f"select {_FILE} from session where not listed and {where}", *values)
        known: dict[str, Row] = {row[0]: row for row in [*listed, *rest]}
        stale, gone = _compared(look() if look else listed_files(folders), known)
        if not stale and not gone:
            return listed
        faults += self._follow(stale, gone).faults
        return self.page(folders)

    def facts(self, folders: Sequence[Path]) -> dict[str, SessionSummary]:
        """All that is known of the sessions of these folders, by the place of their file."""
        from memtui.transcripts.summary import SessionSummary

        where, values = _among(folders)
        rows = self._ask(f"select place, {_FACTS} from session where {where}", *values)
        return {row[0]: SessionSummary(*row[1:]) for row in rows}

    def facts_of(self, place: str) -> SessionSummary | None:
        """All that is known of one session; None if it was never refreshed."""
        from memtui.transcripts.summary import SessionSummary

        rows = self._ask(f"select {_FACTS} from session where place = ?", place)
        return SessionSummary(*rows[0]) if rows else None

    def health(self, one: Session) -> str | None:
        """What is known to be lost of a session as its file is now, "" for nothing; None if nobody found out yet."""
        asked = "select words from health where place = ? and modified = ? and size = ?"
        rows = self._ask(asked, one.place, one.modified, one.size)
        return str(rows[0][0]) if rows else None

    def keep_health(self, one: Session, words: str) -> None:
        """Keep what is lost of a session, as its file is now."""
        with suppress(sqlite3.OperationalError):  # held by another program: it is worked out again
            self._db.execute("insert or replace into health values (?, ?, ?, ?)", (*one[:3], words))

    def refresh(
        self,
        folders: Iterable[Path],
        *,
        shown: Shown = lambda read, total: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Refreshed:
        """Bring the sessions of these folders up to date.

        Args:
            folders: Project folders; one that is gone has no sessions any more.
            shown: Called whenever more is known and kept.
            stopped: Asked before each file; what was read until then is kept.
        """
        stale: list[SessionFile] = []
        gone: list[str] = []
        for folder in folders:  # one by one: few rows and files are held at a time
            where, values = _among([folder])
            rows = self._ask(f"select {_FILE} from session where {where}", *values)
            changed, lost = _compared(listed_files([folder]), {row[0]: row for row in rows})
            stale += changed
            gone += lost
        return self._follow(stale, gone, shown, stopped)

    def _follow(
        self,
        stale: list[SessionFile],
        gone: list[str],
        shown: Shown = lambda read, total: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Refreshed:
        """Read what is stale, newest first, and forget what is gone."""
        done = Refreshed(len(gone))
        done.faults += map(_unlisted, sorted({file.path.parent for file in stale if not _has_text(file.place)}))
        stale = sorted((file for file in stale if _has_text(file.place)), key=lambda file: (-file.modified, file.place))
        self._write([], gone)
        self._read(stale, done, shown, stopped)
        return done

    def _read(self, stale: list[SessionFile], done: Refreshed, shown: Shown, stopped: Callable[[], bool]) -> None:
        if not stale:
            return  # most of the time: what scans need not even be imported
        rows: list[tuple[Row, Row]] = []
        since, count = time.monotonic(), 0
        with closing(self._scanned(stale, done)) as scanned:
            while not stopped() and (found := next(scanned, None)) is not None:
                file, scanner = found
                count += 1
                if isinstance(scanner, OSError):
                    from memtui.fs.atomic import to_error

                    done.faults.append(to_error(scanner, file.id, outcome="not listed"))
                else:
                    rows.append(_rows(file, scanner))
                if time.monotonic() - since > SHOW_EVERY:
                    self._write(rows, [])
                    rows, since = [], time.monotonic()
                    shown(count, len(stale))
        self._write(rows, [])

    def _scanned(self, stale: list[SessionFile], done: Refreshed) -> Generator[Scanned, None, None]:
        """Scan files: first those that only grew, from where reading stopped, then all others."""
        from memtui.sessions.scan_workers import scan_many

        others = []
        for file in stale:
            scanner = self._left_off(file)
            if scanner is None:
                others.append(file)
                continue
            done.grown += 1
            try:
                scanner.file(file.path)
            except OSError as error:
                yield file, error
            else:
                yield file, scanner
        with closing(scan_many(others)) as scanned:
            for found in scanned:
                done.read += 1
                yield found

    def _left_off(self, file: SessionFile) -> Scanner | None:
        """A scanner that goes on where the last one stopped in a file; None if the file did more than grow."""
        for state, mark, offset in self._ask(
            "select state, mark, offset from session join progress using (place)"
            " where place = ? and inode = ? and size < ?",
            file.place, file.inode, file.size,
        ):  # fmt: skip
            if mark == _mark(file.place, offset):
                from memtui.transcripts.summary import Scanner

                return Scanner.resumed(state)
        return None

    def _ask(self, statement: str, *values: object) -> list[Row]:
        return self._made(list, statement, *values)

    def _made(self, make: Callable[[Iterable[Row]], T], statement: str, *values: object) -> T:
        """What becomes of rows, made as they come: of thousands, no two forms are held at a time."""
        try:
            return make(self._db.execute(statement, values))
        except sqlite3.DatabaseError:  # damaged, or taken away from under us: begin anew, the files know better
            self._db.close()
            self._db = open_database(None, _SCHEMA)
            return make(self._db.execute(statement, values))

    def _write(self, rows: list[tuple[Row, Row]], gone: list[str]) -> None:
        try:
            self._commit(rows, gone)
        except sqlite3.OperationalError:  # held by another program, no room, read only: this run remembers by itself
            kept = open_database(None, _SCHEMA)
            with suppress(sqlite3.Error):
                self._db.backup(kept)
            self._db.close()
            self._db = kept
            self._commit(rows, gone)

    def _commit(self, rows: list[tuple[Row, Row]], gone: list[str]) -> None:
        if not rows and not gone:
            return
        self._db.execute("begin immediate")
        try:
            for table in ("session", "progress", "health"):
                self._db.executemany(f"delete from {table} where place = ?", [(place,) for place in gone])
            self._db.executemany(_KEEP, [row for row, _ in rows])
            self._db.executemany(_KEEP_PROGRESS, [progress for _, progress in rows])
            self._db.execute("commit")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("rollback")
            raise


def _sessions(rows: Iterable[Row]) -> list[Session]:
    return list(map(Session._make, rows))


def _among(folders: Sequence[Path] | None) -> tuple[str, tuple[str, ...]]:
    """A condition on the folder, and its values; where many are wanted the index isn't used, which is faster."""
    if folders is None:
        return "true", ()
    column = "folder" if len(folders) <= _MANY else "+folder"
    return f"{column} in (select value from json_each(?))", (json.dumps(list(map(str, folders))),)


def _compared(files: list[ListedFile], known: dict[str, Row]) -> tuple[list[SessionFile], list[str]]:
    """What changed: files that are not as they were, and the places of those gone.

    Args:
        files: All that are there.
        known: Those that were read, by their place: rows that begin with what a `SessionFile` holds.
    """
    stale = [SessionFile(*file) for file in files if known.get(file[0], ())[:4] != file]
    if not stale and len(files) == len(known):
        return [], []
    return stale, list(known.keys() - {file[0] for file in files})


def _has_text(place: str) -> bool:
    """Whether a path can be kept: one that isn't UTF-8 is none that the database takes as text."""
    try:
        place.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unlisted(folder: Path) -> MemtuiError:
    return Unsupported(f"{folder}: its sessions are not listed, for its name is not UTF-8", hint="give it another name")


def _rows(file: SessionFile, scanner: Scanner) -> tuple[Row, Row]:
    """What is kept of a session: what a list shows, and what is needed to read on."""
    facts = scanner.facts
    folder = file.place.rpartition("/")[0]
    all_of_it = (getattr(facts, name) for name in _FACTS.split(", "))
    shown = (
        file.place,
        folder,
        file.modified,
        file.size,
        file.inode,
        facts.when(file.modified),
        facts.listed,
        *all_of_it,
    )
    return shown, (file.place, _mark(file.place, scanner.facts.offset), scanner.state())


def _mark(place: str, offset: int) -> bytes:
    """What stands at a file's start and before an offset, as a digest."""
    from hashlib import blake2b  # most lists have nothing to keep

    first, last = read_part(place, 0, min(_MARK, offset)), read_part(place, max(0, offset - _MARK), min(_MARK, offset))
    return blake2b(first + last, digest_size=16).digest()


def sessions(cache: Path, places: Sequence[Path], faults: list[MemtuiError]) -> list[Session]:
    """The sessions of these folders, newest first; sub-agents' files and empty ones are left out.

    Args:
        cache: Our cache folder.
        places: Folders that hold transcripts.
        faults: Takes what kept a file from being read; the others are listed all the same.
    """
    with Catalogue(cache) as catalogue:
        return catalogue.current(places, faults)


def newest(cache: Path, place: Path) -> Session | None:
    """The session of a folder that `sessions` lists first."""
    with Catalogue(cache) as catalogue:
        catalogue.refresh([place])
        return next(iter(catalogue.page([place], limit=1)), None)


def find(cache: Path, places: Sequence[Path], word: str) -> Path:
    """The file of one session: by its path, by the beginning of its id, or by its title.

    Raises:
        NotFound: If none fits.
        Usage: If several fit.
    """
    if word.endswith(".jsonl") and Path(word).is_file():
        return Path(word)
    files = [file for place in places for file in session_files(place)]
    fits = [file.path for file in files if matches_prefix(file.id, word)]
    if not fits:
        fits = [one.path for one in sessions(cache, places, []) if one.title.casefold() == word.casefold()]
    twice = len({path.stem for path in fits}) < len(fits)  # one id in two projects: only the path tells them apart
    lists = "memtui sessions ls --all lists them"
    return resolve_one(fits, word, "session", lists=lists, name=str if twice else lambda path: path.stem)
