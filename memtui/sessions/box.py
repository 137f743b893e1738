"""A session as a whole, put into a box of ours: its transcript, the folder of its name, and the sub-agents' files that
lie beside it.

A box is a folder that holds these under the names that they had in the project folder, so that everything that reads a
session reads it there, too. Its note is written last and says what has to be in it; a box without one doesn't count.
No link is followed, on neither side.
"""

import json
import stat
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from memtui.base.errors import NotFound, Refused
from memtui.base.files import replace_at, sync_folder
from memtui.base.filesystem import REAL, FileSystem
from memtui.base.transfer import Seen, closing, info, open_folder, remove_files, remove_folders
from memtui.sessions.agents import agent_files

NOTE = "note.json"


class Item(Struct, frozen=True):
    """A file or folder of a session: its name relative to the project folder, and what it has to be again.

    `modified` is in nanoseconds; a folder has no digest and no size.
    """

    name: str
    modified: int
    mode: int
    size: int = 0
    digest: str = ""

    @classmethod
    def of(cls, name: str, seen: Seen) -> "Item":
        """A file as it was seen."""
        return cls(name, seen.stamp.mtime_ns, seen.mode, seen.stamp.size, seen.digest)


class Note(Struct, frozen=True):
    """What a box holds, and where it came from.

    `project` is the path of the project folder, `at` when it was put away (seconds since 1970), `deed` the id of the
    deed that did it, `title` what the session was called then. `files` has the transcript first.
    """

    id: str
    project: str
    at: float
    deed: str
    title: str
    files: tuple[Item, ...]
    folders: tuple[Item, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(item.size for item in self.files)


def read_note(box: Path) -> Note | None:
    """The note of a box; `None` if there is none that can be used: then it isn't one."""
    try:
        data: dict[str, Any] = json.loads((box / NOTE).read_bytes())
        files, folders = (tuple(Item(**one) for one in data.pop(key)) for key in ("files", "folders"))
        note = Note(**data, files=files, folders=folders)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return note if note.files else None


def write_note(box: Path, note: Note, *, fs: FileSystem = REAL) -> None:
    """Write the note: from here on the box counts."""
    folder = open_folder(box, fs=fs)
    with closing(folder, fs):
        replace_at(folder, NOTE, json.dumps(to_builtins(note), separators=(",", ":")).encode("ascii"), fs=fs)


def tree(root: Path, name: str, *, fs: FileSystem = REAL) -> tuple[list[str], list[str]]:
    """The folders of a tree, each behind the one that it is in, and everything else in it; no link is entered.

    Args:
        root: Where names begin.
        name: A folder in it; "" for all of it.
    """
    folders: list[str] = [name]
    others: list[str] = []
    for folder in folders:  # grows while it is walked
        here = open_folder(root, folder, fs=fs)
        with closing(here, fs):
            for entry in sorted(fs.listdir(here)):
                found = folders if stat.S_ISDIR(fs.lstat(entry, dir_fd=here).st_mode) else others
                found.append(f"{folder}/{entry}" if folder else entry)
    return folders, others


def survey(project: Path, identity: str, *, fs: FileSystem = REAL) -> tuple[list[str], list[str]]:
    """What belongs to a session.

    Returns:
        Files, the transcript first, and folders, outer ones first; names relative to the project folder.

    Raises:
        NotFound: If there is no such transcript.
        Refused: If something of it is a link, a pipe or the like: those are neither followed nor moved.
    """
    files: list[str] = [f"{identity}.jsonl"]
    folders: list[str] = []
    if info(project, files[0], fs=fs) is None:
        raise NotFound(f"No session {identity} here", hint="memtui sessions ls --all lists them")
    own = info(project, identity, fs=fs)
    if own is not None and stat.S_ISDIR(own.st_mode):
        folders, inner = tree(project, identity, fs=fs)
        files += inner
    elif own is not None:
        files.append(identity)
    for path in agent_files(project / files[0]):
        if path.parent == project:
            meta = path.with_suffix(".meta.json").name
            files += [path.name] if info(project, meta, fs=fs) is None else [path.name, meta]
    for name in files:
        known = info(project, name, fs=fs)
        if known is not None and not stat.S_ISREG(known.st_mode):
            raise Refused(f"{name} is a link or no file: the session was left where it is")
    return files, folders


def throw_away(box: Path, *, fs: FileSystem = REAL) -> None:
    """Remove a box of ours with all that is in it; its note goes first, so that half of one never counts."""
    try:
        folders, files = tree(box, "", fs=fs)
    except NotFound:
        return
    remove_files(box, [NOTE], fs=fs)
    sync_folder(box, fs=fs)
    remove_files(box, files, fs=fs)
    remove_folders(box, folders[1:], fs=fs)
    remove_folders(box.parent, [box.name], fs=fs)
