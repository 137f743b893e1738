"""Records as they are read one after another, and what every source of them can do.

A `RecordView` is a record with its place, or a line that holds none, with the reason. A source reads them forward and
backward from any of them and never holds more than one line.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct, field

from memtui.transcripts.lines import MAX_LINE_BYTES, Record, parse_line

PREVIEW_BYTES = 4096  # bytes kept of a line that is no record, to be shown
BLANK_LINES = re.compile(rb"(?:[ \t\r]*\n)*")


class Cursor(Struct, frozen=True, order=True):
    """The place of a record: its line's offset in the file (or number on the path), and its `part` of that line."""

    at: int
    part: int = 0


class RecordView(Struct, frozen=True):
    """A record and its place, or what is there instead."""

    cursor: Cursor
    offset: int  # of its line, in bytes
    length: int  # of its line, without the line end
    data: Record = field(default_factory=dict)
    bad: str = ""  # why it is no record, or what is wrong with the rest of its line
    head: str = ""  # the beginning of a bad line
    line: int = 0  # from 1; 0 where nobody counted
    salvaged: bool = False  # not the first on its line, so that the agent client doesn't read it
    lossy: bool = False  # some bytes were not UTF-8
    pending: bool = False  # no line end yet
    repeated: int = 0  # no record, but a line instead of so many folded messages
    shared: bool = False  # its line holds more than this record


class LineTooLong(Exception):
    """A line has more bytes than the caller allowed; ask again without a limit, in a thread."""


class LiteralPattern:
    """What a search looks for in the bytes of a file before anything is decoded: a text that writers write literally.

    False matches are allowed, missed ones are not.
    """

    def __init__(self, words: str) -> None:
        self.literal = words.encode()

    def fold(self, data: bytes) -> bytes:
        """The bytes in the form that is compared, of the same length."""
        return data

    def first(self, folded: bytes, start: int) -> int:
        """The first offset from `start` on, -1 for none."""
        return folded.find(self.literal, start)

    def last(self, folded: bytes, end: int) -> int:
        """The last offset before `end`, -1 for none."""
        return folded.rfind(self.literal, 0, end)

    def may_match(self, line: bytes) -> bool:
        """Whether a line with a match is worth decoding."""
        return True


class RecordSource(Protocol):
    """Records to read. `max_bytes` are the bytes of one line that may be read, None for no limit.

    Everything raises `MemtuiError` if the disk refuses, and with `max_bytes` `LineTooLong`.
    """

    max_bytes: int | None

    @property
    def size(self) -> int:
        """Bytes of the file as it is now."""

    def first(self) -> RecordView | None:
        """The first record; None if there is none."""

    def last(self) -> RecordView | None:
        """The last record."""

    def after(self, cursor: Cursor) -> RecordView | None:
        """The record after a cursor; None at the end."""

    def before(self, cursor: Cursor) -> RecordView | None:
        """The record before a cursor; None at the beginning."""

    def get(self, cursor: Cursor) -> RecordView | None:
        """The record at a cursor, or the next one where it is gone."""

    def at(self, offset: int) -> RecordView | None:
        """The record whose line holds a byte of the file, or the next one, or the last."""

    def fraction_before(self, cursor: Cursor) -> float:
        """How much of the source is before a cursor, 0 to 1."""

    def at_fraction(self, fraction: float) -> RecordView | None:
        """The record before which this fraction of the source is."""

    def candidates(self, pattern: LiteralPattern, start: Cursor | None, step: int) -> Iterator[RecordView | float]:
        """Records whose line may match, and now and then the fraction that is searched.

        The search begins behind `start` (at the beginning, or the end, for None) and goes forward (`step` 1) or back
        (-1).
        """

    def copy(self) -> "RecordSource":
        """The same source for another thread, without a limit; to be closed by itself."""

    def close(self) -> None:
        """Let go of the file; twice does no harm."""


def record_views(line: bytes, at: Cursor, offset: int, *, pending: bool = False, number: int = 0) -> list[RecordView]:
    """What a line of at most `MAX_LINE_BYTES` bytes holds, without its line end; nothing for a blank one.

    The first record is at the cursor `at`, the others follow by `part`. What is bad about the line is one of them, at
    its place: before the records that were found behind it, or last.
    """
    body = line.removeprefix(codecs.BOM_UTF8) if offset == 0 else line
    parsed = parse_line(body)
    begins = len(parsed.objects) - parsed.salvaged
    found = [(data, "", index >= begins) for index, data in enumerate(parsed.objects)]
    shared = len(found) != 1 or bool(parsed.bad)
    if parsed.bad:
        found.insert(len(found) if begins else 0, ({}, parsed.bad, False))
    return [
        RecordView(
            Cursor(at.at, at.part + index), offset, len(line), data, bad, preview_of(body) if bad else "", number,
            salvaged, parsed.lossy, pending, shared=shared,
        )
        for index, (data, bad, salvaged) in enumerate(found)
    ]  # fmt: skip


def oversized_view(head: bytes, offset: int, length: int, max_line_bytes: int, *, pending: bool = False) -> RecordView:
    limit = f"{max_line_bytes >> 20} MiB" if max_line_bytes == MAX_LINE_BYTES else f"{max_line_bytes} bytes"
    why = f"longer than {limit}"
    return RecordView(Cursor(offset), offset, length, bad=why, head=preview_of(head), pending=pending)


def preview_of(line: bytes) -> str:
    return line[:PREVIEW_BYTES].decode(errors="replace")
