"""What workers report and views wish; messages of a single panel live in that panel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from memtui.tui.state import Preview

if TYPE_CHECKING:
    from memtui.memory.world import World
    from memtui.tui.screens.editor import Editor


@dataclass
class WorldRead(Message):
    """The disk was read; a newer reading replaces an older."""

    world: World
    unsaved: frozenset[Path]
    pinned: frozenset[Path]
    changed: frozenset[Path]
    last_dream: float | None
    branch: str

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, WorldRead)


@dataclass
class DiskChanged(Message):
    """Something below a watched folder changed."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, DiskChanged)


@dataclass
class PreviewWanted(Message):
    """The cursor stands on another file, or its preview is wanted in another way or width."""

    path: Path | None
    mode: str
    width: int

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, PreviewWanted)


@dataclass
class PreviewRead(Message):
    """A preview is ready."""

    preview: Preview


@dataclass
class Wish(Message):
    """Something that a person wants done to files; `what` is a method of `wishes.Wishes`."""

    what: str
    paths: tuple[Path, ...] = ()
    line: int | None = None


@dataclass
class EditorWanted(Message):
    """The editor needs the engine: "save", "compare" or "find"."""

    editor: Editor
    what: str


@dataclass
class Written(Message):
    """A wish came true; `words` say so, `problem` says what follows from it ("2 lines are not loaded")."""

    words: str
    focus: Path | None = None
    problem: str = ""


@dataclass
class Failed(Message):
    """A wish did not come true, and why; nothing is lost."""

    message: str
    hint: str = ""
