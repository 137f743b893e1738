"""Copy and remove files below a folder, following no link.

A copy is synced and read back before it gets its name, keeps time and mode, and never replaces anything.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from memtui.fs.atomic import FileStamp, temp_name, write_all
from memtui.fs.boundary import closing_fd, open_file, parent_folder
from memtui.fs.filesystem import REAL, FileSystem
from memtui.util.errors import Conflict, NotFound

_CHUNK_BYTES = 1 << 20
_NO_HARD_LINK_ERRORS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)


class TargetExists(Conflict):
    """The new name is taken already; what has it stays."""


class FileState(Struct, frozen=True):
    """A file as it was when it was read: SHA-256 digest, stamp, permission bits."""

    digest: str
    stamp: FileStamp
    mode: int


class CopiedFile(Struct, frozen=True):
    """A file that was copied, and its copy."""

    source: FileState
    target: FileState


@contextmanager
def folder_below(root: Path, name: str = "", *, create: bool = False, fs: FileSystem = REAL) -> Iterator[int]:
    """Open a folder below `root` (itself for ""), following no link."""
    with parent_folder(root, f"{name}/x" if name else "x", create=create, fs=fs) as (folder, _):
        yield folder


def entry_stat(root: Path, name: str, *, fs: FileSystem = REAL) -> os.stat_result | None:
    """Return lstat of an entry below a folder; `None` if it doesn't exist."""
    try:
        with parent_folder(root, name, fs=fs) as (parent, leaf):
            return fs.lstat(leaf, dir_fd=parent)
    except (FileNotFoundError, NotFound):
        return None


def read_file_state(root: Path, name: str, *, size: int | None = None, fs: FileSystem = REAL) -> FileState | None:
    """Read a file below a folder, or its first `size` bytes; `None` if it doesn't exist. Errors as for `open_file`."""
    try:
        file = open_file(root, name, fs=fs)
    except NotFound:
        return None
    with closing_fd(file, fs):
        before = fs.fstat(file)  # what is appended while we read makes a difference
        return _state(before, _transfer(file, None, size, fs)[0])


def copy_file(
    source: tuple[Path, str],  # a folder and a name below it
    target: tuple[Path, str],  # the same; folders on the way are made
    *,
    size: int | None = None,  # only the first so many bytes
    modified: int | None = None,  # the copy's time in nanoseconds; that of the source if left out
    still: bool = True,  # else a source that is written meanwhile is copied as it was at the start
    fs: FileSystem = REAL,
) -> CopiedFile:
    """Copy a file under a name that must not be there yet: whole at once, never over another.

    Raises `TargetExists` if the name is taken, `Conflict` if the source is written meanwhile, `Refused` if there is a
    link on the way, `NotFound` if the source is gone; nothing has the new name then. After an `OSError` what has it is
    whole.
    """
    with parent_folder(*target, create=True, fs=fs) as (parent, leaf):
        temp = temp_name(leaf)
        try:
            copied = copy_file_into(source, (parent, temp), size=size, modified=modified, still=still, fs=fs)
            _link(parent, temp, leaf, fs)
        finally:
            with suppress(FileNotFoundError):
                fs.unlink(temp, dir_fd=parent)
        fs.fsync(parent)
        placed = fs.lstat(leaf, dir_fd=parent)  # the new name has set its ctime
        return CopiedFile(copied.source, _state(placed, copied.target.digest))


def copy_file_into(
    source: tuple[Path, str],
    target: tuple[int, str],
    *,
    size: int | None = None,
    modified: int | None = None,
    still: bool = True,
    fs: FileSystem = REAL,
) -> CopiedFile:
    """As `copy_file`, into an open folder that no other program reads yet.

    The folder is not synced, and after an error the caller removes what there is of the copy.
    """
    folder, leaf = target
    file = open_file(*source, fs=fs)
    with closing_fd(file, fs):
        before = fs.fstat(file)
        wanted = before.st_size if size is None else size
        new = fs.open(leaf, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        with closing_fd(new, fs):
            transferred = _transfer(file, new, wanted, fs)
            fs.chmod(new, stat.S_IMODE(before.st_mode) & 0o777)
            fs.utime(new, before.st_mtime_ns if modified is None else modified)
            fs.fsync(new)
            os.lseek(new, 0, os.SEEK_SET)
            same = _transfer(new, None, None, fs) == transferred
            made = fs.fstat(new)
        digest, count = transferred
        if count < wanted or (still and FileStamp.of(fs.fstat(file)) != FileStamp.of(before)):
            raise _being_written(source[1])
        if not same:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
    return CopiedFile(_state(before, digest), _state(made, digest))


def append_rest(source: int, target: tuple[Path, str], size: int, *, fs: FileSystem = REAL) -> FileState:
    """Append to a copy that holds `size` bytes of an open file what the file has more; the copy as it is now."""
    with parent_folder(*target, fs=fs) as (parent, leaf):
        copied = fs.open(leaf, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW, dir_fd=parent)
    with closing_fd(copied, fs):
        os.lseek(source, size, os.SEEK_SET)
        _transfer(source, copied, None, fs)
        fs.utime(copied, fs.fstat(source).st_mtime_ns)
        fs.fsync(copied)
        os.lseek(copied, 0, os.SEEK_SET)
        return _state(fs.fstat(copied), _transfer(copied, None, None, fs)[0])


def remove_file(root: Path, name: str, seen: FileState, *, fs: FileSystem = REAL) -> None:
    """Remove a file that is still as it was read; one that is gone is no error. Raises `Conflict` if it changed,
    `OSError`.

    What is appended between this check and the removal is lost: the caller makes sure that no session is running.
    """
    with suppress(FileNotFoundError, NotFound), parent_folder(root, name, fs=fs) as (parent, leaf):
        if FileStamp.of(fs.lstat(leaf, dir_fd=parent)) != seen.stamp:
            raise _being_written(name)
        fs.unlink(leaf, dir_fd=parent)
        with suppress(OSError):  # after a power cut the name may come back: nothing is lost
            fs.fsync(parent)


def remove_files(root: Path, names: Sequence[str], *, fs: FileSystem = REAL) -> None:
    """Remove files below a folder; those that are gone are fine."""
    for name in names:
        with suppress(FileNotFoundError, NotFound), parent_folder(root, name, fs=fs) as (parent, leaf):
            fs.unlink(leaf, dir_fd=parent)


def remove_folders(root: Path, names: Sequence[str], *, fs: FileSystem = REAL) -> None:
    """Remove folders below a folder, inner ones first; one that isn't empty stays."""
    for name in reversed(names):
        with suppress(FileNotFoundError, NotFound), parent_folder(root, name, fs=fs) as (parent, leaf):
            try:
                fs.rmdir(leaf, dir_fd=parent)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise


def _link(parent: int, temp: str, leaf: str, fs: FileSystem) -> None:
    try:
        fs.link(temp, leaf, dir_fd=parent)
        return
    except FileExistsError:
        raise TargetExists(f"{leaf} exists by now") from None
    except OSError as error:
        if error.errno not in _NO_HARD_LINK_ERRORS:
            raise
    try:  # a file system without second names
        fs.lstat(leaf, dir_fd=parent)
    except FileNotFoundError:
        fs.replace(temp, leaf, dir_fd=parent)
        return
    raise TargetExists(f"{leaf} exists by now")


def _transfer(file: int, out: int | None, size: int | None, fs: FileSystem) -> tuple[str, int]:
    """Read to the end, or the next `size` bytes, and write them to `out`; digest and number of bytes."""
    from hashlib import sha256  # with OpenSSL: 1 MB of memory, and five times as fast for what may be large

    digest, count = sha256(), 0
    while size is None or count < size:
        try:
            part = fs.read(file, _CHUNK_BYTES if size is None else min(_CHUNK_BYTES, size - count))
        except InterruptedError:
            continue
        if not part:
            break
        digest.update(part)
        count += len(part)
        if out is not None:
            write_all(out, part, fs=fs)
    return digest.hexdigest(), count


def _state(entry_stat: os.stat_result, digest: str) -> FileState:
    return FileState(digest, FileStamp.of(entry_stat), stat.S_IMODE(entry_stat.st_mode) & 0o777)


def _being_written(name: str) -> Conflict:
    hint = "end the program that has it open first"
    return Conflict(f"{name} is being written by another program", hint=hint)
