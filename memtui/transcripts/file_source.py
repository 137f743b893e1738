"""A transcript in file order, read backward and forward from any byte; no index, so a gigabyte opens at once.

The file stays open: one that is deleted or replaced can be read on as it was, and `state` says so. It may grow; one
that was truncated ends earlier.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from memtui.transcripts.lines import JSON_WHITE_SPACE, MAX_LINE_BYTES
from memtui.transcripts.reader import OpenTranscript
from memtui.transcripts.records import (
    BLANK_LINES,
    PREVIEW_BYTES,
    Cursor,
    LineTooLong,
    LiteralPattern,
    RecordView,
    oversized_view,
    record_views,
)

FIRST_READ_BYTES = 1 << 16  # of a line; reads double up to `MAX_READ_BYTES` while its end isn't found
MAX_READ_BYTES = 1 << 22
SEARCH_STEP_BYTES = 1 << 19  # bytes searched in one step; a searching thread yields to others after each
FileState = Literal["same", "grew", "cut", "replaced", "gone"]


class FileSource(OpenTranscript):
    """The records of one file; a line of more than `max_line_bytes` is shown by its beginning."""

    def __init__(self, path: Path, *, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        super().__init__(path)
        self.max_line_bytes = max_line_bytes
        self._inode = os.fstat(self._file).st_ino
        self._known_size = self.size
        self._cached_line: tuple[int, int, list[RecordView]] = (-1, 0, [])

    def state(self) -> FileState:
        """What happened to the file since the last call."""
        try:
            now = self.path.stat()
        except OSError:
            return "gone"
        if now.st_ino != self._inode:
            return "replaced"
        before, self._known_size = self._known_size, now.st_size
        if before != self._known_size:
            self._cached_line = (-1, 0, [])
        return "grew" if self._known_size > before else "cut" if self._known_size < before else "same"

    # One record.

    def first(self) -> RecordView | None:
        return self._forward(0)

    def last(self) -> RecordView | None:
        return self._backward(self.size)

    def after(self, cursor: Cursor) -> RecordView | None:
        length, found = self._records_at(cursor.at)
        if cursor.part + 1 < len(found):
            return found[cursor.part + 1]
        return self._forward(cursor.at + length + 1)

    def before(self, cursor: Cursor) -> RecordView | None:
        if cursor.part:
            _, found = self._records_at(cursor.at)
            if found:
                return found[min(cursor.part, len(found)) - 1]
        return self._backward(cursor.at)

    def get(self, cursor: Cursor) -> RecordView | None:
        _, found = self._records_at(cursor.at)
        return found[min(cursor.part, len(found) - 1)] if found else self.at(cursor.at)

    def at(self, offset: int) -> RecordView | None:
        offset = max(0, min(offset, self.size))
        return self._forward(self._start_of(offset)) or self.last()

    def fraction_before(self, cursor: Cursor) -> float:
        return min(1.0, cursor.at / max(1, self.size))

    def at_fraction(self, fraction: float) -> RecordView | None:
        return self.at(int(fraction * self.size))

    def line_ends(self, begin: int, end: int) -> Iterator[int]:
        """How many lines end between two bytes, block by block; the sum is the difference of the line numbers."""
        while begin < end and (block := self._pread(min(SEARCH_STEP_BYTES, end - begin), begin)):
            yield block.count(b"\n")
            begin += len(block)

    def _forward(self, offset: int) -> RecordView | None:
        while True:
            length, found = self._records_at(offset)
            if found:
                return found[0]
            if offset + length >= self.size:
                return None
            offset = self._over_blank(offset + length + 1)

    def _backward(self, end: int) -> RecordView | None:
        while end > 0:
            stop = end - 1 if self._pread(1, end - 1) == b"\n" else end
            start = self._start_of(stop)
            _, found = self._records_at(start)
            if found:
                return found[-1]
            end = self._before_blank(start)
        return None

    def _records_at(self, offset: int) -> tuple[int, list[RecordView]]:
        """The length of a line and its records; the last line is kept, because one line may hold several."""
        if self._cached_line[0] != offset:
            line, length, ended = self._line(offset)
            if length > self.max_line_bytes:
                found = [oversized_view(line, offset, length, self.max_line_bytes, pending=not ended)]
            else:
                found = record_views(line, Cursor(offset), offset, pending=not ended)
            if not ended:
                return length, found  # it may go on meanwhile
            self._cached_line = (offset, length, found)
        return self._cached_line[1], self._cached_line[2]

    # Bytes.

    def _line(self, offset: int) -> tuple[bytes, int, bool]:
        """The line at an offset (of one that is too long only the beginning), its length, and whether it has an end."""
        held, length, block = b"", 0, FIRST_READ_BYTES
        while chunk := self._pread(block, offset + length):
            end = chunk.find(b"\n")
            piece = chunk if end < 0 else chunk[:end]
            length += len(piece)
            held = held + piece if length <= self.max_line_bytes else (held + piece)[:PREVIEW_BYTES]
            if end >= 0:
                return held, length, True
            if self.max_bytes is not None and length >= self.max_bytes:
                raise LineTooLong
            block = min(block * 2, MAX_READ_BYTES)
        return held, length, False

    def _start_of(self, offset: int) -> int:
        block, at = FIRST_READ_BYTES, offset
        while at > 0:
            size = min(block, at)
            found = self._pread(size, at - size).rfind(b"\n")
            if found >= 0:
                return at - size + found + 1
            at -= size
            if self.max_bytes is not None and offset - at >= self.max_bytes:
                raise LineTooLong
            block = min(block * 2, MAX_READ_BYTES)
        return 0

    def _over_blank(self, offset: int) -> int:
        while block := self._pread(FIRST_READ_BYTES, offset):
            match = BLANK_LINES.match(block)
            size = match.end() if match else 0
            if size < len(block):
                return offset + size
            offset += size
        return offset

    def _before_blank(self, end: int) -> int:
        """The end of the last line before a line's start that isn't blank."""
        while end > 0:
            size = min(FIRST_READ_BYTES, end)
            block = self._pread(size, end - size)
            kept = block.rstrip(JSON_WHITE_SPACE)
            if kept:
                follows = block.find(b"\n", len(kept))
                return end - size + (follows + 1 if follows >= 0 else len(block))
            end -= size
        return 0

    # Searching.

    def candidates(self, pattern: LiteralPattern, start: Cursor | None, step: int) -> Iterator[RecordView | float]:
        ahead = step > 0
        if start is None:
            begin = 0 if ahead else self.size
        else:
            begin = start.at
            if start.part and not ahead:
                begin += self._records_at(start.at)[0] + 1
        for offset, block in (self._blocks if ahead else self._blocks_back)(begin):
            folded = pattern.fold(block)
            at = pattern.first(folded, 0) if ahead else pattern.last(folded, len(block))
            while at >= 0:
                first, end = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at)
                end = end if end >= 0 else len(block)
                if pattern.may_match(block[first:end]):
                    found = self._records_in(block[first:end], offset + first)[::step]
                    for record in found:
                        if start is None or (record.cursor > start if ahead else record.cursor < start):
                            yield record
                if ahead:
                    at = pattern.first(folded, end + 1) if end < len(block) else -1
                else:
                    at = pattern.last(folded, first)
            done = min(1.0, (offset + len(block) if ahead else offset) / max(1, self.size))
            yield done if ahead else 1 - done

    def _records_in(self, line: bytes, offset: int) -> list[RecordView]:
        """The records of a line that was found in a block; a line of which the block has only a part is read again."""
        if len(line) == PREVIEW_BYTES or len(line) > self.max_line_bytes:
            return self._records_at(offset)[1]
        if self.max_bytes is not None and len(line) >= self.max_bytes:
            raise LineTooLong
        ended = self._pread(1, offset + len(line)) == b"\n"
        return record_views(line, Cursor(offset), offset, pending=not ended)

    def _blocks(self, offset: int) -> Iterator[tuple[int, bytes]]:
        """Whole lines from a line's start to the end of the file, in blocks; of a too long one the beginning."""
        rest = b""
        while chunk := self._pread(max(SEARCH_STEP_BYTES, len(rest)), offset + len(rest)):
            data = rest + chunk
            cut = data.rfind(b"\n") + 1
            if cut:
                yield offset, data[:cut]
                offset, rest = offset + cut, data[cut:]
            elif self.max_bytes is not None and len(data) >= max(self.max_bytes, SEARCH_STEP_BYTES):
                raise LineTooLong
            elif len(data) <= self.max_line_bytes:
                rest = data
            else:
                _, length, _ = self._line(offset)
                yield offset, data[:PREVIEW_BYTES]
                offset, rest = offset + length + 1, b""
        if rest:
            yield offset, rest

    def _blocks_back(self, end: int) -> Iterator[tuple[int, bytes]]:
        rest = b""
        while end > 0:
            size = min(max(SEARCH_STEP_BYTES, len(rest)), end)
            data = self._pread(size, end - size) + rest
            begin = end - size
            cut = 0 if begin == 0 else data.find(b"\n", 0, len(data) - 1) + 1
            if begin == 0 or cut:
                yield begin + cut, data[cut:]
                rest = data[:cut]
            elif self.max_bytes is not None and len(data) >= max(self.max_bytes, SEARCH_STEP_BYTES):
                raise LineTooLong
            elif len(data) <= self.max_line_bytes:
                rest = data
            else:
                begin = self._start_of(begin)
                yield begin, self._pread(PREVIEW_BYTES, begin)
                rest = b""
            end = begin
