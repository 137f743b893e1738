"""A transcript in file order in which messages that a compaction repeated are folded into one line.

A compaction that keeps messages may write them again behind its boundary, under new uuids or the old ones, but with
their old times. `RepeatFinder` finds them without holding anything of the file: it looks at what follows each boundary,
and for records older than the boundary searches the same thing before it. `FoldedSource` shows one line instead of each
range, until it is opened; a search finds nothing in a folded range.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from memtui.transcripts.entries import Entry, entry_of
from memtui.transcripts.file_source import FileSource
from memtui.transcripts.lines import Record
from memtui.transcripts.records import Cursor, LiteralPattern, RecordView


class RepeatedRange(Struct, frozen=True):
    """Neighbouring lines that are repeated: the offsets of the first and the last, and how many are messages."""

    start: int
    end: int
    messages: int


class RepeatFinder:
    """Finds the repeated ranges of a file; after the file grew only what is new is scanned."""

    def __init__(self) -> None:
        self.ranges: tuple[RepeatedRange, ...] = ()
        self._boundary: Cursor | None = None
        self._seen: Cursor | None = None

    def scan(self, source: FileSource) -> Iterator[float]:
        """Scan a file, or what it has grown by; yields the scanned fraction, about once a block."""
        boundary, last = self._boundary, source.last()
        ranges = list(self.ranges)
        if boundary is not None and (record := source.get(boundary)) is not None:
            ranges = [range_ for range_ in ranges if range_.start < boundary.at]  # what follows it may go on now
            ranges += _ranges_after(source, record)
        for item in source.candidates(LiteralPattern("compact_boundary"), self._seen, 1):
            if isinstance(item, float):
                yield item
            elif entry_of(item, 0).boundary and item.cursor != boundary:
                boundary = item.cursor
                ranges += _ranges_after(source, item)
        self.ranges, self._boundary = tuple(ranges), boundary
        self._seen = Cursor(last.cursor.at, -1) if last is not None else None  # that line may not have been whole


def _ranges_after(source: FileSource, boundary: RecordView) -> list[RepeatedRange]:
    """The ranges between a boundary and the first message that is no repetition, or the next boundary."""
    ranges: list[RepeatedRange] = []
    lines: list[RecordView] = []
    messages = 0

    def close_range() -> None:
        if messages:
            ranges.append(RepeatedRange(lines[0].offset, lines[-1].offset, messages))

    original: Cursor | None = None
    since = entry_of(boundary, 0).time
    record = source.after(boundary.cursor)
    while record is not None:
        entry, following = entry_of(record, 0), source.after(record.cursor)
        alone = record.cursor.part == 0 and (following is None or following.cursor.at != record.cursor.at)
        older = since is not None and entry.time is not None and entry.time < since
        found = _original(source, record, entry, original, boundary.cursor) if alone and older else None
        if found is not None:
            original = found
            lines.append(record)
            messages += entry.has_content
        else:
            close_range()
            lines, messages = [], 0
            if entry.boundary or (entry.has_content and not entry.summary):
                return ranges
        record = following
    close_range()
    return ranges


def _original(
    source: FileSource, again: RecordView, entry: Entry, above: Cursor | None, limit: Cursor
) -> Cursor | None:
    """The original of a repeated record before `limit`, searched behind `above`, that of the record before it."""
    pattern = LiteralPattern(entry.stamp)
    if above is not None:
        for item in source.candidates(pattern, above, 1):
            if isinstance(item, float):
                continue
            if item.cursor >= limit:
                break
            if _same(again.data, entry, item):
                return item.cursor
    if not entry.has_content:
        return None
    for item in source.candidates(pattern, limit, -1):
        if not isinstance(item, float) and _same(again.data, entry, item):
            return item.cursor
    return None


def _same(data: Record, entry: Entry, other: RecordView) -> bool:
    """Whether two records have one time and one content: parts of one answer, of one call, or word by word."""
    item = entry_of(other, 0)
    if (entry.type, entry.stamp, entry.message_id) != (item.type, item.stamp, item.message_id):
        return False
    if entry.message_id or entry.answers:
        return (entry.calls, entry.answers) == (item.calls, item.answers)
    return all(data.get(key) == other.data.get(key) for key in ("message", "attachment", "subtype", "content"))


FOLD_PART: Final = -1  # the `part` of the cursor of the line that replaces a folded range


class FoldedSource(FileSource):
    """The records of one file, its repeated ranges (in file order) folded. Raises as `FileSource`."""

    def __init__(self, path: Path, ranges: Iterable[RepeatedRange] = ()) -> None:
        super().__init__(path)
        self._opened: frozenset[int] = frozenset()
        self.set_ranges(ranges)

    def set_ranges(self, ranges: Iterable[RepeatedRange]) -> None:
        """Replace the ranges; what was opened stays open."""
        self.ranges = tuple(ranges)
        self._starts = [range_.start for range_ in self.ranges]

    def is_open(self, cursor: Cursor) -> bool:
        return cursor.at in self._opened

    def set_open(self, cursor: Cursor, *, opened: bool) -> None:
        self._opened = self._opened | {cursor.at} if opened else self._opened - {cursor.at}

    def set_all_open(self, *, opened: bool) -> None:
        self._opened = frozenset(self._starts) if opened else frozenset()

    # One record.

    def first(self) -> RecordView | None:
        return self._from_above(super().first())

    def last(self) -> RecordView | None:
        return self._visible(super().last())

    def after(self, cursor: Cursor) -> RecordView | None:
        range_ = self._range_at(cursor)
        if range_ is not None and not self.is_open(Cursor(range_.start)):
            cursor = Cursor(range_.end)
        elif cursor.part == FOLD_PART:
            return super().get(Cursor(cursor.at))
        return self._from_above(super().after(cursor))

    def before(self, cursor: Cursor) -> RecordView | None:
        range_ = self._range_at(cursor)
        if range_ is not None and cursor == Cursor(range_.start) and self.is_open(cursor):
            return _placeholder(range_)
        if range_ is not None and not self.is_open(Cursor(range_.start)):
            cursor = Cursor(range_.start)
        return self._visible(super().before(Cursor(cursor.at) if cursor.part == FOLD_PART else cursor))

    def get(self, cursor: Cursor) -> RecordView | None:
        range_ = self._range_at(cursor)
        if range_ is not None and cursor == Cursor(range_.start, FOLD_PART):
            return _placeholder(range_)
        return self._visible(super().get(Cursor(cursor.at) if cursor.part == FOLD_PART else cursor))

    def at(self, offset: int) -> RecordView | None:
        return self._visible(super().at(offset))

    def candidates(self, pattern: LiteralPattern, start: Cursor | None, step: int) -> Iterator[RecordView | float]:
        for item in super().candidates(pattern, start, step):
            if isinstance(item, float) or self._visible(item) is item:
                yield item

    def _range_at(self, cursor: Cursor) -> RepeatedRange | None:
        number = bisect_right(self._starts, cursor.at) - 1
        return self.ranges[number] if number >= 0 and cursor.at <= self.ranges[number].end else None

    def _visible(self, record: RecordView | None) -> RecordView | None:
        """The record, or the line of the folded range that hides it."""
        range_ = self._range_at(record.cursor) if record is not None else None
        return _placeholder(range_) if range_ is not None and not self.is_open(Cursor(range_.start)) else record

    def _from_above(self, record: RecordView | None) -> RecordView | None:
        """The same for a record reached from above: the line of a range comes before its first record."""
        range_ = self._range_at(record.cursor) if record is not None else None
        if range_ is not None and record is not None and record.cursor == Cursor(range_.start):
            return _placeholder(range_)
        return self._visible(record)


def _placeholder(range_: RepeatedRange) -> RecordView:
    return RecordView(Cursor(range_.start, FOLD_PART), range_.start, 0, repeated=range_.messages)
