"""Read: numbered lines of a text file.

A line ends at a line feed and nowhere else. A carriage return before it and a byte order mark are not shown: Edit and
Write keep them. What is no UTF-8 shows as U+FFFD.
"""

import io
import os
from collections.abc import Iterator
from typing import IO

from msgspec import Struct

from memtui.agent.tools.outcome import ToolFault
from memtui.base.boundary import Verdict, open_file
from memtui.base.files import digest
from memtui.base.text import size

LINES = 2000
"""Lines of one answer, if the model names no number."""
WIDTH = 2000
"""Characters of a line that are shown."""
MOST = 60_000
"""Characters of one answer."""
WHOLE = 8 << 20
"""Bytes up to which a file is read whole; a larger one can be read in pieces, never written."""
_PROBE = 8192
_PART = 1 << 20


class Shown(Struct, frozen=True):
    """What is shown of a file; `digest` is that of the whole file, "" if it is too large to be written."""

    text: str
    digest: str
    first: int


def read_lines(place: Verdict, offset: int, limit: int) -> Shown:
    """Show some lines.

    Args:
        place: What `decide` allowed.
        offset: First line, counted from 1.
        limit: Lines, 1 or more.

    Raises:
        ToolFault: If it is no text, or has no such line.
        MemtuiError, OSError: If it can't be opened.
    """
    assert place.base is not None and place.name is not None
    if (place.base / place.name).is_dir():
        raise ToolFault(f"{place.name} is a folder: use Glob to see what is in it")
    with os.fdopen(open_file(place.base, place.name), "rb") as file:
        total = os.fstat(file.fileno()).st_size
        data = file.read(WHOLE + 1)
        whole = len(data) <= WHOLE
        if b"\0" in data[:_PROBE]:
            raise ToolFault(f"{place.name} is not a text file")
        if not data:
            return Shown("(the file is empty)", digest(b""), 1)
        if not whole:
            file.seek(0)
        source: IO[bytes] = io.BytesIO(data) if whole else file
        lines, more = _take(source, offset, limit)
        if not lines:
            count = data.count(b"\n") + (not data.endswith(b"\n"))
            raise ToolFault(f"{place.name} has {count} lines" if whole else f"{place.name} has no line {offset}")
    text = "\n".join(lines)
    if more:
        text += f"\n(more follows: go on with offset {offset + len(lines)}; the file has {size(total)} bytes)"
    return Shown(text, digest(data) if whole else "", offset)


def _take(source: IO[bytes], offset: int, limit: int) -> tuple[list[str], bool]:
    """The lines as they are shown, and whether there are more."""
    lines: list[str] = []
    room = MOST
    for number, (start, length) in enumerate(_lines(source), 1):
        if number < offset:
            continue
        text = start.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
        if number == 1:
            text = text.removeprefix("\ufeff")
        if len(text) > WIDTH or length > len(start):
            text = f"{text[:WIDTH]} … (the line has {size(length)} bytes; Grep shows parts of it)"
        line = f"{number:>6}\t{text}"
        if len(lines) == limit or (lines and len(line) > room):
            return lines, True
        room -= len(line) + 1
        lines.append(line)
    return lines, False


def _lines(source: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Each line's first bytes, and how many it has: a line of a transcript may be larger than memory should be."""
    while start := source.readline(_PART):
        length, part = len(start), start
        while len(part) == _PART and not part.endswith(b"\n"):
            part = source.readline(_PART)
            length += len(part)
        yield start, length
