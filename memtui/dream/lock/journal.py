"""What we know of a lock that one of us took, written down before it is taken.

The lock itself can't say that a dream died: its time is then the time of the start, which the format reads as a
success. So what was there before is kept here, in the state folder (`locks/<hash of the folder>.json`), with the
process that holds it; whoever comes next and finds that process gone puts it back.

Source: SAFETY.md section 0 (3), F20.
"""

import json
import os
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from memtui.fs.atomic import digest, make_folders, replace_file
from memtui.fs.filesystem import REAL, FileSystem
from memtui.util.app_dirs import Dirs
from memtui.util.process import ProcessIdentity


class Before(Struct, frozen=True):
    """What was in the lock's place: nothing, a file, or a symbolic link (`data` is then its target).

    `mtime_ns` is in nanoseconds since 1970.
    """

    kind: Literal["none", "file", "link"]
    data: bytes = b""
    mtime_ns: int = 0
    mode: int = 0o600


class LockEntry(Struct, frozen=True):
    """One taken lock.

    `run` is the run it was taken for. `made` are the folders that had to be made for it, outermost first. `success_ns`
    is set once the consolidation is done: from then on the lock is to get this time. `done`: it has it; the entry only
    tells that its process, which may go on for a while, doesn't hold the lock any more.
    """

    folder: Path
    holder: ProcessIdentity
    run: str
    before: Before
    made: tuple[str, ...] = ()
    success_ns: int | None = None
    done: bool = False


class LockJournal:
    """The entry of one memory folder.

    Args:
        dirs: Ours.
        folder: The memory folder, by its real path.
    """

    def __init__(self, dirs: Dirs, folder: Path, *, fs: FileSystem = REAL) -> None:
        self.path = _place(dirs) / f"{digest(os.fsencode(folder))[:16]}.json"
        self.guard = self.path.with_suffix(".guard")
        self._fs = fs

    def load(self) -> LockEntry | None:
        """The entry; `None` if there is none that can be used."""
        return _read(self.path)

    def save(self, entry: LockEntry) -> None:
        """Write it down, on the disk when this returns."""
        before = entry.before
        data = {
            "folder": os.fsencode(entry.folder).decode("latin-1"), "holder": str(entry.holder), "run": entry.run,
            "before": [before.kind, before.data.decode("latin-1"), before.mtime_ns, before.mode],
            "made": list(entry.made), "success_ns": entry.success_ns, "done": entry.done,
        }  # fmt: skip
        make_folders(self.path.parent, fs=self._fs)
        replace_file(self.path, json.dumps(data).encode("ascii"), fs=self._fs)

    def mark_success(self, entry: LockEntry, at_ns: int, *, done: bool = False) -> LockEntry:
        """Write down that the consolidation is done, or the lock, too; the entry as it is then."""
        marked = replace(entry, success_ns=at_ns, done=done)
        self.save(marked)
        return marked

    def remove(self) -> None:
        """Forget it: the lock is as it has to be."""
        try:
            self._fs.unlink(self.path)
        except FileNotFoundError:
            return


def entries(dirs: Dirs) -> tuple[LockEntry, ...]:
    """The entries of all memory folders."""
    try:
        paths = sorted(_place(dirs).glob("*.json"))
    except OSError:
        return ()
    found = (_read(path) for path in paths)
    return tuple(entry for entry in found if entry is not None)


def _place(dirs: Dirs) -> Path:
    return dirs.state / "locks"


def _read(path: Path) -> LockEntry | None:
    try:
        data: dict[str, Any] = json.loads(path.read_bytes())
        kind, text, mtime_ns, mode = data["before"]
        before = Before(kind, text.encode("latin-1"), int(mtime_ns), int(mode))
        holder, success = ProcessIdentity.parse(data["holder"]), data["success_ns"]
        folder = Path(os.fsdecode(data["folder"].encode("latin-1")))
        run, made = str(data["run"]), tuple(map(str, data["made"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if holder is None or kind not in ("none", "file", "link"):
        return None
    return LockEntry(
        folder, holder, run, before, made, None if success is None else int(success), data.get("done") is True
    )
