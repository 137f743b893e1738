"""Several files replaced as one step.

Everything that needs room on the disk happens first: the new bytes are in temporary files, synced, beside their
targets, and the caller puts the versions into the database. Only then are files renamed. A crash before the first
rename leaves the old state; after it, the next writer ends what was begun.
"""

from collections.abc import Container, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from memtui.fs.atomic import FileContent, FileStamp, digest, read_content, write_temp
from memtui.fs.boundary import fold_name, open_parent, parent_folder
from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.links import followed
from memtui.util.errors import MemtuiError, NotFound, Refused


class Moved(Exception):
    """A file changed between our look at it and its replacement. The caller looks again."""


class Step(Struct, frozen=True):
    """One file."""

    name: str
    disk: FileContent | None  # as it was read; `None`: absent
    data: bytes | None  # what it shall hold; `None`: removed
    modified: int | None = None  # its mtime then, in nanoseconds since 1970; `None`: the moment of writing

    @property
    def changes(self) -> bool:
        """Whether anything has to be done."""
        if self.disk is None or self.data is None:
            return self.disk is not None or self.data is not None
        return self.disk.data != self.data or self.modified not in (None, self.disk.stamp.mtime_ns)


class Transaction:
    """One step over several files: `stage`, `check`, `replace`, then `close`; `roll_back` if `replace` failed."""

    def __init__(self, root: Path, steps: Sequence[Step], *, fs: FileSystem = REAL, own: Sequence[Path] = ()) -> None:
        self._root = root
        # New content first and removals last, so that nobody looking in between misses a memory. A removed name that
        # differs from a new one in case or accents only goes first: on some systems both are one file.
        new = {fold_name(step.name) for step in steps if step.data is not None}
        self._steps = sorted(
            steps, key=lambda step: 1 if step.data is not None else 0 if fold_name(step.name) in new else 2
        )
        self._fs = fs
        self._own = own
        self._parents: dict[tuple[Path, str], int] = {}
        self._temps: dict[str, str] = {}
        self._places: dict[str, tuple[Path, str]] = {}
        self._made: list[str] = []
        self.modified: dict[str, int] = {}  # once staged, the mtime that each file will have, in nanoseconds
        self.done: list[Step] = []  # or begun

    def stage(self) -> None:
        """Put all new bytes into temporary files beside their targets."""
        for step in self._steps:
            parent, _ = self._parent(step)
            if step.data is None:
                if self._places[step.name] != (self._root, step.name):
                    hint = f"remove it yourself: rm {self._root / step.name}"
                    raise Refused(f"{step.name} is a link: memtui removes and renames no link", hint=hint)
                continue
            self._write_temp(step, step.data, step.modified)
            self.modified[step.name] = self._fs.lstat(self._temps[step.name], dir_fd=parent).st_mtime_ns

    def _write_temp(self, step: Step, data: bytes, modified: int | None) -> None:
        """Put bytes beside their target, with the rights of the file that they replace."""
        parent, leaf = self._parent(step)
        mode, owner = self._fs.fstat(parent).st_mode & 0o666, None  # a new file is as open as its folder
        if step.disk is not None:
            mode, owner = step.disk.mode, (step.disk.info.st_uid, step.disk.info.st_gid)
        temp = write_temp(parent, leaf, data, fs=self._fs, mode=mode, owner=owner, modified=modified)
        self._temps[step.name] = temp

    def check(self) -> None:
        """Look once more whether every file is as it was read; raises `Moved` if one isn't."""
        for step in self._steps:
            self._check(step)

    def replace(self) -> None:
        """Rename and remove, then sync the folders. What was done or begun is in `done`, whatever happens."""
        for step in self._steps:
            self._check(step)
            parent, leaf = self._parent(step)
            self.done.append(step)  # first: what stops us may come between the rename and the next line
            if step.data is not None:
                self._fs.replace(self._temps[step.name], leaf, dir_fd=parent)
                del self._temps[step.name]
            elif step.disk is not None:
                with suppress(FileNotFoundError):
                    self._fs.unlink(leaf, dir_fd=parent)
        for parent in self._parents.values():
            self._fs.fsync(parent)

    def roll_back(self) -> None:
        """Undo what `replace` did so far; a file that somebody changed since is left to them.

        Raises `OSError` if that can't be done now: the version must stay in the history then.
        """
        for step in reversed(self.done):
            parent, leaf = self._parent(step)
            now = self._look(parent, leaf, () if step.data is None else (digest(step.data),))
            if (now.data if now is not None else None) != step.data:
                continue
            if step.disk is not None:
                self._write_temp(step, step.disk.data, step.disk.info.st_mtime_ns)
                self._fs.replace(self._temps.pop(step.name), leaf, dir_fd=parent)
            elif now is not None:
                self._fs.unlink(leaf, dir_fd=parent)
        for parent in self._parents.values():
            self._fs.fsync(parent)
        self.done.clear()

    def close(self) -> None:
        """Remove the temporary files that were not used, and folders that were made in vain."""
        for step in self._steps:
            if step.name in self._temps:
                with suppress(OSError):  # cleared at the next start
                    self._fs.unlink(self._temps[step.name], dir_fd=self._parent(step)[0])
        for parent in self._parents.values():
            with suppress(OSError):
                self._fs.close(parent)
        self._parents.clear()
        if not self.done:
            for folder in sorted(self._made, key=len, reverse=True):
                remove_folder(self._root, folder, self._fs)

    def _parent(self, step: Step) -> tuple[int, str]:
        root, name = self._places.setdefault(step.name, followed(self._root, step.name, self._own))
        above, _, leaf = name.rpartition("/")
        if (root, above) not in self._parents:
            if step.data is not None and step.disk is None:
                self._made += self._missing(above)
            try:
                self._parents[root, above], _ = open_parent(root, name, create=step.data is not None, fs=self._fs)
            except NotFound as error:
                raise Moved(step.name) from error
        return self._parents[root, above], leaf

    def _missing(self, folder: str) -> list[str]:
        parts = folder.split("/") if folder else []
        leads = ["/".join(parts[:number]) for number in range(1, len(parts) + 1)]
        return [lead for lead in leads if not (self._root / lead).exists()]

    def _check(self, step: Step) -> None:
        parent, leaf = self._parent(step)
        try:
            stamp = FileStamp.of(self._fs.lstat(leaf, dir_fd=parent))
        except FileNotFoundError:
            if step.disk is not None:
                raise Moved(step.name) from None
            return
        if step.disk is None:
            raise Moved(step.name)
        if stamp != step.disk.stamp:
            now = self._look(parent, leaf, (step.disk.digest,))
            if now is None or now.digest != step.disk.digest:
                raise Moved(step.name)

    def _look(self, parent: int, leaf: str, known: Container[str | None]) -> FileContent | None:
        try:
            return read_content(leaf, fs=self._fs, dir_fd=parent, known=known)
        except FileNotFoundError:
            return None


def look(
    root: Path, name: str, fs: FileSystem = REAL, known: Container[str | None] = (), own: Sequence[Path] = ()
) -> FileContent | None:
    """A file below `root` as it is, be it a link to one of the person's own (`own`); `None` if it isn't there.

    Raises `Refused` if it, or a folder on the way, is another link or something else, `Conflict` if it is being
    rewritten and doesn't come to rest, `OSError` if it can't be read.
    """
    with suppress(NotFound, FileNotFoundError), parent_folder(*followed(root, name, own), fs=fs) as (parent, leaf):
        return read_content(leaf, fs=fs, dir_fd=parent, known=known)
    return None


def remove_folder(root: Path, folder: str, fs: FileSystem = REAL) -> bool:
    """Remove a folder below `root` if it is empty; what holds it back is no fault."""
    try:
        with parent_folder(root, folder, fs=fs) as (parent, leaf):
            fs.rmdir(leaf, dir_fd=parent)
    except (OSError, MemtuiError):
        return False
    return True
