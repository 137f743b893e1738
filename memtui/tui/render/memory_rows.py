"""The rows of the memory list, apart from how a snapshot becomes them: the first frame needs no more than this."""

from pathlib import Path
from typing import Literal

from msgspec import Struct


class GroupRow(Struct, frozen=True, tag=True):
    """A line that can be folded; `files` is how many are in it."""

    key: str
    label: str
    files: int
    folded: bool


class FileRow(Struct, frozen=True, tag=True):
    """One file, at `where`. `mark` is the most important thing about it; `line` where the index names it."""

    where: str
    label: str
    scope: str
    size: int
    modified: float
    mark: Literal["", "problem", "unlisted", "changed", "unsaved", "pinned"]
    marked: bool = False
    line: int | None = None
    lines: int | None = None
    """For an index: its counted lines, shown instead of the size."""

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.where)


Row = GroupRow | FileRow
