"""One reading of the disk for the screen: the world, and what the screen shows beside it. Runs in a thread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memtui.host.gitroot import branch_of, worktree_root
from memtui.tui.arrange import Wanted
from memtui.tui.messages import WorldRead
from memtui.tui.picture import of_world, save, stamps_of

if TYPE_CHECKING:
    from memtui.memory.workspace import Workspace
    from memtui.memory.world import World
    from memtui.tui.start import Start

LOCK = ".consolidate-lock"
"""Its mtime is when the last consolidation succeeded (DESIGN.md D2)."""


def read_world(workspace: Workspace, known: World | None, *, full: bool) -> WorldRead:
    """Read all of it; `full` adds links, checks and what the last dream changed."""
    world = workspace.read(full=full, known=known)
    place = workspace.place
    try:
        last_dream = (place.folder / LOCK).stat().st_mtime
    except OSError:
        last_dream = None
    return WorldRead(
        world=world,
        unsaved=frozenset(draft.path for draft in workspace.drafts.list()),
        pinned=workspace.pins.paths(place.folder),
        changed=frozenset(),
        last_dream=last_dream,
        branch=branch_of(place.cwd),
    )


def keep_picture(start: Start, workspace: Workspace, message: WorldRead) -> None:
    """Keep what the first screen shows of a full reading for the next start."""
    place = workspace.place
    wanted = Wanted(unsaved=message.unsaved, pinned=message.pinned, changed=message.changed)
    picture = of_world(message.world, wanted, message.branch, message.last_dream)
    root = worktree_root(place.cwd)
    head = [root / ".git" / "HEAD"] if root else []
    ours = [workspace.dirs.state / "drafts", workspace.dirs.state / "pins", place.folder / LOCK, *head]
    save(start, picture, stamps_of(message.world, [*ours, *_settings(workspace)]))


def _settings(workspace: Workspace) -> list[Path]:
    return [layer.path for layer in workspace.place.layers if layer.path is not None]
