"""The list of memory files: groups that fold, files with their marks, sizes, index lines and ages."""

from collections.abc import Hashable
from pathlib import Path

from textual.content import Content
from textual.message import Message

from memtui.tui import keys
from memtui.tui.glyphs import Glyphs
from memtui.tui.panels.lines import Lines
from memtui.tui.rows import Group, Item, Row
from memtui.tui.segments.topic_list import first_file, row_line


class TopicList(Lines):
    """Rows as `arrange` made them; says which file the cursor is on."""

    BINDINGS = keys.bindings(keys.TOPICS)
    BORDER_TITLE = "1 Memory"

    class Folded(Message):
        """A group is to be folded or unfolded."""

        def __init__(self, key: str, folded: bool) -> None:
            super().__init__()
            self.key = key
            self.folded = folded

    def __init__(self, glyphs: Glyphs, *, id: str, classes: str = "") -> None:
        super().__init__(id=id, classes=classes)
        self.glyphs = glyphs
        self.rows: tuple[Row, ...] = ()
        self.now = 0.0

    def show(self, rows: tuple[Row, ...], now: float) -> None:
        """Draw these rows; ages count back from `now`. The cursor stays on its file."""
        if rows == self.rows and int(now / 60) == int(self.now / 60):
            return
        keep = self.row_key(self.cursor) if self.cursor < len(self.rows) else None
        first = not self.rows
        self.rows, self.now = rows, now
        self.rows_changed(keep=keep)
        if first:
            self.to_first_file()

    def to_first_file(self) -> None:
        """Put the cursor on the first row that is a file."""
        self.cursor = first_file(self.rows)

    def to_path(self, path: Path) -> bool:
        """Put the cursor on a file; whether it is in the list."""
        where = str(path)
        index = next((i for i, row in enumerate(self.rows) if isinstance(row, Item) and row.where == where), None)
        if index is None:
            return False
        self.cursor = index
        return True

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def row_count(self) -> int:
        return len(self.rows)

    def row_key(self, index: int) -> Hashable:
        row = self.rows[index]
        return row.where if isinstance(row, Item) else row.key

    def row(self, index: int, width: int) -> Content:
        return Content.assemble(*row_line(self.rows[index], width, self.now, self.glyphs))

    def action_fold(self, fold: bool) -> None:
        """Fold or unfold the group under the cursor; on a file, left goes to its group and right to the next pane."""
        row = self.current
        if isinstance(row, Group):
            if row.folded != fold:
                self.post_message(self.Folded(row.key, fold))
        elif fold:
            above = (i for i in range(self.cursor, -1, -1) if isinstance(self.rows[i], Group))
            self.cursor = next(above, self.cursor)
        else:
            self.screen.focus_next()

    def action_open(self) -> None:
        """Fold a group, or report a file as chosen."""
        row = self.current
        if isinstance(row, Group):
            self.post_message(self.Folded(row.key, not row.folded))
        else:
            self.choose()
