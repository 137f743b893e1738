"""What memtui knows of the files in a folder without reading them again, and which of them a person has not looked at.

The ledger holds a stamp and git's name of the bytes for each file, so that finding out that nothing changed from
outside costs one `stat` a file and no import. A stamp is trusted only if it was old when it was taken: a file that
changes within the same clock tick has the same stamp (git calls such an entry "racy").

Source: SAFETY.md F11, F12, F36.
"""

import json
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, field

from memtui.fs.atomic import (
    REREAD_INTERVAL_S,
    FileContent,
    FileStamp,
    clear_temps,
    is_temp,
    make_folders,
    read_once,
    replace_file,
)
from memtui.fs.boundary import MAX_FOLDER_DEPTH, open_parent
from memtui.fs.filesystem import REAL, FileSystem
from memtui.history.database import blob_id
from memtui.util.errors import MemtuiError

MAX_SIZE = 8 << 20
"""Bytes: what is larger is no memory and isn't recorded; the agent client skips instructions above 4 MiB."""

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class FolderSnapshot(Struct):
    """The last look at a folder.

    `head` is the version that the folder agreed with, `at` the time of the look in seconds, `files` name to stamp and
    blob.
    """

    head: str | None = None
    at: float = 0.0
    files: dict[str, tuple[FileStamp, str]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> "FolderSnapshot | None":
        """The ledger of an earlier look; `None` if there is none that can be used."""
        try:
            entry = json.loads(path.read_bytes())
            files = {name: (FileStamp(*stamp), str(blob)) for name, (stamp, blob) in entry["files"].items()}
            return cls(entry["head"], float(entry["at"]), files)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def save(self, path: Path, fs: FileSystem = REAL) -> None:
        """Write it down. Losing it costs one slow look."""
        files = {
            name: [[stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode], blob]
            for name, (stamp, blob) in self.files.items()
        }
        data = json.dumps({"head": self.head, "at": self.at, "files": files}, separators=(",", ":"))
        make_folders(path.parent, fs=fs)
        replace_file(path, data.encode("ascii"), fs=fs)

    def known(self, name: str, stamp: FileStamp) -> str | None:
        """The blob of a file that surely has not changed since the look."""
        entry = self.files.get(name)
        return entry[1] if entry is not None and entry[0] == stamp and stamp.settled(self.at) else None


def scan(root: Path, only: Collection[str] | None, fs: FileSystem = REAL) -> dict[str, FileStamp]:
    """The files that a store looks after, with their stamps; nothing is read, no link followed.

    Args:
        root: The folder. If it is gone, there are none.
        only: The exact names, for a store of single files; else all `.md` files that aren't hidden.
    """
    found: dict[str, FileStamp] = {}
    if only is not None:
        for name in only:
            with suppress(OSError, MemtuiError):
                parent, leaf = open_parent(root, name, fs=fs)
                try:
                    info = fs.lstat(leaf, dir_fd=parent)
                finally:
                    fs.close(parent)
                if stat.S_ISREG(info.st_mode):
                    found[name] = FileStamp.of(info)
        return found
    for above, _, entries in walk(root, fs):
        for entry in entries:
            if not entry.name.endswith(".md") or not entry.is_file(follow_symlinks=False):
                continue
            with suppress(OSError):  # gone between the listing and the look
                found[above + entry.name] = FileStamp.of(entry.stat(follow_symlinks=False))
    return found


def walk(
    root: Path, fs: FileSystem = REAL, *, hidden: bool = False
) -> Iterator[tuple[str, int, list[os.DirEntry[str]]]]:
    """The folders below `root`, each with the lead of its names, open, and its entries; no link is followed.

    Args:
        hidden: Whether entries whose name starts with a dot are among them; hidden folders are never entered.
    """
    try:
        top = fs.open(root, _FLAGS)
    except (FileNotFoundError, NotADirectoryError):  # the latter also for a link
        return
    waiting = [("", top)]
    try:
        while waiting:
            above, fd = waiting.pop()
            try:
                with os.scandir(fd) as listing:
                    entries = [entry for entry in listing if hidden or not entry.name.startswith(".")]
                    for entry in entries:
                        if (
                            above.count("/") < MAX_FOLDER_DEPTH
                            and not entry.name.startswith(".")
                            and entry.is_dir(follow_symlinks=False)
                        ):
                            with suppress(OSError):  # swapped for a link, gone, or not ours to enter
                                waiting.append((f"{above}{entry.name}/", fs.open(entry.name, _FLAGS, dir_fd=fd)))
                    yield above, fd, entries
            finally:
                fs.close(fd)
    finally:
        for _, fd in waiting:
            fs.close(fd)


def clear_folder(root: Path, only: Collection[str] | None, fs: FileSystem = REAL, *, own: bool) -> list[str]:
    """Remove the temporary files that dead processes left; what can't be removed stays, without a fault.

    Args:
        only: For a store of single files: just their folders. Else all below `root`.
        own: Also those of this process; needs the store's lock.
    """
    removed: list[str] = []
    if only is not None:
        for name in {name.rpartition("/")[0] + "/x": None for name in only}:
            with suppress(OSError, MemtuiError):
                parent, _ = open_parent(root, name.removeprefix("/"), fs=fs)
                try:
                    removed += clear_temps(parent, fs=fs, own=own)
                finally:
                    fs.close(parent)
        return removed
    for above, fd, entries in walk(root, fs, hidden=True):
        names = [entry.name for entry in entries if is_temp(entry.name)]
        with suppress(OSError):  # a folder that may only be read
            removed += [above + name for name in clear_temps(fd, fs=fs, names=names, own=own)]
    return removed


def read_settled(
    root: Path, names: Iterable[str], known: Mapping[str, str], fs: FileSystem = REAL
) -> dict[str, FileContent]:
    """Read many files, none of them half-written; what is fresh is read twice, all of it with one pause.

    Args:
        known: Name to the blob that is whole for sure, so that once is enough.

    Returns:
        What could be read and came to rest; the rest is left for the next look.
    """
    done: dict[str, FileContent] = {}
    fresh: dict[str, FileContent] = {}
    for name in names:
        content = _read(root, name, fs)
        if content is None:
            continue
        whole = not content.stamp.fresh(fs.now()) or blob_id(content.data) == known.get(name)
        (done if whole else fresh)[name] = content
    for _ in range(50):
        if not fresh:
            break
        fs.wait(REREAD_INTERVAL_S)
        for name, before in list(fresh.items()):
            again = _read(root, name, fs)
            if again is None:
                del fresh[name]
            elif again.digest == before.digest:
                done[name] = again
                del fresh[name]
            else:
                fresh[name] = again
    return done


def _read(root: Path, name: str, fs: FileSystem) -> FileContent | None:
    try:
        parent, leaf = open_parent(root, name, fs=fs)
        try:
            return read_once(leaf, fs=fs, dir_fd=parent)
        finally:
            fs.close(parent)
    except (OSError, MemtuiError):
        return None  # gone, a link by now, or not ours to read: the next look tells


class Unseen:
    """Which files somebody else changed since a person looked at them (SAFETY.md F36).

    Args:
        path: Where it is written down; name to the digest of the bytes nobody has looked at.
    """

    def __init__(self, path: Path, fs: FileSystem = REAL) -> None:
        self._path = path
        self._fs = fs

    def load(self) -> dict[str, str]:
        """Name to digest."""
        try:
            entry = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return {str(name): str(digest) for name, digest in entry.items()} if isinstance(entry, dict) else {}

    def change(self, add: Mapping[str, str], drop: Iterable[str]) -> None:
        """Mark some files and unmark others. Needs the store's lock."""
        before = self.load()
        after = {name: digest for name, digest in before.items() if name not in set(drop)} | dict(add)
        if after != before:
            replace_file(self._path, json.dumps(after).encode("ascii"), fs=self._fs)
