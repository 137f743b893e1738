"""The lock file: what it says now, and its exact earlier state for putting it back. Links are never followed."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memtui.client.paths import LOCK_NAME
from memtui.fs.atomic import temp_name, write_temp
from memtui.fs.filesystem import FileSystem
from memtui.util.errors import Refused
from memtui.util.process import ProcessIdentity, is_alive

LOCK_EXPIRY_S = 3600  # age from which a lock counts as left behind, whoever holds it
MAX_RESTORED_BYTES = 1 << 20  # size up to which a lock can be put back; a larger file is no lock
MAX_CLOCK_SKEW_S = 300  # how far ahead of ours another machine's clock may be

_PID = re.compile(rb"[1-9][0-9]{0,9}")
_MAX_PID_BYTES = 64


class LockState(Struct, frozen=True):
    """What the lock says at one look; "odd" has no PID, "foreign" is no small file; a time in the future is none."""

    path: Path
    kind: Literal["none", "pid", "odd", "foreign", "unreadable"]
    at: float | None = None  # its mtime, `None` for "none" and "unreadable"
    pid: int | None = None
    link: bool = False  # a symbolic link, which could be taken over
    gone: bool = False  # the journal knows that the holder is done, whatever process has that PID now

    def is_in_future(self, now: float) -> bool:
        """Whether its mtime lies further ahead than clocks differ."""
        return self.at is not None and self.at > now + MAX_CLOCK_SKEW_S

    def last(self, now: float) -> float | None:
        """When the last consolidation succeeded, or a running one began; `None` for never or unknown."""
        return None if self.at is None or self.is_in_future(now) else min(self.at, now)

    def since(self, now: float) -> float | None:
        last = self.last(now)
        return None if last is None else now - last

    @property
    def holder_is_alive(self) -> bool:
        """Whether the named process still runs, looked up in the process table; nothing is sent to it."""
        return self.pid is not None and not self.gone and is_alive(ProcessIdentity(self.pid))


class PriorLock(Struct, frozen=True):
    """What was in the lock's place: nothing, a file, or a symbolic link whose target is `data`."""

    kind: Literal["none", "file", "link"]
    data: bytes = b""
    mtime_ns: int = 0
    mode: int = 0o600


def read_lock(folder: Path) -> LockState:
    """Read the lock of a memory folder; time and content are of the same open file."""
    path = folder / LOCK_NAME
    try:
        # O_NONBLOCK: opening a pipe would otherwise block until someone writes to it.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return LockState(path, "none")
    except OSError:
        return _state_without_opening(path)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_RESTORED_BYTES:
            return LockState(path, "foreign", info.st_mtime)
        text = os.read(fd, _MAX_PID_BYTES + 1).strip()
    except OSError:
        return LockState(path, "unreadable")
    finally:
        os.close(fd)
    pid = parse_lock_pid(text)
    return LockState(path, "odd" if pid is None else "pid", info.st_mtime, pid)


def parse_lock_pid(text: bytes) -> int | None:
    return int(text) if _PID.fullmatch(text) is not None else None


def _state_without_opening(path: Path) -> LockState:
    """The state of a link, or of a lock that may not be opened: only its time is known."""
    try:
        info = path.lstat()
    except OSError:
        return LockState(path, "unreadable")
    is_odd = stat.S_ISREG(info.st_mode) and info.st_size <= MAX_RESTORED_BYTES
    kind: Literal["odd", "foreign"] = "odd" if is_odd else "foreign"
    return LockState(path, kind, info.st_mtime, link=stat.S_ISLNK(info.st_mode))


@contextmanager
def folder_keeping_mtime(folder: Path, fs: FileSystem) -> Iterator[int]:
    """Open the memory folder; sync it afterwards and restore its mtime: taking a lock is no change of memory."""
    fd = fs.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        mtime_ns = fs.fstat(fd).st_mtime_ns
        yield fd
        with suppress(PermissionError):  # only the owner may set a folder's time
            fs.utime(fd, mtime_ns)
        fs.fsync(fd)
    finally:
        fs.close(fd)


def read_prior_lock(folder: Path, fs: FileSystem) -> PriorLock:
    """Read all that is needed to put the lock back later; raises `Refused` for what can't be put back."""
    path = folder / LOCK_NAME
    try:
        info = fs.lstat(path)
        if stat.S_ISLNK(info.st_mode):
            return PriorLock("link", os.fsencode(path.readlink()), info.st_mtime_ns)
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_RESTORED_BYTES:
            raise Refused(f"{path} can't be a lock", hint="memtui kill --clear-stale-lock removes it")
        fd = fs.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return PriorLock("none")
    try:
        info = fs.fstat(fd)
        data = b""
        while part := fs.read(fd, MAX_RESTORED_BYTES):
            data += part
        return PriorLock("file", data, info.st_mtime_ns, stat.S_IMODE(info.st_mode) & 0o777)
    finally:
        fs.close(fd)


def restore_prior_lock(folder_fd: int, prior: PriorLock, fs: FileSystem) -> None:
    """Put the lock back with its mtime, in one rename, so that no other state is ever visible."""
    if prior.kind == "none":
        fs.unlink(LOCK_NAME, dir_fd=folder_fd)
        return
    if prior.kind == "link":
        temp = temp_name(LOCK_NAME)
        os.symlink(prior.data, os.fsencode(temp), dir_fd=folder_fd)
        os.utime(temp, ns=(prior.mtime_ns, prior.mtime_ns), dir_fd=folder_fd, follow_symlinks=False)
    else:
        temp = write_temp(folder_fd, LOCK_NAME, prior.data, fs=fs, mode=prior.mode)
        fd = fs.open(temp, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder_fd)
        try:
            fs.utime(fd, prior.mtime_ns)
        finally:
            fs.close(fd)
    try:
        fs.replace(temp, LOCK_NAME, dir_fd=folder_fd)
    except BaseException:
        with suppress(OSError):
            fs.unlink(temp, dir_fd=folder_fd)
        raise
