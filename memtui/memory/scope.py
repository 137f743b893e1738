"""A memory folder as data: its files, its index, the budget and the entries. Reading changes nothing.

Listed: every `.md` file but hidden ones. `MEMORY.md` at the root is the index; copies that a sync tool leaves after a
conflict are listed as "other", since the agent takes them for topics though nobody wrote them. Sub-folders that are
scopes of their own (`team`, `logs`) are skipped by name.

Which folders of memory there are for a directory, beside the auto memory itself.

- `auto`: the memory folder as decided; `team`: `team/` in it, shared over git; `logs`: `logs/` in it, a file a day.
- `agent:user:NAME`: `<config>/agent-memory/NAME/`; `agent:project:NAME`: `.claude/agent-memory/NAME/`, meant to be
  checked in; `agent:local:NAME`: `.claude/agent-memory-local/NAME/`, not checked in.

Recorded on Claude Code 2.1.332: the project and local memory of an agent lies below the working directory, not below
the root of the repository. Those of the root are listed too, where the working directory has none of that name.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.client.git import worktree_root
from memtui.client.memory_location import MemoryLocation
from memtui.memory.budget import IndexBudget, decode_index, measure_index
from memtui.memory.index import INDEX_NAME, IndexEntry, read_entries
from memtui.memory.topic import MAX_INDEX, MAX_SIZE, FileKind, MemoryFile, read_bytes, read_file

SCANNED = 200  # the newest so many topics are what the agent's scan keeps (FORMATS 3.2)
MAX_DEPTH = 8  # as deep as a memory file may lie (SAFETY 3.1)
MAX_FILES = 20_000


class Scope(Struct, frozen=True):
    """One folder of memory at one moment.

    `id` is "auto", "team", "logs", "agent:user:NAME" …; `files` are in the order of their names, the index among them.
    `problem` says why the folder couldn't be read, wholly or in part.
    """

    id: str
    label: str
    root: Path
    files: tuple[MemoryFile, ...]
    index: MemoryFile | None
    index_text: str
    budget: IndexBudget | None
    entries: tuple[IndexEntry, ...]
    problem: str | None = None

    @property
    def topics(self) -> tuple[MemoryFile, ...]:
        return tuple(file for file in self.files if file.kind == "topic")

    def find(self, name: str) -> MemoryFile | None:
        """The file of a name (posix, relative to the root)."""
        return next((file for file in self.files if file.name == name), None)


def read_scope(
    root: Path,
    id: str,
    label: str,
    *,
    full: bool,
    known: Mapping[Path, MemoryFile] | None = None,
    skip: frozenset[str] = frozenset(),
) -> Scope:
    """Read a folder.

    Args:
        root: The folder; it may not exist.
        id: The scope's id.
        label: The scope's name for people.
        full: Read whole files (digest, links), not only their heads.
        known: Files of an earlier read; one with the same size and time is taken as it is.
        skip: Names of folders at the top that are scopes of their own.

    Returns:
        The scope; `problem` is set if the folder is there but can't be read. Never raises.
    """
    before = {os.fspath(path): file for path, file in (known or {}).items()}
    found: list[tuple[str, str, os.stat_result]] = []
    problem = _walk(os.fspath(root), "", found, skip, 0)
    found.sort()
    topics = [(-status.st_mtime_ns, name) for name, _, status in found if _kind(id, name) == "topic"]
    scanned = {name for _, name in sorted(topics)[:SCANNED]}
    real_root = os.path.realpath(root)
    files: list[MemoryFile] = []
    index: MemoryFile | None = None
    index_data = b""
    for name, path, status in found:
        kind = _kind(id, name)
        file = before.get(path)
        data = b""
        if (
            file is None
            or file.size != status.st_size
            or file.mtime_ns != status.st_mtime_ns
            or (full and file.digest is None and file.size <= MAX_SIZE)
            or file.scope != id
            or stat.S_ISLNK(status.st_mode)
        ):
            file, data = read_file(id, path, name, kind, status, full=full or kind == "index", root=real_root)
        if file.scanned != (name in scanned):
            file = replace(file, scanned=name in scanned)
        if kind == "index":
            index, index_data = file, data or _again(file)
        files.append(file)
    if index is None:
        return Scope(id, label, root, tuple(files), None, "", None, (), problem)
    text = decode_index(index_data)
    budget = measure_index(text)
    return Scope(id, label, root, tuple(files), index, text, budget, read_entries(text, budget), problem)


def _again(file: MemoryFile) -> bytes:
    """The bytes of an index that is known already: its text is needed, whoever read it first."""
    if file.digest is None:
        return b""
    try:
        return read_bytes(os.fspath(file.path), min(file.size, MAX_INDEX))
    except OSError:
        return b""


def _kind(scope: str, name: str) -> FileKind:
    if name == INDEX_NAME:
        return "index"
    leaf = name.rpartition("/")[2]
    if ".sync-conflict" in leaf or "conflicted copy" in leaf or leaf == INDEX_NAME:
        return "other"
    return "log" if scope == "logs" else "topic"


def _walk(
    folder: str, prefix: str, found: list[tuple[str, str, os.stat_result]], skip: frozenset[str], depth: int
) -> str | None:
    """List the `.md` files below a folder as (name, path, lstat); links to folders are not followed."""
    problem = None
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name.startswith("."):
                    continue
                try:
                    if entry.is_dir(follow_symlinks=False):
                        if not prefix and name in skip:
                            continue
                        if name.endswith(".md"):
                            found.append((prefix + name, entry.path, entry.stat(follow_symlinks=False)))
                        if depth < MAX_DEPTH:
                            problem = _walk(entry.path, f"{prefix}{name}/", found, skip, depth + 1) or problem
                    elif name.endswith(".md"):
                        found.append((prefix + name, entry.path, entry.stat(follow_symlinks=False)))
                except FileNotFoundError:
                    continue  # gone since the listing
                if len(found) >= MAX_FILES:
                    return f"more than {MAX_FILES:,} files, the rest is not listed"
    except FileNotFoundError:
        return None if prefix else problem
    except NotADirectoryError:
        return "not a folder"
    except OSError as error:
        return f"{prefix or folder} can't be read: {error.strerror}"
    return problem


OWN_SCOPES = frozenset({"team", "logs"})
"""Folders at the top of the memory folder that are scopes of their own."""
MOST_AGENTS = 500
"""Agents of one kind that we list."""


class ScopeRoot(Struct, frozen=True):
    """A folder that may hold memory."""

    id: str
    label: str
    root: Path


def scope_roots(location: MemoryLocation) -> list[ScopeRoot]:
    """The scopes of a directory, in the order in which they are shown.

    Args:
        place: The directory as decided.

    Returns:
        The auto memory always, whether its folder exists or memory is on or not; the others where their folder exists.
    """
    roots = [ScopeRoot("auto", "memory", location.folder)]
    for name, label in (("team", "team memory"), ("logs", "daily logs")):
        folder = location.folder / name
        if folder.is_dir():
            roots.append(ScopeRoot(name, label, folder))
    tops = dict.fromkeys((location.cwd, worktree_root(location.cwd) or location.root))
    for kind, label, folders in (
        ("user", "agent", [location.config / "agent-memory"]),
        ("project", "agent (project)", [top / ".claude" / "agent-memory" for top in tops]),
        ("local", "agent (local)", [top / ".claude" / "agent-memory-local" for top in tops]),
    ):
        taken: dict[str, Path] = {}
        for folder in folders:
            for name in _folders(folder):
                taken.setdefault(name, folder / name)
        roots += [ScopeRoot(f"agent:{kind}:{name}", f"{label} {name}", taken[name]) for name in sorted(taken)]
    return roots


def _folders(folder: Path) -> list[str]:
    """Names of the folders in a folder, none hidden, links followed."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir())
    except OSError:
        return []
    return names[:MOST_AGENTS]
