"""The runs of dreams, newest first."""

from collections.abc import Hashable

from textual.content import Content

from memtui.tui import keys
from memtui.tui.dream_rows import run_row
from memtui.tui.panels.lines import Lines
from memtui.tui.state import Dream
from memtui.tui.theme import Glyphs


class RunList(Lines):
    """A line a run; the one that is on has the mark that turns."""

    BINDINGS = keys.bindings(keys.DREAM_LIST)

    def __init__(self, glyphs: Glyphs, *, id: str, classes: str = "") -> None:
        super().__init__(id=id, classes=classes)
        self.glyphs = glyphs
        self.dreams: tuple[Dream, ...] = ()
        self.judging = ""
        self.now = 0.0
        self.still = False

    def show(self, dreams: tuple[Dream, ...], judging: str, now: float, *, still: bool) -> None:
        """Draw these; `judging` is the id of the one that waits. The cursor stays on its run."""
        keep = self.row_key(self.cursor) if self.cursor < len(self.dreams) else None
        self.dreams, self.judging, self.now, self.still = dreams, judging, now, still
        self.rows_changed(keep=keep)

    @property
    def current(self) -> Dream | None:
        """The run under the cursor."""
        return self.dreams[self.cursor] if self.cursor < len(self.dreams) else None

    def to_run(self, id: str) -> bool:
        """Put the cursor on a run; whether it is listed."""
        index = next((i for i, dream in enumerate(self.dreams) if dream.run.id == id), None)
        if index is None:
            return False
        self.cursor = index
        return True

    def row_count(self) -> int:
        return len(self.dreams)

    def row_key(self, index: int) -> Hashable:
        return self.dreams[index].run.id

    def row(self, index: int, width: int) -> Content:
        dream = self.dreams[index]
        judging = dream.run.id == self.judging
        return run_row(dream, self.now, width, self.glyphs, judging=judging, still=self.still)

    def action_open(self) -> None:
        """Report the run as chosen."""
        self.choose()
