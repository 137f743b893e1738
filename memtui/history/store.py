"""The one way in which memtui writes a memory file.

Every writer of ours (editor, command line, adoption of a dream) hands over what it wants and the digest of what it saw.
Under a lock that all our processes share, the store looks again; if somebody was faster, it merges three ways or says
`Stale` with all the texts. What was there goes into the history before it is replaced; the file is replaced atomically;
several files are replaced as one step, which a crash leaves whole or untouched at the next `recover`.

Invariant: every line that was ever acknowledged, and every foreign byte that was there when we wrote, is in the file or
in the history.

Source: SAFETY.md section 2; DESIGN.md D1, D7.
"""

import os
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from msgspec import Struct

from memtui.fs.atomic import digest, to_error
from memtui.fs.boundary import Actor, check_path, fold_name
from memtui.fs.filesystem import REAL, FileSystem
from memtui.history.merge import merge3
from memtui.history.snapshot import clear_folder
from memtui.history.transaction import Moved, Step, look, remove_folder
from memtui.history.trash import put_in_trash
from memtui.history.undo import redo_target, taken_back, undo_target
from memtui.history.versions import FOUND, KEPT, OUTSIDE, REDO, UNDO, Version
from memtui.history.writer import NOTHING, TRIES, Known, Writer
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, NotFound, Refused, UsageError

DRAFT_KEPT = f"{NOTHING}; your text is kept as a draft"


class Change(Struct, frozen=True):
    """What somebody wants of one file.

    Args:
        name: Relative to the store's root, with slashes.
        data: The bytes it shall hold; `None` removes it.
        base: SHA-256 digest of the bytes that this was made from; `None` if there was no such file.
        base_data: Those bytes, if the caller still has them: needed for a merge when the history never saw them.
    """

    name: str
    data: bytes | None
    base: str | None
    base_data: bytes | None = None


class Saved(Struct, frozen=True):
    """What was done: the version (`None` if nothing had to be), and the names whose text was merged."""

    version: Version | None
    merged: tuple[str, ...] = ()


class Stale(Conflict):
    """A file is another one than the caller saw, and the two can't be brought together. Nothing was written.

    Attributes:
        name: The file.
        mine: What the caller wanted it to hold; `None`: to be removed.
        base: What the caller started from, where known; `None` otherwise, or if there was no file.
        disk: What is there; `None` if it is gone.
        merged: Both with diff3 marks where they overlap; `None` where a merge makes no sense.
    """

    def __init__(
        self, name: str, mine: bytes | None, base: bytes | None, disk: bytes | None, merged: bytes | None = None
    ) -> None:
        what = "is gone" if disk is None else "is there already" if base is None and mine else "changed on disk"
        super().__init__(f"{name} {what}: nothing was written", hint="compare the two and save again")
        self.name = name
        self.mine = mine
        self.base = base
        self.disk = disk
        self.merged = merged


class Store:
    """Reads, writes and remembers the files of one folder.

    Args:
        root: The folder. A link in its own path is followed: that is the person's choice.
        dirs: Ours; the history is in its state folder, under a hash of the root's real path.
        allow: Exact names instead of the rule for memory files: for instructions and settings.
        fs: Where every write goes through.
        now: The clock, in seconds since 1970.
        actor: Whose rights count.
        trash: Where removed files go as well; `None` for nowhere.
        patience: Seconds to wait for another process of ours.
    """

    def __init__(
        self,
        root: Path,
        dirs: Dirs,
        *,
        allow: frozenset[str] | None = None,
        fs: FileSystem = REAL,
        now: Callable[[], float] = time.time,
        actor: Actor = "user",
        trash: Callable[[str, bytes, Path], bool] | None = put_in_trash,
        patience: float = 30.0,
    ) -> None:
        self.root = root
        self._real = Path(os.path.realpath(root))
        home = dirs.state / "history" / digest(os.fsencode(self._real))[:16]
        self._allow = allow
        self._fs = fs
        self._now = now
        self._actor: Actor = actor
        self._trash = trash
        self._trash_folder = dirs.state / "trash"
        self._writer = Writer(self._real, home, allow=allow, fs=fs, now=now, patience=patience)
        self.history = self._writer.history

    def read(self, name: str) -> tuple[bytes, str] | None:
        """A file's bytes and digest, never half-written; `None` if it isn't there.

        Raises:
            Refused: If it isn't one of this store's, or a link or no file.
        """
        found = look(self._real, self._name(name, ()), self._fs)
        return None if found is None else (found.data, found.digest)

    def log(self, name: str | None = None, limit: int | None = 100) -> tuple[Version, ...]:
        """The versions that this store's files are in, newest first; of one file if `name` is given.

        `history.log` has also those of other stores of the same folder (memory files here, instructions there).
        """
        named = (version for version in self.versions() if name is None or version.file(name) is not None)
        return tuple(islice(named, limit))

    def apply(
        self,
        changes: Sequence[Change],
        *,
        why: str,
        who: str = "you",
        merge: bool = True,
        kind: str | None = None,
        extra: Mapping[str, str] | None = None,
        before_write: Callable[[], None] | None = None,
    ) -> Saved:
        """Do all the changes, or none.

        Args:
            changes: At most one for each file.
            why: One line for the history.
            who: Who did it.
            merge: Whether a file that changed meanwhile is merged; else it is `Stale`.
            kind: The word for it in the history; found out when left out ("new", "edit", "delete", "rename").
            extra: More for the history, such as the run that this came from.
            before_write: Called under the lock right before anything is replaced; what it raises stops the write.

        Returns:
            The version made, and what was merged. On return all of it is on the disk, synced.

        Raises:
            Stale: If a file is another one than the caller saw and can't be merged.
            Refused: If a name may not be written, or the disk forbids it.
            Conflict: If another process of ours doesn't finish, or a file keeps changing.
            Unsupported: If the disk is full or broken. The message tells a person that the text is kept as a draft: a
                caller that acts for one has to do that (`Drafts`), whatever is raised here.
        """
        names = ", ".join(change.name for change in changes)
        typed = self._actor == "user" and any(change.data is not None for change in changes)
        with self._writer.writing(names, DRAFT_KEPT if typed else NOTHING):
            for _ in range(TRIES):
                steps, merged = self._plan(changes, merge)
                word = kind or _kind(steps)
                try:
                    version = self._writer.carry_out(steps, who, why, word, extra=extra, before_write=before_write)
                except Moved:
                    continue
                if version is not None:
                    self._courtesies(steps)
                return Saved(version, merged)
        raise Conflict(f"{names} keeps changing: nothing was written", hint="try again in a moment")

    def undo(self, version_id: str | None = None, *, who: str = "you") -> Saved:
        """Take a version back: the newest deed of ours, or any by its id, also after later edits.

        Raises:
            NotFound: If there is nothing to undo.
            Conflict: If it is undone already.
            Stale: If later edits overlap; nothing was written.
        """
        with self._writer.writing("undo"):
            version = undo_target(self.versions()) if version_id is None else self.history.version(version_id)
            if version is None:
                raise NotFound("Nothing to undo")
            return self._take_back(version, who)

    def redo(self, *, who: str = "you") -> Saved:
        """Do again what was undone last, unless something new was done since.

        Raises:
            NotFound: If there is nothing to redo.
            Stale: If later edits overlap; nothing was written.
        """
        with self._writer.writing("redo"):
            version = redo_target(self.versions())
            if version is None:
                raise NotFound("Nothing to redo")
            return self._take_back(version, who)

    def restore(self, version_id: str, name: str, *, who: str = "you") -> Saved:
        """Bring one file back to what it was after a version; if that version removed it, to what it was before.

        Raises:
            NotFound: If there is no such version, or the file wasn't there then.
        """
        with self._writer.writing(name):
            version = self.history.version(version_id)
            data = self.history.read(version.id, name)
            if data is None:
                data = self.history.before(version.id, name)
            if data is None:
                raise NotFound(f"{name} was not there in version {version.id[:8]}")
            why = f"restore {name} from {version.id[:8]}"
            for _ in range(TRIES):
                target = self._name(name, ())
                step = Step(target, look(self._real, target, self._fs, Known(self.history, None)), data)
                with suppress(Moved):
                    return Saved(self._writer.carry_out([step], who, why, "restore"))
        raise Conflict(f"{name} keeps changing: nothing was written", hint="try again in a moment")

    def keep(self, name: str, data: bytes, *, why: str, who: str = "you") -> Version:
        """Put a text into the history without touching the file: the side that lost a conflict."""
        with self._writer.writing(name):
            return self.history.commit({name: data}, who=who, why=why, when=self._now(), kind=KEPT)

    def unseen(self) -> dict[str, str]:
        """The files that somebody else changed since a person looked at them: name to digest."""
        return self._writer.unseen.load()

    def mark_seen(self, *names: str) -> None:
        """A person has looked at these files."""
        if self._writer.unseen.load().keys() & set(names):
            with self._writer.writing(", ".join(names)):
                self._writer.unseen.change({}, names)

    def note_outside(self, who: str = OUTSIDE) -> Version | None:
        """Record what others changed since the last look; the first look records everything as it was found.

        Cheap when nothing changed: a `stat` for each file, no lock, no import. Nothing below the root is written.
        """
        try:
            if self._writer.unchanged_outside():
                return None
        except OSError as error:
            raise to_error(error, str(self.root)) from error
        with self._writer.writing("the history"):
            return self._writer.note(who)

    def recover(self) -> tuple[str, ...]:
        """End what a crash left half done, and remove the temporary files of dead processes. For the start.

        Returns:
            The names of the temporary files removed.
        """
        if not self._writer.home.is_dir():
            return tuple(clear_folder(self._real, self._allow, self._fs, own=False))
        with self._writer.writing("the history"):
            return self._writer.clear()

    def _name(self, name: str, leaving: Container[str]) -> str:
        """The name to use, in the spelling on the disk."""
        verdict = check_path(self.root, name, op="write", actor=self._actor, only=self._allow, leaving=leaving)
        if verdict.name is None:
            raise Refused(f"{name} is not written: {verdict.reason}")
        return verdict.name

    def versions(self) -> Iterator[Version]:
        """All versions that this store's files are in, newest first, read as they are asked for."""
        for version in self.history.walk():
            if not version.files or any(self._writer.looks_after(change.name) for change in version.files):
                yield version

    def _plan(self, changes: Sequence[Change], merge: bool) -> tuple[list[Step], tuple[str, ...]]:
        """What has to be done, and which names were merged for it."""
        removed = {change.name for change in changes if change.data is None}
        steps: list[Step] = []
        merged: list[str] = []
        for change in changes:
            name = self._name(change.name, removed - {change.name})
            disk = look(self._real, name, self._fs, Known(self.history, change.base))
            text = self._reconciled(change, name, disk.data if disk is not None else None, merge)
            if text != change.data:
                merged.append(name)
            steps.append(Step(name, disk, text))
        if len({step.name for step in steps}) != len(steps):
            raise UsageError("two changes of one file in one step")
        return steps, tuple(merged)

    def _reconciled(self, change: Change, name: str, disk: bytes | None, merge: bool) -> bytes | None:
        """What the file shall hold, given what is there by now."""
        seen = digest(disk) if disk is not None else None
        if seen == change.base or disk == change.data:
            return change.data
        base = change.base_data
        if change.base is not None and (base is None or digest(base) != change.base):
            base = self.history.find_bytes(name, change.base)
        if not merge or disk is None or change.data is None or base is None or change.base is None:
            raise Stale(name, change.data, base, disk)
        result = merge3(change.data, base, disk)
        if result.conflicts:
            raise Stale(name, change.data, base, disk, result.text)
        return result.text

    def _take_back(self, version: Version, who: str) -> Saved:
        if version.undone:
            raise Conflict(f"{version.id[:8]} is undone already", hint="redo brings it back")
        if version.kind in (FOUND, KEPT):
            raise Refused(f"{version.id[:8]} changed nothing that could be undone")
        kind = REDO if version.kind == UNDO else UNDO
        why = f"{kind}: {self._origin(version).why}"
        for _ in range(TRIES):
            steps, merged = self._inverse(version)
            try:
                made = self._writer.carry_out(steps, who, why, kind, undoes=version.id)
            except Moved:
                continue
            for step in steps:
                folder = step.name
                while step.data is None and (folder := folder.rpartition("/")[0]):
                    if not remove_folder(self._real, folder, self._fs):
                        break
            return Saved(made, merged)
        raise Conflict("The files keep changing: nothing was written", hint="try again in a moment")

    def _inverse(self, version: Version) -> tuple[list[Step], tuple[str, ...]]:
        leaving = {change.name for change in version.files if change.before is None}
        steps: list[Step] = []
        merged: list[str] = []
        for change in version.files:
            name = self._name(change.name, (leaving | self._beside(version, change.name)) - {change.name})
            before, after = self.history.before(version.id, change.name), self.history.read(version.id, change.name)
            disk = look(self._real, name, self._fs, (change.before, change.after))
            result = taken_back(name, disk, before, after)
            if isinstance(result, bytes):
                raise Stale(name, before, after, disk.data if disk is not None else None, result or None)
            steps.append(result[0])
            if result[1]:
                merged.append(name)
        return steps, tuple(merged)

    def _beside(self, version: Version, name: str) -> set[str]:
        """Files in whose place a name isn't taken, though only its spelling differs: before, both stood there."""
        folder, _, leaf = name.rpartition("/")
        try:
            here = [path.name for path in (self._real / folder).iterdir()]
        except OSError:
            return set()
        key = fold_name(leaf)
        twins = [f"{folder}/{one}".lstrip("/") for one in here if one != leaf and fold_name(one) == key]
        return {twin for twin in twins if self.history.before(version.id, twin) is not None}

    def _origin(self, version: Version) -> Version:
        """The deed that an undo or redo is about in the end."""
        if version.undoes is None:
            return version
        wanted: str | None = version.id
        for one in self.history.walk():
            if one.id == wanted:
                if one.undoes is None:
                    return one
                wanted = one.undoes
        return version

    def _courtesies(self, steps: Sequence[Step]) -> None:
        """What may fail without harm once everything is done: the trash, and the mark that a person saw it."""
        if self._actor == "user":
            with suppress(OSError):
                self._writer.unseen.change({}, [step.name for step in steps])
        if self._trash is None or any(step.disk is None for step in steps):
            return  # a file that is new in the same step is the old one under another name
        for step in steps:
            if step.data is None and step.disk is not None:
                self._trash(step.name.rpartition("/")[2], step.disk.data, self._trash_folder)


def _kind(steps: Sequence[Step]) -> str:
    """The word for what some steps do to the folder."""
    real = [step for step in steps if step.changes]
    new = any(step.disk is None for step in real)
    gone = any(step.data is None for step in real)
    if new and gone:
        return "rename"
    return "new" if new else "delete" if gone else "edit"
