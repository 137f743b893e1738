"""What a run tells while it goes on, newest first."""

from collections.abc import Sequence

from textual.content import Content

from memtui.dream.events import Event
from memtui.tui.panels.lines import Lines
from memtui.tui.run_rows import LogRows

MAX_LOG_EVENTS = 2_000
"""Events that can be scrolled to."""


class RunLog(Lines, can_focus=False):
    """Scrolled, never focused. While it follows, the newest row is in sight; else the rows in sight stay there."""

    show_cursor = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.follows = True
        self._log = LogRows()
        self._events: Sequence[Event] = ()
        self._rows: list[Content] = []

    def show(self, events: Sequence[Event]) -> None:
        """Show these, oldest first as they come."""
        self._events = events
        self._lay()

    def follow(self, *, on: bool) -> None:
        """Keep the newest in sight, or leave it alone."""
        self.follows = on
        if on:
            self.scroll_to(y=0, animate=False)

    def _lay(self) -> None:
        before = len(self._rows)
        self._rows = self._log.lay(self._events, max(12, self.scrollable_content_region.width), MAX_LOG_EVENTS)
        self.rows_changed()
        more = len(self._rows) - before
        if more and not self.follows and before:
            self.scroll_to(y=self.scroll_offset.y + more, animate=False)

    def on_resize(self) -> None:
        self._lay()

    def row_count(self) -> int:
        return len(self._rows)

    def row(self, index: int, width: int) -> Content:
        return self._rows[index]
