"""The lock as a file: looked at so that it can be put back, and put back. No link is followed."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memtui.client.paths import LOCK_NAME
from memtui.dream.lock.journal import Before
from memtui.fs.atomic import temp_name, write_temp
from memtui.fs.filesystem import FileSystem
from memtui.util.errors import Refused

LARGEST = 1 << 20
"""Bytes of a lock that we could put back; what is larger is no lock."""


@contextmanager
def opened(folder: Path, fs: FileSystem) -> Iterator[int]:
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


def look(folder: Path, fs: FileSystem) -> Before:
    """What is in the lock's place, whole, so that it can be put back.

    Raises:
        Refused: If it is something that can't be put back.
    """
    path = folder / LOCK_NAME
    try:
        info = fs.lstat(path)
        if stat.S_ISLNK(info.st_mode):
            return Before("link", os.fsencode(path.readlink()), info.st_mtime_ns)
        if not stat.S_ISREG(info.st_mode) or info.st_size > LARGEST:
            raise Refused(f"{path} can't be a lock", hint="memtui kill --clear-stale-lock removes it")
        fd = fs.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return Before("none")
    try:
        info = fs.fstat(fd)
        data = b""
        while part := fs.read(fd, LARGEST):
            data += part
        return Before("file", data, info.st_mtime_ns, stat.S_IMODE(info.st_mode) & 0o777)
    finally:
        fs.close(fd)


def restore(fd: int, before: Before, fs: FileSystem) -> None:
    """Put back what was there: in one step, with its time, so that nobody sees it otherwise.

    Args:
        fd: The memory folder, open.
    """
    if before.kind == "none":
        fs.unlink(LOCK_NAME, dir_fd=fd)
        return
    if before.kind == "link":
        temp = temp_name(LOCK_NAME)
        os.symlink(before.data, os.fsencode(temp), dir_fd=fd)
        os.utime(temp, ns=(before.mtime_ns, before.mtime_ns), dir_fd=fd, follow_symlinks=False)
    else:
        temp = write_temp(fd, LOCK_NAME, before.data, fs=fs, mode=before.mode)
        opened = fs.open(temp, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=fd)
        try:
            fs.utime(opened, before.mtime_ns)  # before it gets its name, so that nobody sees it with another time
        finally:
            fs.close(opened)
    try:
        fs.replace(temp, LOCK_NAME, dir_fd=fd)
    except BaseException:
        with suppress(OSError):
            fs.unlink(temp, dir_fd=fd)
        raise
