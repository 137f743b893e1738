"""One file of a memory folder, read without changing it and without ever failing.

The short read takes the first 16 KiB, more than the agent's own scan can see; the full read adds the digest, the links
and what only the whole text can tell. A file that can't be edited safely is listed too, with the reason in `readonly`.
"""

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memtui.fs.links import link_target, why_not_written, why_unreadable
from memtui.memory.frontmatter import MAX_BLOCK_BYTES, Frontmatter, FrontmatterNote, read_frontmatter
from memtui.memory.markdown import Link, find_links, headings
from memtui.util.hashing import sha256
from memtui.util.text import nfc

FileKind = Literal["index", "topic", "log", "instruction", "other"]

MAX_FILE_BYTES = 1_000_000  # a larger file opens read only
MAX_INDEX_BYTES = 4 << 20  # the agent client loads nothing of a larger index
MAX_SLUG_CHARS = 60
_TITLE = re.compile(r"^# +(\S.*?)[ \t#]*$", re.MULTILINE)
_NOT_IN_WORDS = re.compile(r"[^\w]+|_+")
_LONE_LF = re.compile(r"(?<!\r)\n")
_LONE_CR = re.compile(r"\r(?!\n)")
# Reading leaves the access time alone; only a file's owner may ask for that, anybody else gets EPERM.
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_NOATIME = getattr(os, "O_NOATIME", 0)


class MemoryFile(Struct, frozen=True):
    """A file as the folder held it at one moment; of a link, size, time and text are the target's."""

    scope: str
    path: Path
    name: str  # posix and relative to the scope's root
    kind: FileKind
    size: int  # in bytes
    mtime_ns: int
    digest: str | None  # None before the full read, as the links
    front: Frontmatter
    title: str  # the name field, else the first heading, else the file's name
    description: str | None
    type: str | None
    scanned: bool  # among the newest 200 that the agent scans
    readonly: str | None  # why it can't be edited as it is
    links: tuple[Link, ...] | None
    lies_at: Path | None = None  # where it leads if it is a link

    @property
    def is_unread(self) -> bool:
        """Whether it wasn't even opened; `readonly` says why."""
        return any(note.code == "unread" for note in self.front.problems)

    @property
    def modified(self) -> float:
        """Time of the last change, seconds since 1970."""
        return self.mtime_ns / 1e9

    @property
    def entry_title(self) -> str:
        """A title for an index entry: the name field, a heading, or the file name in words."""
        stem = stem_of(self.name)
        return self.title if self.title != stem else _NOT_IN_WORDS.sub(" ", stem).strip() or self.name


def file_name(type: str, name: str) -> str:
    """The file name of a new topic, in any language: its type and name in lower case, `feedback_testing_rules.md`."""
    words = _NOT_IN_WORDS.sub("_", nfc(name.removesuffix(".md")).lower()).strip("_")
    words = words[:MAX_SLUG_CHARS].rstrip("_")
    if words == type or words.startswith(f"{type}_"):
        words = words[len(type) :].lstrip("_")
    return f"{type}_{words}.md" if words else f"{type}.md"


def stem_of(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".md")


def read_file(
    scope: str, path: Path | str, name: str, kind: FileKind, status: os.stat_result, *, full: bool,
    own: Sequence[Path] = (),
) -> tuple[MemoryFile, bytes]:  # fmt: skip
    """Read one file, through a link as the client does, and return it with the bytes read, if any; never raises."""
    where = os.fspath(path)
    lies_at, not_written = None, ""
    if stat.S_ISLNK(status.st_mode):
        lies_at, reason = link_target(Path(where)), why_unreadable(Path(where))
        if lies_at is None or reason:
            return _unread_file(scope, where, name, kind, status, reason or "can't be read"), b""
        try:
            status, not_written = lies_at.stat(), why_not_written(Path(where), own)
        except OSError as error:
            return _unread_file(scope, where, name, kind, status, f"can't be read: {error.strerror}"), b""
    if not stat.S_ISREG(status.st_mode):
        what = "a folder, not a file" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        return _unread_file(scope, where, name, kind, status, what), b""
    limit = (MAX_INDEX_BYTES if kind == "index" else MAX_FILE_BYTES) if full else MAX_BLOCK_BYTES
    try:
        data = read_bytes(where, min(limit, status.st_size) if status.st_size else 0)
    except OSError as error:
        return _unread_file(scope, where, name, kind, status, f"can't be read: {error.strerror}"), b""
    text, readonly = _text(data, status.st_size)
    if text is not None and len(data) <= MAX_BLOCK_BYTES:
        front = read_frontmatter(text)
    else:
        front = read_frontmatter(data[:MAX_BLOCK_BYTES], partial=True)
    digest, links = None, None
    if full and len(data) >= status.st_size:
        digest = sha256(data).hexdigest()
        # A file that isn't UTF-8 is shown with replacement characters, and its links work.
        shown = data.decode("utf-8", "replace") if text is None else text
        links = tuple(find_links(shown)) if b"[" in data else ()
    file = MemoryFile(
        scope, Path(path), name, kind, status.st_size, status.st_mtime_ns, digest, front,
        front.name or _title(front, text or "", name), front.description, front.type, False,
        readonly or not_written or None, links, lies_at,
    )  # fmt: skip
    return file, data


def read_bytes(path: str | Path, limit: int) -> bytes:
    """Up to `limit` bytes of a file, its access time left alone where the system lets us; may raise `OSError`."""
    try:
        handle = os.open(path, _FLAGS | _NOATIME)
    except PermissionError:
        if not _NOATIME:
            raise
        handle = os.open(path, _FLAGS)
    with open(handle, "rb") as file:  # noqa: PTH123  pathlib opens no descriptor
        return file.read(limit)


def _text(data: bytes, size: int) -> tuple[str | None, str | None]:
    """The text of a file or its head, None if it is none, and why it opens read only."""
    reason = f"{size / 1e6:.1f} MB, more than 1 MB" if size > MAX_FILE_BYTES else None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(data) == size or error.start < len(data) - 3 or error.reason != "unexpected end of data":
            nul = "binary: holds NUL bytes" if b"\0" in data else None
            return None, reason or nul or f"not UTF-8 (byte {error.start})"
        text = data[: error.start].decode("utf-8")
    if "\0" in text:
        return text, reason or "binary: holds NUL bytes"
    if "\r" in text:
        tail = text.removesuffix("\r") if len(data) < size else text
        if _LONE_CR.search(tail) is not None or ("\r\n" in tail and _LONE_LF.search(tail) is not None):
            return text, reason or "mixed line ends"
    return text, reason


def _title(front: Frontmatter, text: str, name: str) -> str:
    """The first heading, if it stands on the first pages, else the file's name."""
    match = _TITLE.search(text, front.body_start, MAX_BLOCK_BYTES) if front.verdict != "invalid" else None
    if match is None:
        return stem_of(name)
    if "```" not in text[: match.start()] and "~~~" not in text[: match.start()]:
        return match[1].strip()
    return next((one.text for one in headings(text[:MAX_BLOCK_BYTES]) if one.level == 1), "") or stem_of(name)


def _unread_file(scope: str, path: str, name: str, kind: FileKind, status: os.stat_result, reason: str) -> MemoryFile:
    front = Frontmatter("invalid", problems=(FrontmatterNote(None, "unread", reason),))
    return MemoryFile(
        scope, Path(path), name, kind, status.st_size, status.st_mtime_ns, None, front,
        stem_of(name), None, None, False, reason, None,
    )  # fmt: skip
