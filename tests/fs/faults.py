"""A file system in which the n-th call fails, or the world stops there: SQLite's way of testing what a write survives.

Real files are used underneath, but nothing is really synced or waited for: what a sync is good for is tested by
`power.py`. What SQLite writes goes past a `FileSystem`; a commit is one call here, done whole or not at all, since that
is what SQLite promises and tests by itself.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from memtui.fs.filesystem import FileSystem

CALLS = (
    "open", "close", "read", "write", "truncate", "fsync", "chmod", "chown", "utime", "replace", "link", "unlink",
    "mkdir", "rmdir", "lstat", "fstat", "listdir", "flock", "commit",
)  # fmt: skip


class Crash(BaseException):
    """The process is dead: no clean-up of its own runs from here on."""


class FaultFS(FileSystem):
    """Counts its calls and misbehaves at one of them.

    Attributes:
        count: Calls so far.
        fired: Whether the fault happened.
        log: The names of the calls.
        open_fds: Descriptors that were opened and not closed.
    """

    def __init__(self) -> None:
        self.count = 0
        self.fired = False
        self.log: list[str] = []
        self.open_fds: set[int] = set()
        self._at = 0
        self._fault: Callable[[], None] = lambda: None
        self._after = False
        self._dead = False

    def fail_at(self, number: int, code: int) -> None:
        """The call of this number (from 1) raises the error instead of doing anything."""

        def fail() -> None:
            raise OSError(code, os.strerror(code))

        self._at, self._fault = number, fail

    def crash_at(self, number: int, *, after: bool = False) -> None:
        """The world stops before the call of this number, or right after it."""
        self._at, self._fault, self._after = number, self.die, after

    def do_at(self, number: int, operation: Callable[[], None]) -> None:
        """Somebody else does something right before the call of this number."""
        self._at, self._fault = number, operation

    @property
    def where(self) -> str:
        """The call at which the fault was put."""
        return f"call {self._at}, {self.log[self._at - 1] if self.fired else 'never reached'}"

    def die(self) -> None:
        """End as SIGKILL would: descriptors closed (and locks with them), everything else left as it is."""
        self._dead = True
        for fd in self.open_fds:
            with suppress(OSError):
                os.close(fd)
        self.open_fds.clear()
        raise Crash

    def _call(self, name: str, real: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if self._dead:
            if name == "close":  # a dead process has none open; and Python closes what a generator held
                return None
            raise Crash
        self.count += 1
        self.log.append(name)
        now = self.count == self._at
        if now and not self._after:
            self.fired = True
            if name == "close":  # a failed close has closed all the same
                self.open_fds.discard(args[0])
                os.close(args[0])
            self._fault()
            if name == "close":
                return None
        try:
            result = real(*args, **kwargs)
        except OSError:
            if now:
                self.fired = True
                self._fault()
            raise
        if name == "open":
            self.open_fds.add(result)
        elif name == "close":
            self.open_fds.discard(args[0])
        if now and self._after:
            self.fired = True
            self._fault()
        return result

    def fsync(self, fd: int) -> None:
        self._call("fsync", os.fstat, fd)

    def wait(self, seconds: float) -> None:
        if self._dead:
            raise Crash


def _counted(name: str) -> Callable[..., Any]:
    real = getattr(FileSystem, name)

    def call(self: FaultFS, *args: Any, **kwargs: Any) -> Any:
        return self._call(name, lambda *a, **k: real(self, *a, **k), *args, **kwargs)

    return call


for _name in CALLS:
    if _name != "fsync":
        setattr(FaultFS, _name, _counted(_name))


class ShortFS(FaultFS):
    """Every write takes less than it was given, and every third one is interrupted."""

    def write(self, fd: int, data: bytes | memoryview) -> int:
        self.count += 1
        if self.count % 3 == 0:
            raise InterruptedError(errno.EINTR, "interrupted")
        return os.write(fd, data[: max(1, len(data) // 2)])


def upward(make: Callable[[int], FaultFS], limit: int = 2000) -> Iterator[FaultFS]:
    """File systems with the fault at call 1, 2, 3, … until one gets through without meeting it.

    Args:
        make: Gives the file system for a number.
        limit: More calls than any write needs: an endless loop is a failure.
    """
    for number in range(1, limit):
        fs = make(number)
        yield fs
        if not fs.fired:
            assert number > 1, "not a single call was counted"
            return
    raise AssertionError(f"no run was free of faults up to call {limit}")


class Snapshot:
    """A folder as it is now, to be put back as often as wanted, under the same path."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._folders = [path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_dir()]
        self._files = {
            path.relative_to(root): (path.read_bytes(), path.stat().st_mode & 0o777, path.stat().st_mtime_ns)
            for path in root.rglob("*")
            if path.is_file() and not path.is_symlink()
        }

    def put_back(self) -> None:
        """Make the folder what it was, mtimes included; old ones, so that nothing counts as fresh."""
        for path in sorted(self.root.rglob("*"), reverse=True):
            name = path.relative_to(self.root)
            if path.is_dir() and not path.is_symlink():
                if name not in self._folders:
                    path.rmdir()
            elif name not in self._files or path.is_symlink():
                path.unlink()
        for folder in self._folders:
            if not (self.root / folder).is_dir():
                (self.root / folder).mkdir()
        for name, (data, mode, mtime) in self._files.items():
            path = self.root / name
            if not path.exists() or path.read_bytes() != data:
                path.unlink(missing_ok=True)
                path.write_bytes(data)
            info = path.stat()
            if info.st_mode & 0o777 != mode:
                path.chmod(mode)
            if info.st_mtime_ns != mtime:
                os.utime(path, ns=(mtime, mtime))
