"""Chosen records of a transcript, read one after another: the path that a resume sends, a branch, a sub-agent."""

import bisect
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from memtui.transcripts.entries import Entry
from memtui.transcripts.reader import OpenTranscript
from memtui.transcripts.records import Cursor, LineTooLong, LiteralPattern, RecordView, record_views


class PathSource(OpenTranscript):
    """Entries of one file, whose offsets are those of the file as it is, in the order of a path."""

    def __init__(self, path: Path, entries: Sequence[Entry]) -> None:
        super().__init__(path)
        self.entries = entries

    def first(self) -> RecordView | None:
        return self._number(0)

    def last(self) -> RecordView | None:
        return self._number(len(self.entries) - 1)

    def after(self, cursor: Cursor) -> RecordView | None:
        return self._number(cursor.at + 1)

    def before(self, cursor: Cursor) -> RecordView | None:
        return self._number(cursor.at - 1)

    def get(self, cursor: Cursor) -> RecordView | None:
        return self._number(min(cursor.at, len(self.entries) - 1))

    def at(self, offset: int) -> RecordView | None:
        """The record whose line holds a byte; else the next one in the file, or the last."""
        places = sorted((entry.offset + entry.length, number) for number, entry in enumerate(self.entries))
        found = bisect.bisect_left(places, (offset, 0))
        return self._number(places[min(found, len(places) - 1)][1]) if places else None

    def fraction_before(self, cursor: Cursor) -> float:
        return cursor.at / max(1, len(self.entries) - 1)

    def at_fraction(self, fraction: float) -> RecordView | None:
        return self._number(round(fraction * (len(self.entries) - 1)))

    def candidates(self, pattern: LiteralPattern, start: Cursor | None, step: int) -> Iterator[RecordView | float]:
        count = len(self.entries)
        number = (0 if step > 0 else count - 1) if start is None else start.at + step
        while 0 <= number < count:
            line = self._line(self.entries[number])
            if pattern.first(pattern.fold(line), 0) >= 0 and pattern.may_match(line):
                yield self._pick(line, number)
            yield number / count if step > 0 else 1 - number / count
            number += step

    def _number(self, number: int) -> RecordView | None:
        if not 0 <= number < len(self.entries):
            return None
        return self._pick(self._line(self.entries[number]), number)

    def _line(self, entry: Entry) -> bytes:
        if self.max_bytes is not None and entry.length >= self.max_bytes:
            raise LineTooLong
        return self._pread(entry.length, entry.offset)

    def _pick(self, line: bytes, number: int) -> RecordView:
        """The record of an entry among those of its line, or a bad one if the line changed meanwhile."""
        entry = self.entries[number]
        for record in record_views(line, Cursor(number), entry.offset, pending=entry.pending, number=entry.line):
            same = record.data.get("uuid", "") == entry.uuid or not entry.uuid
            if not record.bad and same and record.data.get("type", "") == entry.type:
                return replace(record, cursor=Cursor(number), length=entry.length, salvaged=entry.salvaged)
        why = "the file changed: another record is here now"
        return RecordView(Cursor(number), entry.offset, entry.length, bad=why)
