"""Pins: files that no background run may touch, and that a shorter index always keeps.

They are ours, so they are kept in our state folder and never in the memory folder: `pins/<hash of the folder>.json`,
which names the folder and the pinned files relative to it. That a person pins or unpins a file is an operation of the
history, so it can be undone.
"""

import json
import os
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Final

from memtui.fs.atomic import digest, make_folders, replace_file
from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.lock import guard
from memtui.history.database import HistoryDatabase
from memtui.history.log import OperationsLog, real_folder
from memtui.history.versions import REDO, UNDO, Item, Operation, Saved, Versions
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict
from memtui.util.text import nfc

PINS: Final = "pins"
"""Subject of these operations in the history."""

LARGEST_FILE = 4 << 20
"""Bytes of a pin file that we read; a larger one isn't ours."""


class Pins:
    """Reads and changes pins; every change is one atomic write under a lock.

    Args:
        dirs: Ours; the pins are in the state folder.
        fs: Where every write goes through.
        now: The clock, in seconds since 1970.
    """

    def __init__(self, dirs: Dirs, fs: FileSystem = REAL, *, now: Callable[[], float] = time.time) -> None:
        self._folder = dirs.state / "pins"
        self._fs = fs
        self._now = now
        self._database = HistoryDatabase.of(dirs, fs=fs)

    def names(self, folder: Path) -> frozenset[str]:
        """The pinned files of a memory folder: POSIX names relative to it. A pin file that is no JSON pins nothing."""
        path = self._file(folder)
        try:
            if path.stat().st_size > LARGEST_FILE:
                return frozenset()
            data = json.loads(path.read_bytes())
        except (OSError, ValueError):
            return frozenset()
        listed = data.get("names") if isinstance(data, dict) else None
        return frozenset(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else frozenset()

    def paths(self, folder: Path) -> frozenset[Path]:
        """The same as paths below the folder."""
        return frozenset(folder / name for name in self.names(folder))

    def set(self, folder: Path, names: Iterable[str], pinned: bool) -> frozenset[str]:
        """Pin or unpin files, without a word in the history: as a part of something else.

        Args:
            folder: The memory folder.
            names: POSIX names relative to it.
            pinned: What they are to be.

        Returns:
            All pinned files of the folder afterwards.

        Raises:
            Conflict: If another process of ours holds the lock for too long.
            OSError: If our state folder can't be written.
        """
        wanted = {nfc(name) for name in names}
        with guard(self._file(folder).with_suffix(".lock"), fs=self._fs):
            before = self.names(folder)
            after = before | wanted if pinned else before - wanted
            if after != before:
                self._write(folder, after)
        return after

    def pin(self, folder: Path, names: Collection[str], pinned: bool) -> frozenset[str]:
        """Pin or unpin files as a person's own operation. Arguments, result and errors as for `set`."""
        there = self.names(folder)
        changed = sorted({nfc(name) for name in names if (nfc(name) in there) != pinned})
        if changed:
            what = changed[0] if len(changed) == 1 else f"{len(changed)} files"
            self._record(
                folder, changed, pinned, "pin" if pinned else "unpin", f"{'pin' if pinned else 'unpin'} {what}"
            )
        return self.set(folder, names, pinned)

    def toggle(self, folder: Path, paths: Iterable[Path]) -> bool:
        """Pin the files, or unpin them if all of them are pinned; those outside the folder are left out.

        Returns:
            Whether they are pinned now.
        """
        names = {nfc(path.relative_to(folder).as_posix()) for path in paths if path.is_relative_to(folder)}
        pinned = not names <= self.names(folder)
        self.pin(folder, names, pinned)
        return pinned

    def invert(self, operation: Operation, over: Collection[str] = ()) -> Saved:
        """Take an operation on pins back, or do it again. As `history.undo.Inverse`."""
        if operation.undone:
            raise Conflict(f"{operation.id[:8]} is undone already")
        pinned = not operation.items[0].data["pinned"]
        folder, names = Path(operation.items[0].folder), [item.key for item in operation.items]
        kind = REDO if operation.kind == UNDO else UNDO
        why = f"{kind}: {Versions(self._database).origin(operation).why}"
        made = self._record(folder, names, pinned, kind, why, operation.id)
        self.set(folder, names, pinned)
        return Saved(made)

    def _record(
        self, folder: Path, names: Iterable[str], pinned: bool, kind: str, why: str, undoes: str | None = None
    ) -> Operation:
        """Write it down, before it is done: an undo of what a crash then prevented changes nothing."""
        items = [Item(real_folder(folder), name, {"pinned": pinned}) for name in names]
        id = OperationsLog(self._database).record(PINS, kind, why, items, when=self._now(), undoes=undoes)
        return Versions(self._database).operation(id)

    def rename(self, folder: Path, old: str, new: str) -> None:
        """Let the pin follow a file that got another name."""
        if nfc(old) in self.names(folder):
            self.set(folder, [old], False)
            self.set(folder, [new], True)

    def _file(self, folder: Path) -> Path:
        return self._folder / f"{digest(os.fsencode(os.path.realpath(folder)))[:16]}.json"

    def _write(self, folder: Path, names: frozenset[str]) -> None:
        path = self._file(folder)
        make_folders(path.parent, fs=self._fs)
        text = json.dumps({"folder": str(folder), "names": sorted(names)}, ensure_ascii=False, indent=1)
        replace_file(path, text.encode("utf-8", "surrogateescape") + b"\n", fs=self._fs)
