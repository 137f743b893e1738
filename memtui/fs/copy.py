"""Files below a folder, copied and removed without following a link and without losing a byte.

A copy is synced and read back before anybody is told of it, keeps time and mode, and never lands on a name that is
taken.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from memtui.fs.atomic import FileStamp, temp_name, write_all
from memtui.fs.boundary import open_file, open_parent
from memtui.fs.filesystem import REAL, FileSystem
from memtui.util.errors import Conflict, NotFound

_CHUNK = 1 << 20
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)


class TargetExists(Conflict):
    """Something has the new name already; it is left alone."""


class FileState(Struct, frozen=True):
    """A file as it was when it was read: SHA-256 digest, stamp, permission bits."""

    digest: str
    stamp: FileStamp
    mode: int


class CopiedFile(Struct, frozen=True):
    """A file that was copied: as it was, and as its copy is."""

    source: FileState
    target: FileState


@contextmanager
def parent_folder(root: Path, name: str, *, create: bool = False, fs: FileSystem = REAL) -> Iterator[tuple[int, str]]:
    """The folder that an entry below `root` is in, open, and its last part. Faults as from `open_parent`."""
    parent, leaf = open_parent(root, name, create=create, fs=fs)
    with closing_fd(parent, fs):
        yield parent, leaf


@contextmanager
def closing_fd(file: int, fs: FileSystem = REAL) -> Iterator[None]:
    """Close something that was only read, or synced already: its close has no more to say."""
    try:
        yield
    finally:
        with suppress(OSError):
            fs.close(file)


def open_folder(root: Path, name: str = "", *, create: bool = False, fs: FileSystem = REAL) -> int:
    """A folder below `root` (itself for ""), open; walked to without following a link."""
    return open_parent(root, f"{name}/x" if name else "x", create=create, fs=fs)[0]


def entry_stat(root: Path, name: str, *, fs: FileSystem = REAL) -> os.stat_result | None:
    """How an entry below a folder looks, itself and not what it links to; `None` if it isn't there."""
    try:
        with parent_folder(root, name, fs=fs) as (parent, leaf):
            return fs.lstat(leaf, dir_fd=parent)
    except (FileNotFoundError, NotFound):
        return None


def read_file_state(root: Path, name: str, *, size: int | None = None, fs: FileSystem = REAL) -> FileState | None:
    """Read a file below a folder; `None` if it isn't there.

    Args:
        size: Only the first so many bytes count for the digest.

    Raises:
        Refused: If it, or a folder on the way, is a link or no file.
        OSError: If it can't be read.
    """
    try:
        file = open_file(root, name, fs=fs)
    except NotFound:
        return None
    with closing_fd(file, fs):
        before = fs.fstat(file)  # what is appended while we read makes it another one than we saw
        return _seen(before, _pass_on(file, None, size, fs)[0])


def copy_file(
    source: tuple[Path, str],
    target: tuple[Path, str],
    *,
    size: int | None = None,
    modified: int | None = None,
    still: bool = True,
    fs: FileSystem = REAL,
) -> CopiedFile:
    """Copy a file under a name that must not be there yet: whole at once, never over another.

    Args:
        source: A folder and a name below it.
        target: Another folder and a name below that; folders on the way are made.
        size: Only the first so many bytes.
        modified: The copy's time in nanoseconds; that of the source if left out.
        still: Whether the source has to keep still; else what it holds at the start is copied.

    Raises:
        Taken: If something has the new name.
        Conflict: If somebody writes the source meanwhile. Nothing has the new name.
        Refused: If there is a link on the way.
        NotFound: If the source is gone.
        OSError: If the disk refuses; what has the new name then is whole.
    """
    with parent_folder(*target, create=True, fs=fs) as (parent, leaf):
        temp = temp_name(leaf)
        try:
            copied = copy_file_into(source, (parent, temp), size=size, modified=modified, still=still, fs=fs)
            _name(parent, temp, leaf, fs)
        finally:
            with suppress(FileNotFoundError):
                fs.unlink(temp, dir_fd=parent)
        fs.fsync(parent)
        placed = fs.lstat(leaf, dir_fd=parent)  # the new name has set its ctime
        return CopiedFile(copied.source, _seen(placed, copied.target.digest))


def copy_file_into(
    source: tuple[Path, str],
    target: tuple[int, str],
    *,
    size: int | None = None,
    modified: int | None = None,
    still: bool = True,
    fs: FileSystem = REAL,
) -> CopiedFile:
    """Copy a file into an open folder in which nobody looks yet. Arguments and faults as for `copy_file`.

    The folder is not synced, and what there is of the copy after a fault is the caller's to remove.
    """
    root, name = source
    folder, leaf = target
    file = open_file(root, name, fs=fs)
    with closing_fd(file, fs):
        before = fs.fstat(file)
        wanted = before.st_size if size is None else size
        new = fs.open(leaf, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        with closing_fd(new, fs):
            told = _pass_on(file, new, wanted, fs)
            fs.chmod(new, stat.S_IMODE(before.st_mode) & 0o777)
            fs.utime(new, before.st_mtime_ns if modified is None else modified)
            fs.fsync(new)
            os.lseek(new, 0, os.SEEK_SET)
            same = _pass_on(new, None, None, fs) == told
            made = fs.fstat(new)
        digest, count = told
        if count < wanted or (still and FileStamp.of(fs.fstat(file)) != FileStamp.of(before)):
            raise _written(name)
        if not same:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
    return CopiedFile(_seen(before, digest), _seen(made, digest))


def append_rest(source: int, target: tuple[Path, str], size: int, *, fs: FileSystem = REAL) -> FileState:
    """Add to a copy what was written to the source since.

    Args:
        source: The source, open.
        target: The folder of the copy, and its name below it.
        size: How much of the source it has, in bytes.

    Returns:
        The copy as it is now.
    """
    with parent_folder(*target, fs=fs) as (parent, leaf):
        copied = fs.open(leaf, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW, dir_fd=parent)
    with closing_fd(copied, fs):
        os.lseek(source, size, os.SEEK_SET)
        _pass_on(source, copied, None, fs)
        fs.utime(copied, fs.fstat(source).st_mtime_ns)
        fs.fsync(copied)
        os.lseek(copied, 0, os.SEEK_SET)
        return _seen(fs.fstat(copied), _pass_on(copied, None, None, fs)[0])


def remove_file(root: Path, name: str, seen: FileState, *, fs: FileSystem = REAL) -> None:
    """Remove a file that is still as it was seen; one that is gone is no fault.

    What somebody appends between this look and the removal is lost: running sessions have to be kept out before.

    Raises:
        Conflict: If it is another one by now; it stays.
        OSError: If the disk refuses.
    """
    with suppress(FileNotFoundError, NotFound), parent_folder(root, name, fs=fs) as (parent, leaf):
        if FileStamp.of(fs.lstat(leaf, dir_fd=parent)) != seen.stamp:
            raise _written(name)
        fs.unlink(leaf, dir_fd=parent)
        with suppress(OSError):  # a name that comes back after a power cut is there twice, and nothing is lost
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


def _name(parent: int, temp: str, leaf: str, fs: FileSystem) -> None:
    """Give a temporary file its name, unless something has it."""
    try:
        fs.link(temp, leaf, dir_fd=parent)
        return
    except FileExistsError:
        raise TargetExists(f"{leaf} is there by now") from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    try:  # a file system without second names
        fs.lstat(leaf, dir_fd=parent)
    except FileNotFoundError:
        fs.replace(temp, leaf, dir_fd=parent)
        return
    raise TargetExists(f"{leaf} is there by now")


def _pass_on(file: int, out: int | None, size: int | None, fs: FileSystem) -> tuple[str, int]:
    """Read to the end, or the next `size` bytes, and write them on; digest and number of bytes."""
    digest, count = hashlib.sha256(), 0
    while size is None or count < size:
        try:
            part = fs.read(file, _CHUNK if size is None else min(_CHUNK, size - count))
        except InterruptedError:
            continue
        if not part:
            break
        digest.update(part)
        count += len(part)
        if out is not None:
            write_all(out, part, fs=fs)
    return digest.hexdigest(), count


def _seen(entry_stat: os.stat_result, digest: str) -> FileState:
    return FileState(digest, FileStamp.of(entry_stat), stat.S_IMODE(entry_stat.st_mode) & 0o777)


def _written(name: str) -> Conflict:
    hint = "end the program that has it open first"
    return Conflict(f"{name} is being written by another program", hint=hint)
