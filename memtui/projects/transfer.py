"""One file from a folder to another: copied, synced, read again, renamed into place; only then may the first one go.

No link is followed on either side, nothing is overwritten, mtime and mode are kept.
"""

import errno
import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memtui.base.boundary import open_file, open_parent
from memtui.base.errors import Conflict, NotFound
from memtui.base.files import temp_name, write_all
from memtui.base.filesystem import REAL, FileSystem

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was when it was read whole: its SHA-256 digest, size, mtime in nanoseconds, inode."""

    digest: str
    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Copied:
    """A file that was copied: as it was, and as its copy is."""

    source: Seen
    copy: Seen


def see(root: Path, name: str, *, fs: FileSystem = REAL, size: int | None = None) -> Seen | None:
    """Read a file below `root`; `None` if it isn't there.

    Args:
        size: Only the first so many bytes count for the digest.

    Raises:
        Refused: If it, or a folder on the way, is a link or no file.
        OSError: If it can't be read.
    """
    try:
        fd = open_file(root, name, fs=fs)
    except NotFound:
        return None
    try:
        digest, _ = _pass_on(fd, None, fs, size)
        return _seen(fd, digest, fs)
    finally:
        fs.close(fd)


def copy(
    source: Path, name: str, target: Path, new_name: str, *, fs: FileSystem = REAL, size: int | None = None
) -> Copied:
    """Copy a file, so that it is there whole and on the disk when this returns.

    Args:
        source, target: Folders; the last parts of their paths are no links.
        name, new_name: Relative, with slashes; folders on the way are made.
        size: Only the first so many bytes.

    Returns:
        Both, to be compared with when one of them is removed.

    Raises:
        Conflict: If it changed meanwhile, or something has the new name already. Nothing was written.
        Refused: If there is a link on the way.
        NotFound: If it is gone.
        OSError: If the disk refuses; nothing is there under the new name.
    """
    fd = open_file(source, name, fs=fs)
    try:
        before = fs.fstat(fd)
        parent, leaf = open_parent(target, new_name, create=True, fs=fs)
        try:
            temp = temp_name(leaf)
            try:
                made = _written(fd, parent, temp, before, fs, size)
                after = fs.fstat(fd)
                if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
                    raise Conflict(f"{name} is being written")
                _put(parent, temp, leaf, fs)
            except BaseException:
                with suppress(OSError):
                    fs.unlink(temp, dir_fd=parent)
                raise
            fs.fsync(parent)
        finally:
            fs.close(parent)
        return Copied(_seen(fd, made.digest, fs), made)
    finally:
        fs.close(fd)


def remove(root: Path, name: str, seen: Seen, *, fs: FileSystem = REAL) -> None:
    """Remove a file that is still as it was seen; one that is gone is no fault.

    Raises:
        Conflict: If it is another one by now; it stays.
        OSError: If the disk refuses.
    """
    try:
        parent, leaf = open_parent(root, name, fs=fs)
    except NotFound:
        return
    try:
        info = fs.lstat(leaf, dir_fd=parent)
        if (info.st_size, info.st_mtime_ns, info.st_ino) != (seen.size, seen.mtime_ns, seen.inode):
            raise Conflict(f"{name} is being written")
        fs.unlink(leaf, dir_fd=parent)
        fs.fsync(parent)
    except FileNotFoundError:
        return
    finally:
        fs.close(parent)


def _written(fd: int, parent: int, temp: str, info: os.stat_result, fs: FileSystem, size: int | None) -> Seen:
    """Copy into a temporary file and read it again."""
    out = fs.open(temp, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=parent)
    try:
        digest, count = _pass_on(fd, out, fs, size)
        mode = stat.S_IMODE(info.st_mode) & 0o777
        if mode != 0o600:
            fs.chmod(out, mode)
        fs.set_mtime(out, info.st_mtime_ns)
        fs.fsync(out)
    finally:
        fs.close(out)
    back = fs.open(temp, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        if _pass_on(back, None, fs, None) != (digest, count):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return _seen(back, digest, fs)
    finally:
        fs.close(back)


def _put(parent: int, temp: str, leaf: str, fs: FileSystem) -> None:
    try:
        fs.lstat(leaf, dir_fd=parent)
    except FileNotFoundError:
        fs.replace(temp, leaf, dir_fd=parent)
        return
    raise Conflict(f"{leaf} is there by now")


def _pass_on(fd: int, out: int | None, fs: FileSystem, size: int | None) -> tuple[str, int]:
    """Read to the end, or the first `size` bytes, and write them on; digest and number of bytes."""
    digest, count = hashlib.sha256(), 0
    while size is None or count < size:
        try:
            part = fs.read(fd, CHUNK if size is None else min(CHUNK, size - count))
        except InterruptedError:
            continue
        if not part:
            break
        digest.update(part)
        count += len(part)
        if out is not None:
            write_all(out, part, fs=fs)
    return digest.hexdigest(), count


def _seen(fd: int, digest: str, fs: FileSystem) -> Seen:
    info = fs.fstat(fd)
    return Seen(digest, info.st_size, info.st_mtime_ns, info.st_ino)
