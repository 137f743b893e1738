"""A session as a whole, moved between its project folder and an archive folder of ours.

At every instant the session is whole in one of the two. Archiving: everything is copied into the archive folder, read
back and synced; the folder gets its note; then the transcript is removed from the project folder, which is the moment
at which the session has moved; what is left of it there is removed after that. Putting back: everything is copied to
where it was, the transcript last; then the archive folder is removed. A journal says meanwhile what is being done; the
next operation finds it, and finishes or drops what a crash left. No link is followed on either side.
"""

import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from memtui.fs.atomic import (
    FileStamp,
    clear_temps,
    is_temp,
    make_folders,
    replace_at,
    replace_file,
    sync_folder,
    temp_name,
)
from memtui.fs.boundary import open_file, parent_folder
from memtui.fs.copy import (
    FileState,
    TargetExists,
    append_rest,
    copy_file,
    copy_file_into,
    entry_stat,
    folder_below,
    read_file_state,
    remove_files,
    remove_folders,
)
from memtui.fs.filesystem import REAL, FileSystem
from memtui.sessions.operations_log import SessionOperation, SessionOperations
from memtui.transcripts.subagents import agent_files
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused, Unsupported
from memtui.util.json_object import load_json

NOTE = "note.json"


class ArchiveItem(Struct, frozen=True):
    """A file or folder (without digest) of a session, relative to the project folder, as it has to be again."""

    name: str
    modified: int
    mode: int
    size: int = 0
    digest: str = ""

    @classmethod
    def of(cls, name: str, seen: FileState) -> "ArchiveItem":
        return cls(name, seen.stamp.mtime_ns, seen.mode, seen.stamp.size, seen.digest)


class ArchiveNote(Struct, frozen=True, rename={"operation": "deed"}):
    """What a box holds, and where it came from."""

    id: str
    project: str  # the path of the project folder
    at: float  # when it was put away, in seconds since 1970
    operation: str  # that did it; "deed" in the file
    title: str  # what the session was called then
    files: tuple[ArchiveItem, ...]  # the transcript first
    folders: tuple[ArchiveItem, ...] = ()

    @property
    def size(self) -> int:
        return sum(item.size for item in self.files)


def read_note(box: Path) -> ArchiveNote | None:
    """The note of a box; `None` if there is none that can be used: then it isn't one."""
    try:
        note = convert(load_json(box / NOTE), ArchiveNote)
    except (OSError, ValueError):
        return None
    return note if note.files else None


def write_note(box: Path, note: ArchiveNote, *, fs: FileSystem = REAL) -> None:
    """Write the note: from here on the box counts."""
    with folder_below(box, fs=fs) as folder:
        replace_at(folder, NOTE, json.dumps(to_builtins(note), separators=(",", ":")).encode("ascii"), fs=fs)


def tree(root: Path, name: str, *, fs: FileSystem = REAL) -> tuple[list[str], list[str]]:
    """The folders of a tree below `root` ("": all), each behind its parent, and all else in it; no link is entered."""
    folders: list[str] = [name]
    others: list[str] = []
    for folder in folders:  # grows while it is walked
        with folder_below(root, folder, fs=fs) as here:
            for entry in sorted(fs.listdir(here)):
                found = folders if stat.S_ISDIR(fs.lstat(entry, dir_fd=here).st_mode) else others
                found.append(f"{folder}/{entry}" if folder else entry)
    return folders, others


def survey(project: Path, identity: str, *, fs: FileSystem = REAL) -> tuple[list[str], list[str]]:
    """What belongs to a session: files, the transcript first, and folders, outer ones first, by names in the project.

    Raises `NotFound` if there is no such transcript, `Refused` if something of it is a link, a pipe or the like: those
    are neither followed nor moved.
    """
    files: list[str] = [f"{identity}.jsonl"]
    folders: list[str] = []
    if entry_stat(project, files[0], fs=fs) is None:
        raise NotFound(f"No session {identity} here", hint="memtui sessions ls --all lists them")
    own = entry_stat(project, identity, fs=fs)
    if own is not None and stat.S_ISDIR(own.st_mode):
        folders, inner = tree(project, identity, fs=fs)
        files += inner
    elif own is not None:
        files.append(identity)
    for path in agent_files(project / files[0]):
        if path.parent == project:
            meta = path.with_suffix(".meta.json").name
            files += [path.name] if entry_stat(project, meta, fs=fs) is None else [path.name, meta]
    for name in files:
        known = entry_stat(project, name, fs=fs)
        if known is not None and not stat.S_ISREG(known.st_mode):
            raise Refused(f"{name} is a link or no file: the session was left where it is")
    return files, folders


def throw_away(box: Path, *, fs: FileSystem = REAL) -> None:
    """Remove an archive folder; its note goes first, so that a half-removed one never counts."""
    try:
        folders, files = tree(box, "", fs=fs)
    except NotFound:
        return
    remove_files(box, [NOTE], fs=fs)
    sync_folder(box, fs=fs)
    remove_files(box, files, fs=fs)
    remove_folders(box, folders[1:], fs=fs)
    remove_folders(box.parent, [box.name], fs=fs)


AWAY: Final = "away"
BACK: Final = "back"
DROP: Final = "drop"


class ArchiveMove(Struct, frozen=True, rename={"operation": "deed"}):
    """What a journal says: which way, with which box, for which operation (of one session), and the files' times."""

    way: str
    box: Path
    operation: SessionOperation | None = None
    times: tuple[int, ...] = ()


class ArchiveMover:
    """Moves sessions; everything here needs the lock of the sessions. `root` is our folder of sessions."""

    def __init__(self, root: Path, operations: SessionOperations, *, fs: FileSystem = REAL) -> None:
        self._root = root
        self._operations = operations
        self._fs = fs

    def put_away(self, project: Path, operation: SessionOperation, place: str, title: str) -> ArchiveNote:
        """Move the session of an operation from its project folder (its path resolved) into a new box below `place`.

        Raises `Conflict` if somebody writes it meanwhile, `MemtuiError` or `OSError` if it can't be done: the session
        is where it was.
        """
        identity = operation.sessions[0].id
        box = self._root / place / project.name / f"{identity}~{os.urandom(6).hex()}"
        journal = self._begin(ArchiveMove(AWAY, box, operation))
        main = -1
        try:
            note, stamps = self._fill(box, project, operation, title)
            main = open_file(project, note.files[0].name, fs=self._fs)
            for item, stamp in zip(note.files, stamps, strict=True):
                if self._stamp(project, item) != stamp:
                    why = f"{item.name} is being written by another program: nothing was moved"
                    raise Conflict(why, hint="end the client that has it open first")
            try:
                remove_files(project, [note.files[0].name], fs=self._fs)
            except OSError:  # which counts only if the transcript is still there
                if self._stamp(project, note.files[0]) is not None:
                    raise
            # It has moved: what fails from here on is done by the next operation.
            with self._ending(journal):
                self._clear_away(box, project, note, stamps, main, operation)
            return note
        except (OSError, MemtuiError):
            with self._ending(journal):
                throw_away(box, fs=self._fs)
            raise
        finally:
            if main >= 0:
                with suppress(OSError):
                    self._fs.close(main)

    def _clear_away(
        self,
        box: Path,
        project: Path,
        note: ArchiveNote,
        stamps: Sequence[FileStamp],
        main: int,
        operation: SessionOperation,
    ) -> None:
        """What is left to do when the transcript is gone from the project folder; `main` is that one, still open."""
        sync_folder(project, fs=self._fs)
        if self._fs.fstat(main).st_size > note.files[0].size:  # somebody wrote between our last look and the end
            name, size = note.files[0].name, note.files[0].size
            whole = ArchiveItem.of(name, append_rest(main, (box, name), size, fs=self._fs))
            write_note(box, replace(note, files=(whole, *note.files[1:])), fs=self._fs)
        pairs = zip(note.files[1:], stamps[1:], strict=True)
        self._clear(project, note, [item.name for item, stamp in pairs if self._stamp(project, item) == stamp])
        self._operations.add(operation)

    def put_back(self, box: Path, note: ArchiveNote, operation: SessionOperation, times: Sequence[int]) -> None:
        """Move a session from its box to where it came from, its files (in the note's order) with these times, in ns.

        Raises `Conflict` if there is something of that name by now: it and the box are left alone. With another
        `MemtuiError`, or `OSError`, the session is in its box.
        """
        project = Path(os.path.realpath(note.project))
        for number, item in enumerate(note.files):
            exists = entry_stat(project, item.name, fs=self._fs) is not None
            if exists and (number == 0 or not self._same(project, item)):
                raise _taken(project, item)
        journal = self._begin(ArchiveMove(BACK, box, operation, tuple(times)))
        made: list[str] = []
        try:
            self._place(box, note, project, times, made)
        except (OSError, MemtuiError):
            if not self._same(project, note.files[0], grown=True):
                with self._ending(journal):
                    self._clear_temps(project, note)
                    self._clear(project, note, made)
                raise
            return  # it is back, but perhaps not on the disk yet: the next operation ends it
        with self._ending(journal):
            self._end_back(box, operation)

    def drop(self, box: Path) -> None:
        journal = self._begin(ArchiveMove(DROP, box))
        throw_away(box, fs=self._fs)
        self._fs.unlink(journal)

    def recover(self) -> None:
        """End or drop what a crash left half done. What can't be done now is left for the next time."""
        folder = self._root / "moving"
        if not folder.is_dir():
            return
        with suppress(OSError):
            clear_temps(folder, fs=self._fs, own=True)
        for journal in sorted(folder.glob("*.json")):
            with suppress(OSError, MemtuiError):
                move = self._read(journal)
                if move is not None:
                    self._end_move(move)
                    self._fs.unlink(journal)

    def _end_move(self, move: ArchiveMove) -> None:
        note = read_note(move.box)
        if move.operation is None or entry_stat(move.box, NOTE, fs=self._fs) is None:
            throw_away(move.box, fs=self._fs)
            return
        if note is None:
            raise Conflict(f"{move.box / NOTE} can't be read: what is in there is left alone")
        project = Path(os.path.realpath(note.project))
        if move.way == AWAY:
            self._end_away(move.box, note, project, move.operation)
            return
        self._clear_temps(project, note)
        try:
            self._place(move.box, note, project, move.times, [])
        except Conflict:  # somebody put another one there meanwhile: ours stays in its box
            return
        self._end_back(move.box, move.operation)

    def _end_away(self, box: Path, note: ArchiveNote, project: Path, operation: SessionOperation) -> None:
        if not self._same(project, note.files[0], grown=True):
            self._clear(project, note, [item.name for item in note.files if self._same(project, item)])
            self._operations.add(operation)
            return
        for item in note.files[1:]:  # it never left; should something of it be gone all the same, the box has it
            if entry_stat(project, item.name, fs=self._fs) is None:
                copy_file((box, item.name), (project, item.name), modified=item.modified, fs=self._fs)
        throw_away(box, fs=self._fs)

    def _end_back(self, box: Path, operation: SessionOperation) -> None:
        self._operations.add(operation)
        throw_away(box, fs=self._fs)

    def _fill(
        self, box: Path, project: Path, operation: SessionOperation, title: str
    ) -> tuple[ArchiveNote, list[FileStamp]]:
        fs = self._fs
        make_folders(box, fs=fs)
        identity = operation.sessions[0].id
        names, folders = survey(project, identity, fs=fs)
        for folder in folders:
            with folder_below(box, folder, create=True, fs=fs):
                pass
        items, stamps = [], []
        for name in names:
            with parent_folder(box, name, fs=fs) as target:
                seen = copy_file_into((project, name), target, fs=fs).source
            items.append(ArchiveItem.of(name, seen))
            stamps.append(seen.stamp)
        for folder in ("", *folders):
            sync_folder(box / folder, fs=fs)
        outer = tuple(self._folder(project, folder) for folder in folders)
        note = ArchiveNote(identity, str(project), operation.time, operation.id, title, tuple(items), outer)
        write_note(box, note, fs=fs)
        if read_note(box) != note:
            raise Unsupported("What was written reads otherwise: nothing was moved", hint="check the disk")
        return note, stamps

    def _folder(self, project: Path, name: str) -> ArchiveItem:
        known = entry_stat(project, name, fs=self._fs)
        if known is None:
            raise Conflict(f"{name} was removed meanwhile: nothing was moved", hint="try again")
        return ArchiveItem(name, known.st_mtime_ns, stat.S_IMODE(known.st_mode) & 0o777)

    def _stamp(self, project: Path, item: ArchiveItem) -> FileStamp | None:
        now = entry_stat(project, item.name, fs=self._fs)
        return None if now is None else FileStamp.of(now)

    def _place(self, box: Path, note: ArchiveNote, project: Path, times: Sequence[int], made: list[str]) -> None:
        """Copy a session from its box to its project folder, the transcript last; `made` takes the new names."""
        fs = self._fs
        main, *others = zip(note.files, times, strict=True)
        make_folders(project, fs=fs)
        for folder in note.folders:
            with folder_below(project, folder.name, create=True, fs=fs):
                pass
        for item, time in (*others, main):
            if item is main[0]:
                self._set_folders(project, note)
            new = entry_stat(project, item.name, fs=fs) is None
            made += [item.name] if new else []
            try:
                copy_file((box, item.name), (project, item.name), modified=time, fs=fs)
            except TargetExists:
                if new:  # somebody was faster
                    made.remove(item.name)
                if not self._same(project, item, grown=item is main[0]):
                    raise _taken(project, item) from None
        sync_folder(project, fs=fs)

    def _set_folders(self, project: Path, note: ArchiveNote) -> None:
        """Give the folders that hold nothing but ours their times and modes again, inner ones first."""
        fs = self._fs
        names = {item.name for item in (*note.files, *note.folders)}
        for item in reversed(note.folders):
            with folder_below(project, item.name, fs=fs) as folder:
                if all(f"{item.name}/{name}" in names for name in fs.listdir(folder)):
                    fs.chmod(folder, item.mode)
                    fs.utime(folder, item.modified)
                    fs.fsync(folder)

    def _clear(self, project: Path, note: ArchiveNote, names: Sequence[str]) -> None:
        """Remove files of a session from its project folder, and folders of it that are empty then."""
        remove_files(project, names, fs=self._fs)
        remove_folders(project, [item.name for item in note.folders], fs=self._fs)
        if project.is_dir():
            sync_folder(project, fs=self._fs)

    def _clear_temps(self, project: Path, note: ArchiveNote) -> None:
        """Remove the temporary files that a crash left where a session was being put back."""
        leads = {_lead(temp_name(item.name.rpartition("/")[2])) for item in note.files}
        for folder in ("", *(item.name for item in note.folders)):
            with suppress(OSError, MemtuiError), folder_below(project, folder, fs=self._fs) as here:
                for name in self._fs.listdir(here):
                    if is_temp(name) and _lead(name) in leads:
                        self._fs.unlink(name, dir_fd=here)

    def _same(self, project: Path, item: ArchiveItem, *, grown: bool = False) -> bool:
        """Whether a file is what the note says; `grown`: or was added to since."""
        now = entry_stat(project, item.name, fs=self._fs)
        if now is None or not stat.S_ISREG(now.st_mode):
            return False
        if now.st_size < item.size or (now.st_size > item.size and not grown):
            return False
        seen = read_file_state(project, item.name, size=item.size, fs=self._fs)
        return seen is not None and seen.digest == item.digest

    # The journal.

    def _begin(self, move: ArchiveMove) -> Path:
        journal = self._root / "moving" / f"{os.urandom(6).hex()}.json"
        data = to_builtins(replace(move, box=move.box.relative_to(self._root)), enc_hook=str)
        if move.operation is not None:
            del data["deed"]["undone"]  # which nobody knows yet
        make_folders(journal.parent, fs=self._fs)
        replace_file(journal, json.dumps(data).encode("ascii"), fs=self._fs)
        return journal

    def _read(self, journal: Path) -> ArchiveMove | None:
        """What a journal says; `None` if it isn't ours: they are written whole."""
        try:
            move = convert(load_json(journal), ArchiveMove, dec_hook=lambda kind, value: kind(value))
        except (OSError, ValueError):
            return None
        if ".." in move.box.parts or (move.operation is not None and not move.operation.sessions):
            return None
        return replace(move, box=self._root / move.box)

    @contextmanager
    def _ending(self, journal: Path) -> Iterator[None]:
        """Forget the journal once what is left of a move is done; if that fails, the next operation does it."""
        with suppress(OSError, MemtuiError):
            yield
            self._fs.unlink(journal)


def _lead(temp: str) -> str:
    return temp.rpartition(".memtui-")[0]


def _taken(project: Path, item: ArchiveItem) -> Conflict:
    why = f"{item.name} is there already in {project}: nothing was put back"
    return Conflict(why, hint="move that one away first, the kept one stays as it is")
