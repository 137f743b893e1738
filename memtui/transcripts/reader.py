"""Reading a transcript that may be growing, torn, replaced or gone at any moment.

`poll()` reads what is new since the last time. Bytes are split at `\n` only; what follows the last one is pending: the
writer may not be done. A file that was replaced or cut is read again from its start, told by its inode, its size, its
first bytes and those before the place where reading stopped.

Source:
    SAFETY.md F23, F24 and 3.4.

A transcript held open: what is deleted or replaced meanwhile can be read on as it was.
"""

import errno
import os
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, field

from memtui.fs.atomic import to_error
from memtui.transcripts.lines import LONGEST_LINE, Record, parse_line
from memtui.util.errors import NotFound


class HeldFile:
    """What every source that reads one file does with it.

    Raises:
        NotFound: If there is no such file.
        MemtuiError: If it can't be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError as error:
            raise NotFound(f"No transcript at {path}") from error
        except OSError as error:
            raise to_error(error, str(path), outcome="not read") from error

    def close(self) -> None:
        """Let go of the file; twice does no harm."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    @property
    def size(self) -> int:
        """Bytes of the file as it is now."""
        return os.fstat(self._file).st_size

    def _pread(self, size: int, offset: int) -> bytes:
        """At most `size` bytes from a place; fewer, or none, behind the end.

        Raises:
            MemtuiError: If the disk refuses.
        """
        try:
            return os.pread(self._file, size, offset)
        except OSError as error:
            raise to_error(error, str(self.path), outcome="not read") from error


CHUNK = 256 << 10
"""Bytes per read; more while a line is longer."""
FIRST = 64
"""Bytes at the start, and before the stop, that must be the same for a file to be the one that was read before."""
_BOM = b"\xef\xbb\xbf"


class Found(Struct):
    """A record and where it stands.

    `line` counts from 1; `offset` and `length` are the bytes of its line, without the line end. `salvaged`: it doesn't
    begin its line, so that the agent client doesn't read it. `shared`: there is more on its line than this one record.
    `lossy`: bytes were no UTF-8. `pending`: no line end yet.
    """

    line: int
    offset: int
    length: int
    data: Record
    salvaged: bool = False
    shared: bool = False
    lossy: bool = False
    pending: bool = False


class BadLine(Struct, frozen=True):
    """A line that is no record, or not only one. `line` counts from 1, `offset` is its first byte."""

    line: int
    offset: int
    why: str


class Position(Struct, frozen=True):
    """Where reading stopped: enough to go on later, in another process too.

    `offset` is the byte after the last whole line, `line` how many lines precede it, `head` and `last` the first bytes
    and those before `offset`.
    """

    inode: int = 0
    offset: int = 0
    line: int = 0
    head: bytes = b""
    last: bytes = b""


class Poll(Struct, frozen=True):
    """What a poll brought: records since the last one (none if they went to `take`), and what happened to the file.

    `error` is the name of the system's error ("EACCES"); what was read before stays.
    """

    records: tuple[Found, ...] = ()
    reset: bool = False
    gone: bool = False
    error: str = ""


class TranscriptReader(Struct):
    """A transcript, read once and then followed.

    Counts are of the file as it is now: they start again when it was replaced. `pending` says that bytes follow the
    last line end; `tail` gives them as a record if they already are a whole one. `quick`, if there is one, is shown
    whole lines first, with the number and offset of the first; it says how many it has taken, each as one record: all
    or none.
    """

    path: Path
    position: Position = field(default_factory=Position)
    records: int = 0
    bad: int = 0
    salvaged: int = 0
    lossy: int = 0
    pending: bool = False
    problems: list[BadLine] = field(default_factory=list)
    quick: Callable[[bytes | bytearray, int, int, int], int] | None = None
    _rest: bytes = b""
    _skipped: int = 0

    def poll(self, take: Callable[[Found], None] | None = None, forget: Callable[[], None] | None = None) -> Poll:
        """Read what is new.

        Args:
            take: Gets each record as soon as it is read, so that a big file is never held; else they come back.
            forget: Called before the first record of a file that was replaced: what was taken before is void.

        Raises:
            Nothing that the file causes: a missing file is `gone`, one that can't be opened is an `error`.
        """
        found: list[Found] = []
        try:
            file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return Poll(gone=True)
        except OSError as error:
            return Poll(error=errno.errorcode.get(error.errno or 0, "EIO"))
        reset = False
        try:
            now = os.fstat(file)
            reset = self._replaced(file, now)
            if reset:
                self._start_over()
                if forget is not None:
                    forget()
            self._read(file, now.st_ino, take or found.append)
        except OSError as error:
            return Poll(tuple(found), reset, error=errno.errorcode.get(error.errno or 0, "EIO"))
        finally:
            os.close(file)
        return Poll(tuple(found), reset)

    def tail(self) -> Found | None:
        """The record that begins behind the last line end, if it is whole: the client reads it, we wait for its end."""
        if not self.pending or self._skipped:
            return None
        at = self.position
        parsed = parse_line(self._rest if at.offset else self._rest.removeprefix(_BOM))
        if len(parsed.objects) == parsed.salvaged:
            return None
        shared = len(parsed.objects) != 1 or bool(parsed.bad)
        return Found(
            at.line + 1, at.offset, len(self._rest), parsed.objects[0], False, shared, parsed.lossy, pending=True
        )

    def _replaced(self, file: int, now: os.stat_result) -> bool:
        at = self.position
        if not at.offset and not self._rest and not self._skipped:
            return False
        if now.st_ino != at.inode or now.st_size < at.offset + len(self._rest) + self._skipped:
            return True
        if os.pread(file, len(at.head), 0) != at.head:
            return True
        return bool(at.last) and os.pread(file, len(at.last), at.offset - len(at.last)) != at.last

    def _start_over(self) -> None:
        self.position, self._rest, self._skipped, self.pending = Position(), b"", 0, False
        self.records = self.bad = self.salvaged = self.lossy = 0
        self.problems = []

    def _read(self, file: int, inode: int, take: Callable[[Found], None]) -> None:
        """Read to the end as it is now; lines that are whole are taken, the rest waits."""
        at = self.position
        offset, line, head = at.offset, at.line, at.head
        held, skipped = len(self._rest), self._skipped
        place = offset + held + skipped
        # One for all that is read, the beginning of a line that is not yet whole in front: to ask for new memory each
        # time, or to copy all of it once more, costs as much as to read.
        room = bytearray(max(CHUNK, 2 * held))
        room[:held] = self._rest
        while count := os.preadv(file, [memoryview(room)[held:]], place):
            place, stop = place + count, held + count
            head += room[held : min(stop, held + FIRST - len(head))]
            cut = room.rfind(b"\n", held, stop) + 1
            held = stop
            if cut:
                count = self._lines(room, cut, line, offset, skipped, take)
                line, offset, skipped, held = line + count, offset + skipped + cut, 0, stop - cut
                room[:held] = room[cut:stop]
            if skipped or held > LONGEST_LINE:
                skipped, held = skipped + held, 0
            self.position = Position(inode, offset, line, head)
            self._rest, self._skipped = bytes(room[:held]), skipped
            if 2 * held > len(room):  # a long line: few large steps instead of many small ones
                room = bytearray(2 * len(room))
                room[:held] = self._rest
        size = min(FIRST, offset)
        self.position = Position(inode, offset, line, head, os.pread(file, size, offset - size))
        self.pending = bool(held or skipped)

    def _lines(
        self, room: bytearray, stop: int, before: int, offset: int, skipped: int, take: Callable[[Found], None]
    ) -> int:
        """Take whole lines.

        Args:
            room: Holds them, each with its line end.
            stop: Where they end in it.
            before: How many lines precede them.
            offset: Where the first begins.
            skipped: Bytes of the first that weren't kept, because it is too long.
            take: Gets the records.

        Returns:
            How many lines these are.
        """
        quick, number = self.quick, before
        if (
            quick is not None
            and not skipped
            and stop <= LONGEST_LINE
            and (taken := quick(room, stop, number + 1, offset))
        ):
            self.records += taken
            return taken
        for line in bytes(room[:stop]).split(b"\n")[:-1]:
            number += 1
            if skipped or len(line) > LONGEST_LINE:
                self._note(number, offset, f"longer than {LONGEST_LINE >> 20} MiB")
            elif quick is not None and quick(line + b"\n", len(line) + 1, number, offset):
                self.records += 1
            else:
                self._line(line, number, offset, take)
            offset, skipped = offset + skipped + len(line) + 1, 0
        return number - before

    def _line(self, line: bytes, number: int, offset: int, take: Callable[[Found], None]) -> None:
        body = line[len(_BOM) :] if number == 1 and line.startswith(_BOM) else line
        parsed = parse_line(body)
        if parsed.bad:
            self._note(number, offset, parsed.bad)
        self.records += len(parsed.objects)
        self.salvaged += parsed.salvaged
        self.lossy += len(parsed.objects) if parsed.lossy else 0
        begins = len(parsed.objects) - parsed.salvaged
        shared = len(parsed.objects) != 1 or bool(parsed.bad)
        for index, data in enumerate(parsed.objects):
            take(Found(number, offset, len(line), data, index >= begins, shared, parsed.lossy))

    def _note(self, line: int, offset: int, why: str) -> None:
        self.bad += 1
        self.problems.append(BadLine(line, offset, why))
