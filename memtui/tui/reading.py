"""One reading of the disk for the screen: the world, and what the screen shows beside it. Runs in a thread."""

from memtui.host.gitroot import branch_of
from memtui.memory.workspace import Workspace
from memtui.memory.world import World
from memtui.tui.messages import WorldRead

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
