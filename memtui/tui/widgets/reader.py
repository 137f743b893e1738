"""A text to read: drawn lines with a cursor, find, and links to follow."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from memtui.tui.app_base import CommandContext
from memtui.tui.commands import registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.render.markdown import MarkdownLine
from memtui.tui.widgets.virtual_list import VirtualList, mark_matches
from memtui.util.lazy_module import LazyModule

if TYPE_CHECKING:
    from memtui.tui import dialogs
else:
    dialogs = LazyModule("memtui.tui.dialogs")


async def find_text(context: CommandContext) -> None:
    reader = context.find(ReaderView)
    text = await context.ask(dialogs.Ask("Find in the text", reader.show_find, does="find"))
    if text:
        reader.show_find = text
        reader.find_next(1)


COMMANDS = declare(
    registry.READER,
    Command("reader.escape", "Back to the list", "escape", lambda at: at.find(ReaderView).back(), "Esc back"),
    Command("reader.find", "Find in the text", "slash", find_text, "/ find"),
    Command("reader.next", "Next match", "n", lambda at: at.find(ReaderView).find_next(1)),
    Command("reader.previous", "Previous match", "N", lambda at: at.find(ReaderView).find_next(-1)),
    Command("reader.follow", "Follow the link of this line", "enter", lambda at: at.find(ReaderView).follow(),
            "⏎ follow link"),
    Command("reader.copy", "Copy this line", "y", lambda at: at.find(ReaderView).copy_line()),
)  # fmt: skip


class ReaderView(VirtualList):
    """Draws lines that were made elsewhere (in a thread, for the width in hand)."""

    BINDINGS = registry.bindings(COMMANDS)
    show_find: reactive[str] = reactive("")

    class WidthChanged(Message):
        """The lines were made for another width."""

    @dataclass
    class Follow(Message):
        """A link is to be followed."""

        target: str

    class Left(Message):
        """One step back, out of the text."""

    def __init__(self, *, id: str, classes: str = "") -> None:
        super().__init__(id=id, classes=classes)
        self.lines: Sequence[MarkdownLine] = ()
        self._width = 0
        self.name_shown = ""  # the title of what is shown: the same title again keeps the place

    def show(self, lines: Sequence[MarkdownLine], *, keep_place: bool = False) -> None:
        """Draw these lines; from the top unless the same text only changed a little."""
        self.lines = lines
        if not keep_place:
            self.set_reactive(VirtualList.cursor, 0)
            self.scroll_to(y=0, animate=False)
        self.rows_changed()

    def row_count(self) -> int:
        return len(self.lines)

    def row(self, index: int, width: int) -> Content:
        return mark_matches(self.lines[index].content, self.show_find)

    @property
    def draw_width(self) -> int:
        return max(1, self.size.width - 1) if self.size.width else max(1, self._width)

    def on_resize(self) -> None:
        super().on_resize()
        if self.draw_width != self._width:
            self._width = self.draw_width
            self.post_message(self.WidthChanged())

    def watch_show_find(self) -> None:
        self.refresh()

    @property
    def line(self) -> MarkdownLine | None:
        return self.lines[self.cursor] if self.cursor < len(self.lines) else None

    def follow(self) -> None:
        if self.line is not None and self.line.links:
            self.post_message(self.Follow(self.line.links[0]))
        else:
            self.app.bell()

    def find_next(self, step: int) -> None:
        count = len(self.lines)
        needle = self.show_find.lower()
        if needle:
            order = [(self.cursor + step * i) % count for i in range(1, count + 1)]
            self.cursor = next((i for i in order if needle in self.lines[i].content.plain.lower()), self.cursor)

    def copy_line(self) -> None:
        self.app.copy_line(self.line.content.plain if self.line is not None else "")

    def back(self) -> None:
        if self.show_find:
            self.show_find = ""
        else:
            self.post_message(self.Left())
