"""The rows of the memory list, apart from how a world becomes them: the first picture needs no more than this."""

from pathlib import Path
from typing import Literal, NamedTuple


class Group(NamedTuple):
    """A line that can be folded; `files` is how many are in it."""

    key: str
    label: str
    files: int
    folded: bool


class Item(NamedTuple):
    """One file. `mark` is the most important thing about it; `line` where the index names it."""

    path: Path
    label: str
    scope: str
    size: int
    modified: float
    mark: Literal["", "problem", "unlisted", "changed", "unsaved", "pinned"]
    marked: bool = False
    line: int | None = None
    lines: int | None = None
    """For an index: its counted lines, shown instead of the size."""


Row = Group | Item
