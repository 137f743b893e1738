"""Messages that a compaction wrote again: where they stand in the file, so that a reader can fold them away.

A compaction that keeps messages may write them a second time behind its boundary: under new uuids or the old ones, but
with their old times. Nothing is held of the file: from each boundary one looks at what follows it, and only for what is
older than the boundary for the same thing before it.

Source:
    FORMATS 2.3 and 2.6.
"""

from collections.abc import Iterator

from msgspec import Struct

from memtui.sessions.entries import Entry, entry_of
from memtui.sessions.file_source import FileSource
from memtui.sessions.lines import Record
from memtui.sessions.passages import Passage, Spot
from memtui.sessions.reader import Found


class Run(Struct, frozen=True):
    """Lines that follow each other and stand in the file before: the first byte of the first and of the last one.

    `messages` says how many of their records have something to send.
    """

    start: int
    end: int
    messages: int


class _Bytes:
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


class Repeats:
    """The runs of a file, found by `look`; after the file grew only what is new is looked at."""

    def __init__(self) -> None:
        self.runs: tuple[Run, ...] = ()
        self._boundary: Spot | None = None
        self._seen: Spot | None = None

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
        for item in source.candidates(_Bytes("compact_boundary"), self._seen, 1):
            if isinstance(item, float):
                yield item
            elif _entry(item).boundary and item.spot != boundary:
                boundary = item.spot
                runs += _runs_behind(source, item)
        self.runs, self._boundary = tuple(runs), boundary
        self._seen = Spot(last.spot.at, -1) if last is not None else None  # that line may not have been whole


def _runs_behind(source: FileSource, boundary: Passage) -> list[Run]:
    """The runs between a boundary and the first message that is none of them, or the next boundary."""
    runs: list[Run] = []
    lines: list[Passage] = []
    messages = 0
    original: Spot | None = None
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
            messages += entry.speaks
        else:
            if messages:
                runs.append(Run(lines[0].offset, lines[-1].offset, messages))
            lines, messages = [], 0
            if entry.boundary or (entry.speaks and not entry.summary):
                return runs
        passage = following
    if messages:
        runs.append(Run(lines[0].offset, lines[-1].offset, messages))
    return runs


def _original(source: FileSource, again: Passage, entry: Entry, above: Spot | None, limit: Spot) -> Spot | None:
    """Where before a boundary a record stands that is written again; None if it doesn't.

    Args:
        source: The file.
        again: The record.
        entry: The same, as an envelope.
        above: The original of the one before it, behind which it is looked for first.
        limit: The boundary.
    """
    mark = _Bytes(entry.stamp)
    if above is not None:
        for item in source.candidates(mark, above, 1):
            if isinstance(item, float):
                continue
            if item.spot >= limit:
                break
            if _same(again.data, entry, item):
                return item.spot
    if not entry.speaks:
        return None
    for item in source.candidates(mark, limit, -1):
        if not isinstance(item, float) and _same(again.data, entry, item):
            return item.spot
    return None


def _same(data: Record, entry: Entry, other: Passage) -> bool:
    """Whether two records say the same at the same time: as parts of one answer, of one call, or word by word."""
    told = _entry(other)
    if (entry.type, entry.stamp, entry.message_id) != (told.type, told.stamp, told.message_id):
        return False
    if entry.message_id or entry.answers:
        return (entry.calls, entry.answers) == (told.calls, told.answers)
    return all(data.get(key) == other.data.get(key) for key in ("message", "attachment", "subtype", "content"))


def _entry(passage: Passage) -> Entry:
    return entry_of(Found(passage.line, passage.offset, passage.length, passage.data), 0)
