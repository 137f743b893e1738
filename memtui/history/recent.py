"""The newest versions in one append-only file: a save is durable after one sync of it, however many objects it has.

Git's way, a file for each object, costs a sync of every file and every folder. Here a version's objects go into one
record; the loose files beside it are for readers and need no sync, since what a power cut takes of them is read from
here. From time to time all of it becomes a pack, and the file goes away.

A record is a line (version, parent, length, checksum), then a line of JSON that lists the objects, then the objects as
git stores them. A record cut off by a crash doesn't fit its checksum and is not there.
"""

import errno
import hashlib
import json
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from memtui.fs.atomic import replace_file, sync_folder, write_all
from memtui.fs.filesystem import REAL, FileSystem

_MAGIC = b"memtui1"


class Record(Struct, frozen=True):
    """Where one version lies in the file: `start` to `end` in bytes, and the version before it."""

    version: str
    parent: str | None
    start: int
    end: int


class Recent:
    """The file. Appending and cutting need the store's lock; reading needs none.

    Args:
        path: Where it is; absent when empty.
    """

    def __init__(self, path: Path, *, fs: FileSystem = REAL) -> None:
        self._path = path
        self._fs = fs
        self._lock = threading.Lock()
        self._known: tuple[int, int, int] | None = None
        self._records: list[Record] = []
        self._objects: dict[str, tuple[int, int]] = {}

    def records(self) -> Sequence[Record]:
        """The versions in the file, oldest first."""
        self._load()
        return self._records

    def size(self) -> int:
        """Bytes in use."""
        self._load()
        return self._records[-1].end if self._records else 0

    def names(self) -> list[str]:
        """The objects in the file."""
        self._load()
        return list(self._objects)

    def read(self, name: str) -> bytes | None:
        """An object as git stores it; `None` if it isn't here."""
        self._load()
        where = self._objects.get(name)
        if where is None:
            return None
        try:
            with self._path.open("rb") as file:
                file.seek(where[0])
                return file.read(where[1])
        except FileNotFoundError:
            return None  # it became a pack meanwhile

    def append(self, version: str, parent: str | None, objects: Sequence[tuple[str, bytes]]) -> None:
        """Add a version, durably.

        Raises:
            OSError: If it isn't there now.
        """
        record = _encode(version, parent, objects)
        end = self.size()
        new = end == 0
        try:
            fd = self._fs.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                if self._fs.fstat(fd).st_size > end:  # what a crash left behind the last record
                    self._fs.truncate(fd, end)
                os.lseek(fd, end, os.SEEK_SET)
                write_all(fd, record, fs=self._fs)
                self._fs.fsync(fd)
            finally:
                self._fs.close(fd)
            if new:
                sync_folder(self._path.parent, fs=self._fs)
        except OSError as error:
            self._cut_to(end)
            if error.errno != errno.EIO:
                raise
            # A failed sync may have lost what was to be synced and won't say so again: all of it into a new file.
            replace_file(self._path, (self._path.read_bytes()[:end] if end else b"") + record, fs=self._fs, mode=0o600)

    def cut(self, version: str) -> None:
        """Take the last version off again, if it is this one: it didn't happen."""
        records = self.records()
        if records and records[-1].version == version:
            self._cut_to(records[-1].start)

    def remove(self) -> None:
        """Remove the file: all of it is in a pack."""
        with suppress(FileNotFoundError):
            self._fs.unlink(self._path)

    def _cut_to(self, end: int) -> None:
        # If it can't be cut, the next writer finds that nothing was begun, and cuts it.
        with suppress(OSError):
            fd = self._fs.open(self._path, os.O_WRONLY | os.O_NOFOLLOW)
            try:
                self._fs.truncate(fd, end)
            finally:
                self._fs.close(fd)

    def _load(self) -> None:
        """Read what came since the last look."""
        with self._lock:
            try:
                info = self._path.stat()
            except FileNotFoundError:
                self._known, self._records, self._objects = None, [], {}
                return
            now = (info.st_ino, info.st_size, info.st_mtime_ns)
            if self._known == now:
                return
            records: list[Record] = []
            objects: dict[str, tuple[int, int]] = {}
            at = 0
            if self._known is not None and self._known[0] == info.st_ino and self._records:
                # The last one may have been taken off since, and another one put in its place.
                at = self._records[-1].start
                records = self._records[:-1]
                objects = {name: where for name, where in self._objects.items() if where[0] < at}
            try:
                with self._path.open("rb") as file:
                    file.seek(at)
                    data = file.read()
            except FileNotFoundError:
                data = b""
            _decode(data, at, records, objects)
            self._known, self._records, self._objects = now, records, objects


def _encode(version: str, parent: str | None, objects: Sequence[tuple[str, bytes]]) -> bytes:
    listed = json.dumps([[name, len(data)] for name, data in objects]).encode("ascii")
    body = b"\n".join([listed, b"".join(data for _, data in objects)])
    check = hashlib.sha256(body).hexdigest()
    head = b" ".join([_MAGIC, version.encode(), (parent or "-").encode(), b"%d" % len(body), check.encode()])
    return head + b"\n" + body


def _decode(data: bytes, offset: int, records: list[Record], objects: dict[str, tuple[int, int]]) -> None:
    """Add what stands in `data`, which begins at `offset` of the file, up to the first record that isn't whole."""
    at = 0
    while (line := data.find(b"\n", at)) >= 0:
        parts = data[at:line].split(b" ")
        if len(parts) != 5 or parts[0] != _MAGIC or not parts[3].isdigit():
            return
        body = data[line + 1 : line + 1 + int(parts[3])]
        if len(body) != int(parts[3]) or hashlib.sha256(body).hexdigest().encode() != parts[4]:
            return
        listed, _, _ = body.partition(b"\n")
        place = offset + line + 1 + len(listed) + 1
        for name, size in json.loads(listed):
            objects.setdefault(name, (place, size))  # the older place stays if this record is taken off
            place += size
        end = line + 1 + len(body)
        parent = None if parts[2] == b"-" else parts[2].decode()
        records.append(Record(parts[1].decode(), parent, offset + at, offset + end))
        at = end
