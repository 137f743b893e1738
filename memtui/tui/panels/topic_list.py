"""The list of memory files: groups that fold, files with their marks, sizes, index lines and ages."""

from collections.abc import Hashable
from pathlib import Path

from textual.content import Content, Span
from textual.message import Message

from memtui.base import text
from memtui.tui import keys
from memtui.tui.arrange import Group, Item, Row
from memtui.tui.panels.lines import Lines
from memtui.tui.theme import Glyphs

MARK_STYLES = {
    "problem": "$problem bold",
    "unlisted": "$warn",
    "changed": "$good",
    "unsaved": "$mark bold",
    "pinned": "$link",
}
LINE_COLUMN_FROM = 34
"""Cells from which the column with the index line fits."""


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
        self.cursor = next((i for i, row in enumerate(self.rows) if isinstance(row, Item)), 0)

    def to_path(self, path: Path) -> bool:
        """Put the cursor on a file; whether it is in the list."""
        index = next((i for i, row in enumerate(self.rows) if isinstance(row, Item) and row.path == path), None)
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
        return row.path if isinstance(row, Item) else row.key

    def row(self, index: int, width: int) -> Content:
        row = self.rows[index]
        return self._group(row, width) if isinstance(row, Group) else self._item(row, width)

    def _group(self, group: Group, width: int) -> Content:
        fold = self.glyphs.closed if group.folded else self.glyphs.opened
        label = text.clip(f"{fold} {group.label}", max(1, width - 6), ellipsis=self.glyphs.ellipsis)
        return Content.styled(label, "bold") + Content.styled(f" {self.glyphs.separator} {group.count}", "$dim")

    def _item(self, item: Item, width: int) -> Content:
        glyph = {
            "problem": self.glyphs.problem,
            "unlisted": self.glyphs.unlisted,
            "changed": self.glyphs.changed,
            "unsaved": self.glyphs.unsaved,
            "pinned": self.glyphs.pinned,
        }.get(item.mark, " ")
        amount = f"{item.lines} ln" if item.lines is not None else text.size(item.size)
        tail = f" {amount:>6}{text.age(self.now - item.modified):>5}"
        if width >= LINE_COLUMN_FROM:
            line = f"L{item.line}" if item.line else self.glyphs.dash
            tail = f" {'' if item.lines is not None else line:>4}{tail}"
        lead = f"{glyph}{self.glyphs.tick if item.marked else ' '}"
        room = max(1, width - len(lead) - len(tail))
        label = item.label if text.cells(item.label) <= room else item.label.removesuffix(".md")
        name = text.pad(label, room, ellipsis=self.glyphs.ellipsis)
        spans = [Span(0, 1, MARK_STYLES[item.mark])] if item.mark else []
        if item.marked:
            spans.append(Span(1, 2, "$mark bold"))
        start = len(lead) + len(name)
        return Content(lead + name + tail, spans=[*spans, Span(start, start + len(tail), "$dim")])

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
