"""The stamps of all that a snapshot was read from: if they are unchanged, so is what the screen shows of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memtui.client.git import head_file
from memtui.client.paths import LOCK_NAME
from memtui.tui.startup.frame_cache import Stamp, stamp

if TYPE_CHECKING:
    from memtui.client.memory_location import MemoryLocation
    from memtui.memory.snapshot import Snapshot
    from memtui.memory.workspace import Workspace


def stamps_of(workspace: Workspace, snapshot: Snapshot) -> list[Stamp]:
    """Files as a full reading found them, folders as they are now; drafts, pins, lock, settings, git branch too."""
    location, dirs = workspace.location, workspace.dirs
    others = {location.folder, location.folder / LOCK_NAME, dirs.state / "drafts", dirs.state / "pins"}
    others |= {dirs.config / "config.toml", *_deciding(location)}
    stamps: list[Stamp] = []
    for scope in snapshot.scopes:
        others |= {scope.root, scope.root.parent}  # an agent that gets its first memory
        for file in scope.files:
            stamps.append(_as_read(file.path, file.size, file.mtime_ns))
            others.add(file.path.parent)
    for item in snapshot.instructions:
        others.add(item.path.parent)
        if item.exists:
            stamps.append(_as_read(item.path, item.size, item.mtime_ns))
    return stamps + [stamp(str(path)) for path in sorted(others)]


def _as_read(path: Path, size: int, time: int) -> Stamp:
    """The stamp of a file when it was read; one that has changed since has no inode that could be found again."""
    now = stamp(str(path))
    return now if now[1:3] == (size, time) else (str(path), size, time, -1)


def _deciding(location: MemoryLocation) -> set[Path]:
    found = {layer.path for layer in location.layers if layer.path is not None}
    found |= {layer.path.with_suffix(".d") for layer in location.layers if layer.path and layer.name == "policy"}
    tree, head = head_file(location.cwd) or (None, None)
    for folder in (location.cwd, *location.cwd.parents):
        git = folder / ".git"
        if not git.is_dir():  # a folder's own time says only that git was busy; HEAD in it says what counts
            found.add(git)
        if folder == tree:
            break
    return found | {head} if head else found
