"""One run of a dream: how it stands, why it waits, what it touched, what it told."""

from collections.abc import Hashable

from textual.content import Content

from memtui.tui import keys
from memtui.tui.dream_rows import Detail, details
from memtui.tui.panels.lines import Lines
from memtui.tui.state import Dream, OpenDream
from memtui.tui.theme import Glyphs


class RunDetails(Lines):
    """Rows as `dream_rows.details` makes them for the width; the cursor stays on its file."""

    BINDINGS = keys.bindings(keys.DREAM_LIST)

    def __init__(self, glyphs: Glyphs, *, id: str, classes: str = "") -> None:
        super().__init__(id=id, classes=classes)
        self.glyphs = glyphs
        self.dream: Dream | None = None
        self.opened: OpenDream | None = None
        self.now = 0.0
        self.rows: list[Detail] = []

    def show(self, dream: Dream | None, opened: OpenDream | None, now: float) -> None:
        """Draw this run."""
        other = dream is None or self.dream is None or dream.run.id != self.dream.run.id
        self.dream, self.opened, self.now = dream, opened, now
        self._lay()
        if other:
            self.cursor = 0
        if self.cursor == 0:  # as long as nobody moved it, it waits for the first file
            self.cursor = next((i for i, row in enumerate(self.rows) if row.name), 0)

    def _lay(self) -> None:
        keep = self.file
        width = max(12, self.scrollable_content_region.width)
        self.rows = [] if self.dream is None else details(self.dream, self.opened, self.now, width, self.glyphs)
        self.rows_changed(keep=keep or None)

    def on_resize(self) -> None:
        self._lay()

    @property
    def file(self) -> str:
        """The touched file under the cursor, "" for none."""
        return self.rows[self.cursor].name if self.cursor < len(self.rows) else ""

    def row_count(self) -> int:
        return len(self.rows)

    def row_key(self, index: int) -> Hashable:
        return self.rows[index].name or index

    def row(self, index: int, width: int) -> Content:
        return self.rows[index].content

    def action_open(self) -> None:
        """Report the row as chosen."""
        self.choose()
