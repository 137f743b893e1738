"""Would a dream start now: every gate with its state and reason; below, where the one under the cursor was read."""

from collections.abc import Hashable

from textual.content import Content

from memtui.base.text import visible
from memtui.dream.gates import Gate
from memtui.tui.dream_rows import gate_row, gates_title
from memtui.tui.panels.lines import Lines
from memtui.tui.theme import Glyphs

SHORT_BELOW = 60
"""Cells below which the title says the answer alone."""


class GateList(Lines):
    """The gates in the order in which a run tests them."""

    def __init__(self, glyphs: Glyphs, *, id: str, classes: str = "") -> None:
        super().__init__(id=id, classes=classes)
        self.glyphs = glyphs
        self.gates: tuple[Gate, ...] = ()
        self.now = 0.0

    def show(self, gates: tuple[Gate, ...], now: float) -> None:
        """Draw these; times count from `now`, in minutes: what would look the same is not drawn anew."""
        if gates == self.gates and int(now // 60) == int(self.now // 60):
            return
        self.gates, self.now = gates, now
        self._title()
        self.rows_changed(keep=self.row_key(self.cursor) if self.cursor < len(gates) else None)
        self._tell_source()

    def _title(self) -> None:
        words = gates_title(self.gates, self.now, short=self.size.width < SHORT_BELOW)
        self.border_title = f"2 Dream {self.glyphs.separator} {words}"

    def on_resize(self) -> None:
        super().on_resize()
        self._title()

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self._tell_source()

    def _tell_source(self) -> None:
        source = self.gates[self.cursor].source if self.cursor < len(self.gates) else ""
        self.border_subtitle = Content(visible(source, keep=""))

    def row_count(self) -> int:
        return len(self.gates)

    def row_key(self, index: int) -> Hashable:
        return self.gates[index].name

    def row(self, index: int, width: int) -> Content:
        return gate_row(self.gates[index], self.now, width, self.glyphs)
