"""What the first picture needs of a project: all but the engine, whose import would cost a third of the start."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from memtui.client.memory_location import MemoryLocation
from memtui.tui.startup.picture import CachedFrame

if TYPE_CHECKING:
    from memtui.memory.workspace import Workspace


class StartContext(Struct, frozen=True):
    """A project that is to be opened.

    `home` is the person's, `cache` our cache folder; `now` is the clock in seconds; `make` makes the workspace.
    `environ` is the environment in which the place was decided; `kept` a picture, if somebody looked already.
    """

    location: MemoryLocation
    home: Path
    cache: Path
    read_only: bool
    now: Callable[[], float]
    make: "Callable[[], Workspace]"
    environ: Mapping[str, str]
    kept: CachedFrame | None = None

    def seen(self, kept: CachedFrame) -> "StartContext":
        """The same, with a picture that was looked at already."""
        return replace(self, kept=kept)

    @classmethod
    def over(cls, workspace: "Workspace") -> "StartContext":
        """The start of a workspace that is there already."""
        return cls(
            workspace.location,
            workspace.env.home,
            workspace.dirs.cache,
            workspace.read_only,
            workspace.now,
            lambda: workspace,
            workspace.env.environ,
        )
