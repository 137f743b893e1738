"""What lies around a memory folder, as far as its checks ask: sessions, the repository, other projects, instructions.

Nothing is read before it is asked for, and each question is answered once.
"""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from memtui.client.environment import Env
from memtui.client.git import worktree_root
from memtui.client.memory_location import MemoryLocation
from memtui.client.paths import project_name, read_small_file
from memtui.client.projects import directories_sharing
from memtui.fs.folders import subfolders
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.instructions import Instruction
from memtui.memory.scope import agent_folders, agent_roots
from memtui.memory.topic import MAX_FILE_BYTES, read_bytes


class AgentStore(Struct, frozen=True):
    """One of several memory folders of an agent; `is_read` is None where no definition of the agent tells."""

    scope: str
    root: Path
    is_read: bool | None


class Surroundings(Struct, frozen=True, dict=True, eq=False):
    """What lies around a memory folder; `store` is the project's folder, if the memory folder is the one in it."""

    home: Path | None = None
    config: Path | None = None
    cwd: Path | None = None
    root: Path | None = None
    instructions: tuple[Instruction, ...] = ()
    store: Path | None = None

    @classmethod
    def of(cls, env: Env, location: MemoryLocation, instructions: tuple[Instruction, ...] = ()) -> "Surroundings":
        store = location.folder.parent if location.decided_by == "default" else None
        return cls(env.home, location.config, location.cwd, location.root, instructions, store)

    @cached_property
    def sharing(self) -> tuple[Path, ...]:
        """The directories that share this memory, if there are several."""
        return () if self.store is None else directories_sharing(self.store)

    @cached_property
    def agent_stores(self) -> Mapping[str, tuple[AgentStore, ...]]:
        """The agents that have several memory folders, by the name that Claude Code gives the folder."""
        if self.config is None or self.cwd is None or self.root is None:
            return {}
        tops = tuple(dict.fromkeys((self.cwd, worktree_root(self.cwd) or self.root)))
        found: dict[str, list[tuple[str, Path]]] = {}
        for kind, root in agent_folders(agent_roots(self.config, tops)):
            found.setdefault(_folder_name(root.name), []).append((f"agent:{kind}:{root.name}", root))
        return {
            name: self._judged(name, [self.config / "agents", *(top / ".claude" / "agents" for top in tops)], stores)
            for name, stores in found.items()
            if len(stores) > 1
        }

    def _judged(self, name: str, folders: list[Path], stores: list[tuple[str, Path]]) -> tuple[AgentStore, ...]:
        """Which of the stores is read: the scope is in the agent's definition, the working directory's own counts."""
        kind = next((kind for folder in reversed(folders) if (kind := _memory_of_agent(folder, name))), None)
        read = None
        if self.config is not None and self.cwd is not None and kind is not None:
            read = dict(agent_roots(self.config, [self.cwd]))[kind] / name
        elif len({root.parent for _, root in stores}) == 1:  # spelled in several ways: Claude Code knows one spelling
            read = stores[0][1].with_name(name)
        return tuple(AgentStore(id, root, None if read is None else root == read) for id, root in stores)

    def store_notes(self) -> tuple[str, ...]:
        """What is to be said of the folders themselves: two directories with one memory, agents with several."""
        return tuple(filter(None, (self.sharing_note(), *map(self.agent_note, self.agent_stores))))

    def sharing_note(self) -> str:
        """Which directories share this memory; "" if it is one directory's."""
        places = ", ".join(map(str, self.sharing))
        return f"{len(self.sharing)} directories share this memory: {places}" if self.sharing else ""

    def agent_note(self, name: str) -> str:
        """Which memory folders an agent has, and which of them is read; "" if it has one."""
        stores = self.agent_stores.get(_folder_name(name), ())
        if not stores:
            return ""
        read = next((str(one.root) for one in stores if one.is_read), "")
        others = ", ".join(str(one.root) for one in stores if not one.is_read)
        if read:
            return f"agent {name} has {len(stores)} memory folders; Claude Code reads {read}, not {others}"
        why = "its definition names another" if stores[0].is_read is False else "no definition says which one is read"
        return f"agent {name} has {len(stores)} memory folders: {others}; {why}"

    @cached_property
    def projects(self) -> frozenset[str]:
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
        is_missing = not any(os.path.lexists(top / path) for top in tops)
        return is_missing and any((top / path).parent.is_dir() for top in tops)

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


def _folder_name(agent: str) -> str:
    """The name of an agent's memory folder: what is no letter, digit, `_` or `-` becomes `-` (`a.b` and `a-b` meet)."""
    return re.sub(r"[^\w-]", "-", agent)


def _memory_of_agent(folder: Path, name: str) -> str | None:
    for file in sorted(folder.glob("*.md")):
        front = read_frontmatter(read_small_file(file) or b"")
        if _folder_name(front.name or file.stem) == name and front.get("memory") in ("user", "project", "local"):
            return front.get("memory")
    return None


def _session_ids(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name.removesuffix(".jsonl") for entry in entries if entry.name.endswith(".jsonl")]
    except OSError:
        return []


NOTHING_AROUND = Surroundings()  # a folder by itself: nothing is known of what lies around it
