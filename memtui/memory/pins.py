"""Pins: files that no background run may touch, and that a shorter index always keeps.

They are ours, so they are kept in our state folder and never in the memory folder: `pins/<hash of the folder>.json`,
which names the folder and the pinned files relative to it. What a person pins is an operation of the history:
`pin_operations`.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from memtui.fs.atomic import digest, make_folders, replace_file
from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.lock import file_lock
from memtui.util.app_dirs import Dirs
from memtui.util.json_object import read_json_object
from memtui.util.text import nfc


class Pins:
    """Reads and changes pins; every change is one atomic write under a lock."""

    def __init__(self, dirs: Dirs, fs: FileSystem = REAL) -> None:
        self._folder = dirs.state / "pins"
        self._fs = fs

    def names(self, folder: Path) -> frozenset[str]:
        """The pinned files of a memory folder: POSIX names relative to it. A pin file that is no JSON pins nothing."""
        listed = read_json_object(self._file(folder)).get("names")
        return frozenset(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else frozenset()

    def paths(self, folder: Path) -> frozenset[Path]:
        """The same as paths below the folder."""
        return frozenset(folder / name for name in self.names(folder))

    def set(self, folder: Path, names: Iterable[str], pinned: bool) -> frozenset[str]:
        """Pin or unpin files, POSIX names relative to the folder, outside the history; all that are pinned then."""
        wanted = {nfc(name) for name in names}
        with file_lock(self._file(folder).with_suffix(".lock"), fs=self._fs):
            before = self.names(folder)
            after = before | wanted if pinned else before - wanted
            if after != before:
                path = self._file(folder)
                make_folders(path.parent, fs=self._fs)
                text = json.dumps({"folder": str(folder), "names": sorted(after)}, ensure_ascii=False, indent=1)
                replace_file(path, text.encode("utf-8", "surrogateescape") + b"\n", fs=self._fs)
        return after

    def rename(self, folder: Path, old: str, new: str) -> None:
        """Let the pin follow a file that got another name."""
        if nfc(old) in self.names(folder):
            self.set(folder, [old], False)
            self.set(folder, [new], True)

    def _file(self, folder: Path) -> Path:
        return self._folder / f"{digest(os.fsencode(os.path.realpath(folder)))[:16]}.json"
