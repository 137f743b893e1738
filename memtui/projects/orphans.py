"""What is astray in the agent client's folder: projects whose directory is gone, two directories in one folder, memory
that no client loads. Only looked at, nothing is changed.

Where a directory that is gone may be now is guessed from the directories that its own sessions went on to, git's list
of worktrees, the directories of other projects, the folders beside it and those of its name one level below. What
counts most is whether the files that its sessions name are there.
"""

# ruff: noqa: PTH110, PTH112, PTH113
# What may not be looked at counts as not there; pathlib raises PermissionError.

import json
import os
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from memtui.client.environment import Env
from memtui.client.git import canonical_root
from memtui.client.memory_location import locate_memory
from memtui.client.paths import configured_project_name, matches_project_name, read_small_file, real_path
from memtui.client.projects import Project, list_projects, session_directory
from memtui.client.session_files import head_and_tail, parse_records, session_files
from memtui.fs.folders import subfolders

SESSIONS_READ = 3  # newest sessions whose head and tail are searched
FILES_ASKED = 12  # files that a candidate is asked for
ENOUGH = 2  # files that have to be there for a directory of another name
MOST_BESIDE = 200  # entries of a folder that are looked at
MOST_SHOWN = 3
_FILE = re.compile(rb'"(?:file_path|filePath|notebook_path)"\s*:\s*("(?:[^"\\]|\\.)*")')


class Candidate(Struct, frozen=True):
    """A directory that exists, and why it may be the one."""

    directory: Path
    reason: str


def candidates(project: Project, known: Sequence[Path], home: Path) -> tuple[Candidate, ...]:
    """Where the directory of a project may be now, the likeliest first; `known` are directories that exist."""
    gone = project.cwd
    if gone is None:
        return ()
    files, onward = _traces(project, gone)
    beside = _beside(gone)
    sure = [(path, "its last session went on there") for path in onward]
    sure += [(path, "it was a worktree of this repository") for path in _worktree_of(gone, known)]
    named = [folder / gone.name for folder in (_nearest(gone), *beside, *(path.parent for path in known))]
    looked = dict.fromkeys((*(path for path, _ in sure), *named, *beside, *known))
    found: list[tuple[bool, int, Candidate]] = []
    for path in looked:
        if path in (gone, home) or not os.path.isdir(path):
            continue
        there = sum(os.path.exists(path / file) for file in files)
        told = list(dict.fromkeys(reason for one, reason in sure if one == path))
        unsure = not told
        if path.name == gone.name and (there or len(files) <= ENOUGH):
            told.append("it has the same name")  # one that has none of the files is another of that name
        if there >= ENOUGH and there * 2 > len(files):
            told.append(f"it holds {there} of the {len(files)} files that its sessions name")
        if told:
            found.append((unsure, -there, Candidate(path, " and ".join(told))))
    return tuple(candidate for *_, candidate in sorted(found, key=lambda one: one[:2])[:MOST_SHOWN])


def _traces(project: Project, gone: Path) -> tuple[list[str], list[Path]]:
    """What the sessions of a project tell: files below its directory, relative, and where they went on."""
    files: dict[str, None] = {}
    onward: dict[Path, None] = {}
    lead = f"{gone}/"
    for file in session_files(project.folder)[:SESSIONS_READ]:
        head, tail = head_and_tail(file)
        for line in (*tail, *head):
            for match in _FILE.finditer(line):
                path = _text(match[1])
                if path.startswith(lead) and ".." not in path:
                    files.setdefault(path.removeprefix(lead))
        told = [cwd for record in parse_records(tail or head, b'"cwd"') if isinstance(cwd := record.get("cwd"), str)]
        last = told[-1] if told else ""
        elsewhere = last.startswith("/") and not f"{last}/".startswith(lead)
        if elsewhere and not matches_project_name(project.folder.name, last):
            onward.setdefault(Path(os.path.normpath(last)))
    return list(islice(files, FILES_ASKED)), list(onward)


def _text(quoted: bytes) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        return ""


def _worktree_of(gone: Path, known: Iterable[Path]) -> list[Path]:
    """The repositories whose worktree it was: git keeps the path until somebody prunes it."""
    found = []
    for root in known:
        for pointer in islice((root / ".git" / "worktrees").glob("*/gitdir"), MOST_BESIDE):
            data = read_small_file(pointer)
            if data is not None and data.decode("utf-8", "replace").strip() == f"{gone}/.git":
                found.append(root)
    for above in gone.parents:
        if above.name == "worktrees" and above.parent.name == ".claude":
            found.append(above.parent.parent)  # where the client puts its own worktrees
    return found


def _nearest(path: Path) -> Path:
    return next(above for above in path.parents if os.path.isdir(above))


def _beside(gone: Path) -> list[Path]:
    """The folders in the nearest one above that still exists; those of the root are no place for a project."""
    above = _nearest(gone)
    if above == Path("/"):
        return []
    return [above / name for name in subfolders(above) if not name.startswith(".")][:MOST_BESIDE]


class Gone(Struct, frozen=True):
    """A project whose directory no longer exists, and where it may be now."""

    project: Project
    candidates: tuple[Candidate, ...]


class Owner(Struct, frozen=True):
    """One of the directories that share a folder (`None`: not told), whether it exists, its sessions, newest first."""

    directory: Path | None
    sessions: tuple[str, ...]
    exists: bool


class Shared(Struct, frozen=True):
    """A folder in which two directories keep their sessions, because their paths look alike in its name."""

    folder: Path
    owners: tuple[Owner, ...]


class OrphanedMemory(Struct, frozen=True):
    """Memory that no client loads, with the reason, its folder's directory, and the memory folder used there."""

    memory: Path
    topics: int
    reason: str
    directory: Path | None = None
    used: Path | None = None


class Orphans(Struct, frozen=True):
    """All of it."""

    gone: tuple[Gone, ...]
    shared: tuple[Shared, ...]
    left: tuple[OrphanedMemory, ...]


def find_orphans(env: Env) -> Orphans:
    """Look for what is astray; `Unsupported` if the folder of projects may not be read."""
    projects = list_projects(env)
    known = _known(projects)
    return Orphans(
        tuple(
            Gone(project, candidates(project, known, env.home))
            for project in projects
            if project.gone and not project.collision and (project.sessions or _holds(project))
        ),
        tuple(Shared(project.folder, _owners(project)) for project in projects if project.collision),
        tuple(_left(env, projects, known)),
    )


def _known(projects: Iterable[Project]) -> list[Path]:
    """The directories that exist, and the repositories that they are in; each once, in the order of the projects."""
    found: dict[Path, None] = {}
    for project in projects:
        for path in dict.fromkeys((*((project.cwd,) if project.cwd is not None else ()), *project.cwds)):
            if os.path.isdir(path):
                found.setdefault(real_path(path))
                found.setdefault(canonical_root(path))
    return list(found)


def _owners(project: Project) -> tuple[Owner, ...]:
    found: dict[Path | None, list[str]] = {}
    for file in session_files(project.folder):
        found.setdefault(session_directory(file), []).append(file.id)
    return tuple(
        Owner(path, tuple(ids), path is not None and os.path.isdir(path))
        for path, ids in sorted(found.items(), key=lambda item: item[0] is None)
    )


def _left(env: Env, projects: Iterable[Project], known: Iterable[Path]) -> Iterable[OrphanedMemory]:
    holding = [project for project in projects if _holds(project) and not project.gone]
    if not holding:
        return
    used = {real_path(locate_memory(env, path).agent_folder) for path in known}
    for project in holding:
        memory = project.memory
        if memory is None or real_path(memory) in used or project.folder.name == configured_project_name(env):
            continue
        if project.cwd is None:
            yield OrphanedMemory(memory, project.topics, "no directory of this name exists, and no session tells one")
            continue
        location = locate_memory(env, project.cwd)
        reason = f"in {project.cwd} {location.agent_folder} is used: "
        inside = location.root != location.cwd
        reason += f"it belongs to the repository {location.root}" if inside else "the settings say so"
        yield OrphanedMemory(memory, project.topics, reason, location.root, location.agent_folder)


def _holds(project: Project) -> bool:
    return project.topics > 0 or (project.memory is not None and os.path.isfile(project.memory / "MEMORY.md"))
