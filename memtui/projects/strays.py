"""What is astray in the agent client's folder: projects whose directory is gone, two directories in one folder, memory
that no client loads. Only looked at, nothing is changed.
"""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from memtui.host.env import Env
from memtui.host.gitroot import canonical_root
from memtui.host.heads import session_files
from memtui.host.paths import given_name, real
from memtui.host.place import decide
from memtui.host.projects import Project, directory_of, list_projects
from memtui.projects.candidates import Candidate, candidates


class Gone(Struct, frozen=True):
    """A project whose directory no longer exists, and where it may be now."""

    project: Project
    candidates: tuple[Candidate, ...]


class Owner(Struct, frozen=True):
    """One of the directories that share a folder: its sessions' ids, newest first, and whether it exists.

    `directory` is `None` for sessions that tell none.
    """

    directory: Path | None
    sessions: tuple[str, ...]
    exists: bool


class Shared(Struct, frozen=True):
    """A folder in which two directories keep their sessions, because their paths look alike in its name."""

    folder: Path
    owners: tuple[Owner, ...]


class LeftMemory(Struct, frozen=True):
    """Memory that no client loads: where it is, how many topics, and the reason.

    `directory` is the one that its folder stands for, and `used` the memory folder that counts there, if one is known.
    """

    memory: Path
    topics: int
    reason: str
    directory: Path | None = None
    used: Path | None = None


class Strays(Struct, frozen=True):
    """All of it."""

    gone: tuple[Gone, ...]
    shared: tuple[Shared, ...]
    left: tuple[LeftMemory, ...]


def find_strays(env: Env) -> Strays:
    """Look for what is astray.

    Raises:
        Unsupported: If the folder of projects may not be read.
    """
    projects = list_projects(env)
    known = _known(projects)
    return Strays(
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
            if path.is_dir():
                found.setdefault(real(path))
                found.setdefault(canonical_root(path))
    return list(found)


def _owners(project: Project) -> tuple[Owner, ...]:
    found: dict[Path | None, list[str]] = {}
    for file in session_files(project.folder):
        found.setdefault(directory_of(file), []).append(file.id)
    return tuple(
        Owner(path, tuple(ids), path is not None and path.is_dir())
        for path, ids in sorted(found.items(), key=lambda item: item[0] is None)
    )


def _left(env: Env, projects: Iterable[Project], known: Iterable[Path]) -> Iterable[LeftMemory]:
    holding = [project for project in projects if _holds(project) and not project.gone]
    if not holding:
        return
    used = {real(decide(env, path).agent_folder) for path in known}
    for project in holding:
        memory = project.memory
        if memory is None or real(memory) in used or project.folder.name == given_name(env):
            continue
        if project.cwd is None:
            yield LeftMemory(memory, project.topics, "no directory of this name exists, and no session tells one")
            continue
        place = decide(env, project.cwd)
        reason = f"in {project.cwd} {place.agent_folder} is used: "
        inside = place.root != place.cwd
        reason += f"it belongs to the repository {place.root}" if inside else "the settings say so"
        yield LeftMemory(memory, project.topics, reason, place.root, place.agent_folder)


def _holds(project: Project) -> bool:
    """Whether there is a memory file in the project's own folder."""
    return project.topics > 0 or (project.memory is not None and (project.memory / "MEMORY.md").is_file())
