"""The system calls that reading and writing need.

Every call of a write goes through a `FileSystem`, so that a test can make the n-th one fail, stop there, or replay what
a power cut would have left.
"""

# ruff: noqa: PTH208
# pathlib has no dir_fd, and a walk that no swapped link can lead astray needs it.

import errno
import fcntl
import os
import signal
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

from memtui.util.errors import Refused


class FileSystem:
    """The real system calls; tests replace some."""

    def open(self, path: str | Path, flags: int, mode: int = 0o600, *, dir_fd: int | None = None) -> int:
        return os.open(path, flags | os.O_CLOEXEC, mode, dir_fd=dir_fd)

    def close(self, fd: int) -> None:
        os.close(fd)

    def read(self, fd: int, size: int) -> bytes:
        return os.read(fd, size)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        return os.write(fd, data)

    def truncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def fsync(self, fd: int) -> None:
        os.fsync(fd)

    def chmod(self, fd: int, mode: int) -> None:
        os.fchmod(fd, mode)

    def utime(self, fd: int, modified: int) -> None:
        """Set mtime and atime, in nanoseconds since 1970."""
        os.utime(fd, ns=(modified, modified))

    def chown(self, fd: int, uid: int, gid: int) -> None:
        os.fchown(fd, uid, gid)

    def replace(self, source: str | Path, target: str | Path, *, dir_fd: int | None = None) -> None:
        """Rename over the target; both are names in `dir_fd` where that is given."""
        os.replace(source, target, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)

    def link(self, source: str | Path, target: str | Path, *, dir_fd: int | None = None) -> None:
        """Give a file a second name, which must not be there yet; both are names in `dir_fd` where that is given."""
        os.link(source, target, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)

    def unlink(self, path: str | Path, *, dir_fd: int | None = None) -> None:
        os.unlink(path, dir_fd=dir_fd)

    def mkdir(self, path: str | Path, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        os.mkdir(path, mode, dir_fd=dir_fd)

    def rmdir(self, path: str | Path, *, dir_fd: int | None = None) -> None:
        os.rmdir(path, dir_fd=dir_fd)

    def lstat(self, path: str | Path, *, dir_fd: int | None = None) -> os.stat_result:
        return os.stat(path, dir_fd=dir_fd, follow_symlinks=False)

    def fstat(self, fd: int) -> os.stat_result:
        return os.fstat(fd)

    def listdir(self, folder: int | str | Path) -> list[str]:
        return os.listdir(folder)

    def commit(self, database: Path, commit: Callable[[], object], *, durable: bool) -> None:
        """End a transaction of a SQLite database: after whatever stops us, all of it is there, or nothing; with
        `durable` also after a power cut.
        """
        commit()

    def flock(self, fd: int, operation: int) -> None:
        fcntl.flock(fd, operation)

    def is_written(self, fd: int) -> bool:
        """Whether a program has a file open for writing, by what Linux tells of files of one's own; else False.

        Source: fcntl(2): a read lease can't be had on a file that is open for writing. It is given back at once; who
        opens the file in between makes the system send a signal, here one that is ignored by default.
        """
        if sys.platform == "linux":
            try:
                fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
                fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
                fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            except OSError as error:
                return error.errno == errno.EAGAIN
        return False

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def now(self) -> float:
        """The clock that mtimes are compared with."""
        return time.time()


REAL = FileSystem()


def open_regular(
    path: str | Path, name: str, fs: FileSystem, *, dir_fd: int | None = None, follow: bool = False
) -> int:
    """Open a regular file for reading; `Refused`, with its `name`, if it is a link (without `follow`) or no file."""
    try:  # without O_NONBLOCK, opening a pipe would wait for a writer that never comes
        fd = fs.open(path, os.O_RDONLY | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW), dir_fd=dir_fd)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
            raise Refused(f"{name} is a link or not a file") from error
        raise
    try:
        if not stat.S_ISREG(fs.fstat(fd).st_mode):
            raise Refused(f"{name} is not a file")
    except BaseException:
        fs.close(fd)
        raise
    return fd
