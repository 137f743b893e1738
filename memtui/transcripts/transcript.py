"""A whole transcript as envelopes and offsets; a record is decoded when it is looked at."""

import codecs
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from memtui.fs.atomic import to_error
from memtui.transcripts.entries import Entry, entry_of
from memtui.transcripts.fast_decode import decode_entries
from memtui.transcripts.lines import MAX_LINE_BYTES, Record, awaits_value, parse_line
from memtui.transcripts.reader import BadLine, TranscriptReader
from memtui.transcripts.records import RecordView
from memtui.util.errors import NotFound


class Transcript:
    """A session's records in file order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[Entry] = []
        self.tail: Entry | None = None  # whole, but behind the last line end: the client counts it, `entries` does not
        self.reader = TranscriptReader(path, fast_path=self._add_lines)

    def refresh(self) -> int:
        """Read what was appended, and count the new records: all of them if the file was replaced.

        Raises `NotFound` if there is no such file and nothing was read before, `MemtuiError` if it can't be read.
        """
        before = len(self.entries)
        reset = False
        try:
            reset = self.reader.poll(self._take, self.entries.clear)
        except FileNotFoundError as error:
            if not self.reader.position.head:
                raise NotFound(f"No transcript at {self.path}") from error
        except OSError as error:
            raise to_error(error, str(self.path), outcome="not read") from error
        last = self.reader.tail()
        self.tail = entry_of(last, len(self.entries)) if last else None
        return len(self.entries) if reset else len(self.entries) - before

    @property
    def problems(self) -> list[BadLine]:
        return self.reader.problems

    def known(self) -> list[Entry]:
        """The records that the agent client reads.

        Of each line it is the object that the line begins with, whatever comes after it, and nothing of a line that
        begins with anything else; the last line needs no line end. A line that is cut off where a value would follow
        takes the last line of the file for that value.
        """
        read = [entry for entry in self.entries if not entry.salvaged]
        read += [self.tail] if self.tail else []
        return read[:-1] if read and self._is_taken(read) else read

    def _is_taken(self, read: list[Entry]) -> bool:
        """Whether the client reads the last line as the value that the line before it, cut off, lacks."""
        torn = self.problems[-1] if self.problems else None
        last, before = read[-1], read[-2].line if len(read) > 1 else 0
        if torn is None or not before < torn.line < last.line or (self.reader.pending and self.tail is None):
            return False
        size = last.offset - torn.offset
        if last.shared or size > MAX_LINE_BYTES:
            return False
        try:
            with self.path.open("rb") as file:
                file.seek(torn.offset)
                return awaits_value(file.read(size))
        except OSError:
            return False

    def data(self, entry: Entry) -> Record:
        """The record of an entry, read from the file now; {} if the file changed and no such record is there."""
        return next(self.each((entry,)), {})

    def each(self, entries: Iterable[Entry]) -> Iterator[Record]:
        """The records of several entries, one at a time: all together could fill the memory."""
        try:
            file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise to_error(error, str(self.path), outcome="not read") from error
        try:
            for entry in entries:
                line = os.pread(file, entry.length, entry.offset)
                yield self._pick(line.removeprefix(codecs.BOM_UTF8), entry)
        finally:
            os.close(file)

    @staticmethod
    def _pick(line: bytes, entry: Entry) -> Record:
        objects = parse_line(line).objects
        if not entry.shared:
            return objects[0] if objects else {}
        for data in objects:  # several on one line: told apart by uuid and type
            if data.get("uuid", "") == entry.uuid and data.get("type", "") == entry.type:
                return data
        return {}

    def _add_lines(self, buffer: bytes | bytearray, stop: int, number: int, offset: int) -> int:
        entries = decode_entries(buffer, stop, len(self.entries), number, offset) or []
        self.entries += entries
        return len(entries)

    def _take(self, found: RecordView) -> None:
        self.entries.append(entry_of(found, len(self.entries)))


def read_transcript(path: Path) -> Transcript:
    """Read a transcript to its end; raises as `Transcript.refresh`."""
    transcript = Transcript(path)
    transcript.refresh()
    return transcript
