"""What the screen knows, as one frozen value that is replaced whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memtui.host.place import Place

if TYPE_CHECKING:
    from memtui.memory.world import World
    from memtui.tui.markup import Line
    from memtui.tui.picture import Picture


@dataclass(frozen=True, slots=True)
class Preview:
    """A file, or what is known of it, as drawn lines for one width."""

    path: Path | None = None
    mode: str = "preview"
    title: str = ""
    lines: Sequence[Line] = ()
    width: int = 0


@runtime_checkable
class KeepsDraft(Protocol):
    """A screen with text that may be unsaved."""

    def keep_draft(self) -> None:
        """Keep the text as a draft, or drop the draft if nothing is unsaved."""


MODES = ("preview", "links", "history")


@dataclass(frozen=True, slots=True)
class AppState:
    """Everything that a view shows; only the app assigns it.

    `now` is the time that ages count back from, in seconds; `notice` is what is going on right now ("" for nothing).
    """

    place: Place
    now: float
    view: str = "memory"
    world: World | None = None
    first: Picture | None = None
    """The last picture, shown until the world is read; only if nothing changed since."""
    branch: str = ""
    flags: tuple[str, ...] = ()
    notice: str = ""
    read_only: bool = False
    unsaved: frozenset[Path] = frozenset()
    pinned: frozenset[Path] = frozenset()
    changed: frozenset[Path] = frozenset()
    """Files that the last background run changed."""
    last_dream: float | None = None
    preview: Preview = Preview()
