"""Glob: files whose names match, the latest first."""

from pathlib import Path

from memtui.agent.permissions import Scope
from memtui.agent.shell.plan import Denied
from memtui.agent.tools.outcome import ToolFault
from memtui.agent.tools.patterns import matcher
from memtui.agent.tools.walk import Found, walk
from memtui.base.boundary import Verdict

MAX_FILES = 200
"""Names of one answer."""


def find(place: Verdict, pattern: str, scope: Scope) -> str:
    """The names, one a line: below the stage as seen from there, elsewhere whole.

    Args:
        place: The folder that `decide` allowed.
        pattern: What `decide` allowed; absolute or relative to the folder.

    Raises:
        ToolFault: If it isn't a folder, or there are too many files in it.
    """
    assert place.base is not None and place.name is not None
    top = place.base / place.name
    if pattern.startswith("/"):
        top, pattern = _split(pattern, scope)
    if not top.is_dir():
        raise ToolFault(f"{place.name} is not a folder" if top.exists() else f"there is no folder {place.name}")
    fits = matcher(pattern)
    found = sorted((one for one in walk(top) if fits(one.name)), key=_latest)
    lead = lead_of(top, scope)
    lines = [lead + one.name for one in found[:MAX_FILES]]
    if len(found) > MAX_FILES:
        lines.append(f"({len(found) - MAX_FILES} more)")
    return "\n".join(lines) or "(no file matches)"


def lead_of(top: Path, scope: Scope) -> str:
    """What is put in front of a name below a folder, so that Read finds it."""
    root = scope.root.resolve()
    if top == root:
        return ""
    return f"{top.relative_to(root) if top.is_relative_to(root) else top}/"


def _latest(found: Found) -> tuple[float, str]:
    return -found.changed, found.name


def _split(pattern: str, scope: Scope) -> tuple[Path, str]:
    """The folder that an absolute pattern starts in, and the rest."""
    plain: list[str] = []
    parts = [part for part in pattern.split("/") if part]
    while len(parts) > 1 and not set(parts[0]) & set("*?[{"):
        plain.append(parts.pop(0))
    try:
        return scope.place("/" + "/".join(plain)), "/".join(parts)
    except Denied as denied:
        raise ToolFault(str(denied)) from None
