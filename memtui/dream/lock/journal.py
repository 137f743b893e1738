"""What was in the lock's place before one of our runs took it, written down before it is taken.

It is kept in `<state>/locks/<hash of the folder>.json` with the process that holds the lock; whoever comes next and
finds that process gone puts it back.
"""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memtui.dream.lock.lock_file import PriorLock
from memtui.fs.atomic import digest, make_folders, replace_file
from memtui.fs.filesystem import REAL, FileSystem
from memtui.util.app_dirs import Dirs
from memtui.util.json_object import load_json
from memtui.util.process import ProcessIdentity


class LockEntry(Struct, frozen=True):
    """A lock that one of our runs took."""

    folder: Path
    holder: ProcessIdentity
    run: str
    before: PriorLock
    made: tuple[str, ...] = ()  # the folders that were created for it, outermost first
    success_ns: int | None = None  # set once the consolidation has succeeded: the mtime that the lock is to get
    done: bool = False  # it has it, and the holder's process, which may go on, no longer holds the lock


class LockJournal:
    """The journal entry of one memory folder, given by its real path."""

    def __init__(self, dirs: Dirs, folder: Path, *, fs: FileSystem = REAL) -> None:
        self.path = dirs.state / "locks" / f"{digest(os.fsencode(folder))[:16]}.json"
        self.guard = self.path.with_suffix(".guard")
        self._fs = fs

    def load(self) -> LockEntry | None:
        return _read_entry(self.path)

    def save(self, entry: LockEntry) -> None:
        before = entry.before
        data = {
            "folder": os.fsencode(entry.folder).decode("latin-1"), "holder": str(entry.holder), "run": entry.run,
            "before": [before.kind, before.data.decode("latin-1"), before.mtime_ns, before.mode],
            "made": list(entry.made), "success_ns": entry.success_ns, "done": entry.done,
        }  # fmt: skip
        make_folders(self.path.parent, fs=self._fs)
        replace_file(self.path, json.dumps(data).encode("ascii"), fs=self._fs)

    def mark_success(self, entry: LockEntry, at_ns: int, *, done: bool = False) -> LockEntry:
        """Record that the consolidation succeeded, and with `done` that the lock has its new time."""
        marked = replace(entry, success_ns=at_ns, done=done)
        self.save(marked)
        return marked

    def remove(self) -> None:
        """Forget the entry: the lock is in its final state."""
        with suppress(FileNotFoundError):
            self._fs.unlink(self.path)


def lock_entries(dirs: Dirs) -> tuple[LockEntry, ...]:
    try:
        paths = sorted((dirs.state / "locks").glob("*.json"))
    except OSError:
        return ()
    return tuple(entry for path in paths if (entry := _read_entry(path)) is not None)


def _read_entry(path: Path) -> LockEntry | None:
    try:
        data: dict[str, Any] = load_json(path)
        kind, text, mtime_ns, mode = data["before"]
        before = PriorLock(kind, text.encode("latin-1"), int(mtime_ns), int(mode))
        holder, success = ProcessIdentity.parse(data["holder"]), data["success_ns"]
        folder = Path(os.fsdecode(data["folder"].encode("latin-1")))
        run, made = str(data["run"]), tuple(map(str, data["made"]))
        success_ns = None if success is None else int(success)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if holder is None or kind not in ("none", "file", "link"):
        return None
    return LockEntry(folder, holder, run, before, made, success_ns, data.get("done") is True)
