"""The runs of dreams, newest first."""

from collections.abc import Hashable

from textual.content import Content

from memtui.tui import keys
from memtui.tui.dream_rows import run_row
from memtui.tui.panels.row_list import RowList
from memtui.tui.state import Dream
from memtui.tui.theme import Glyphs


class RunList(RowList[Dream]):
    """A line a run; the one that is on has the mark that turns."""

    BINDINGS = keys.bindings(keys.DREAM_LIST)

    def __init__(self, glyphs: Glyphs, *, id: str, classes: str = "") -> None:
        super().__init__(glyphs, id=id, classes=classes)
        self.judging = ""
        self.now = 0.0
        self.still = False

    def show(self, dreams: tuple[Dream, ...], judging: str, now: float, *, still: bool) -> None:
        """Draw these; `judging` is the id of the one that waits. The cursor stays on its run."""
        self.judging, self.now, self.still = judging, now, still
        self.put(dreams)

    def key(self, row: Dream) -> Hashable:
        return row.run.id

    def row(self, index: int, width: int) -> Content:
        dream = self.rows[index]
        judging = dream.run.id == self.judging
        return run_row(dream, self.now, width, self.glyphs, judging=judging, still=self.still)
