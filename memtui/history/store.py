"""The one way in which memtui writes a file whose history it keeps.

Every writer (editor, command line, adoption of a dream) hands over what it wants and the digest of what it saw. Under
a lock that all processes of memtui share, the store looks again; if somebody was faster, it merges three ways or says
`Stale` with all the texts. What was there goes into the history before it is replaced; the file is replaced
atomically; several files are replaced as one step, which a crash leaves whole or untouched.

Undo and restore do what can be done and list the rest (`NotRestored`): a file that later edits overlap, or that may
not be written.
"""

import os
import time
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from msgspec import Struct

from memtui.fs.atomic import FileContent, digest, to_error
from memtui.fs.boundary import Actor, check_path, fold_name
from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.links import why_not_written
from memtui.history.database import HistoryDamaged, HistoryDatabase
from memtui.history.merge import merge3
from memtui.history.snapshot import clear_folder
from memtui.history.transaction import Moved, Step, look, remove_folder
from memtui.history.trash import put_in_trash
from memtui.history.versions import (
    FOUND,
    KEPT,
    MOVED,
    REDO,
    UNDO,
    FileChange,
    FolderScope,
    FolderVersions,
    NotRestored,
    Operation,
    Saved,
    redo_target,
    undo_target,
)
from memtui.history.writer import MAX_TRIES, Entry, Writer
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused, UsageError


class Change(Struct, frozen=True):
    """What somebody wants of one file."""

    name: str  # relative to the store's root, with slashes
    data: bytes | None  # the bytes it shall hold; `None` removes it
    base: str | None  # SHA-256 digest of what this was made from; `None`: there was no such file
    base_data: bytes | None = None  # those bytes, for a merge when the history never saw them
    modified: int | None = None  # its mtime then, in nanoseconds since 1970; that of the write if left out


class RestorePlan(Struct, frozen=True):
    """What restoring a folder would do."""

    files: tuple[tuple[str, bytes | None], ...]  # that would change, each with what it would hold
    left: tuple[NotRestored, ...]  # what can't be restored
    unknown: tuple[str, ...]  # first seen later: nobody knows whether they were there, so they stay


class Stale(Conflict):
    """A file is another one than the caller saw, and the two can't be brought together. Nothing was written."""

    def __init__(
        self, name: str, mine: bytes | None, base: bytes | None, disk: bytes | None, merged: bytes | None = None
    ) -> None:
        what = "is gone" if disk is None else "is there already" if base is None and mine else "changed on disk"
        super().__init__(f"{name} {what}: nothing was written", hint="compare the two and save again")
        self.name = name
        self.mine = mine  # what the caller wanted it to hold; `None`: to be removed
        self.base = base  # what the caller started from, where known
        self.disk = disk  # what is there; `None` if it is gone
        self.merged = merged  # both with diff3 marks where they overlap; `None` where a merge makes no sense


class Store:
    """Reads, writes and remembers the files of one folder; a link in its own path is followed, the person's choice."""

    def __init__(
        self,
        root: Path,
        dirs: Dirs,
        *,
        allow: frozenset[str] | None = None,  # exact names instead of the rule for memory files
        fs: FileSystem = REAL,
        now: Callable[[], float] = time.time,
        actor: Actor = "user",  # whose rights count
        trash: Callable[[str, bytes, Path], bool] | None = put_in_trash,  # where removed files go as well
        patience: float = 30.0,  # seconds to wait for another process of ours
        own: Sequence[Path] = (),  # where the target of a link has to lie, so that a change goes through it
    ) -> None:
        self.root = root
        self._real = Path(os.path.realpath(root))
        self.scope = FolderScope(str(self._real), allow)
        self._allow = allow
        self._fs = fs
        self._now = now
        self._actor: Actor = actor
        self._own = own
        self._trash = trash
        self._trash_folder = dirs.state / "trash"
        database = HistoryDatabase.of(dirs, fs=fs, patience_s=patience)
        self._writer = Writer(self._real, database, scope=self.scope, fs=fs, now=now, patience_s=patience, own=own)
        self.history: FolderVersions = self._writer.versions

    def read(self, name: str) -> tuple[bytes, str] | None:
        """A file's bytes and digest, never half-written; `None` if it isn't there.

        Raises `Refused` if it isn't one of this store's, or a link or no file.
        """
        found = self._look(self._name(name, ()))
        return None if found is None else (found.data, found.digest)

    def log(self, name: str | None = None, limit: int | None = 100) -> tuple[Operation, ...]:
        """The operations on this store's files, newest first; on one file if `name` is given."""
        named = (one for one in self.operations() if name is None or one.file(name) is not None)
        return tuple(islice(named, limit))

    def operations(self) -> Iterator[Operation]:
        """All operations on this store's files, newest first, read as they are asked for."""
        return (one for one in self.history.walk([self.scope]) if one.folder == self.scope.folder)

    def apply(
        self,
        changes: Sequence[Change],
        *,
        why: str,  # one line for the history
        who: str = "you",
        merge: bool = True,  # else a file that changed meanwhile is `Stale`
        kind: str | None = None,  # the history's word for it: "new", "edit", "delete", "rename" by itself
        extra: Mapping[str, str] | None = None,  # more for the history, such as the run that this came from
        before_write: Callable[[], None] | None = None,  # under the lock; what it raises stops the write
        partial: bool = False,  # do what can be done, be it nothing, and list the rest in the result's `left`
    ) -> Saved:
        """Do all the changes, at most one for each file, or none. On return all of it is on the disk, synced.

        Raises `Stale` if a file is another one than the caller saw and can't be merged, `Refused` if a name may not be
        written, or the disk forbids it, `Conflict` if another process of ours doesn't finish, or a file keeps changing,
        `Unsupported` if the disk is full or broken: whoever acts for a person keeps the text as a draft then, and says
        so.
        """
        names = ", ".join(change.name for change in changes)
        with self._writer.writing(names):
            for _ in range(MAX_TRIES):
                steps, merged, left = self._plan(changes, merge, partial)
                try:
                    entry = Entry(who, why, kind or _kind(steps), extra=extra)
                    operation = self._writer.carry_out(steps, entry, before_write=before_write)
                except Moved:
                    continue
                if operation is not None:
                    self._follow_up(steps)
                return Saved(operation, merged, left)
        raise Conflict(f"{names} keeps changing: nothing was written", hint="try again in a moment")

    def undo(
        self,
        operation_id: str | None = None,
        *,
        over: Collection[str] = (),
        whole: bool = False,
        extra: Mapping[str, str] | None = None,
    ) -> Saved:
        """Take an operation back: the newest of this store, or any by its id, also after later edits; an undo is
        redone.

        Files that can be taken back are, in one step; the others are in the result's `left`, be it all of them, unless
        the whole of it is wanted (`whole`). `over` are names to take back even where later edits overlap. `extra` is
        for the history.

        Raises `NotFound` if there is nothing to undo, `Conflict` if it is undone already; `Refused` if nothing of it
        may be written; with `whole`, `Stale` or `Refused` if not all of it can be taken back. Nothing was written then.
        """
        with self._writer.writing("undo"):
            known = operation_id is not None
            operation = self.history.operation(operation_id or "") if known else undo_target(self.operations())
            if operation is None:
                raise NotFound("Nothing to undo")
            return self._take_back(operation, over, whole=whole, extra=extra)

    def redo(self) -> Saved:
        """Do again what was undone last, unless something new was done since; `NotFound` if there is none."""
        with self._writer.writing("redo"):
            operation = redo_target(self.operations())
            if operation is None:
                raise NotFound("Nothing to redo")
            return self._take_back(operation)

    def restore(self, operation_id: str, name: str) -> Saved:
        """Bring one file back to what it was after an operation; if that removed it, to what it was before.

        Raises `NotFound` if there is no such operation, or the file wasn't there then.
        """
        with self._writer.writing(name):
            operation = self.history.operation(operation_id)
            data = self.history.read(operation.id, name)
            change = operation.file(name)
            modified = change.after_mtime_ns if change is not None else None
            if data is None:
                data = self.history.before(operation.id, name)
                modified = change.before_mtime_ns if change is not None else None
            if data is None:
                raise NotFound(f"{name} was not there in version {operation.id[:8]}")
            why = f"restore {name} from {operation.id[:8]}"
            for _ in range(MAX_TRIES):
                target = self._name(name, ())
                disk = self._look(target, _Whole(self.history, None))
                with suppress(Moved):
                    step = Step(target, disk, data, modified)
                    return Saved(self._writer.carry_out([step], Entry("you", why, "restore")))
        raise Conflict(f"{name} keeps changing: nothing was written", hint="try again in a moment")

    def plan_restore_as_of(self, *, until: float | None = None, before: str | None = None) -> RestorePlan:
        """What `restore_as_of` would do. Writes nothing."""
        steps, left, unknown = self._as_of(until, before)
        files = tuple((step.name, step.data) for step in steps if step.changes)
        return RestorePlan(files, tuple(left), tuple(unknown))

    def restore_as_of(
        self, *, until: float | None = None, before: str | None = None, why: str = "restore the folder"
    ) -> Saved:
        """Bring the folder back to what it was at a moment, bytes and mtimes, as one operation.

        The moment is `until`, in seconds since 1970, or right before the operation with the id `before`. What is there
        now goes into the history first. What can't be restored is in the result's `left`; the rest is. Raises
        `NotFound` if the history knows nothing of the folder at that moment, `MemtuiError` if nothing could be written.
        """
        with self._writer.writing("restore"):
            self._writer.note()
            for _ in range(MAX_TRIES):
                steps, left, _ = self._as_of(until, before)
                if not steps and not left:
                    raise NotFound("The history knows nothing of this folder at that time")
                with suppress(Moved):
                    operation = self._writer.carry_out(steps, Entry("you", why, "restore"))
                    self._remove_empty(steps)
                    return Saved(operation, (), tuple(left))
        raise Conflict("The files keep changing: nothing was written", hint="try again in a moment")

    def keep(self, name: str, data: bytes, *, why: str) -> Operation:
        """Put a text into the history without touching the file: the side that lost a conflict."""
        with self._writer.writing(name):
            return self._writer.keep(name, data, why)

    def unseen(self) -> dict[str, str]:
        """The files that somebody else changed since a person looked at them: name to digest."""
        return self._writer.snapshot.unseen()

    def mark_seen(self, *names: str) -> None:
        """A person has looked at these files."""
        if self.unseen().keys() & set(names):
            with self._writer.writing(", ".join(names)):
                self._writer.snapshot.mark_seen(names)

    def note_outside(self) -> Operation | None:
        """Record what others changed since the last look; the first look records everything as it was found.

        Cheap when nothing changed: a `stat` for each file, no lock. Nothing below the root is written.
        """
        return self._note(None)

    def note_edit(self, why: str) -> Operation | None:
        """Record what changed since the last look as an edit of a person's own, which undo takes back."""
        return self._note(Entry("you", why, "edit"))

    def _note(self, edit: Entry | None) -> Operation | None:
        try:
            if self._writer.unchanged_outside():
                return None
        except OSError as error:
            raise to_error(error, str(self.root)) from error
        with self._writer.writing("the history"):
            return self._writer.note(edit)

    def recover(self) -> tuple[str, ...]:
        """End what a crash left half done, and remove the temporary files of dead processes, whose names are returned.
        For the start.

        A history that is damaged is left alone here: the first write, or look at it, says so.
        """
        if self._writer.database.exists:
            with suppress(HistoryDamaged), self._writer.writing("the history"):
                return self._writer.clear()
        return tuple(clear_folder(self._real, self._allow, self._fs, ours=False, own=self._own))

    def _look(self, name: str, known: Container[str | None] = ()) -> FileContent | None:
        return look(self._real, name, self._fs, known, self._own)

    def _name(self, name: str, leaving: Container[str]) -> str:
        """The name to use, in the spelling on the disk."""
        verdict = check_path(
            self.root, name, op="write", actor=self._actor, only=self._allow, leaving=leaving, follow=True
        )
        reason = verdict.reason
        if verdict.name is not None:
            reason = why_not_written(self._real / verdict.name, self._own, self._actor)
        if verdict.name is None or reason:
            raise Refused(f"{name} is not written: {reason}")
        return verdict.name

    def _plan(
        self, changes: Sequence[Change], merge: bool, partial: bool
    ) -> tuple[list[Step], tuple[str, ...], tuple[NotRestored, ...]]:
        """What has to be done, which names were merged for it, and (if `partial`) what can't be done."""
        removed = {change.name for change in changes if change.data is None}
        steps: list[Step] = []
        merged: list[str] = []
        left: list[NotRestored] = []
        for change in changes:
            try:
                name = self._name(change.name, removed - {change.name})
                disk = self._look(name, _Whole(self.history, change.base))
                text = self._reconciled(change, name, disk.data if disk is not None else None, merge)
            except (Conflict, Refused) as error:
                if not partial:
                    raise
                left.append(_left(change.name, error))
                continue
            if text != change.data:
                merged.append(name)
            steps.append(Step(name, disk, text, change.modified if text == change.data else None))
        if len({step.name for step in steps}) != len(steps):
            raise UsageError("two changes of one file in one step")
        return steps, tuple(merged), tuple(left)

    def _reconciled(self, change: Change, name: str, disk: bytes | None, merge: bool) -> bytes | None:
        seen = digest(disk) if disk is not None else None
        if seen == change.base or disk == change.data:
            return change.data
        base = change.base_data
        if change.base is not None and (base is None or digest(base) != change.base):
            base = self.history.content(change.base)
        if not merge or disk is None or change.data is None or base is None or change.base is None:
            raise Stale(name, change.data, base, disk)
        result = merge3(change.data, base, disk)
        if result.conflicts:
            raise Stale(name, change.data, base, disk, result.text)
        return result.text

    def _take_back(
        self,
        operation: Operation,
        over: Collection[str] = (),
        *,
        whole: bool = False,
        extra: Mapping[str, str] | None = None,
    ) -> Saved:
        rest = self.history.standing(operation)
        if operation.undone and not (rest.files and over):
            raise Conflict(f"{operation.id[:8]} is undone already", hint="redo brings it back")
        if operation.kind in (FOUND, KEPT):
            raise Refused(f"{operation.id[:8]} changed nothing that could be undone")
        kind = REDO if operation.kind == UNDO else UNDO
        why = f"{kind}: {self.history.origin(operation).why}"
        if operation.kind == MOVED:  # a part of something that is undone as a whole
            kind = MOVED
        for _ in range(MAX_TRIES):
            steps, merged, left = self._inverse(operation, rest.files, over, whole=whole)
            if left and not steps:
                return Saved(None, (), tuple(left))
            try:
                made = self._writer.carry_out(steps, Entry("you", why, kind, operation.id, extra=extra))
            except Moved:
                continue
            self._remove_empty(steps)
            return Saved(made, merged, tuple(left))
        raise Conflict("The files keep changing: nothing was written", hint="try again in a moment")

    def _inverse(
        self, operation: Operation, files: Sequence[FileChange], over: Collection[str], *, whole: bool
    ) -> tuple[list[Step], tuple[str, ...], list[NotRestored]]:
        """The steps that take files of an operation back, the names merged for it, and what can't be.

        Raises `Stale` or `Refused` for the first reason: if nothing can be taken back, not even over later edits;
        with `whole` if something is left.
        """
        leaving = {change.name for change in files if change.before is None}
        steps: list[Step] = []
        merged: list[str] = []
        left: list[NotRestored] = []
        first: MemtuiError | None = None
        for change in files:
            try:
                name = self._name(change.name, (leaving | self._beside(operation, change.name)) - {change.name})
                step, joined = self._step_back(operation, change, name, over)
            except MemtuiError as error:
                first = first or error
                left.append(_left(change.name, error))
            else:
                steps.append(step)
                merged += [name] if joined else []
        if first is not None and (whole or not (steps or any(one.overridable for one in left))):
            raise first
        return steps, tuple(merged), left

    def _step_back(
        self, operation: Operation, change: FileChange, name: str, over: Collection[str]
    ) -> tuple[Step, bool]:
        """The step that takes a change of one file back, whatever was done to it since, and whether that is a merge;
        raises `Stale` if later edits overlap.
        """
        before, after = self.history.before(operation.id, change.name), self.history.read(operation.id, change.name)
        disk = self._look(name, (change.before, change.after))
        now = disk.data if disk is not None else None
        if now in (before, after) or change.name in over:
            return Step(name, disk, before, change.before_mtime_ns if now != before else None), False
        if now is None or before is None or after is None:
            raise Stale(name, before, after, now)
        result = merge3(before, after, now)
        if result.conflicts:
            raise Stale(name, before, after, now, result.text)
        return Step(name, disk, result.text), True

    def _as_of(self, until: float | None, before: str | None) -> tuple[list[Step], list[NotRestored], list[str]]:
        """The steps that make the folder what it was, what can't be restored, and what nobody knows."""
        if before is not None:
            before = self.history.operation(before).id  # people give the beginning of it
        then = self.history.folder_at(self.scope.folder, until=until, before=before)
        then = {name: version for name, version in then.items() if self.scope.covers(name)}
        leaving = {name for name, version in then.items() if version.digest is None}
        steps: list[Step] = []
        left: list[NotRestored] = []
        for name, version in sorted(then.items()):
            wanted = None
            try:
                wanted = self.history.content(version.digest) if version.digest is not None else None
                target = self._name(name, leaving - {name})
                disk = self._look(target, (version.digest,))
            except MemtuiError as error:
                if version.digest is None and not os.path.lexists(self._real / name):
                    continue
                left.append(NotRestored(name, error.message, wanted))
                continue
            if disk is not None or wanted is not None:
                steps.append(Step(target, disk, wanted, version.mtime_ns))
        unknown = sorted(name for name in self.history.heads() if self.scope.covers(name) and name not in then)
        return steps, left, unknown

    def _remove_empty(self, steps: Sequence[Step]) -> None:
        for step in steps:
            folder = step.name
            while step.data is None and (folder := folder.rpartition("/")[0]):
                if not remove_folder(self._real, folder, self._fs):
                    break

    def _beside(self, operation: Operation, name: str) -> set[str]:
        """Files in whose place a name isn't taken, though only its spelling differs: before, both stood there."""
        folder, _, leaf = name.rpartition("/")
        try:
            here = [path.name for path in (self._real / folder).iterdir()]
        except OSError:
            return set()
        key = fold_name(leaf)
        twins = [f"{folder}/{one}".lstrip("/") for one in here if one != leaf and fold_name(one) == key]
        return {twin for twin in twins if self.history.before(operation.id, twin) is not None}

    def _follow_up(self, steps: Sequence[Step]) -> None:
        """What may fail without harm once everything is done: the trash, and the mark that a person saw it."""
        if self._actor == "user":
            with suppress(OSError, MemtuiError):
                self._writer.snapshot.mark_seen([step.name for step in steps])
        if self._trash is None or any(step.disk is None for step in steps):
            return  # a file that is new in the same step is the old one under another name
        for step in steps:
            if step.data is None and step.disk is not None:
                self._trash(step.name.rpartition("/")[2], step.disk.data, self._trash_folder)


class _Whole:
    """Digests of contents that are whole for sure: what the caller saw, and what recent operations left."""

    def __init__(self, history: FolderVersions, base: str | None) -> None:
        self._history = history
        self._base = base

    def __contains__(self, wanted: object) -> bool:
        return wanted == self._base or (isinstance(wanted, str) and self._history.recent(wanted))


def _left(name: str, error: MemtuiError) -> NotRestored:
    if isinstance(error, Stale):
        return NotRestored(error.name, "it was edited since", error.mine, error.disk, error.merged, True)
    return NotRestored(name, error.message)


def _kind(steps: Sequence[Step]) -> str:
    real = [step for step in steps if step.changes]
    new = any(step.disk is None for step in real)
    gone = any(step.data is None for step in real)
    if new and gone:
        return "rename"
    return "new" if new else "delete" if gone else "edit"
