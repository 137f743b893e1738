"""Read: numbered lines of a text file.

A line ends at a line feed and nowhere else. A carriage return before it and a byte order mark are not shown: Edit and
Write keep them. What is no UTF-8 shows as U+FFFD.

Edit and Write: files of the stage, changed only as the model knows them.

Both need a Read of the same file in this run, as long as it exists, and the file as it was then: what somebody else
changed meanwhile is never overwritten. Bytes that an edit isn't about stay: byte order mark, line ends, a missing last
line end, bytes that are no UTF-8.

All of it happens in one go, without waiting for anything else: a run that is cancelled has written a file or has not.
"""

import io
import os
import re
from collections.abc import Iterator, MutableMapping
from typing import IO

from msgspec import Struct

from memtui.agent.tools.outcome import ToolFault
from memtui.fs.atomic import FileContent, digest, read_once, replace_at
from memtui.fs.boundary import PathVerdict, open_file, open_parent
from memtui.fs.filesystem import REAL, FileSystem
from memtui.util.text import size

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


class ReadExcerpt(Struct, frozen=True):
    """What is shown of a file; `digest` is that of the whole file, "" if it is too large to be written."""

    text: str
    digest: str
    first: int


def read_lines(place: PathVerdict, offset: int, limit: int) -> ReadExcerpt:
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
            return ReadExcerpt("(the file is empty)", digest(b""), 1)
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
    return ReadExcerpt(text, digest(data) if whole else "", offset)


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


LARGEST = 512 * 1024
"""Bytes of a file that an agent writes."""
_BOM = "\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
Seen = MutableMapping[str, str]
"""Path of each file that the model has seen, with the digest that it had then."""


class FileEdit(Struct, frozen=True):
    """What one Edit asks for."""

    old: str
    new: str
    every: bool = False


def place_key(place: PathVerdict) -> str:
    """The name of a file in `Seen`."""
    return f"{place.base}/{place.name}"


def edit_file(place: PathVerdict, change: FileEdit, seen: Seen, *, fs: FileSystem = REAL) -> str:
    """Replace a text by another.

    Args:
        place: What `decide` allowed.
        seen: Is brought up to date.

    Returns:
        What was done, for the model.

    Raises:
        ToolFault: If the text isn't there, or more than once, or the model doesn't know the file.
        MemtuiError, OSError: If it can't be read or written; nothing changed then.
    """
    assert place.base is not None and place.name is not None
    if not change.old:
        raise ToolFault("old_string is empty: Write makes a new file")
    if change.old == change.new:
        raise ToolFault("old_string and new_string are the same")
    _check(change.old, "old_string")
    _check(change.new, "new_string")
    parent, leaf = open_parent(place.base, place.name, fs=fs)
    try:
        disk = _known(parent, leaf, place, seen, fs)
        if disk is None:
            raise ToolFault(f"there is no {place.name}: Write makes a new file")
        text = disk.data.decode("utf-8", "surrogateescape")
        crlf = _has_crlf(text)
        if crlf:  # as it is shown: every "\n" becomes "\r\n" again
            text = text.replace("\r\n", "\n")
        old, new = _as_there(text, change, crlf=crlf)
        count = text.count(old)
        if count == 0:
            raise ToolFault(f"old_string is not in {place.name}: it must be the file's own text, without line numbers")
        if count > 1 and not change.every:
            raise ToolFault(f"old_string is in {place.name} {count} times: add what stands around it, or replace_all")
        text = text.replace(old, new)
        data = _bytes(text.replace("\n", "\r\n") if crlf else text)
        _put(parent, leaf, data, disk, fs)
    finally:
        fs.close(parent)
    seen[place_key(place)] = digest(data)
    return f"{place.name}: {count} {'place' if count == 1 else 'places'} replaced"


def write_file(place: PathVerdict, content: str, seen: Seen, *, fs: FileSystem = REAL) -> str:
    """Make a new file, or replace one that the model has seen; its byte order mark and line ends are kept.

    Arguments, answer and faults as for `edit_file`.
    """
    assert place.base is not None and place.name is not None
    _check(content, "content")
    data = _bytes(content)
    parent, leaf = open_parent(place.base, place.name, create=True, fs=fs)
    try:
        disk = _known(parent, leaf, place, seen, fs)
        if disk is not None:
            text = disk.data.decode("utf-8", "surrogateescape")
            if text.startswith(_BOM) and not content.startswith(_BOM):
                content = _BOM + content
            data = _bytes(_crlf(content) if _has_crlf(text) else content)
        _put(parent, leaf, data, disk, fs)
    finally:
        fs.close(parent)
    seen[place_key(place)] = digest(data)
    return f"{place.name}: {'written' if disk is None else 'replaced'}, {size(len(data))} bytes"


def _known(parent: int, leaf: str, place: PathVerdict, seen: Seen, fs: FileSystem) -> FileContent | None:
    """The file as it is, `None` if there is none."""
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
    """Refuse what no text file may hold."""
    if "\0" in text:
        raise ToolFault(f"{key} holds a NUL character")
    if not text.isascii() and _SURROGATE.search(text):
        raise ToolFault(f"{key} holds half of a character (a lone surrogate)")


def _bytes(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if len(data) > LARGEST:
        raise ToolFault(f"the file would have {size(len(data))} bytes; {size(LARGEST)} is the most")
    return data


def _as_there(text: str, change: FileEdit, *, crlf: bool) -> tuple[str, str]:
    """Old and new with the line ends of the text that they are for: the model sees none but "\n"."""
    if crlf:
        return change.old.replace("\r\n", "\n"), change.new.replace("\r\n", "\n")
    if change.old not in text and "\n" in change.old:  # a file of both kinds
        return _crlf(change.old), _crlf(change.new)
    return change.old, change.new


def _has_crlf(text: str) -> bool:
    """Whether every line ends in a carriage return and a line feed."""
    ends = text.count("\n")
    return ends > 0 and text.count("\r\n") == ends


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
