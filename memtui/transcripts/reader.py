"""Read a transcript that may be growing, torn, replaced or gone at any moment.

`TranscriptReader.poll` reads what is new since the last time. Bytes are split at `\n` only; what follows the last one
is pending: the writer may not be done. A file that was replaced or truncated is read again from its start; that is
noticed by its inode, its size, its first bytes and those before the place where reading stopped.

`OpenTranscript` keeps the file open: one that is deleted or replaced meanwhile can be read on as it was.
"""

import copy
import os
from collections.abc import Callable
from pathlib import Path
from typing import Self

from msgspec import Struct, field

from memtui.fs.atomic import to_error
from memtui.fs.filesystem import REAL, open_regular
from memtui.transcripts.lines import MAX_LINE_BYTES
from memtui.transcripts.records import Cursor, RecordView, record_views
from memtui.util.errors import NotFound


class OpenTranscript:
    """A transcript that stays open, for lines of at most `max_bytes`; raises `NotFound`, or `MemtuiError`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.max_bytes: int | None = None
        try:
            self._file = open_regular(path, str(path), REAL, follow=True)
        except FileNotFoundError as error:
            raise NotFound(f"No transcript at {path}") from error
        except OSError as error:
            raise to_error(error, str(path), outcome="not read") from error

    def copy(self) -> Self:
        """The same for another thread, to be closed by itself; it reads lines of any length."""
        twin = copy.copy(self)
        twin.max_bytes = None
        twin._file = os.dup(self._file)
        return twin

    def close(self) -> None:
        """Close the file; twice does no harm."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    @property
    def size(self) -> int:
        return os.fstat(self._file).st_size

    def _pread(self, size: int, offset: int) -> bytes:
        try:
            return os.pread(self._file, size, offset)
        except OSError as error:
            raise to_error(error, str(self.path), outcome="not read") from error


READ_BYTES = 256 << 10  # bytes per read; more while a line is longer
CHECKED_BYTES = 64  # at the start and before the place where reading stopped: they tell a replaced file


class BadLine(Struct, frozen=True):
    """A line that holds no record, or not only one. `line` counts from 1, `offset` is its first byte."""

    line: int
    offset: int
    why: str


class Position(Struct, frozen=True):
    """The place where reading stopped."""

    inode: int = 0
    offset: int = 0  # the byte behind the last whole line
    line: int = 0  # how many lines precede it
    head: bytes = b""  # the file's first bytes
    last: bytes = b""  # those before `offset`


class TranscriptReader(Struct):
    """A transcript, read once and then followed.

    Counts are of the file as it is now: they start again when it was replaced. `fast_path`, if there is one, gets whole
    lines first, with the number and offset of the first; it returns how many it added: all or none.
    """

    path: Path
    position: Position = field(default_factory=Position)
    records: int = 0
    bad: int = 0
    salvaged: int = 0
    lossy: int = 0
    pending: bool = False  # bytes follow the last line end; `tail` gives them if they are a whole record
    problems: list[BadLine] = field(default_factory=list)
    fast_path: Callable[[bytes | bytearray, int, int, int], int] | None = None
    _rest: bytes = b""
    _skipped: int = 0

    def poll(self, add: Callable[[RecordView], None], forget: Callable[[], None] = lambda: None) -> bool:
        """Read what is new, and tell whether the file was replaced; raises `OSError`, and `Refused` for what is no
        regular file; what was read before stays.

        `add` gets each record as soon as it is read, so that a big file is never held. `forget` is called before the
        first record of a file that was replaced: what was added before is void.
        """
        file = open_regular(self.path, str(self.path), REAL, follow=True)
        try:
            now = os.fstat(file)
            reset = self._replaced(file, now)
            if reset:
                self.position, self._rest, self._skipped, self.pending = Position(), b"", 0, False
                self.records = self.bad = self.salvaged = self.lossy = 0
                self.problems = []
                forget()
            self._read(file, now.st_ino, add)
        finally:
            os.close(file)
        return reset

    def tail(self) -> RecordView | None:
        """The record behind the last line end, if it is whole: the client reads it already."""
        if not self.pending or self._skipped:
            return None
        at = self.position
        found = record_views(self._rest, Cursor(at.offset), at.offset, pending=True, number=at.line + 1)
        return found[0] if found and not (found[0].bad or found[0].salvaged) else None

    def _replaced(self, file: int, now: os.stat_result) -> bool:
        at = self.position
        if not at.offset and not self._rest and not self._skipped:
            return False
        if now.st_ino != at.inode or now.st_size < at.offset + len(self._rest) + self._skipped:
            return True
        if os.pread(file, len(at.head), 0) != at.head:
            return True
        return bool(at.last) and os.pread(file, len(at.last), at.offset - len(at.last)) != at.last

    def _read(self, file: int, inode: int, add: Callable[[RecordView], None]) -> None:
        at = self.position
        offset, line, head = at.offset, at.line, at.head
        held, skipped = len(self._rest), self._skipped
        read_from = offset + held + skipped
        # One buffer for all reads, the beginning of an unfinished line in front: to allocate memory for each read, or
        # to copy everything once more, would cost as much as reading.
        buffer = bytearray(max(READ_BYTES, 2 * held))
        buffer[:held] = self._rest
        while count := os.preadv(file, [memoryview(buffer)[held:]], read_from):
            read_from, stop = read_from + count, held + count
            head += buffer[held : min(stop, held + CHECKED_BYTES - len(head))]
            cut = buffer.rfind(b"\n", held, stop) + 1
            held = stop
            if cut:
                count = self._lines(buffer, cut, line, offset, skipped, add)
                line, offset, skipped, held = line + count, offset + skipped + cut, 0, stop - cut
                buffer[:held] = buffer[cut:stop]
            if skipped or held > MAX_LINE_BYTES:
                skipped, held = skipped + held, 0
            self.position = Position(inode, offset, line, head)
            self._rest, self._skipped = bytes(buffer[:held]), skipped
            if 2 * held > len(buffer):  # a long line: few large reads instead of many small ones
                buffer = bytearray(2 * len(buffer))
                buffer[:held] = self._rest
        size = min(CHECKED_BYTES, offset)
        self.position = Position(inode, offset, line, head, os.pread(file, size, offset - size))
        self.pending = bool(held or skipped)

    def _lines(
        self, buffer: bytearray, stop: int, before: int, offset: int, skipped: int, add: Callable[[RecordView], None]
    ) -> int:
        """Add the whole lines at the beginning of a buffer, up to `stop`, and count them.

        `before` lines precede them in the file, the first begins at `offset`; of a first one that is too long,
        `skipped` bytes weren't kept.
        """
        fast_path, number = self.fast_path, before
        if fast_path is not None and not skipped and stop <= MAX_LINE_BYTES:
            added = fast_path(buffer, stop, number + 1, offset)
            if added:
                self.records += added
                return added
        for line in bytes(buffer[:stop]).split(b"\n")[:-1]:
            number += 1
            if skipped or len(line) > MAX_LINE_BYTES:
                self._note(number, offset, f"longer than {MAX_LINE_BYTES >> 20} MiB")
            elif fast_path is not None and fast_path(line + b"\n", len(line) + 1, number, offset):
                self.records += 1
            else:
                for record in record_views(line, Cursor(offset), offset, number=number):
                    if record.bad:
                        self._note(number, offset, record.bad)
                        continue
                    self.records += 1
                    self.salvaged += record.salvaged
                    self.lossy += record.lossy
                    add(record)
            offset, skipped = offset + skipped + len(line) + 1, 0
        return number - before

    def _note(self, line: int, offset: int, why: str) -> None:
        self.bad += 1
        self.problems.append(BadLine(line, offset, why))
