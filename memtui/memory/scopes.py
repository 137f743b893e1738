"""Which folders of memory there are for a directory, beside the auto memory itself.

- `auto`: the memory folder as decided; `team`: `team/` in it, shared over git; `logs`: `logs/` in it, a file a day.
- `agent:user:NAME`: `<config>/agent-memory/NAME/`; `agent:project:NAME`: `.claude/agent-memory/NAME/`, meant to be
  checked in; `agent:local:NAME`: `.claude/agent-memory-local/NAME/`, not checked in.

Recorded on Claude Code 2.1.332: the project and local memory of an agent lies below the working directory, not below
the root of the repository. Those of the root are listed too, where the working directory has none of that name.
"""

import os
from pathlib import Path
from typing import NamedTuple

from memtui.host.gitroot import worktree_root
from memtui.host.place import Place

OWN_SCOPES = frozenset({"team", "logs"})
"""Folders at the top of the memory folder that are scopes of their own."""

MOST_AGENTS = 500
"""Agents of one kind that we list."""


class ScopeRoot(NamedTuple):
    """A folder that may hold memory."""

    id: str
    label: str
    root: Path


def scope_roots(place: Place) -> list[ScopeRoot]:
    """The scopes of a directory, in the order in which they are shown.

    Args:
        place: The directory as decided.

    Returns:
        The auto memory always, whether its folder exists or memory is on or not; the others where their folder exists.
    """
    roots = [ScopeRoot("auto", "memory", place.folder)]
    for name, label in (("team", "team memory"), ("logs", "daily logs")):
        folder = place.folder / name
        if folder.is_dir():
            roots.append(ScopeRoot(name, label, folder))
    tops = dict.fromkeys((place.cwd, worktree_root(place.cwd) or place.root))
    for kind, label, folders in (
        ("user", "agent", [place.config / "agent-memory"]),
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
