"""What the first frame needs of a project: all but the engine, whose import would cost a third of the start."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from memtui.client.memory_location import MemoryLocation
from memtui.tui.startup.frame_cache import FrameCache

if TYPE_CHECKING:
    from memtui.memory.workspace import Workspace  # the engine


class StartContext(Struct, frozen=True):
    """A project that is to be opened."""

    location: MemoryLocation
    home: Path
    cache: Path  # our cache folder
    read_only: bool
    now: Callable[[], float]  # seconds
    make: Callable[[], Workspace]
    frame_cache: FrameCache | None = None  # where the first frame is kept for the next start, if it is

    @classmethod
    def over(cls, workspace: Workspace) -> StartContext:
        env, dirs = workspace.env, workspace.dirs
        return cls(workspace.location, env.home, dirs.cache, workspace.read_only, workspace.now, lambda: workspace)
