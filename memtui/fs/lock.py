"""One writer at a time among our own processes and threads.

The kernel's `flock` frees itself when its holder dies, however it dies. Where the file system has none (NFS, some
mounts), a file made with O_EXCL takes its place; only then can a lock be left behind, and it is taken over once its
process is gone.
"""

import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from memtui.fs.atomic import make_folders
from memtui.fs.filesystem import REAL, FileSystem
from memtui.util.errors import Conflict
from memtui.util.process import ProcessIdentity, is_alive

_NO_FLOCK_ERRORS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


@contextmanager
def file_lock(path: Path, *, timeout: float = 30.0, fs: FileSystem = REAL) -> Iterator[None]:
    """Hold the lock `path`, a file that is created with its folder and stays, while the block runs; not reentrant.

    Raises `Conflict` if another process holds it for longer (the message says which), `OSError` if it can't be made.
    """
    make_folders(path.parent, fs=fs)
    deadline = time.monotonic() + timeout
    try:
        release = partial(fs.close, _flock(path, deadline, fs))
    except OSError as error:
        if error.errno not in _NO_FLOCK_ERRORS:
            raise
        held = path.with_name(path.name + ".held")
        _take_file(held, deadline, fs)
        release = partial(fs.unlink, held)
    try:
        yield
    finally:
        with suppress(OSError):  # what the block did stays true; a file left behind is taken over without its process
            release()


def _flock(path: Path, deadline: float, fs: FileSystem) -> int:
    pause = 0.001
    while True:
        holder = ""
        fd = fs.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fs.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # If the file was removed meanwhile, others lock a new one of the same name.
            if fs.fstat(fd).st_ino == fs.lstat(path).st_ino:
                _write_holder(fd, fs)
                return fd
        except (BlockingIOError, InterruptedError):
            holder = _read_holder(fd, fs)
        except FileNotFoundError:
            pass
        except BaseException:
            fs.close(fd)
            raise
        fs.close(fd)
        pause = _pause(path, holder, deadline, pause, fs)


def _write_holder(fd: int, fs: FileSystem) -> None:
    """Write who holds it, for the message of whoever waits: on a full disk the lock holds without it."""
    with suppress(OSError):
        fs.write(fd, json.dumps({"pid": os.getpid()}).ljust(40).encode())  # always as long as before: never cut


def _read_holder(fd: int, fs: FileSystem) -> str:
    try:
        return f" (process {int(json.loads(fs.read(fd, 200))['pid'])})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _pause(path: Path, holder: str, deadline: float, pause: float, fs: FileSystem) -> float:
    if time.monotonic() >= deadline:
        raise Conflict(
            f"another memtui{holder} is writing here and doesn't finish",
            hint=f"end it, or see which process holds {path}",
        )
    fs.wait(pause)
    return min(pause * 2, 0.02)


def _take_file(held: Path, deadline: float, fs: FileSystem) -> None:
    """The lock without flock: whoever creates the file has it."""
    me = json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode()
    pause = 0.001
    while True:
        try:
            fd = fs.open(held, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        except FileExistsError:
            left = _left_behind(held, fs)
            if left is None or not _remove_exactly(held, left, fs):
                pause = _pause(held, "", deadline, pause, fs)
            continue
        try:
            fs.write(fd, me)
        finally:
            fs.close(fd)
        return


def _left_behind(held: Path, fs: FileSystem) -> int | None:
    """The inode of a lock whose process on this machine has ended; `None` while it may be held."""
    try:
        fd = fs.open(held, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        info = json.loads(fs.read(fd, 500))
        # Another machine's process can't be asked: its lock is never taken over, the message says where the file is.
        if info["host"] != socket.gethostname() or is_alive(ProcessIdentity(int(info["pid"]))):
            return None
        return fs.fstat(fd).st_ino
    except (OSError, ValueError, KeyError, TypeError):
        return None
    finally:
        fs.close(fd)


def _remove_exactly(held: Path, inode: int, fs: FileSystem) -> bool:
    """Remove this lock, not one that was made since: renamed away first, then compared."""
    aside = held.with_name(f"{held.name}.{os.getpid()}")
    try:
        fs.replace(held, aside)
        mine = fs.lstat(aside).st_ino == inode
        if not mine:
            os.link(aside, held)  # fails if there is a newer one already: then that one counts
        fs.unlink(aside)
    except OSError:
        return False
    return mine
