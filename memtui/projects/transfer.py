"""Files that belong together, from a folder to another: all are copied, and only then do the old ones go."""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from memtui.base.errors import Conflict, MemtuiError
from memtui.base.filesystem import REAL, FileSystem
from memtui.base.transfer import Seen, copy, remove, see


class FileMove(Struct, frozen=True):
    """One file: its name in the old folder and in the new one, relative, with slashes; its size in bytes.

    `there` is the digest of the file in the new folder where that holds the same bytes already, else "".
    """

    source: str
    target: str
    size: int
    there: str = ""


class Stay(Struct, frozen=True):
    """Something that is not moved, and why."""

    what: str
    why: str


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
                    raise Conflict(f"{file.source} is being written by another program")
                seen.append((file, before))
            else:
                copied = copy((source, file.source), (target, file.target), fs=fs)
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
