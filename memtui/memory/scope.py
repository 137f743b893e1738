"""The memory folders of a directory, and one of them as data: files, index, budget, entries.

The scopes of a directory:
- `auto`: the memory folder as decided; `team`: `team/` in it, shared over git; `logs`: `logs/` in it, a file a day.
- `agent:user:NAME`: `<config>/agent-memory/NAME/`; `agent:project:NAME`: `.claude/agent-memory/NAME/`, meant to be
  checked in; `agent:local:NAME`: `.claude/agent-memory-local/NAME/`, not checked in. Recorded on Claude Code 2.1.332:
  the project and local memory of an agent lies below the working directory, not below the root of the repository. Those
  of the root are listed too, where the working directory has none of that name.

The files of a scope are its `.md` files, hidden ones apart. `MEMORY.md` at the root is the index. Copies that a sync
tool leaves after a conflict have the kind "other": the agent takes them for topics though nobody wrote them.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.client.git import worktree_root
from memtui.client.memory_location import MemoryLocation
from memtui.client.paths import is_directory
from memtui.fs.boundary import MAX_FOLDER_DEPTH
from memtui.fs.folders import subfolders
from memtui.fs.links import link_target
from memtui.memory.budget import IndexBudget, decode_index, measure_index
from memtui.memory.index import INDEX_NAME, IndexEntry, read_entries
from memtui.memory.sync_copies import is_surely_a_copy, original_of
from memtui.memory.topic import MAX_FILE_BYTES, MAX_INDEX_BYTES, FileKind, MemoryFile, read_bytes, read_file
from memtui.util.text import nfc

MAX_SCANNED_TOPICS = 200  # the newest topics by mtime; the agent client's scan leaves out the rest
MAX_FILES = 20_000


class Scope(Struct, frozen=True, dict=True):
    """One folder of memory at one moment."""

    id: str  # "auto", "team", "logs", "agent:user:NAME" …
    label: str
    root: Path
    files: tuple[MemoryFile, ...]  # by name, the index among them
    index: MemoryFile | None
    index_text: str
    budget: IndexBudget | None
    entries: tuple[IndexEntry, ...]
    problem: str | None = None  # why it couldn't be read, wholly or in part

    @property
    def topics(self) -> tuple[MemoryFile, ...]:
        return tuple(file for file in self.files if file.kind == "topic")

    @property
    def types(self) -> Mapping[str, str | None]:
        return {file.name: file.type for file in self.topics}

    def find(self, name: str) -> MemoryFile | None:
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> Mapping[str, MemoryFile]:
        return {file.name: file for file in reversed(self.files)}


def read_scope(
    root: Path,
    id: str,
    label: str,
    *,
    full: bool,
    known: Mapping[Path, MemoryFile] | None = None,
    skip: frozenset[str] = frozenset(),
    own: Sequence[Path] = (),
) -> Scope:
    """Read a folder, with `full` whole files; never raises: `problem` is set if it can't be read.

    Unchanged files are taken from `known`. `skip` names folders at the top, `own` those where links may lead.
    """
    before = {os.fspath(path): file for path, file in (known or {}).items()}
    found: list[tuple[str, str, os.stat_result]] = []
    problem = _walk(os.fspath(root), "", found, skip, 0)
    found.sort()
    topics = [(-status.st_mtime_ns, name) for name, _, status in found if _kind(id, name) == "topic"]
    scanned = {name for _, name in sorted(topics)[:MAX_SCANNED_TOPICS]}
    real_root = Path(os.path.realpath(root))
    files: list[MemoryFile] = []
    index: MemoryFile | None = None
    index_data = b""
    for name, path, status in found:
        kind = _kind(id, name)
        file = before.get(path)
        data = b""
        target = link_target(Path(path)) if stat.S_ISLNK(status.st_mode) else None
        seen = status
        with suppress(OSError):
            seen = status if target is None else target.stat()
        if (
            file is None
            or file.size != seen.st_size
            or file.mtime_ns != seen.st_mtime_ns
            or (full and file.digest is None and file.size <= MAX_FILE_BYTES)
            or file.scope != id
            or (file.kind == "other" and kind != "other" and target is None)  # a copy of a file that may be gone
            or file.lies_at != target
        ):
            file, data = read_file(id, path, name, kind, status, full=full or kind == "index", own=own)
            if kind == "topic" and file.lies_at is not None and real_root in file.lies_at.parents:
                file = replace(file, kind="other")  # another name of a file that is listed itself
        if file.scanned != (name in scanned):
            file = replace(file, scanned=name in scanned)
        if kind == "index":
            index, index_data = file, data or _index_bytes(file)
        files.append(file)
    by_name = {nfc(file.name): file for file in files}
    files = [
        replace(file, kind="other") if file.kind == "topic" and original_of(file, by_name) is not None else file
        for file in files
    ]
    if index is None:
        return Scope(id, label, root, tuple(files), None, "", None, (), problem)
    reason = "larger than 4 MiB: Claude Code loads nothing of it" if index.size > MAX_INDEX_BYTES else None
    if index.is_unread or reason:
        problem = f"{INDEX_NAME} is not read: {reason or index.readonly}"
        return Scope(id, label, root, tuple(files), index, "", None, (), problem)
    text = decode_index(index_data)
    budget = measure_index(text)
    return Scope(id, label, root, tuple(files), index, text, budget, read_entries(text, budget), problem)


def _index_bytes(file: MemoryFile) -> bytes:
    """The bytes of an index whose file is taken over from the last read: its text is needed all the same."""
    with suppress(OSError):
        return b"" if file.digest is None else read_bytes(file.path, min(file.size, MAX_INDEX_BYTES))
    return b""


def _kind(scope: str, name: str) -> FileKind:
    if name == INDEX_NAME:
        return "index"
    if name.rpartition("/")[2] == INDEX_NAME or is_surely_a_copy(name):
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
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if is_folder and not prefix and name in skip:
                        continue
                    if name.endswith(".md"):
                        found.append((prefix + name, entry.path, entry.stat(follow_symlinks=False)))
                    if is_folder and depth < MAX_FOLDER_DEPTH:
                        problem = _walk(entry.path, f"{prefix}{name}/", found, skip, depth + 1) or problem
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


OWN_SCOPES = frozenset({"team", "logs"})  # folders at the top of the memory folder that are scopes of their own
MAX_AGENTS = 500


class ScopeRoot(Struct, frozen=True):
    id: str
    label: str
    root: Path


def scope_roots(location: MemoryLocation) -> list[ScopeRoot]:
    """The auto memory, whether it exists or not, and the other scopes whose folder exists, as they are shown."""
    roots = [ScopeRoot("auto", "memory", location.folder)]
    for name, label in (("team", "team memory"), ("logs", "daily logs")):
        folder = location.folder / name
        if is_directory(folder):
            roots.append(ScopeRoot(name, label, folder))
    known = location.directory_known
    tops = dict.fromkeys((location.cwd, worktree_root(location.cwd) or location.root) if known else ())
    taken: dict[tuple[str, str], Path] = {}
    for kind, root in agent_folders(agent_roots(location.config, tops)):
        taken.setdefault((kind, root.name), root)
    for kind, label in (("user", "agent"), ("project", "agent (project)"), ("local", "agent (local)")):
        found = sorted((name, root) for (one, name), root in taken.items() if one == kind)
        roots += [ScopeRoot(f"agent:{kind}:{name}", f"{label} {name}", root) for name, root in found]
    return roots


def agent_roots(config: Path, tops: Iterable[Path]) -> list[tuple[str, Path]]:
    """Where agents have their memory folders, by kind: the user's in `config`, then those of some directories."""
    names = {"project": "agent-memory", "local": "agent-memory-local"}
    found = [(kind, top / ".claude" / name) for kind, name in names.items() for top in tops]
    return [("user", config / "agent-memory"), *found]


def agent_folders(roots: Iterable[tuple[str, Path]]) -> Iterator[tuple[str, Path]]:
    """The memory folders in some of `agent_roots`, each with its kind."""
    for kind, folder in roots:
        names = [name for name in subfolders(folder, follow=True) if not name.startswith(".")]
        yield from ((kind, folder / name) for name in names[:MAX_AGENTS])
