"""Files from a folder to another: copied, synced, read again, renamed into place; only then do the old ones go.

No link is followed on either side, nothing is overwritten, mtime and mode are kept.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memtui.base.boundary import open_file, open_parent
from memtui.base.errors import Conflict, MemtuiError, NotFound
from memtui.base.files import temp_name, write_all
from memtui.base.filesystem import REAL, FileSystem

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class FileMove:
    """One file: its name in the old folder and in the new one, relative, with slashes; its size in bytes.

    `there` is the digest of the file in the new folder where that holds the same bytes already, else "".
    """

    source: str
    target: str
    size: int
    there: str = ""


@dataclass(frozen=True, slots=True)
class Stay:
    """Something that is not moved, and why."""

    what: str
    why: str


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
        before = fs.fstat(fd)  # what is appended while we read makes it another one than we saw
        digest, _ = _pass_on(fd, None, fs, size)
        return _seen(before, digest)
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
        return Copied(_seen(before, made.digest), made)
    finally:
        fs.close(fd)


def remove(root: Path, name: str, seen: Seen, *, fs: FileSystem = REAL) -> None:
    """Remove a file that is still as it was seen; one that is gone is no fault.

    What somebody appends between this look and the removal is lost: running sessions have to be kept out before.

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
        with suppress(OSError):  # a name that comes back after a power cut is there twice, and nothing is lost
            fs.fsync(parent)
    except FileNotFoundError:
        return
    finally:
        fs.close(parent)


def transfer(
    what: str, files: Collection[FileMove], source: Path, target: Path, *, fs: FileSystem = REAL
) -> tuple[bool, list[Stay]]:
    """Bring files that belong together to another folder: all copies first; of the old ones, the last file goes first.

    Args:
        what: What to call them.
        files: A session's transcript comes last: the new folder has it once it has all that belongs to it.

    Returns:
        Whether they moved; if not, the new folder has none of them. And what stays in the old folder, and why.

    Raises:
        OSError: If the disk refuses. Every file is whole in one of the folders, or in both.
    """
    seen: list[tuple[FileMove, Seen]] = []
    made: list[tuple[FileMove, Seen]] = []
    try:
        for file in files:
            if file.there:
                before, after = see(source, file.source, fs=fs), see(target, file.target, fs=fs)
                if before is None or after is None or not before.digest == after.digest == file.there:
                    raise Conflict(f"{file.source} is being written")
                seen.append((file, before))
            else:
                copied = copy(source, file.source, target, file.target, fs=fs)
                seen.append((file, copied.source))
                made.append((file, copied.copy))
    except (MemtuiError, OSError) as error:
        _take_away(target, made, fs)
        if isinstance(error, OSError):
            raise
        return False, [Stay(what, error.message)]
    seen.reverse()
    try:
        for file, before in seen[:1]:
            remove(source, file.source, before, fs=fs)
    except MemtuiError as error:  # nothing is removed yet
        _take_away(target, made, fs)
        return False, [Stay(what, error.message)]
    stays = []
    for file, before in seen[1:]:
        try:
            remove(source, file.source, before, fs=fs)
        except MemtuiError as error:
            stays.append(Stay(file.source, f"{error.message}; the new folder has it as it was before"))
    return True, stays


def _take_away(root: Path, made: Collection[tuple[FileMove, Seen]], fs: FileSystem) -> None:
    """Remove copies again; one that stays is there twice, which the next move ends."""
    for file, copy_ in made:
        with suppress(MemtuiError, OSError):
            remove(root, file.target, copy_, fs=fs)


def _written(fd: int, parent: int, temp: str, info: os.stat_result, fs: FileSystem, size: int | None) -> Seen:
    """Copy into a temporary file and read it again."""
    out = fs.open(temp, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=parent)
    try:
        digest, count = _pass_on(fd, out, fs, size)
        mode = stat.S_IMODE(info.st_mode) & 0o777
        if mode != 0o600:
            fs.chmod(out, mode)
        fs.utime(out, info.st_mtime_ns)
        fs.fsync(out)
    finally:
        fs.close(out)
    back = fs.open(temp, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        if _pass_on(back, None, fs, None) != (digest, count):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return _seen(fs.fstat(back), digest)
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


def _seen(info: os.stat_result, digest: str) -> Seen:
    return Seen(digest, info.st_size, info.st_mtime_ns, info.st_ino)
