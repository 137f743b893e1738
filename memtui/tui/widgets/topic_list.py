"""The list of memory files: groups that fold, files with their marks, sizes, index lines and ages."""

from collections.abc import Hashable

from textual.content import Content

from memtui.tui.commands import registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.glyphs import Glyphs
from memtui.tui.render.memory_rows import FileRow, GroupRow, Row
from memtui.tui.segments.topic_list import first_file, row_line
from memtui.tui.widgets.row_list import RowList

COMMANDS = declare(
    registry.MEMORY_LIST,
    Command("topics.open", "Edit here, or fold a group", "enter", lambda context: context.find(TopicList).open(),
            "⏎ edit", "⏎"),
    Command("topics.unfold", "Unfold, or to the next pane", "right,l",
            lambda context: context.find(TopicList).fold(folded=False), display="→ l"),
    Command("topics.fold", "Fold", "left,h", lambda context: context.find(TopicList).fold(folded=True), display="← h"),
)  # fmt: skip


class TopicList(RowList[Row]):
    """Rows as `arrange` made them; says which file the cursor is on."""

    BINDINGS = registry.bindings(COMMANDS)
    BORDER_TITLE = "1 Memory"

    def __init__(self, glyphs: Glyphs, *, id: str, classes: str = "") -> None:
        super().__init__(glyphs, id=id, classes=classes)
        self.now = 0.0

    def show(self, rows: tuple[Row, ...], now: float) -> None:
        """Draw these rows; ages count back from `now`. The cursor stays on its file."""
        if rows == self.rows and int(now / 60) == int(self.now / 60):
            return
        first, self.now = not self.rows, now
        self.put(rows)
        if first:
            self.to_first_file()

    def to_first_file(self) -> None:
        """Put the cursor on the first row that is a file."""
        self.cursor = first_file(self.rows)

    def key(self, row: Row) -> Hashable:
        return row.where if isinstance(row, FileRow) else row.key

    def row(self, index: int, width: int) -> Content:
        return Content.assemble(*row_line(self.rows[index], width, self.now, self.glyphs))

    def fold(self, *, folded: bool) -> None:
        """Fold or unfold the group under the cursor; on a file, left goes to its group and right to the next pane."""
        row = self.current
        if isinstance(row, GroupRow):
            if row.folded != folded:
                self.post_message(self.Folded(row.key, folded))
        elif folded:
            above = (i for i in range(self.cursor, -1, -1) if isinstance(self.rows[i], GroupRow))
            self.cursor = next(above, self.cursor)
        else:
            self.screen.focus_next()

    def open(self) -> None:
        """Fold a group, or report a file as chosen."""
        row = self.current
        if isinstance(row, GroupRow):
            self.post_message(self.Folded(row.key, not row.folded))
        else:
            super().open()
