"""The list of memory files: groups that fold, files with their marks, sizes, index lines and ages."""

from collections.abc import Hashable, Sequence

from textual import events
from textual.content import Content

from memtui.tui.commands import registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.render.memory_rows import MARK_WORDS, FileRow, GroupRow, Row
from memtui.tui.theme import Glyphs
from memtui.tui.widgets.row_list import RowList
from memtui.util import text

EMPTY = "no memory files here yet; n writes the first"

MARK_STYLES = {
    "problem": "$problem bold", "unlisted": "$warn", "changed": "$good", "unsaved": "$mark bold", "pinned": "$link",
}  # fmt: skip
"""By the mark of a row; its glyph has the same name."""
LINE_COLUMN_FROM = 34  # cells from which the column with the index line fits
COMMANDS = declare(
    registry.MEMORY_LIST,
    Command("topics.open", "Edit here, or fold a group", "enter", lambda at: at.find(TopicList).open(), "⏎ edit"),
    Command("topics.unfold", "Unfold, or to the next pane", "right,l",
            lambda at: at.find(TopicList).fold(folded=False)),
    Command("topics.fold", "Fold", "left,h", lambda at: at.find(TopicList).fold(folded=True)),
)  # fmt: skip


class TopicList(RowList[Row]):
    BINDINGS = registry.bindings(COMMANDS)
    BORDER_TITLE = "1 Memory"
    now = 0.0
    _told: str | None = None

    def show(self, rows: tuple[Row, ...], now: float) -> None:
        """Draw these rows; ages count back from `now`. The cursor stays on its file."""
        if rows == self.rows and int(now / 60) == int(self.now / 60):
            return
        first, self.now = not self.rows, now
        self.put(rows)
        if first:
            self.to_first_file()

    def to_first_file(self) -> None:
        self.cursor = first_file(self.rows)

    def key(self, row: Row) -> Hashable:
        return row.where if isinstance(row, FileRow) else row.key

    def on_resize(self) -> None:
        super().on_resize()
        line = "line" if self.scrollable_content_region.width >= LINE_COLUMN_FROM else ""
        self.border_subtitle = f"{line:>4} {'size':>6}{'age':>5}".lstrip()

    def row(self, index: int, width: int) -> Content:
        row = self.rows[index]
        return (
            _group(row, width, self.glyphs)
            if isinstance(row, GroupRow)
            else _item(row, self.app.state.masked_name(row.label), width, self.now, self.glyphs)
        )

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say the whole name of the file below the mouse, and what its mark means."""
        offset = event.get_content_offset(self)
        at = len(self.rows) if offset is None else offset.y + self.scroll_offset.y
        row, words = self.rows[at] if at < len(self.rows) else None, None
        if isinstance(row, FileRow):
            words = text.visible(self.app.state.masked_name(row.path.name), keep="") + (
                f": {MARK_WORDS[row.mark]}" if row.mark else ""
            )
        if words != self._told:
            self._told, self.tooltip = words, None if words is None else Content(words)

    def fold(self, *, folded: bool) -> None:
        """Fold or unfold the group under the cursor; on a file, left goes to its group and right to the next pane."""
        row = self.current
        if isinstance(row, GroupRow):
            if row.folded != folded:
                self.post_message(self.Folded(row.key, folded))
        else:
            self.leave_row(GroupRow, left=folded)

    def open(self) -> None:
        row = self.current
        if isinstance(row, GroupRow):
            self.post_message(self.Folded(row.key, not row.folded))
        else:
            super().open()


def first_file(rows: Sequence[Row]) -> int:
    return next((index for index, row in enumerate(rows) if isinstance(row, FileRow)), 0)


def list_title(files: str, words: list[str], glyphs: Glyphs) -> str:
    return f" {glyphs.separator} ".join(["1 Memory", files, *words])


def _group(group: GroupRow, width: int, glyphs: Glyphs) -> Content:
    fold = glyphs.closed if group.folded else glyphs.opened
    label = text.clip(f"{fold} {group.label}", max(1, width - 6), ellipsis=glyphs.ellipsis)
    return Content.assemble((label, "bold"), (f" {glyphs.separator} {group.files}", "$dim"))


def _item(item: FileRow, label: str, width: int, now: float, glyphs: Glyphs) -> Content:
    glyph = getattr(glyphs, item.mark) if item.mark else " "
    amount = f"{item.lines} ln" if item.lines is not None else text.size(item.size)
    tail = f" {amount:>6}{text.age(now - item.modified) if item.modified else '':>5}"
    if width >= LINE_COLUMN_FROM:
        line = str(item.line) if item.line else glyphs.dash
        tail = f" {'' if item.lines is not None else line:>4}{tail}"
    room = max(1, width - 2 - len(tail))
    label = label if text.cells(label) <= room else label.removesuffix(".md")
    return Content.assemble(
        (glyph, MARK_STYLES.get(item.mark, "")),
        (glyphs.tick if item.marked else " ", "$mark bold" if item.marked else ""),
        (text.pad(label, room, ellipsis=glyphs.ellipsis), ""),
        (tail, "$dim"),
    )
