"""Files below a folder, copied and removed without following a link and without losing a byte.

A copy is synced and read back before anybody is told of it, and never lands on a name that is taken.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memtui.base.boundary import open_parent
from memtui.base.errors import Conflict, NotFound, Refused
from memtui.base.files import Stamp, temp_name, write_all
from memtui.base.filesystem import REAL, FileSystem

_CHUNK = 1 << 20
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)


@dataclass(frozen=True, slots=True)
class Item:
    """A file or folder of a session: its name relative to the project folder, and what it has to be again.

    `modified` is in nanoseconds; a folder has no digest and no size.
    """

    name: str
    modified: int
    mode: int
    size: int = 0
    digest: str = ""


@contextmanager
def folder_of(root: Path, name: str, *, create: bool = False, fs: FileSystem = REAL) -> Iterator[tuple[int, str]]:
    """The folder that an entry below `root` is in, open, and its last part. Faults as from `open_parent`."""
    parent, leaf = open_parent(root, name, create=create, fs=fs)
    with closing(parent, fs):
        yield parent, leaf


@contextmanager
def closing(file: int, fs: FileSystem = REAL) -> Iterator[None]:
    """Close something that was only read, or synced already: its close has no more to say."""
    try:
        yield
    finally:
        with suppress(OSError):
            fs.close(file)


def open_folder(root: Path, name: str = "", *, create: bool = False, fs: FileSystem = REAL) -> int:
    """A folder below `root` (itself for ""), open; walked to without following a link."""
    return open_parent(root, f"{name}/x" if name else "x", create=create, fs=fs)[0]


def info(root: Path, name: str, *, fs: FileSystem = REAL) -> os.stat_result | None:
    """How an entry below a folder looks, itself and not what it links to; `None` if it isn't there."""
    try:
        with folder_of(root, name, fs=fs) as (parent, leaf):
            return fs.lstat(leaf, dir_fd=parent)
    except (FileNotFoundError, NotFound):
        return None


def open_read(root: Path, name: str, *, fs: FileSystem = REAL) -> int:
    """A regular file below a folder, open for reading.

    Raises:
        Refused: If it is a link or no file.
        OSError: As from `open`.
    """
    with folder_of(root, name, fs=fs) as (parent, leaf):
        try:
            file = fs.open(leaf, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
                raise Refused(f"{name} is a link or not a file") from error
            raise
    try:
        if not stat.S_ISREG(fs.fstat(file).st_mode):
            raise Refused(f"{name} is not a file")
    except BaseException:
        fs.close(file)
        raise
    return file


def digest_of(root: Path, name: str, *, size: int | None = None, fs: FileSystem = REAL) -> str:
    """SHA-256 of a file, or of its first `size` bytes."""
    file = open_read(root, name, fs=fs)
    with closing(file, fs):
        found = hashlib.sha256()
        left = size
        while part := fs.read(file, _CHUNK if left is None else min(_CHUNK, left)):
            found.update(part)
            left = None if left is None else left - len(part)
        return found.hexdigest()


def copy(
    source: tuple[Path, str],
    target: tuple[int, str],
    *,
    modified: int | None = None,
    fs: FileSystem = REAL,
    still: bool = True,
) -> tuple[Item, Stamp]:
    """Copy a file into one that isn't there yet, synced, and read the copy back to see that it is the same.

    Args:
        source: A folder and a name below it.
        target: An open folder and a name in it.
        modified: The copy's time in nanoseconds; that of the source if left out.
        still: Whether the source has to keep still; else what it holds at the start is copied.

    Returns:
        The source as it was copied, and its stamp.

    Raises:
        Conflict: If somebody writes the source meanwhile.
        OSError: As from the calls; what there is of the copy is the caller's to remove.
    """
    root, name = source
    folder, leaf = target
    file = open_read(root, name, fs=fs)
    with closing(file, fs):
        before = fs.fstat(file)
        mode = stat.S_IMODE(before.st_mode) & 0o777
        found = hashlib.sha256()
        new = fs.open(leaf, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        with closing(new, fs):
            left = before.st_size
            while left and (part := fs.read(file, min(_CHUNK, left))):
                write_all(new, part, fs=fs)
                found.update(part)
                left -= len(part)
            fs.chmod(new, mode)
            fs.utime(new, before.st_mtime_ns if modified is None else modified)
            fs.fsync(new)
            same = _read_back(new, fs) == found.hexdigest()
        if left or (still and Stamp.of(fs.fstat(file)) != Stamp.of(before)):
            raise Conflict(f"{name} is being written by another program", hint="end the client that has it open first")
        if not same:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
    return Item(name, before.st_mtime_ns, mode, before.st_size, found.hexdigest()), Stamp.of(before)


def _read_back(file: int, fs: FileSystem) -> str:
    os.lseek(file, 0, os.SEEK_SET)
    found = hashlib.sha256()
    while part := fs.read(file, _CHUNK):
        found.update(part)
    return found.hexdigest()


def copy_new(
    source: tuple[Path, str],
    target: tuple[Path, str],
    *,
    modified: int | None = None,
    fs: FileSystem = REAL,
    still: bool = True,
) -> None:
    """Copy a file under a name that must not be there yet: whole at once, never over another. Faults as for `copy`.

    Args:
        target: A folder and a name below it; folders on the way are made.

    Raises:
        FileExistsError: If the name is taken.
    """
    with folder_of(*target, create=True, fs=fs) as (parent, leaf):
        temp = temp_name(leaf)
        try:
            copy(source, (parent, temp), modified=modified, fs=fs, still=still)
            try:
                fs.link(temp, leaf, dir_fd=parent)
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                _rename_new(parent, temp, leaf, fs)  # a file system without second names
        finally:
            with suppress(FileNotFoundError):
                fs.unlink(temp, dir_fd=parent)
        fs.fsync(parent)


def append_rest(source: int, target: tuple[Path, Item], *, fs: FileSystem = REAL) -> Item:
    """Add to a copy what was written to the source since.

    Args:
        source: The source, open.
        target: The folder of the copy, and what the copy is.

    Returns:
        What the copy is now.
    """
    root, item = target
    with folder_of(root, item.name, fs=fs) as (parent, leaf):
        copied = fs.open(leaf, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW, dir_fd=parent)
    with closing(copied, fs):
        os.lseek(source, item.size, os.SEEK_SET)
        while part := fs.read(source, _CHUNK):
            write_all(copied, part, fs=fs)
        modified = fs.fstat(source).st_mtime_ns
        fs.utime(copied, modified)
        fs.fsync(copied)
        return Item(item.name, modified, item.mode, fs.fstat(copied).st_size, _read_back(copied, fs))


def _rename_new(parent: int, temp: str, leaf: str, fs: FileSystem) -> None:
    try:
        fs.lstat(leaf, dir_fd=parent)
    except FileNotFoundError:
        fs.replace(temp, leaf, dir_fd=parent)
        return
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), leaf)


def remove_files(root: Path, names: Sequence[str], *, fs: FileSystem = REAL) -> None:
    """Remove files below a folder; those that are gone are fine."""
    for name in names:
        with suppress(FileNotFoundError, NotFound), folder_of(root, name, fs=fs) as (parent, leaf):
            fs.unlink(leaf, dir_fd=parent)


def remove_folders(root: Path, names: Sequence[str], *, fs: FileSystem = REAL) -> None:
    """Remove folders below a folder, inner ones first; one that isn't empty stays."""
    for name in reversed(names):
        with suppress(FileNotFoundError, NotFound), folder_of(root, name, fs=fs) as (parent, leaf):
            try:
                fs.rmdir(leaf, dir_fd=parent)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
