"""The lock as a file: looked at so that it can be put back, and put back. No link is followed."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memtui.client.paths import LOCK
from memtui.dream.lock.journal import PriorLock
from memtui.fs.atomic import temp_name, write_temp
from memtui.fs.filesystem import FileSystem
from memtui.util.errors import Refused

MAX_RESTORED_BYTES = 1 << 20
"""Bytes of a lock that we could put back; what is larger is no lock."""


@contextmanager
def open_folder(folder: Path, fs: FileSystem) -> Iterator[int]:
    """The folder, open; at the end synced and with its own mtime as before: a lock's coming and going is no change."""
    fd = fs.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        mtime_ns = fs.fstat(fd).st_mtime_ns
        yield fd
        with suppress(PermissionError):  # a folder that somebody else owns keeps its new time
            fs.utime(fd, mtime_ns)
        fs.fsync(fd)
    finally:
        fs.close(fd)


def read_prior_lock(folder: Path, fs: FileSystem) -> PriorLock:
    """What is in the lock's place, whole, so that it can be put back.

    Raises:
        Refused: If it is something that can't be put back.
    """
    path = folder / LOCK
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


def restore_prior_lock(fd: int, before: PriorLock, fs: FileSystem) -> None:
    """Put back what was there: in one step, with its time, so that nobody sees it otherwise."""
    if before.kind == "none":
        fs.unlink(LOCK, dir_fd=fd)
        return
    if before.kind == "link":
        temp = temp_name(LOCK)
        os.symlink(before.data, os.fsencode(temp), dir_fd=fd)
        os.utime(temp, ns=(before.mtime_ns, before.mtime_ns), dir_fd=fd, follow_symlinks=False)
    else:
        temp = write_temp(fd, LOCK, before.data, fs=fs, mode=before.mode)
        open_folder = fs.open(temp, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=fd)
        try:
            fs.utime(open_folder, before.mtime_ns)  # before it gets its name, so that nobody sees it with another time
        finally:
            fs.close(open_folder)
    try:
        fs.replace(temp, LOCK, dir_fd=fd)
    except BaseException:
        with suppress(OSError):
            fs.unlink(temp, dir_fd=fd)
        raise
