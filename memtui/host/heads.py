"""The first and the last part of a transcript: enough for a list, whatever the file's size."""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from memtui.base.record import Record

PART = 1 << 16
"""Bytes of the head and of the tail, as the agent client's own list reads them."""

SESSION = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\.jsonl")
"""The file name of a session; other names are sub-agents and foreign files."""


class SessionFile(Record):
    """A session's file as the folder lists it; `place` is its path as text: thousands are listed, few are opened."""

    place: str
    modified: float
    size: int
    inode: int = 0

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.place)

    @property
    def id(self) -> str:
        """The session's identity: the stem of the file's name, whatever its records say."""
        return session_id(self.place)


def session_id(place: str) -> str:
    """The identity of the session in a file."""
    return place.rpartition("/")[2].removesuffix(".jsonl")


def session_files(folder: Path) -> list[SessionFile]:
    """The sessions of a project folder, newest first; a folder that can't be read has none."""
    files = map(SessionFile._make, files_of([folder]))
    return sorted(files, key=lambda file: (-file.modified, file.place))


Listed = tuple[str, float, int, int]
"""What a `SessionFile` is made of, for somebody who looks at thousands."""


def files_of(folders: Iterable[Path]) -> list[Listed]:
    """The sessions of some project folders in no order."""
    found: list[Listed] = []
    for folder in folders:
        found += _files_in(f"{folder}/")
    return found


def _files_in(base: str) -> list[Listed]:
    found: list[Listed] = []
    try:
        descriptor = os.open(base, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return found
    try:
        # A name that is looked up in an open folder costs half of what its whole path does.
        for name in filter(SESSION.fullmatch, os.listdir(descriptor)):  # noqa: PTH208 - pathlib knows no open folders
            try:
                known = os.stat(name, dir_fd=descriptor)
            except OSError:
                continue
            if stat.S_ISREG(known.st_mode):
                found.append((base + name, known.st_mtime, known.st_size, known.st_ino))
    except OSError:
        return found
    finally:
        os.close(descriptor)
    return found


def read_part(place: str, at: int = 0, size: int = PART) -> bytes:
    """At most `size` bytes of a file from an offset; b"" if it can't be read."""
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(descriptor, size, at)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def head_and_tail(file: SessionFile) -> tuple[list[bytes], list[bytes]]:
    """The lines of the first and of the last 64 KiB; the tail is empty where the head holds the whole file.

    A line that a border cuts is left out of the tail, and kept as it is, last, in the head.
    """
    head = read_part(file.place)
    lines = head.split(b"\n")
    if file.size <= len(head):
        return lines, []
    at = max(file.size - PART - 1, 0)
    return lines, read_part(file.place, at, PART + 1).split(b"\n")[1:]


def records(lines: list[bytes], *words: bytes) -> Iterator[dict[str, object]]:
    """The lines that are JSON objects, of those that hold one of the words (all lines if there is none)."""
    import json  # a list of thousands asks for no record

    for line in lines:
        if words and not any(word in line for word in words):
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record
