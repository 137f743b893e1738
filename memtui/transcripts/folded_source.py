"""A transcript in file order in which what a compaction wrote again is one line, until somebody opens it.

That line is a passage of its own, before the first record that it stands for; what it hides is not found either.

Messages that a compaction wrote again: where they stand in the file, so that a reader can fold them away.

A compaction that keeps messages may write them a second time behind its boundary: under new uuids or the old ones, but
with their old times. Nothing is held of the file: from each boundary one looks at what follows it, and only for what is
older than the boundary for the same thing before it.

Source:
    FORMATS 2.3 and 2.6.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from memtui.transcripts.entries import Entry, entry_of
from memtui.transcripts.file_source import FileSource
from memtui.transcripts.lines import Record
from memtui.transcripts.reader import LocatedRecord
from memtui.transcripts.records import BytePattern, Cursor, RecordView


class RepeatedRange(Struct, frozen=True):
    """Lines that follow each other and stand in the file before: the first byte of the first and of the last one.

    `messages` says how many of their records have something to send.
    """

    start: int
    end: int
    messages: int


class _Literal:
    """The mark of a text that every writer of JSON writes as it is."""

    def __init__(self, words: str) -> None:
        self.words = words.encode()

    def fold(self, data: bytes) -> bytes:
        return data

    def first(self, folded: bytes, start: int) -> int:
        return folded.find(self.words, start)

    def last(self, folded: bytes, end: int) -> int:
        return folded.rfind(self.words, 0, end)

    def maybe(self, line: bytes) -> bool:
        return True


class RepeatFinder:
    """The runs of a file, found by `look`; after the file grew only what is new is looked at."""

    def __init__(self) -> None:
        self.runs: tuple[RepeatedRange, ...] = ()
        self._boundary: Cursor | None = None
        self._seen: Cursor | None = None

    def look(self, source: FileSource) -> Iterator[float]:
        """Look through a file, or what it has grown by; to be asked on until it ends.

        Yields:
            The share of the file that is behind, about once a block.

        Raises:
            MemtuiError: If the disk refuses.
        """
        boundary, last = self._boundary, source.last()
        runs = list(self.runs)
        if boundary is not None and (passage := source.get(boundary)) is not None:
            runs = [run for run in runs if run.start < boundary.at]  # what follows it may go on now
            runs += _runs_behind(source, passage)
        for item in source.candidates(_Literal("compact_boundary"), self._seen, 1):
            if isinstance(item, float):
                yield item
            elif _entry(item).boundary and item.spot != boundary:
                boundary = item.spot
                runs += _runs_behind(source, item)
        self.runs, self._boundary = tuple(runs), boundary
        self._seen = Cursor(last.spot.at, -1) if last is not None else None  # that line may not have been whole


def _runs_behind(source: FileSource, boundary: RecordView) -> list[RepeatedRange]:
    """The runs between a boundary and the first message that is none of them, or the next boundary."""
    runs: list[RepeatedRange] = []
    lines: list[RecordView] = []
    messages = 0
    original: Cursor | None = None
    since = _entry(boundary).time
    passage = source.after(boundary.spot)
    while passage is not None:
        entry, following = _entry(passage), source.after(passage.spot)
        alone = passage.spot.part == 0 and (following is None or following.spot.at != passage.spot.at)
        older = since is not None and entry.time is not None and entry.time < since
        found = _original(source, passage, entry, original, boundary.spot) if alone and older else None
        if found is not None:
            original = found
            lines.append(passage)
            messages += entry.has_content
        else:
            if messages:
                runs.append(RepeatedRange(lines[0].offset, lines[-1].offset, messages))
            lines, messages = [], 0
            if entry.boundary or (entry.has_content and not entry.summary):
                return runs
        passage = following
    if messages:
        runs.append(RepeatedRange(lines[0].offset, lines[-1].offset, messages))
    return runs


def _original(
    source: FileSource, again: RecordView, entry: Entry, above: Cursor | None, limit: Cursor
) -> Cursor | None:
    """Where before a boundary a record stands that is written again; None if it doesn't.

    Args:
        source: The file.
        again: The record.
        entry: The same, as an envelope.
        above: The original of the one before it, behind which it is looked for first.
        limit: The boundary.
    """
    mark = _Literal(entry.stamp)
    if above is not None:
        for item in source.candidates(mark, above, 1):
            if isinstance(item, float):
                continue
            if item.spot >= limit:
                break
            if _same(again.data, entry, item):
                return item.spot
    if not entry.has_content:
        return None
    for item in source.candidates(mark, limit, -1):
        if not isinstance(item, float) and _same(again.data, entry, item):
            return item.spot
    return None


def _same(data: Record, entry: Entry, other: RecordView) -> bool:
    """Whether two records say the same at the same time: as parts of one answer, of one call, or word by word."""
    told = _entry(other)
    if (entry.type, entry.stamp, entry.message_id) != (told.type, told.stamp, told.message_id):
        return False
    if entry.message_id or entry.answers:
        return (entry.calls, entry.answers) == (told.calls, told.answers)
    return all(data.get(key) == other.data.get(key) for key in ("message", "attachment", "subtype", "content"))


def _entry(passage: RecordView) -> Entry:
    return entry_of(LocatedRecord(passage.line, passage.offset, passage.length, passage.data), 0)


FOLD_PART: Final = -1
"""The part of the line that stands for a run."""


class FoldedSource(FileSource):
    """The records of one file, runs of repeats folded.

    Args:
        path: The transcript.
        runs: The runs, in file order.

    Raises:
        As `FileSource`.
    """

    def __init__(self, path: Path, runs: Iterable[RepeatedRange] = ()) -> None:
        super().__init__(path)
        self._opened: frozenset[int] = frozenset()
        self.fold(runs)

    def copy(self) -> "FoldedSource":
        twin = FoldedSource.__new__(FoldedSource)
        self._copy_into(twin)
        twin._opened = self._opened
        twin.fold(self.runs)
        return twin

    def fold(self, runs: Iterable[RepeatedRange]) -> None:
        """From now on these are the runs; what was opened stays open."""
        self.runs = tuple(runs)
        self._starts = [run.start for run in self.runs]

    def is_open(self, spot: Cursor) -> bool:
        """Whether the run is open for which the line at a spot stands."""
        return spot.at in self._opened

    def turn(self, spot: Cursor, *, opened: bool) -> None:
        """Open or fold the run for which the line at a spot stands."""
        self._opened = self._opened | {spot.at} if opened else self._opened - {spot.at}

    def turn_all(self, *, opened: bool) -> None:
        """Open or fold every run."""
        self._opened = frozenset(self._starts) if opened else frozenset()

    # One passage.

    def first(self, most: int | None = None) -> RecordView | None:
        return self._entered(super().first(most))

    def last(self, most: int | None = None) -> RecordView | None:
        return self._shown(super().last(most))

    def after(self, spot: Cursor, most: int | None = None) -> RecordView | None:
        run = self._run(spot)
        if run is None or self.is_open(Cursor(run.start)):
            return (
                super().get(Cursor(spot.at), most)
                if spot.part == FOLD_PART
                else self._entered(super().after(spot, most))
            )
        return self._entered(super().after(Cursor(run.end), most))

    def before(self, spot: Cursor, most: int | None = None) -> RecordView | None:
        run = self._run(spot)
        if run is not None and spot == Cursor(run.start) and self.is_open(spot):
            return _line_of(run)
        if run is not None and not self.is_open(Cursor(run.start)):
            spot = Cursor(run.start)
        return self._shown(super().before(Cursor(spot.at) if spot.part == FOLD_PART else spot, most))

    def get(self, spot: Cursor, most: int | None = None) -> RecordView | None:
        run = self._run(spot)
        if run is not None and spot == Cursor(run.start, FOLD_PART):
            return _line_of(run)
        return self._shown(super().get(Cursor(spot.at) if spot.part == FOLD_PART else spot, most))

    def at(self, offset: int, most: int | None = None) -> RecordView | None:
        return self._shown(super().at(offset, most))

    def candidates(
        self, mark: BytePattern, start: Cursor | None, step: int, most: int | None = None
    ) -> Iterator[RecordView | float]:
        for item in super().candidates(mark, start, step, most):
            if isinstance(item, float) or self._shown(item) is item:
                yield item

    def _run(self, spot: Cursor) -> RepeatedRange | None:
        """The run in which a spot is."""
        number = bisect_right(self._starts, spot.at) - 1
        return self.runs[number] if number >= 0 and spot.at <= self.runs[number].end else None

    def _shown(self, passage: RecordView | None) -> RecordView | None:
        """What is shown for a passage: itself, or the line of the run that hides it."""
        run = self._run(passage.spot) if passage is not None else None
        return _line_of(run) if run is not None and not self.is_open(Cursor(run.start)) else passage

    def _entered(self, passage: RecordView | None) -> RecordView | None:
        """The same for a passage that is come to from above, where the line of its run stands before it."""
        run = self._run(passage.spot) if passage is not None else None
        if run is not None and passage is not None and passage.spot == Cursor(run.start):
            return _line_of(run)
        return self._shown(passage)


def _line_of(run: RepeatedRange) -> RecordView:
    return RecordView(Cursor(run.start, FOLD_PART), run.start, 0, repeats=run.messages)
