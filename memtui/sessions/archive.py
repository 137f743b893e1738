"""What a person does to past sessions as a whole: another name, out of the client's reach, away, and back.

*Archived* and *deleted* sessions lie in boxes of ours (`archive_files`), where the client's clean-up doesn't find them;
every byte and time comes back. What is deleted is kept for `KEPT` days and goes for good at a later delete, never at a
start. Each operation is written down (`operations_log`) and can be undone.

A session that is put back after a long time would be taken by the client's clean-up at its next start, because that
goes by the time of each file (seen on client 2.1.332: of the transcript, with its whole folder, and of each file in
`tool-results`). Who puts a session back wants to have it, so files that would be taken get the present time; all others
keep theirs, so that the session stays in its place in the client's list. An undo does that only for what became due
while it was away: what was due before is as it was.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from memtui.client.retention import DEFAULT_RETENTION_DAYS
from memtui.client.session_files import SESSION_FILE_NAME, SessionFile, title_line
from memtui.fs.atomic import to_error
from memtui.fs.copy import TargetExists, copy_file, entry_stat
from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.lock import file_lock
from memtui.history.versions import REDO, UNDO, NotRestored
from memtui.sessions.archive_files import NOTE, ArchiveMover, ArchiveNote, read_note, survey
from memtui.sessions.operations_log import (
    ARCHIVE,
    DELETE,
    FORK,
    RENAME,
    RESTORE,
    SessionOperation,
    SessionOperations,
    TouchedSession,
    new_id,
)
from memtui.sessions.rename import append_title, check_title, title_before, write_title_file
from memtui.transcripts.summary import SummaryScanner
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused, UsageError

ARCHIVED: Final = "archive"
DELETED: Final = "deleted"  # the two places for boxes: folders below the one of the sessions in our state folder


class ArchivedSession(Struct, frozen=True):
    """A session in a box of ours; `file` is its transcript there."""

    file: SessionFile
    place: str
    note: ArchiveNote

    @property
    def project(self) -> Path:
        return Path(self.note.project)

    @property
    def box(self) -> Path:
        return self.file.path.parent

    @property
    def at(self) -> float:
        """Seconds since 1970."""
        return self.note.at


def list_archived(root: Path, place: str | None = None) -> list[ArchivedSession]:
    """The sessions in boxes below `root` (of one place, or of both), those put away last first."""
    found = []
    for where in (ARCHIVED, DELETED) if place is None else (place,):
        for path in sorted(root.joinpath(where).glob(f"*/*/{NOTE}")):
            note = read_note(path.parent)
            if note is not None and note.files[0].name == f"{note.id}.jsonl":
                main = note.files[0]
                file = SessionFile(str(path.with_name(main.name)), main.modified / 1e9, main.size)
                found.append(ArchivedSession(file, where, note))
    return sorted(found, key=lambda one: -one.at)


def save_copy(path: Path, target: Path) -> int:
    """Write a transcript's bytes, as they are at this moment, into a new file, and return how many there are.

    Raises `NotFound` if there is no such folder, `Refused` if the file is there already, `MemtuiError`.
    """
    folder = Path(os.path.realpath(target.parent))
    if not folder.is_dir():
        raise NotFound(f"there is no folder {target.parent}")
    source = (Path(os.path.realpath(path.parent)), path.name)
    try:
        if os.path.lexists(target):
            raise TargetExists(str(target))
        copy_file(source, (folder, target.name), modified=time.time_ns(), still=False)
        return (folder / target.name).stat().st_size
    except TargetExists:
        raise Refused(f"{target} is there already", hint="name another file, or remove it first") from None
    except OSError as error:
        raise to_error(error, str(target)) from error


KEPT = 30  # days for which a deleted session can be had back
TRASH_LIMIT = 50_000_000  # bytes of a transcript that also goes to the system's trash
_DAY = 86_400.0
Trash = Callable[[str, bytes, Path], bool]  # file's name, its bytes, a folder of ours that it may come from


class ArchiveResult(Struct, frozen=True):
    """What was done, what a person should know beside it, and what could not be taken back."""

    operation: SessionOperation
    notes: tuple[str, ...] = ()
    left: tuple[NotRestored, ...] = ()


class SessionArchive:
    """Renames, moves and brings back sessions, one operation of ours at a time."""

    def __init__(
        self,
        dirs: Dirs,
        *,
        fs: FileSystem = REAL,
        now: Callable[[], float] = time.time,
        trash: Trash | None = None,  # where deleted transcripts go as well
        cleanup: float = DEFAULT_RETENTION_DAYS,  # days after which the client takes a session
        patience: float = 30.0,  # seconds to wait for another process of ours
    ) -> None:
        self.root = dirs.sessions
        self.operations = SessionOperations(dirs, fs=fs)
        self._trash_folder = dirs.state / "trash"
        self._fs = fs
        self._now = now
        self._trash = trash
        self._cleanup = cleanup * _DAY
        self._patience = patience
        self._mover = ArchiveMover(self.root, self.operations, fs=fs)

    def kept(self, place: str | None = None) -> list[ArchivedSession]:
        return list_archived(self.root, place)

    def recover(self) -> None:
        """End or drop what a crash left half done; every operation begins with it."""
        if (self.root / "moving").is_dir():
            with self._working("the sessions"):
                pass

    def rename(self, path: Path, title: str) -> SessionOperation:
        """Give a session a title, even while it is worked on; after a `MemtuiError` nothing was written."""
        title = check_title(title)
        self._check([path], frozenset())
        with self._working(path.name):
            before = title_before(path)
            self._give_title(path, title)
            touched = TouchedSession(path.stem, os.path.realpath(path.parent), title_line(before), before, title)
            operation = SessionOperation(new_id(), self._now(), RENAME, (touched,))
            with suppress(OSError, MemtuiError):  # it is written, whatever the list of operations says
                self.operations.add(operation, finished=True)
        return operation

    def record_fork(self, path: Path, title: str) -> SessionOperation:
        """Write down that a fork of this title was made, so that it can be taken back."""
        touched = TouchedSession(path.stem, os.path.realpath(path.parent), title, place=DELETED)
        operation = SessionOperation(new_id(), self._now(), FORK, (touched,))
        with self._working(path.name):
            self.operations.add(operation, finished=True)
        return operation

    def archive(self, paths: Sequence[Path], *, live: frozenset[str] = frozenset()) -> ArchiveResult:
        """Move sessions from their project folders to where the client's clean-up doesn't find them.

        `live` are the ids of sessions that a client has open: those are refused, as is one of which something is a link
        (`Refused`; nothing was moved then). Raises `Conflict` if one is being written all the same, and `MemtuiError`
        if one can't be moved: it is where it was, and the hint says what happened to those before.
        """
        return ArchiveResult(self._put_away(ARCHIVE, ARCHIVED, paths, live))

    def delete(self, paths: Sequence[Path], *, live: frozenset[str] = frozenset()) -> ArchiveResult:
        """Move sessions away; they can be had back for `KEPT` days. As `archive`."""
        operation = self._put_away(DELETE, DELETED, paths, live)
        notes = self._courtesies(operation)
        gone = self._purge()
        if gone:
            notes.append(f"{gone} deleted more than {KEPT} days ago went for good")
        return ArchiveResult(operation, tuple(notes))

    def put_back(self, kept: Sequence[ArchivedSession]) -> SessionOperation:
        """Move sessions back to their project folders, over none that is there by now (`Conflict`). As `archive`."""
        operation = SessionOperation(new_id(), self._now(), RESTORE, ())
        with self._working("the session"):
            for number, one in enumerate(kept):
                touched = TouchedSession(one.note.id, one.note.project, one.note.title, place=one.place)
                with self._counting(operation.id, number, len(kept)):
                    self._back(one, replace(operation, sessions=(touched,)), undo=False)
                operation = replace(operation, sessions=(*operation.sessions, touched))
            self._finish(operation)
        return operation

    def undo(self, operation: SessionOperation, *, live: frozenset[str] = frozenset()) -> ArchiveResult:
        """Take back what still stands of an operation, session by session; what can't be is in the result's `left`.

        `live` counts where an undo puts a session away again. Raises `Conflict` if it is undone, or something else was
        done to all of its sessions since, `NotFound` if what was deleted is kept no longer.
        """
        if operation.what in (UNDO, REDO):
            raise UsageError(f"{operation.id} is {'an' if operation.what == UNDO else 'a'} {operation.what}")
        made = SessionOperation(new_id(), self._now(), UNDO, (), operation.id, operation.what)
        return self._each(operation, made, live)

    def redo(self, undone: SessionOperation, *, live: frozenset[str] = frozenset()) -> ArchiveResult:
        """Do again what an undo took back; as `undo`."""
        if undone.what != UNDO:
            raise UsageError(f"{undone.id} is no undo")
        return self._each(undone, SessionOperation(new_id(), self._now(), REDO, (), undone.id, undone.of), live)

    def _each(self, operation: SessionOperation, made: SessionOperation, live: frozenset[str]) -> ArchiveResult:
        """Turn back what stands of an operation, session by session; `made` is how it is written down."""
        left: list[NotRestored] = []
        first: MemtuiError | None = None
        with self._working("the session"):
            rest = self.operations.rest(operation)
            if not rest:
                raise Conflict(f"{operation.id} was taken back already")
            for one in rest:
                try:
                    self._turn(one, replace(made, sessions=(one,)), live)
                except MemtuiError as error:
                    first = first or error
                    left.append(NotRestored(f"session {one.id[:8]}", error.message))
                else:
                    made = replace(made, sessions=(*made.sessions, one))
            if first is not None and not made.sessions:
                raise first
            self._finish(made)
        return ArchiveResult(made, left=tuple(left))

    def _finish(self, operation: SessionOperation) -> None:
        with suppress(OSError, MemtuiError):  # each of its sessions is written down by now
            self.operations.finish(operation)

    def files(self, path: Path) -> tuple[list[str], int]:
        """What a move of a session would take along: names in its project folder, and bytes. Raises as `archive`."""
        project = Path(os.path.realpath(path.parent))
        names = survey(project, path.stem)[0]
        return names, sum(known.st_size for name in names if (known := entry_stat(project, name)) is not None)

    def _turn(self, one: TouchedSession, made: SessionOperation, live: frozenset[str]) -> None:
        project = Path(one.project)
        path = project / f"{one.id}.jsonl"
        undo = made.what == UNDO
        if made.of == RENAME:
            self._retitle(path, made, *((one.after, one.before) if undo else (one.before, one.after)))
        elif undo == (made.of in (RESTORE, FORK)):
            self._check([path], live)
            self._mover.put_away(project, made, one.place, one.title)
        else:
            kept_there = self.kept(one.place)
            boxes = [kept for kept in kept_there if (kept.note.id, kept.note.project) == (one.id, one.project)]
            if not boxes:
                raise NotFound(
                    f"session {one.id[:8]} is not among the kept ones any more",
                    hint="memtui sessions ls --archived and --deleted list them",
                )
            exact = next((kept for kept in boxes if kept.note.operation == made.undoes), boxes[0])
            self._back(exact, made, undo=undo)

    def _retitle(self, path: Path, made: SessionOperation, now: str, then: str) -> None:
        """Give a session another title that it had, if it still has the one that it got instead."""
        if entry_stat(path.parent, path.name) is None:
            raise NotFound(f"session {path.stem[:8]} is not in its project folder", hint="put it back first")
        if title_before(path) != now:
            raise Conflict(f"session {path.stem[:8]} was renamed since: it keeps its name")
        if not then.strip():
            raise Refused(f"session {path.stem[:8]} had no title before", hint="memtui sessions rename gives another")
        self._give_title(path, then)
        with suppress(OSError, MemtuiError):
            self.operations.add(made)

    def _give_title(self, path: Path, title: str) -> None:
        append_title(path, title, fs=self._fs)
        with suppress(OSError, MemtuiError):  # the records tell the title; this only who gave it
            write_title_file(path, title, self._now(), fs=self._fs)

    def _back(self, kept: ArchivedSession, operation: SessionOperation, *, undo: bool) -> None:
        now = self._now()

        def due(modified: int, at: float) -> bool:
            return modified / 1e9 < at - self._cleanup

        times = [
            int(now * 1e9) if due(item.modified, now) and not (undo and due(item.modified, kept.at)) else item.modified
            for item in kept.note.files
        ]
        self._mover.put_back(kept.box, kept.note, operation, times)

    def _put_away(self, what: str, place: str, paths: Sequence[Path], live: frozenset[str]) -> SessionOperation:
        paths = list(dict.fromkeys(paths))
        self._check(paths, live)
        operation = SessionOperation(new_id(), self._now(), what, ())
        with self._working("the session"):
            for path in paths:
                self.files(path)  # a link in the third leaves the first where it is
            for number, path in enumerate(paths):
                project = os.path.realpath(path.parent)
                touched = TouchedSession(path.stem, project, SummaryScanner().file(path).title, place=place)
                with self._counting(operation.id, number, len(paths)):
                    self._mover.put_away(Path(project), replace(operation, sessions=(touched,)), place, touched.title)
                operation = replace(operation, sessions=(*operation.sessions, touched))
            self._finish(operation)
        return operation

    def _check(self, paths: Sequence[Path], live: frozenset[str]) -> None:
        if not paths:
            raise UsageError("which session?")
        for path in paths:
            if not SESSION_FILE_NAME.fullmatch(path.name):
                raise UsageError(f"{path.name} is no session: those are named by their id")
            if path.is_relative_to(self.root):
                raise Refused(f"session {path.stem[:8]} is put away", hint=f"memtui sessions restore {path.stem[:8]}")
            if path.stem in live:
                why = f"session {path.stem[:8]} is open in the agent client: it was left where it is"
                raise Refused(why, hint="end it there first")

    def _courtesies(self, operation: SessionOperation) -> list[str]:
        """Copies for the system's trash; history is the promise, so nothing that goes wrong here matters."""
        notes: list[str] = []
        if self._trash is None:
            return notes
        for one in self.kept(DELETED):
            if one.note.operation != operation.id:
                continue
            if one.file.size > TRASH_LIMIT:
                notes.append(f"session {one.note.id[:8]} is too large for the system's trash; undo brings it back")
            else:
                with suppress(OSError):
                    self._trash(one.file.path.name, one.file.path.read_bytes(), self._trash_folder)
        return notes

    def _purge(self) -> int:
        gone = 0
        with suppress(MemtuiError), self._working("the deleted sessions"):
            for one in self.kept(DELETED):
                if self._now() - one.at > KEPT * _DAY:
                    self._mover.drop(one.box)
                    gone += 1
        return gone

    @contextmanager
    def _working(self, what: str) -> Iterator[None]:
        """Hold the lock, with what a crash left cleared away; faults of the system come out in words."""
        try:
            with file_lock(self.root / "lock", timeout=self._patience, fs=self._fs):
                self._mover.recover()
                self.operations.check()
                yield
        except OSError as error:
            raise to_error(error, what, outcome="nothing was changed") from error

    @contextmanager
    def _counting(self, operation: str, done: int, of: int) -> Iterator[None]:
        try:
            yield
        except (OSError, MemtuiError) as error:
            wrapped = (
                to_error(error, "the session", outcome="it was not moved") if isinstance(error, OSError) else error
            )
            if done:
                wrapped.hint = f"the {done} of {of} before it are done: memtui undo {operation} takes them back"
            raise wrapped from (error if wrapped is not error else None)
