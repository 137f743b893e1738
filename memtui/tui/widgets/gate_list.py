"""Would a dream start now: every gate with its state and reason; below, where the one under the cursor was read."""

from collections.abc import Hashable

from textual.content import Content

from memtui.dream.gates.base import Gate
from memtui.tui.render.dream_rows import gate_row, gates_title
from memtui.tui.widgets.row_list import RowList
from memtui.util.text import visible

SHORT_BELOW = 60  # cells below which the title says the answer alone


class GateList(RowList[Gate]):
    now = 0.0

    def show(self, gates: tuple[Gate, ...], now: float) -> None:
        """Draw these; times count from `now`, in minutes: what would look the same is not drawn again."""
        if gates == self.rows and int(now // 60) == int(self.now // 60):
            return
        self.now = now
        first = not self.rows
        self.put(gates)
        if first:
            self.cursor = next((at for at, gate in enumerate(gates) if not gate.open), 0)
        self._title()
        self._tell_source()

    def _title(self) -> None:
        words = gates_title(tuple(self.rows), self.now, short=self.size.width < SHORT_BELOW)
        self.border_title = f"2 Dream {self.glyphs.separator} {words}"

    def on_resize(self) -> None:
        super().on_resize()
        self._title()

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self._tell_source()

    def _tell_source(self) -> None:
        source = self.current.source if self.current is not None else ""
        self.border_subtitle = Content(visible(source, keep=""))

    def key(self, row: Gate) -> Hashable:
        return row.name

    def row(self, index: int, width: int) -> Content:
        return gate_row(self.rows[index], self.now, width, self.glyphs)
