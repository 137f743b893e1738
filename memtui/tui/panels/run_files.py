"""The files that a dream touched, a line each."""

from collections.abc import Hashable, Sequence

from textual.content import Content

from memtui.dream.events import File
from memtui.tui import keys
from memtui.tui.panels.row_list import RowList
from memtui.tui.run_rows import file_row

MOST_ROWS = 40
"""Rows beyond which no terminal has room for more: the place is not measured anew for each."""


class RunFiles(RowList[tuple[File, str]]):
    """The cursor stays on its file while others come."""

    BINDINGS = keys.bindings(keys.DREAM_LIST)

    def show(self, files: Sequence[tuple[File, str]]) -> None:
        """List these, each with what became of it."""
        if list(map(self.key, files)) == list(map(self.key, self.rows)):
            changed = [index for index, entry in enumerate(files) if entry != self.rows[index]]
            self.rows = list(files)
            for index in changed:
                self.row_changed(index)
            return
        height = max(1, min(len(files), MOST_ROWS))
        if height != max(1, min(len(self.rows), MOST_ROWS)):
            self.styles.height = height  # the stylesheet says how much of that at most
        self.put(list(files))

    @property
    def file(self) -> str:
        """The file under the cursor, "" for none."""
        return self.current[0].name if self.current is not None else ""

    def key(self, row: tuple[File, str]) -> Hashable:
        return row[0].name

    def row(self, index: int, width: int) -> Content:
        return file_row(*self.rows[index], width, self.glyphs)
