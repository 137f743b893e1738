"""What lies around a memory folder, as far as its checks ask: sessions, the repository, other projects, instructions.

Nothing is read before it is asked for, and each question is answered once.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from memtui.client.paths import project_name
from memtui.fs.folders import subfolders
from memtui.memory.instructions import Instruction
from memtui.memory.topic import MAX_FILE_BYTES, read_bytes


class Surroundings(Struct, frozen=True, dict=True, eq=False):
    """The home, Claude Code's folder, the working directory, the repository, and the instruction files."""

    home: Path | None = None
    config: Path | None = None
    cwd: Path | None = None
    root: Path | None = None
    instructions: tuple[Instruction, ...] = ()

    @cached_property
    def projects(self) -> frozenset[str]:
        """The names of the folders under `projects/`."""
        return frozenset(() if self.config is None else subfolders(self.config / "projects"))

    @cached_property
    def sessions(self) -> frozenset[str]:
        """The ids of all sessions, whatever project they belong to."""
        if self.config is None:
            return frozenset()
        folders = (self.config / "projects" / name for name in self.projects)
        return frozenset(id for folder in folders for id in _session_ids(folder))

    def is_gone(self, path: str) -> bool:
        """Whether a file of the repository is surely gone: its folder is there, the file isn't, in no working tree."""
        tops = [top for top in (self.cwd, self.root) if top is not None]
        return (
            bool(tops)
            and any((top / path).parent.is_dir() for top in tops)
            and not any(os.path.lexists(top / path) for top in tops)
        )

    def other_project(self, path: str) -> str:
        """The directory of the other project in which a path lies, by its name under `projects/`; "" if in none."""
        if self.home is None or self.cwd is None or self.root is None:
            return ""
        place = Path(os.path.normpath(self.home / path[2:] if path.startswith("~/") else path))
        own = (self.cwd, self.root)
        for folder in (place, *place.parents[:-1]):
            if any(one == folder or folder in one.parents or one in folder.parents for one in own):
                return ""
            if folder != self.home and project_name(str(folder)) in self.projects:
                return str(folder)
        return ""

    @cached_property
    def instruction_texts(self) -> Mapping[Path, str]:
        """The texts of the instruction files that are loaded at start."""
        found: dict[Path, str] = {}
        for item in self.instructions:
            if item.loaded and item.size <= MAX_FILE_BYTES:
                with suppress(OSError):
                    found[item.path] = read_bytes(item.path, MAX_FILE_BYTES).decode("utf-8", "replace")
        return found


def _session_ids(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name.removesuffix(".jsonl") for entry in entries if entry.name.endswith(".jsonl")]
    except OSError:
        return []


NOTHING_AROUND = Surroundings()
"""A folder by itself: nothing is known of what lies around it."""
