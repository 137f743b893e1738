"""Atomic reads and writes.

A write is: a temporary file beside the target, a loop until every byte is in it, fsync, rename, fsync of the folder. A
file is therefore the old one or the new one, whole, whatever instant it is stopped. Rename alone stops torn files, not
lost edits: whoever replaces a file compares its digest first, under a lock (`history.store`).
"""

import errno
import os
import re
import stat
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from memtui.fs.filesystem import REAL, FileSystem, open_regular
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused, Unsupported
from memtui.util.hashing import sha256
from memtui.util.process import ProcessIdentity, is_alive

RECENT_WRITE_S = 2.0  # a file may still be being written so long; some file systems count in steps of 2 s
REREAD_INTERVAL_S = 0.02  # between two reads that have to agree, of a file that may be rewritten in place
MAX_REREADS = 150
MAX_READ_BYTES = 32 << 20  # files that are read or written whole; what is larger is only listed
WRITER_PAUSE_S = 0.6

_TEMP_NAME = re.compile(r"\..*\.memtui-(\d{1,10})-[0-9a-f]{12}\.tmp", re.DOTALL)
_NO_SPACE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_PERMISSION_ERRORS = (errno.EACCES, errno.EPERM, errno.EROFS)


class FileStamp(Struct, frozen=True):
    """Tells cheaply that a file changed: a hint, the digest decides. mtime can be set back, ctime can't."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, info: os.stat_result) -> "FileStamp":
        return cls(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)

    def fresh(self, now: float) -> bool:
        """Whether it may be being written at this moment; a time in the future counts as this moment."""
        return self.mtime_ns > (now - RECENT_WRITE_S) * 1e9

    def settled(self, now: float) -> bool:
        """Whether the last change, never one in the future, is so long ago that a later one gave another stamp."""
        return max(self.mtime_ns, self.ctime_ns) < (now - RECENT_WRITE_S) * 1e9


class FileContent(Struct, frozen=True):
    """A file as it was read: its bytes, their digest, stamp and status."""

    data: bytes
    digest: str
    stamp: FileStamp
    info: os.stat_result
    written: bool = False  # it is fresh, and another program has it open for writing

    @property
    def mode(self) -> int:
        """The permission bits, without set-user-id and the like."""
        return stat.S_IMODE(self.info.st_mode) & 0o777


def digest(data: bytes) -> str:
    """SHA-256 as 64 hex digits: what "the same file" means everywhere in memtui."""
    return sha256(data).hexdigest()


def to_error(error: OSError, what: str, *, outcome: str = "nothing was written", hint: str = "") -> MemtuiError:
    """Turn an error of the system about `what` into one for the user; a default `hint` is chosen by its kind."""
    number = error.errno or 0
    if number in _NO_SPACE_ERRORS:
        return Unsupported(f"No room left on the disk: {outcome}", hint=hint or "make room, then try again")
    if number in _PERMISSION_ERRORS:
        why = "the disk is read only" if number == errno.EROFS else "permission denied"
        return Refused(f"{what}: {why}, {outcome}", hint=hint or "check who owns the file and its folder")
    if number == errno.ENOENT:
        return NotFound(f"{what} is gone: {outcome}", hint=hint)
    words = os.strerror(number) if number else str(error)
    return Unsupported(f"{what}: {words}, {outcome}", hint=hint or "check the disk, then try again")


def read_stable(path: str | Path, fs: FileSystem = REAL) -> bytes:
    """Read a whole file as by `read_content`. Follows links: for files that we only show."""
    return read_content(path, fs=fs, follow=True).data


def read_content(
    path: str | Path,
    *,
    fs: FileSystem = REAL,
    dir_fd: int | None = None,
    follow: bool = False,  # the last part of the path may be a link
    known: Container[str | None] = (),  # digests of bytes that were seen whole
) -> FileContent:
    """Read a file until two reads agree and nobody has it open for writing; once is enough where it is older than
    `RECENT_WRITE_S`, or `known`. A program that writes nothing for `WRITER_PAUSE_S` counts as done.

    Raises `OSError`, `Refused` if it is no regular file (or a link, and `follow` is off), `Conflict` if it still
    changes after all tries.
    """
    last = read_once(path, fs=fs, dir_fd=dir_fd, follow=follow)
    if last.digest in known or not last.stamp.fresh(fs.now()):
        return last
    unchanged = 0
    for _ in range(MAX_REREADS):
        fs.wait(REREAD_INTERVAL_S)
        again = read_once(path, fs=fs, dir_fd=dir_fd, follow=follow)
        unchanged = unchanged + 1 if again.digest == last.digest else 0
        if unchanged and (not again.written or unchanged * REREAD_INTERVAL_S >= WRITER_PAUSE_S):
            return again
        last = again
    raise Conflict(f"{Path(path).name} is being rewritten by another program", hint="try again in a moment")


def read_once(
    path: str | Path, *, fs: FileSystem = REAL, dir_fd: int | None = None, follow: bool = False
) -> FileContent:
    """Read a file as it is now, be it half-written. Arguments and errors as for `read_content`; `Refused` also for one
    that is larger than `MAX_READ_BYTES`.
    """
    fd = open_regular(path, Path(path).name, fs, dir_fd=dir_fd, follow=follow)
    try:
        if (size := fs.fstat(fd).st_size) > MAX_READ_BYTES:
            hint = "a memory file is text of a few kB: look at its start with `head -c 1000`, then shorten or remove it"
            raise Refused(f"{Path(path).name} has {size >> 20} MB, too much to read or write", hint=hint)
        data = _read_all(fd, fs)
        info = fs.fstat(fd)
        stamp = FileStamp.of(info)
        written = stamp.fresh(fs.now()) and fs.is_written(fd)
    finally:
        fs.close(fd)
    return FileContent(data, digest(data), stamp, info, written)


def _read_all(fd: int, fs: FileSystem) -> bytes:
    parts: list[bytes] = []
    while True:
        try:
            part = fs.read(fd, 1 << 20)
        except InterruptedError:
            continue
        if not part:
            return b"".join(parts)
        parts.append(part)


def temp_name(name: str) -> str:
    """Return a name that can't be guessed and tells its process; at most 255 bytes even for a name of 255."""
    cut = name.encode("utf-8", "surrogateescape")[:200].decode("utf-8", "ignore")
    return f".{cut}.memtui-{os.getpid()}-{os.urandom(6).hex()}.tmp"


def write_temp(
    dir_fd: int,
    name: str,
    data: bytes,
    *,
    fs: FileSystem = REAL,
    mode: int = 0o600,  # permission bits in the end; it starts as 0600
    owner: tuple[int, int] | None = None,  # user and group to keep where we may
    modified: int | None = None,  # its mtime, in nanoseconds since 1970
    sync: bool = True,  # off for what can be made anew after a power cut
) -> str:
    """Write bytes into a new temporary file beside `name` in an open folder, sync them, and return its name.

    A failed fsync may have dropped the dirty pages and says nothing on the next call: the second try is a new file.
    Raises the `OSError` of that; no temporary file is left then.
    """
    for last in (False, True):
        temp = temp_name(name)
        fd = fs.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=dir_fd)
        try:
            try:
                write_all(fd, data, fs=fs)
                if owner is not None and owner != (os.geteuid(), os.getegid()):
                    with suppress(PermissionError):  # only root may give files away
                        fs.chown(fd, *owner)
                if mode != 0o600:
                    fs.chmod(fd, mode)
                if modified is not None:
                    fs.utime(fd, modified)
                if sync:
                    fs.fsync(fd)
            finally:
                fs.close(fd)
        except BaseException as error:
            with suppress(OSError):  # what stays is cleared at the next start
                fs.unlink(temp, dir_fd=dir_fd)
            if last or not isinstance(error, OSError) or error.errno != errno.EIO:
                raise
        else:
            return temp
    raise AssertionError("unreachable")


def write_all(fd: int, data: bytes, *, fs: FileSystem = REAL) -> None:
    """Write all the bytes: the system may take fewer than it is given."""
    rest = memoryview(data)
    retries = 100
    while rest:
        try:
            done = fs.write(fd, rest)
        except InterruptedError:
            continue
        except BlockingIOError:
            done = 0
        if done == 0:  # a full disk may take nothing without saying so
            retries -= 1
            if retries == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            fs.wait(0.001)
        rest = rest[done:]


def replace_at(
    dir_fd: int,
    name: str,
    data: bytes,
    *,
    fs: FileSystem = REAL,
    mode: int = 0o600,
    owner: tuple[int, int] | None = None,
    sync: bool = True,
) -> None:
    """Replace or create `name` in an open folder: old or new, whole, and with `sync` on the disk when this returns."""
    temp = write_temp(dir_fd, name, data, fs=fs, mode=mode, owner=owner, sync=sync)
    try:
        fs.replace(temp, name, dir_fd=dir_fd)
    except BaseException:
        with suppress(OSError):
            fs.unlink(temp, dir_fd=dir_fd)
        raise
    if sync:
        fs.fsync(dir_fd)


def create_file(path: Path, data: bytes) -> None:
    """Write a new file; raises `MemtuiError` if there is something of that name (it stays), or the system refuses."""
    if path.exists() or path.is_symlink():
        raise Refused(f"{path} exists already", hint="name another file, or remove it first")
    try:
        replace_file(path, data)
    except OSError as error:
        raise to_error(error, str(path)) from error


def replace_file(path: Path, data: bytes, *, fs: FileSystem = REAL, mode: int | None = None) -> None:
    """Replace or create a file of our own whose folder exists. A symbolic link is replaced, not followed.

    Without `mode` the permission bits are those of the old file, or 0600 for a new one.
    """
    with _opened(path.parent, fs) as dir_fd:
        if mode is None:
            mode = 0o600
            with suppress(FileNotFoundError):
                old = fs.lstat(path.name, dir_fd=dir_fd).st_mode
                mode = stat.S_IMODE(old) & 0o777 if stat.S_ISREG(old) else mode
        replace_at(dir_fd, path.name, data, fs=fs, mode=mode)


@contextmanager
def _opened(folder: Path, fs: FileSystem) -> Iterator[int]:
    fd = fs.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield fd
    finally:
        fs.close(fd)


def make_folders(path: Path, *, fs: FileSystem = REAL) -> None:
    """Create a folder and its parents, each entry synced, so that what is synced into it later can be found."""
    missing: list[Path] = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        with suppress(FileExistsError):
            fs.mkdir(folder, 0o700)
        sync_folder(folder.parent, fs=fs)


def sync_folder(path: Path, *, fs: FileSystem = REAL) -> None:
    """Sync a folder: the names in it then survive a power cut."""
    with _opened(path, fs) as fd:
        fs.fsync(fd)


def clear_temps(
    folder: int | Path, *, fs: FileSystem = REAL, names: Iterable[str] | None = None, own: bool = False
) -> list[str]:
    """Remove the temporary files that dead processes left in one folder, and return their names.

    `names` are those in it, if the caller has just listed them. `own`: also those of this process, none of whose
    threads may be writing then.
    """
    if isinstance(folder, Path):
        with _opened(folder, fs) as fd:
            return clear_temps(fd, fs=fs, names=names, own=own)
    removed: list[str] = []
    for name in fs.listdir(folder) if names is None else names:
        if (match := _TEMP_NAME.fullmatch(name)) is None:
            continue
        pid = int(match[1])
        if own if pid == os.getpid() else not is_alive(ProcessIdentity(pid)):
            with suppress(FileNotFoundError):
                fs.unlink(name, dir_fd=folder)
                removed.append(name)
    return removed


def is_temp(name: str) -> bool:
    return _TEMP_NAME.fullmatch(name) is not None
