"""Sessions that were put away, as a list shows them, and copies of sessions for a person."""

import os
from pathlib import Path
from typing import Final

from msgspec import Struct

from memtui.base.errors import NotFound, Refused
from memtui.base.files import fault
from memtui.base.filesystem import REAL, FileSystem
from memtui.base.transfer import Taken, copy
from memtui.host.heads import SessionFile
from memtui.sessions.box import NOTE, Note, read_note

ARCHIVED: Final = "archive"
DELETED: Final = "deleted"
"""The two places for boxes: folders below the one of the sessions in our state folder."""


class Kept(Struct, frozen=True):
    """A session in a box of ours. `file` is its transcript there, `at` when it was put away (seconds since 1970)."""

    file: SessionFile
    place: str
    note: Note

    @property
    def project(self) -> Path:
        """The project folder that it came from, and goes back to."""
        return Path(self.note.project)

    @property
    def box(self) -> Path:
        """The folder that it lies in, sub-agents and all."""
        return self.file.path.parent

    @property
    def at(self) -> float:
        """When it was put away, in seconds since 1970."""
        return self.note.at


def list_kept(root: Path, place: str | None = None) -> list[Kept]:
    """The sessions in boxes, those put away last first.

    Args:
        root: The folder of the sessions in our state folder.
        place: `ARCHIVED`, `DELETED`, or both.
    """
    found = []
    for where in (ARCHIVED, DELETED) if place is None else (place,):
        for path in sorted(root.joinpath(where).glob(f"*/*/{NOTE}")):
            note = read_note(path.parent)
            if note is not None and note.files[0].name == f"{note.id}.jsonl":
                main = note.files[0]
                file = SessionFile(str(path.with_name(main.name)), main.modified / 1e9, main.size)
                found.append(Kept(file, where, note))
    return sorted(found, key=lambda one: -one.at)


def save_copy(path: Path, target: Path, *, fs: FileSystem = REAL) -> int:
    """Write a transcript's bytes, as they are at this moment, into a new file.

    Returns:
        Bytes.

    Raises:
        Refused: If the file is there already.
        MemtuiError: If it can't be read or written.
    """
    folder = Path(os.path.realpath(target.parent))
    if not folder.is_dir():
        raise NotFound(f"there is no folder {target.parent}")
    if os.path.lexists(target):
        raise Refused(f"{target} is there already", hint="name another file, or remove it first")
    try:
        copy(
            (Path(os.path.realpath(path.parent)), path.name),
            (folder, target.name),
            modified=int(fs.now() * 1e9),
            still=False,
            fs=fs,
        )
        return (folder / target.name).stat().st_size
    except Taken:
        raise Refused(f"{target} is there already", hint="name another file, or remove it first") from None
    except OSError as error:
        raise fault(error, str(target)) from error
