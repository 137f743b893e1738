"""What a power cut may leave behind: ALICE's way of testing what a write relies on.

Operations run on real files and are recorded. For any moment one can then ask for the states that the disk may be in:
content that was not synced may be there, cut off, or missing; names in a folder that was not synced may be there or
not, in any combination. Nothing else is promised by POSIX.

What SQLite writes goes past a `FileSystem`. A commit is one event here: a durable one is on the disk when it ends; of
one that is not, the database afterwards is as it was before or after it, never in between. That is what SQLite
promises of a database with a write-ahead log, and tests by itself.

Source: Pillai et al., OSDI 2014.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path
from typing import Any

from memtui.fs.filesystem import FileSystem

MOST = 6
"""Pending names of which every subset is tried (64); of more, only those that lack one or two, or have one or two."""


@dataclass
class Inode:
    """A file: what it holds, and what of that is surely on the disk."""

    data: bytes = b""
    synced: bytes | None = None
    mode: int = 0o600


@dataclass(frozen=True, eq=False)
class Name:
    """A change of one folder: names given (to an inode, or `None` for a folder) and names taken."""

    folder: str
    give: tuple[str, Inode | None] | None = None
    take: str | None = None

    @property
    def touched(self) -> str:
        """The name that this is about."""
        return self.give[0] if self.give is not None else self.take or ""


@dataclass
class Disk:
    """A state of the disk that can be put in place for real."""

    files: dict[str, bytes]
    folders: set[str] = field(default_factory=set)

    def key(self) -> tuple[frozenset[tuple[str, bytes]], frozenset[str]]:
        return frozenset(self.files.items()), frozenset(self.folders)

    def put(self, root: Path) -> None:
        """Make `root` look like this. Everything else in it goes."""
        for path in sorted(root.rglob("*"), reverse=True):
            name = path.relative_to(root).as_posix()
            if path.is_dir():
                if name not in self.folders:
                    path.rmdir()
            elif name not in self.files or path.read_bytes() != self.files[name]:
                path.unlink()
        for name in sorted(self.folders):
            (root / name).mkdir(parents=True, exist_ok=True)
        for name, data in self.files.items():
            if not (root / name).exists():
                (root / name).write_bytes(data)
            os.utime(root / name, (1000, 1000))


class PowerFS(FileSystem):
    """Records what is done below `root`, and answers what a power cut at this moment may leave.

    Args:
        noise: Says of a name whether its state is beside the point: all of it counts as on the disk.
        together: Says of a name whether it is one of many of a kind, of which either all reach the disk or none: a
            bound on how many states there are.

    Attributes:
        states: What was done, and a state that was possible after it; each state once.
    """

    def __init__(
        self,
        root: Path,
        *,
        noise: Callable[[str], bool] = lambda name: False,
        together: Callable[[str], bool] = lambda name: False,
    ) -> None:
        self.root = root
        self.noise = noise
        self.together = together
        self.inodes: dict[str, Inode] = {}
        self.folders: set[str] = set()
        self.pending: list[Name] = []
        self.base: dict[str, Inode | None] = {}
        self.paths: dict[int, str] = {}
        self.of_fd: dict[int, Inode] = {}
        self.seen: set[Any] = set()
        self.states: list[tuple[str, Disk]] = []
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.is_dir():
                self.base[name] = None
            else:
                self.base[name] = Inode(path.read_bytes(), path.read_bytes())
                self.inodes[name] = self.base[name]  # type: ignore[assignment]

    def _name(self, path: str | Path, dir_fd: int | None) -> str:
        if dir_fd is not None and not Path(path).is_absolute():
            return f"{self.paths[dir_fd]}/{path}".removeprefix("./").replace("/./", "/")
        return os.path.relpath(path, self.root)

    @staticmethod
    def _folder(name: str) -> str:
        return name.rpartition("/")[0] or "."

    def _record(self, what: str) -> None:
        for disk in self.possible():
            key = disk.key()
            if key not in self.seen:
                self.seen.add(key)
                self.states.append((what, disk))

    def possible(self) -> Iterator[Disk]:
        """The states that the disk may be in at this moment."""
        unsynced = {
            id(inode): inode
            for name, inode in self.inodes.items()
            if inode.data != inode.synced and not self.noise(name)
        }
        contents: list[dict[int, bytes]] = []
        for choice in ("old", "half", "new") if unsynced else ("new",):
            contents.append({key: self._content(inode, choice) for key, inode in unsynced.items()})
        for names, content in product(self._subsets(), contents):
            yield self._build(names, content)

    @staticmethod
    def _content(inode: Inode, choice: str) -> bytes:
        if choice == "new":
            return inode.data
        kept = inode.synced or b""
        if choice == "old" or kept.startswith(b"SQLite format 3"):
            return kept
        if not inode.data.startswith(kept):
            return inode.data[: len(inode.data) // 2]
        return inode.data[: (len(kept) + len(inode.data)) // 2]  # what was appended to is not lost

    def _subsets(self) -> Iterator[tuple[Name, ...]]:
        noise = {change for change in self.pending if self.noise(change.touched)}
        many = {change for change in self.pending if self.together(change.touched)} - noise
        alone = [change for change in self.pending if change not in noise | many]
        for some, group in product(self._some(alone), (set(), many) if many else (set(),)):
            yield tuple(change for change in self.pending if change in noise | group or change in some)

    @staticmethod
    def _some(pending: list[Name]) -> Iterator[tuple[Name, ...]]:
        if len(pending) <= MOST:
            sizes = range(len(pending) + 1)
            for size in sizes:
                yield from combinations(pending, size)
            return
        for size in (0, 1, 2, len(pending) - 2, len(pending) - 1, len(pending)):
            yield from combinations(pending, size)

    def _build(self, names: tuple[Name, ...], content: dict[int, bytes]) -> Disk:
        entries = dict(self.base)
        for name in names:
            if name.take is not None:
                entries.pop(name.take, None)
            if name.give is not None:
                entries[name.give[0]] = name.give[1]
        disk = Disk({})
        for name in sorted(name for name, inode in entries.items() if inode is None):
            if self._folder(name) in (".", *disk.folders):  # what is in a folder that isn't there isn't, either
                disk.folders.add(name)
        for path, inode in entries.items():
            above = self._folder(path)
            if inode is not None and (above == "." or above in disk.folders):
                disk.files[path] = content.get(id(inode), inode.data)
        return disk

    def open(self, path: str | Path, flags: int, mode: int = 0o600, *, dir_fd: int | None = None) -> int:
        fd = super().open(path, flags, mode, dir_fd=dir_fd)
        name = self._name(path, dir_fd)
        self.paths[fd] = name
        self.of_fd.pop(fd, None)
        if flags & os.O_CREAT and name not in self.inodes:
            self.inodes[name] = Inode()
            self.pending.append(Name(self._folder(name), give=(name, self.inodes[name])))
            self._record(f"create {name}")
        if name in self.inodes:
            self.of_fd[fd] = self.inodes[name]
        return fd

    def write(self, fd: int, data: bytes | memoryview) -> int:
        done = super().write(fd, data)
        name = self.paths[fd]
        at = os.lseek(fd, 0, os.SEEK_CUR)
        inode = self.of_fd[fd]
        inode.data = inode.data[: at - done] + bytes(data[:done]) + inode.data[at:]
        self._record(f"write {name}")
        return done

    def truncate(self, fd: int, size: int) -> None:
        super().truncate(fd, size)
        self.of_fd[fd].data = self.of_fd[fd].data[:size]
        self._record(f"truncate {self.paths[fd]}")

    def fsync(self, fd: int) -> None:
        name = self.paths[fd]
        if fd in self.of_fd:
            self.of_fd[fd].synced = self.of_fd[fd].data
        else:
            for change in [change for change in self.pending if change.folder == name]:
                self.pending.remove(change)
                if change.take is not None:
                    self.base.pop(change.take, None)
                if change.give is not None:
                    self.base[change.give[0]] = change.give[1]
        self._record(f"fsync {name}")

    def replace(self, source: str | Path, target: str | Path, *, dir_fd: int | None = None) -> None:
        super().replace(source, target, dir_fd=dir_fd)
        old, new = self._name(source, dir_fd), self._name(target, dir_fd)
        inode = self.inodes.pop(old)
        self.inodes[new] = inode
        if self._folder(old) == self._folder(new):
            self.pending.append(Name(self._folder(new), give=(new, inode), take=old))
        else:
            self.pending.append(Name(self._folder(new), give=(new, inode)))
            self.pending.append(Name(self._folder(old), take=old))
        self._record(f"rename {old} {new}")

    def link(self, source: str | Path, target: str | Path, *, dir_fd: int | None = None) -> None:
        super().link(source, target, dir_fd=dir_fd)
        name = self._name(target, dir_fd)
        self.inodes[name] = self.inodes[self._name(source, dir_fd)]
        self.pending.append(Name(self._folder(name), give=(name, self.inodes[name])))
        self._record(f"link {name}")

    def unlink(self, path: str | Path, *, dir_fd: int | None = None) -> None:
        super().unlink(path, dir_fd=dir_fd)
        name = self._name(path, dir_fd)
        self.inodes.pop(name, None)
        self.pending.append(Name(self._folder(name), take=name))
        self._record(f"unlink {name}")

    def mkdir(self, path: str | Path, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        super().mkdir(path, mode, dir_fd=dir_fd)
        name = self._name(path, dir_fd)
        self.pending.append(Name(self._folder(name), give=(name, None)))
        self._record(f"mkdir {name}")

    def rmdir(self, path: str | Path, *, dir_fd: int | None = None) -> None:
        super().rmdir(path, dir_fd=dir_fd)
        name = self._name(path, dir_fd)
        self.pending.append(Name(self._folder(name), take=name))
        self._record(f"rmdir {name}")

    def commit(self, database: Path, commit: Callable[[], object], *, durable: bool) -> None:
        super().commit(database, commit, durable=durable)
        name = self._name(database, None)
        reader = sqlite3.connect(database)
        data = reader.serialize()
        reader.close()
        inode = self.inodes.setdefault(name, Inode())
        self.base[name] = inode
        inode.data = data
        if durable:
            inode.synced = data
        self._record(f"commit {name}")

    def wait(self, seconds: float) -> None:
        return None
