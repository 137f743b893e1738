"""The files that a dream touched, a line each."""

from collections.abc import Hashable, Sequence

from textual.content import Content

from memtui.dream.events import File
from memtui.tui import keys
from memtui.tui.panels.lines import Lines
from memtui.tui.run_rows import file_row
from memtui.tui.theme import Glyphs

MOST_ROWS = 40
"""Rows beyond which no terminal has room for more: the place is not measured anew for each."""


class RunFiles(Lines):
    """The cursor stays on its file while others come."""

    BINDINGS = keys.bindings(keys.DREAM_LIST)

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.files: list[tuple[File, str]] = []

    def show(self, files: Sequence[tuple[File, str]]) -> None:
        """List these, each with what became of it."""
        if [file.name for file, _ in files] == [file.name for file, _ in self.files]:
            changed = [index for index, entry in enumerate(files) if entry != self.files[index]]
            self.files = list(files)
            for index in changed:
                self.row_changed(index)
            return
        keep = self.file
        height = max(1, min(len(files), MOST_ROWS))
        if height != max(1, min(len(self.files), MOST_ROWS)):
            self.styles.height = height  # the stylesheet says how much of that at most
        self.files = list(files)
        self.rows_changed(keep=keep or None)

    @property
    def file(self) -> str:
        """The file under the cursor, "" for none."""
        return self.files[self.cursor][0].name if self.cursor < len(self.files) else ""

    def row_count(self) -> int:
        return len(self.files)

    def row_key(self, index: int) -> Hashable:
        return self.files[index][0].name

    def row(self, index: int, width: int) -> Content:
        return file_row(*self.files[index], width, self.glyphs)

    def action_open(self) -> None:
        """Report the file as chosen."""
        self.choose()
