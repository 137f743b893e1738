"""Read, Edit and Write.

Read shows numbered lines; a line ends at a line feed and nowhere else. A carriage return before it and a byte order
mark are not shown, but Edit and Write keep them. Invalid UTF-8 is shown as U+FFFD.

Edit and Write need a Read of the same file in this run, unless it is new, and the file as it was then: what somebody
else changed meanwhile is never overwritten. Bytes that an edit doesn't concern stay: byte order mark, line ends, a
missing last line end, invalid UTF-8. A write happens without an await, so a cancelled run has written a file or has
not.
"""

import io
import os
import re
from collections.abc import Iterator, MutableMapping
from typing import IO

from msgspec import Struct

from memtui.agent.tools.outcome import ToolFault
from memtui.fs.atomic import FileContent, digest, read_once, replace_at
from memtui.fs.boundary import PathVerdict, open_file, parent_folder
from memtui.fs.filesystem import REAL, FileSystem
from memtui.util.text import size

MAX_LINES = 2000  # lines of one answer, if the model names no number
MAX_LINE_CHARS = 2000
MAX_EXCERPT_CHARS = 60_000
MAX_WHOLE_BYTES = 8 << 20  # a larger file can be read in pieces, but not written
MAX_WRITE_BYTES = 512 * 1024
_PROBE_BYTES = 8192
_LINE_PART_BYTES = 1 << 20
_BOM = "\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")

SeenDigests = MutableMapping[str, str]  # the path of each file that the model has seen, with its digest at that time


class ReadExcerpt(Struct, frozen=True):
    """What is shown of a file; `digest` is that of the whole file, "" if the file is too large to be written."""

    text: str
    digest: str
    first: int


def read_lines(place: PathVerdict, offset: int, limit: int) -> ReadExcerpt:
    """Show `limit` lines of an allowed text file from line `offset`, counted from 1; else `ToolFault` or `OSError`."""
    assert place.base is not None and place.name is not None
    if (place.base / place.name).is_dir():
        raise ToolFault(f"{place.name} is a folder: use Glob to see what is in it")
    with os.fdopen(open_file(place.base, place.name), "rb") as file:
        total = os.fstat(file.fileno()).st_size
        data = file.read(MAX_WHOLE_BYTES + 1)
        whole = len(data) <= MAX_WHOLE_BYTES
        if b"\0" in data[:_PROBE_BYTES]:
            raise ToolFault(f"{place.name} is not a text file")
        if not data:
            return ReadExcerpt("(the file is empty)", digest(b""), 1)
        if not whole:
            file.seek(0)
        source: IO[bytes] = io.BytesIO(data) if whole else file
        lines, more = _numbered_lines(source, offset, limit)
        if not lines:
            count = data.count(b"\n") + (not data.endswith(b"\n"))
            raise ToolFault(f"{place.name} has {count} lines" if whole else f"{place.name} has no line {offset}")
    text = "\n".join(lines)
    if more:
        text += f"\n(more follows: go on with offset {offset + len(lines)}; the file has {size(total)} bytes)"
    return ReadExcerpt(text, digest(data) if whole else "", offset)


def _numbered_lines(source: IO[bytes], offset: int, limit: int) -> tuple[list[str], bool]:
    lines: list[str] = []
    room = MAX_EXCERPT_CHARS
    for number, (start, length) in enumerate(_lines(source), 1):
        if number < offset:
            continue
        text = start.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
        if number == 1:
            text = text.removeprefix("\ufeff")
        if len(text) > MAX_LINE_CHARS or length > len(start):
            text = f"{text[:MAX_LINE_CHARS]} … (the line has {size(length)} bytes; Grep shows parts of it)"
        line = f"{number:>6}\t{text}"
        if len(lines) == limit or (lines and len(line) > room):
            return lines, True
        room -= len(line) + 1
        lines.append(line)
    return lines, False


def _lines(source: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Each line's beginning and length: a line of a transcript may be too large to hold in memory."""
    while start := source.readline(_LINE_PART_BYTES):
        length, part = len(start), start
        while len(part) == _LINE_PART_BYTES and not part.endswith(b"\n"):
            part = source.readline(_LINE_PART_BYTES)
            length += len(part)
        yield start, length


def place_key(place: PathVerdict) -> str:
    """The name of a file in `SeenDigests`."""
    return f"{place.base}/{place.name}"


def edit_file(
    place: PathVerdict, old: str, new: str, seen: SeenDigests, *, every: bool = False, fs: FileSystem = REAL
) -> str:
    """Replace a text in an allowed file; brings `seen` up to date and returns what was done, for the model.

    Raises `ToolFault` if the text isn't there, or more than once, or the model hasn't seen the file as it is;
    `MemtuiError` or `OSError` if it can't be read or written; nothing changed then.
    """
    assert place.base is not None and place.name is not None
    if not old:
        raise ToolFault("old_string is empty: Write makes a new file")
    if old == new:
        raise ToolFault("old_string and new_string are the same")
    _check(old, "old_string")
    _check(new, "new_string")
    with parent_folder(place.base, place.name, fs=fs) as (parent, leaf):
        disk = _read_known(parent, leaf, place, seen, fs)
        if disk is None:
            raise ToolFault(f"there is no {place.name}: Write makes a new file")
        text = disk.data.decode("utf-8", "surrogateescape")
        crlf = _has_crlf(text)
        if crlf:  # as the model has seen it
            text, old, new = (one.replace("\r\n", "\n") for one in (text, old, new))
        elif old not in text and "\n" in old:  # a file of both kinds
            old, new = _crlf(old), _crlf(new)
        count = text.count(old)
        if count == 0:
            raise ToolFault(f"old_string is not in {place.name}: it must be the file's own text, without line numbers")
        if count > 1 and not every:
            raise ToolFault(f"old_string is in {place.name} {count} times: add what stands around it, or replace_all")
        text = text.replace(old, new)
        data = _bytes(text.replace("\n", "\r\n") if crlf else text)
        _put(parent, leaf, data, disk, fs)
    seen[place_key(place)] = digest(data)
    return f"{place.name}: {count} {'place' if count == 1 else 'places'} replaced"


def write_file(place: PathVerdict, content: str, seen: SeenDigests, *, fs: FileSystem = REAL) -> str:
    """As `edit_file`, but write a new file or replace a whole one; byte order mark and line ends are kept."""
    assert place.base is not None and place.name is not None
    _check(content, "content")
    data = _bytes(content)
    with parent_folder(place.base, place.name, create=True, fs=fs) as (parent, leaf):
        disk = _read_known(parent, leaf, place, seen, fs)
        if disk is not None:
            text = disk.data.decode("utf-8", "surrogateescape")
            if text.startswith(_BOM) and not content.startswith(_BOM):
                content = _BOM + content
            data = _bytes(_crlf(content) if _has_crlf(text) else content)
        _put(parent, leaf, data, disk, fs)
    seen[place_key(place)] = digest(data)
    return f"{place.name}: {'written' if disk is None else 'replaced'}, {size(len(data))} bytes"


def _read_known(parent: int, leaf: str, place: PathVerdict, seen: SeenDigests, fs: FileSystem) -> FileContent | None:
    """Read the file, provided that it is as the model has seen it; `None` if there is none."""
    try:
        disk = read_once(leaf, dir_fd=parent, fs=fs)
    except FileNotFoundError:
        return None
    before = seen.get(place_key(place))
    if before is None:
        raise ToolFault(f"read {place.name} first")
    if before != disk.digest:
        raise ToolFault(f"{place.name} was changed by somebody else since you read it: read it again")
    return disk


def _put(parent: int, leaf: str, data: bytes, disk: FileContent | None, fs: FileSystem) -> None:
    if disk is None:
        mode, owner = fs.fstat(parent).st_mode & 0o666, None  # a new file is as open as its folder
    else:
        mode, owner = disk.mode, (disk.info.st_uid, disk.info.st_gid)
    replace_at(parent, leaf, data, fs=fs, mode=mode, owner=owner)


def _check(text: str, key: str) -> None:
    if "\0" in text:
        raise ToolFault(f"{key} holds a NUL character")
    if not text.isascii() and _SURROGATE.search(text):
        raise ToolFault(f"{key} holds half of a character (a lone surrogate)")


def _bytes(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if len(data) > MAX_WRITE_BYTES:
        raise ToolFault(f"the file would have {size(len(data))} bytes; {size(MAX_WRITE_BYTES)} is the most")
    return data


def _has_crlf(text: str) -> bool:
    """Whether every line ends in a carriage return and a line feed."""
    ends = text.count("\n")
    return ends > 0 and text.count("\r\n") == ends


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
