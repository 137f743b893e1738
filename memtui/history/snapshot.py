"""What memtui knows of the files in a folder without reading them again, and which of them a person has not looked at.

The database holds a stamp for each file beside the version that it had then, so that finding out that nothing changed
from outside costs one `stat` a file. A stamp is trusted only if it was old when it was taken: a file that changes
within the same clock tick has the same stamp (git calls such an entry "racy").
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from memtui.fs.atomic import REREAD_INTERVAL_S, FileContent, FileStamp, clear_temps, is_temp, read_once
from memtui.fs.boundary import MAX_FOLDER_DEPTH, parent_folder
from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.links import followed
from memtui.history.database import IN_FOLDER, HistoryDatabase, folder_id
from memtui.util.errors import MemtuiError

MAX_SIZE = 8 << 20  # bytes; larger is no memory and isn't recorded; the client skips instructions above 4 MiB
_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class KnownFile(Struct, frozen=True):
    """What the history has last of a file."""

    blob: int | None  # `None` for a file that couldn't be read
    digest: str | None
    mtime_ns: int | None
    stamp: FileStamp | None  # `None` if it was not looked at since memtui wrote it
    looked_at: float  # seconds since 1970

    def unchanged(self, stamp: FileStamp) -> bool:
        """Whether a file with this stamp surely has not changed since the look."""
        return self.stamp == stamp and stamp.settled(self.looked_at)


class FolderSnapshot:
    """The last look at a folder (its real path); `scope` tells apart those who look at different files of it."""

    def __init__(self, database: HistoryDatabase, folder: Path, scope: str = "") -> None:
        self._database = database
        self._folder = folder
        self._key = os.fsencode(folder)
        self._scope = scope

    @property
    def looked(self) -> bool:
        """Whether somebody has looked before."""
        query = f"select 1 from looks where {IN_FOLDER} and scope = ?"
        return bool(self._database.select(query, self._key, self._scope))

    def files(self, names: Collection[str] | None = None) -> dict[str, KnownFile]:
        """What is known of the folder, by name: of some files, or of all."""
        query = (
            "select f.name, f.blob, b.digest, f.size, f.mtime_ns, f.ctime_ns, f.inode, f.looked_at "
            f"from files f left join blobs b on b.id = f.blob where f.{IN_FOLDER}"
        )
        with self._database.read():  # one view for all names
            if names is None:
                rows = self._database.select(query, self._key)
            else:
                query += " and f.name = ?"
                rows = [row for name in names for row in self._database.select(query, self._key, os.fsencode(name))]
        return {
            os.fsdecode(name): KnownFile(
                blob,
                digest and digest.hex(),
                mtime,
                FileStamp(size, mtime, ctime, inode % (1 << 64)) if looked_at is not None else None,
                looked_at or 0.0,
            )
            for name, blob, digest, size, mtime, ctime, inode, looked_at in rows
        }

    def unchanged(self, stamps: Mapping[str, FileStamp], covers: Callable[[str], bool]) -> bool:
        """Whether the files, with `stamps` as they are now, surely are those of the last look that count (`covers`)."""
        known = {name: file for name, file in self.files().items() if covers(name)}
        if not stamps and not known:
            return True
        same = known.keys() == stamps.keys() and self.looked
        return same and all(file.unchanged(stamps[name]) for name, file in known.items())

    def save(
        self, connection: sqlite3.Connection, stamps: Mapping[str, tuple[FileStamp, int | None]], at: float
    ) -> None:
        """Write down a look that began `at` (seconds since 1970), as part of a transaction.

        `stamps` are name to stamp and row of the content; a file that couldn't be read has none.
        """
        row = folder_id(connection, self._folder, create=True)
        connection.executemany(
            "insert or replace into files (folder, name, blob, size, mtime_ns, ctime_ns, inode, looked_at) "
            "values (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (row, os.fsencode(name), blob, stamp.size, stamp.mtime_ns, stamp.ctime_ns, _signed(stamp.inode), at)
                for name, (stamp, blob) in stamps.items()
            ],
        )
        connection.execute("insert or ignore into looks (folder, scope) values (?, ?)", (row, self._scope))

    def unseen(self) -> dict[str, str]:
        """The files that somebody else changed since a person looked at them: name to digest."""
        rows = self._database.select(f"select name, digest from unseen where {IN_FOLDER}", self._key)
        return {os.fsdecode(name): digest for name, digest in rows}

    def mark_seen(self, names: Iterable[str]) -> None:
        """Write down that a person has looked at some files; losing that costs them one more look."""
        wanted = self.unseen().keys() & set(names)
        if wanted:
            rows = [(self._key, os.fsencode(name)) for name in wanted]
            with self._database.write(durable=False) as connection:
                connection.executemany(f"delete from unseen where {IN_FOLDER} and name = ?", rows)


def _signed(number: int) -> int:
    """An inode as SQLite can hold it: some file systems use all 64 bits."""
    return number - (1 << 64) if number >= 1 << 63 else number


def scan(
    root: Path, only: Collection[str] | None, fs: FileSystem = REAL, own: Sequence[Path] = ()
) -> dict[str, FileStamp]:
    """The files that a store looks after, with their stamps, links to files among them; nothing is read.

    `only` are the exact names, for a store of single files; else all `.md` files that aren't hidden. `own` as for
    `Store`. If the folder is gone, there are none.
    """
    found: dict[str, FileStamp] = {}
    if only is not None:
        for name in only:
            with suppress(OSError, MemtuiError), parent_folder(*followed(root, name, own), fs=fs) as (parent, leaf):
                info = fs.lstat(leaf, dir_fd=parent)
                if stat.S_ISREG(info.st_mode):
                    found[name] = FileStamp.of(info)
        return found
    for above, _, entries in walk(root, fs):
        for entry in entries:
            name = above + entry.name
            if not entry.name.endswith(".md"):
                continue
            with suppress(OSError):  # gone between the listing and the look, or a circle of links
                if entry.is_file() and not (entry.is_symlink() and followed(root, name, own) == (root, name)):
                    found[name] = FileStamp.of(entry.stat())
    return found


def walk(
    root: Path, fs: FileSystem = REAL, *, hidden: bool = False
) -> Iterator[tuple[str, int, list[os.DirEntry[str]]]]:
    """The folders below `root`, each with the lead of its names, open, and its entries; no link is followed.

    `hidden`: entries whose name starts with a dot are among them; hidden folders are never entered.
    """
    try:
        top = fs.open(root, _FLAGS)
    except (FileNotFoundError, NotADirectoryError):  # the latter also for a link
        return
    waiting = [("", top)]
    try:
        while waiting:
            above, fd = waiting.pop()
            try:
                with os.scandir(fd) as listing:
                    entries = [entry for entry in listing if hidden or not entry.name.startswith(".")]
                    for entry in entries:
                        if (
                            above.count("/") < MAX_FOLDER_DEPTH
                            and not entry.name.startswith(".")
                            and entry.is_dir(follow_symlinks=False)
                        ):
                            with suppress(OSError):  # swapped for a link, gone, or not ours to enter
                                waiting.append((f"{above}{entry.name}/", fs.open(entry.name, _FLAGS, dir_fd=fd)))
                    yield above, fd, entries
            finally:
                fs.close(fd)
    finally:
        for _, fd in waiting:
            fs.close(fd)


def clear_folder(
    root: Path, only: Collection[str] | None, fs: FileSystem = REAL, *, ours: bool, own: Sequence[Path] = ()
) -> list[str]:
    """Remove the temporary files that dead processes left; what can't be removed stays, without a fault.

    For a store of single files (`only`) just in their folders. `ours`: also those of this process; needs the store's
    lock.
    """
    removed: list[str] = []
    if only is not None:
        for place, above in {
            (place, name.rpartition("/")[0]) for place, name in (followed(root, one, own) for one in only)
        }:
            removed += _clear_beside(place, f"{above}/x".removeprefix("/"), fs, ours=ours)
        return removed
    for above, fd, entries in walk(root, fs, hidden=True):
        for entry in entries:
            if entry.is_symlink() and entry.name.endswith(".md"):
                place, name = followed(root, above + entry.name, own)
                removed += _clear_beside(place, name, fs, ours=ours) if place != root else []
        names = [entry.name for entry in entries if is_temp(entry.name)]
        with suppress(OSError):  # a folder that may only be read
            removed += [above + name for name in clear_temps(fd, fs=fs, names=names, own=ours)]
    return removed


def _clear_beside(root: Path, name: str, fs: FileSystem, *, ours: bool) -> list[str]:
    with suppress(OSError, MemtuiError), parent_folder(root, name, fs=fs) as (parent, _):
        return clear_temps(parent, fs=fs, own=ours)
    return []


def read_settled(
    root: Path, names: Iterable[str], known: Mapping[str, str], fs: FileSystem = REAL, own: Sequence[Path] = ()
) -> dict[str, FileContent]:
    """Read many files, none of them half-written; what is fresh is read twice, all of it with one pause.

    `known` has by name the digest of bytes that are whole for sure, so that once is enough. What couldn't be read or
    didn't come to rest is left for the next look.
    """
    done: dict[str, FileContent] = {}
    fresh: dict[str, FileContent] = {}
    for name in names:
        content = _read(root, name, fs, own)
        if content is None:
            continue
        whole = not content.stamp.fresh(fs.now()) or (content.digest == known.get(name) and not content.written)
        (done if whole else fresh)[name] = content
    for _ in range(50):
        if not fresh:
            break
        fs.wait(REREAD_INTERVAL_S)
        for name, before in list(fresh.items()):
            again = _read(root, name, fs, own)
            if again is None:
                del fresh[name]
            elif again.digest == before.digest and not again.written:
                done[name] = again
                del fresh[name]
            else:
                fresh[name] = again
    return done


def _read(root: Path, name: str, fs: FileSystem, own: Sequence[Path]) -> FileContent | None:
    # What is gone, a link by now, or not ours to read: the next look tells.
    with suppress(OSError, MemtuiError), parent_folder(*followed(root, name, own), fs=fs) as (parent, leaf):
        return read_once(leaf, fs=fs, dir_fd=parent)
    return None
