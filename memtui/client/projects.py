"""The projects that have transcripts or memory in Claude Code's folder.

A folder name can't be decoded to a path: "-", "_", ".", a blank and every character outside A-Z, a-z, 0-9 look alike in
it. A project is known by the `cwd` in its transcripts. Of these, a directory whose own project name is the folder's is
an identity; others are moves inside a session (a subfolder, a worktree, another project).

Where no transcript tells, the disk is searched for directories that have the name: of each folder, only those entries
are entered whose own name the wanted one begins with, which are one or two per level.
"""

# ruff: noqa: PTH112
# What may not be looked at counts as not there; pathlib raises PermissionError.

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.client.environment import Env
from memtui.client.git import canonical_root
from memtui.client.paths import (
    MAX_PROJECT_NAME_UNITS,
    is_directory,
    matches_project_name,
    project_name,
    projects_dir,
    real_path,
)
from memtui.client.session_files import PART_BYTES, SessionFile, read_part, session_files
from memtui.client.settings_files import effective_env, read_layers
from memtui.fs.folders import is_folder, subfolders
from memtui.util.errors import NotFound, Unsupported, UsageError
from memtui.util.paths import can_exist, expand_tilde
from memtui.util.text import nfc, visible

MAX_FOLDERS_LISTED = 64  # the search gives up after this many; a path has about ten


def directories_for_project_name(name: str, home: Path) -> tuple[Path, ...]:
    """The existing directories that have this project name, by path; links are not followed. A shortened name has none.

    `home` is searched on its own too: what is above it may not be readable.
    """
    if len(name) > MAX_PROJECT_NAME_UNITS:
        return ()
    found: set[Path] = set()
    todo = [Path("/")]
    if name.startswith(project_name(str(home)) + "-"):
        todo.append(home)
    for _ in range(MAX_FOLDERS_LISTED):
        if not todo:
            break
        above = todo.pop()
        for path in (above / name for name in subfolders(above)):
            own = project_name(str(path))
            if own == name:
                found.add(path)
            elif name.startswith(own + "-"):
                todo.append(path)
    return tuple(sorted(found))


FIRST_READ_BYTES = 1 << 12  # the beginning of a transcript usually holds a `cwd`
MAX_SESSIONS_SEARCHED = 3  # newest sessions searched for an identity if no first `cwd` is one
_CWD_FIELD = re.compile(rb'(?<!\\)"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')
_CONTENT_FIELDS = (b'"message"', b'"toolUseResult"', b'"attachment"', b'"data"')
"""Fields of a record that may contain a "cwd" of something else than the session."""
_MAX_NAMES_LISTED = 8


class Project(Struct, frozen=True):
    """A folder under `projects/`."""

    folder: Path
    cwd: Path | None  # what it stands for: of the newest session, a repository, or the only one of this name
    cwds: tuple[Path, ...]  # all directories that the transcripts began in, newest first
    sessions: int
    newest: float | None
    memory: Path | None  # the folder's own memory folder
    topics: int  # files in it beside the index
    collision: bool  # two directories share this name
    gone: bool

    @property
    def name(self) -> str:
        """What to call it: the last part of its directory, or the folder's name where that isn't known."""
        return self.folder.name if self.cwd is None or not self.cwd.name else self.cwd.name


def list_projects(env: Env) -> tuple[Project, ...]:
    """All projects, the one with the newest session first, those without sessions last, by name.

    Only the beginning of each transcript is read. A memory folder that settings put elsewhere is not looked for here:
    `memory_location` knows it. Raises if the folder of projects may not be read: "none" would be a wrong answer.
    """
    # No directory's settings count for the list of all.
    own = tuple(layer for layer in read_layers(env, env.home) if layer.name in ("policy", "user"))
    folder = projects_dir(effective_env(env, own))
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if is_folder(entry, follow=True)]
    except PermissionError as error:
        raise Unsupported(f"{visible(str(folder), keep='')} may not be read", hint="check its permissions") from error
    except OSError:
        names = []
    found = [project for name in names if (project := _read(folder / name))]
    found = [_name_by_disk(project, env.home) for project in _name_by_repository(found)]
    found.sort(key=lambda project: (project.newest is None, -(project.newest or 0), project.folder.name))
    return tuple(found)


def gone_projects(env: Env) -> list[Project]:
    """The projects whose directory no longer exists and that have sessions or memory; as for `list_projects`."""
    return [one for one in list_projects(env) if one.gone and (one.sessions or one.memory is not None)]


def _read(folder: Path) -> Project | None:
    files = session_files(folder)
    memory = folder / "memory" if os.path.isdir(folder / "memory") else None
    if not files and memory is None:
        return None
    began = _directories(files)
    identities = [path for path in began if matches_project_name(folder.name, path)]
    if files and not identities:
        identities = _search_identities(files, folder.name)
    cwds = tuple(Path(path) for path in dict.fromkeys((*identities, *began)))
    cwd = cwds[0] if cwds else None
    return Project(
        folder=folder,
        cwd=cwd,
        cwds=cwds,
        sessions=len(files),
        newest=files[0].modified if files else None,
        memory=memory,
        topics=count_topics(memory) if memory else 0,
        collision=_count_directories(identities) > 1,
        gone=cwd is not None and not is_directory(cwd),
    )


MAX_SESSIONS_COMPARED = 200


def directories_sharing(folder: Path) -> tuple[Path, ...]:
    """The directories that share a folder under `projects/`, as its newest sessions tell; () if there is only one."""
    began = _directories(session_files(folder)[:MAX_SESSIONS_COMPARED])
    identities = [path for path in began if matches_project_name(folder.name, path)]
    return tuple(map(Path, dict.fromkeys(identities))) if _count_directories(identities) > 1 else ()


def _directories(files: Sequence[SessionFile]) -> list[str]:
    found: dict[str, None] = {}
    seen: set[bytes] = set()
    for file in files:
        head = read_part(file.file_path, 0, FIRST_READ_BYTES)
        match = _CWD_FIELD.search(head)
        if match is not None and match[1] in seen:
            continue  # most sessions of a folder have the same field: no need to parse the record
        path = next(_cwds_in(head), None)
        if path is None and len(head) == FIRST_READ_BYTES:
            path = next(_cwds_in(read_part(file.file_path)), None)
        if path is not None:
            found.setdefault(path)
            if match is not None and json.dumps(path, ensure_ascii=False).encode("utf-8", "replace") == match[1]:
                seen.add(match[1])
    return list(found)


def _search_identities(files: Sequence[SessionFile], name: str) -> list[str]:
    """Search the newest sessions for identities: one that was moved here began in another directory."""
    named = (path for file in files[:MAX_SESSIONS_SEARCHED] for path in session_directories(file))
    return list(dict.fromkeys(path for path in named if matches_project_name(name, path)))


def session_directories(file: SessionFile) -> tuple[str, ...]:
    """The directories that a session worked in, each once, in the order in which its head and tail name them."""
    parts = [read_part(file.file_path)]
    if file.size > PART_BYTES:
        parts.append(read_part(file.file_path, file.size - PART_BYTES))
    return tuple(dict.fromkeys(path for part in parts for path in _cwds_in(part)))


def _cwds_in(data: bytes) -> Iterator[str]:
    """The `cwd` of each record, where the record is whole by its own field, else by the text."""
    lines = data.split(b"\n")
    for at, line in enumerate(lines):
        match = _CWD_FIELD.search(line)
        if match is None:
            continue
        value: object
        try:
            record = json.loads(line)
            value = record.get("cwd") if isinstance(record, dict) else None
        except (ValueError, RecursionError):
            before = line[: match.start()]
            if at != len(lines) - 1 or any(word in before for word in _CONTENT_FIELDS):
                continue  # broken, or cut so that the field may be of something else
            try:
                value = json.loads(match[1])
            except ValueError:
                continue
        if isinstance(value, str) and value.startswith("/") and value[1:2] != "/" and can_exist(value):
            yield os.path.normpath(value)


def _count_directories(paths: Sequence[str]) -> int:
    """Count the directories; two spellings of one that exists count once."""
    seen: set[object] = set()
    for path in paths:
        try:
            known = Path(path).stat()
            seen.add((known.st_dev, known.st_ino))
        except (OSError, ValueError):
            seen.add(nfc(path))
    return len(seen)


def _name_by_repository(found: list[Project]) -> list[Project]:
    """Name folders that hold only memory by the repositories of other projects: a worktree's memory lies there."""
    if all(project.cwd for project in found):
        return found
    places = [canonical_root(project.cwd) for project in found if project.cwd and not project.gone]
    roots = {project_name(str(place)): place for place in places}
    return [replace(project, cwd=project.cwd or roots.get(project.folder.name)) for project in found]


def _name_by_disk(project: Project, home: Path) -> Project:
    """Name a folder by the only directory that has its name, where its sessions tell none that exists."""
    if project.cwd is not None and (not project.gone or matches_project_name(project.folder.name, str(project.cwd))):
        return project
    places = directories_for_project_name(project.folder.name, home)
    if len(places) != 1:
        return project
    cwds = (places[0], *project.cwds) if project.sessions else ()
    return replace(project, cwd=places[0], cwds=cwds, gone=False)


def session_directory(file: SessionFile) -> Path | None:
    """The directory that a session belongs to: the first that its folder is named after, else the one it began in."""
    found = list(_cwds_in(read_part(file.file_path)))
    name = file.path.parent.name
    chosen = next((path for path in found if matches_project_name(name, path)), found[0] if found else None)
    return None if chosen is None else Path(chosen)


def count_topics(memory: Path) -> int:
    """Count the topic files in a memory folder: Markdown except the index, hidden names, `team/` and `logs/`."""
    count = 0
    todo = [(memory, 0)]
    while todo:
        folder, depth = todo.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if depth < 8 and (depth or entry.name not in ("team", "logs")):
                            todo.append((folder / entry.name, depth + 1))
                    elif entry.name.endswith(".md") and (depth or entry.name != "MEMORY.md"):
                        count += 1
        except OSError:
            continue
    return count


def find_project(env: Env, word: str) -> Project:
    """Resolve a word to a project; raises if none or several match.

    The word is a path (its project, or that of its repository), a folder name or what Claude Code makes one of on
    another system (`C:/git/app` there), the last part of a directory, or any part of a directory or folder name that
    only one project has.
    """
    found = list_projects(env)
    if not word.strip():
        raise UsageError("no project was named", hint="memtui projects lists them")
    if is_path(word):
        return _by_path(env, found, word)
    folded = nfc(word).casefold()
    names = [(nfc(project.name).casefold(), project) for project in found]
    for matches in (
        [project for project in found if project.folder.name in (word, project_name(word))],
        [project for name, project in names if name == folded],
        [project for name, project in names if name.startswith(folded)],
        [project for name, project in names if folded in name],
        [project for project in found if folded in _searchable_path(project, env.home)],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            message = f"{visible(word, keep='')!r} means several projects: {_list_names(matches)}"
            raise UsageError(message, hint="give more of the path")
    raise _no_match(word, found)


def is_path(word: str) -> bool:
    """Whether a word for a project is a path, not a name."""
    return ("/" in word and word[1:2] != ":") or word in (".", "..") or word.startswith("~")


def _searchable_path(project: Project, home: Path) -> str:
    """The part of a project's path that is searched: the home folder, which all share, would make words ambiguous."""
    path = str(project.cwd or "").removeprefix(str(home))
    return nfc(f"{path} {project.folder.name.removeprefix(project_name(str(home)))}").casefold()


def _by_path(env: Env, found: Sequence[Project], word: str) -> Project:
    path = Path(os.path.abspath(expand_tilde(word, env.home, users=True)))  # noqa: PTH100 - resolve() would follow links
    place = real_path(path)
    named = [(project_name(str(wanted)), wanted) for wanted in (place, canonical_root(place), path)]
    for matches in (
        [project for project in found if project.folder in (path, *path.parents)],
        *([one for one in found if one.folder.name == name or one.cwd == wanted] for name, wanted in named),
        [project for project in found if place in project.cwds],
    ):
        if matches:
            return matches[0]
    raise _no_match(word, found)


def _list_names(projects: Sequence[Project]) -> str:
    words = [visible(str(project.cwd or project.folder.name), keep="") for project in projects[:_MAX_NAMES_LISTED]]
    more = len(projects) - len(words)
    return ", ".join(words) + (f" and {more} more" if more > 0 else "")


def _no_match(word: str, found: Sequence[Project]) -> NotFound:
    known = f"known: {_list_names(found)}" if found else "Claude Code has no project here yet"
    return NotFound(f"no project matches {visible(word, keep='')!r}", hint=known)
