"""The directories that have a project name: looked for on the disk, never decoded.

A name doesn't tell its path, but a path tells its name. So the way down is walked: of each folder, only those entries
are entered whose own name the wanted one begins with, which are one or two a level.
"""

import os
from pathlib import Path

from memtui.host.paths import LONGEST_NAME, project_name

MOST = 64
"""Folders listed before giving up: a path has about ten."""


def directories_named(name: str, home: Path) -> tuple[Path, ...]:
    """The directories that exist and whose project name this is, by path; links are not followed.

    Args:
        name: The folder name under `projects/`. One that was cut has a hash in it and is not looked for.
        home: Looked below on its own too: what is above it may be closed to us.
    """
    if len(name) > LONGEST_NAME:
        return ()
    found: set[Path] = set()
    todo = [Path("/")]
    if name.startswith(project_name(str(home)) + "-"):
        todo.append(home)
    for _ in range(MOST):
        if not todo:
            break
        for path in _folders(todo.pop()):
            own = project_name(str(path))
            if own == name:
                found.add(path)
            elif name.startswith(own + "-"):
                todo.append(path)
    return tuple(sorted(found))


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [folder / entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
