"""A list drawn by lines: the base of every list and of every long text on the screen.

One widget whatever the number of rows, which are drawn when they are on screen and never before (a widget a row costs
seconds at 1,000 rows).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual
from textual.widget import Widget

from memtui.tui.app_base import InApp
from memtui.tui.commands import registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.theme import Glyphs

MAX_CACHED_ROWS = 2000
"""Drawn rows that are cached: a screen is painted several times for one change of a class or of the focus."""


class Lines(InApp):
    """Base of what has rows and a cursor on one of them."""

    def move_cursor(self, rows: int) -> None:
        raise NotImplementedError

    def move_cursor_to(self, index: int) -> None:
        """Move the cursor to a row; -1 is the last."""
        raise NotImplementedError

    def move_pages(self, pages: float) -> None:
        raise NotImplementedError

    def draw_again(self) -> None:
        """Draw the same rows again: secrets are shown now, or masked."""


LINES = declare(
    registry.LISTS,
    Command("lines.down", "Down", "down,j", lambda at: at.find(Lines).move_cursor(1)),
    Command("lines.up", "Up", "up,k", lambda at: at.find(Lines).move_cursor(-1)),
    Command("lines.home", "First", "g,home", lambda at: at.find(Lines).move_cursor_to(0)),
    Command("lines.end", "Last", "G,end", lambda at: at.find(Lines).move_cursor_to(-1)),
    Command("lines.page_down", "Page down", "pagedown", lambda at: at.find(Lines).move_pages(1)),
    Command("lines.page_up", "Page up", "pageup", lambda at: at.find(Lines).move_pages(-1)),
    Command("lines.half_down", "Half a page down", "ctrl+d", lambda at: at.find(Lines).move_pages(0.5)),
    Command("lines.half_up", "Half a page up", "ctrl+u", lambda at: at.find(Lines).move_pages(-0.5)),
)  # fmt: skip


def draw_row(widget: Widget, content: Content, width: int, style: Style) -> Strip:
    """One line, cut or filled to `width` cells."""
    strips = Visual.to_strips(widget, content, width, 1, style, apply_selection=False, pad=True)
    strip = strips[0] if strips else Strip.blank(width, style.rich_style)
    return strip.crop_extend(0, width, style.rich_style)


def mark_matches(content: Content, needle: str) -> Content:
    """Mark where a text stands, in either case; "" marks nothing."""
    plain, needle = content.plain.lower(), needle.lower()
    start = plain.find(needle) if needle else -1
    while start >= 0:
        content = content.stylize("reverse bold", start, start + len(needle))
        start = plain.find(needle, start + len(needle))
    return content


class VirtualList(Lines, ScrollView, can_focus=True):
    """Rows of one line each with a cursor; subclasses give `rows`, `row` and, for stable cursors, `row_key`."""

    BINDINGS = registry.bindings(LINES)
    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--cursor"}
    DEFAULT_CSS = """
    VirtualList { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; overflow-x: hidden; }
    VirtualList > .lines--cursor { background: $primary 22%; }
    VirtualList:focus > .lines--cursor { background: $primary 45%; text-style: bold; }
    """

    cursor: reactive[int] = reactive(0)
    empty: reactive[str] = reactive("")  # what is said where there are no rows
    show_cursor: bool = True
    rows: Sequence[Any] = ()

    @dataclass
    class Moved(Message):
        """The cursor stands on another row."""

        lines: "VirtualList"
        index: int

        @property
        def control(self) -> "VirtualList":
            return self.lines

    class Chosen(Moved):
        """Enter, or a double click, on a row."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        self._drawn: dict[tuple[int, int, Style], Strip] = {}
        super().__init__(id=id, classes=classes)

    @property
    def glyphs(self) -> Glyphs:
        return self.app.glyphs

    def row_count(self) -> int:
        return len(self.rows)

    def row(self, index: int, width: int) -> Content:
        """What a row shows in `width` cells."""
        raise NotImplementedError

    def row_key(self, index: int) -> Hashable:
        """What stays the same when rows come and go before it; the cursor follows this."""
        return index

    def row_of(self, key: Hashable) -> int | None:
        return next((index for index in range(self.row_count()) if self.row_key(index) == key), None)

    def rows_changed(self, *, keep: Hashable = None) -> None:
        """Draw again after the rows changed; the cursor goes to the row with the key `keep`, or stays by number."""
        count = self.row_count()
        self._count_rows(count)
        index = self.cursor
        if keep is not None and not (index < count and self.row_key(index) == keep):
            found = self.row_of(keep)
            index = index if found is None else found
        self.set_reactive(VirtualList.cursor, max(0, min(index, count - 1)))
        self.refresh()
        self.call_after_refresh(self._show_cursor)

    def draw_again(self) -> None:
        self.rows_changed()

    def row_changed(self, index: int) -> None:
        """Draw one row again: it says something else, and all others are what and where they were."""
        for key in [key for key in self._drawn if key[0] == index]:
            del self._drawn[key]
        self.refresh_line(index)

    def _count_rows(self, count: int) -> None:
        """More or fewer rows under the same scroll bar change no place on the screen: nothing is laid out again."""
        size = Size(self.size.width, count)
        if self.show_vertical_scrollbar and count > self.scrollable_content_region.height:
            self.set_reactive(VirtualList.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = count
        else:
            self.virtual_size = size

    def on_resize(self) -> None:
        """The rows are as many, but the last ones may have come on screen."""
        self.virtual_size = Size(self.size.width, self.row_count())
        self.call_after_refresh(self._show_cursor)

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if width <= 0:
            return Strip.blank(0, self.rich_style)  # a terminal of a few cells: the borders take them all
        if not self.row_count() and self.empty:
            words = Content.styled(self.empty, "$dim").wrap(max(1, width - 2))
            said = Content(" ") + words[y - 1] if 0 < y <= len(words) else Content("")
            return Visual.to_strips(self, said, width, 1, self.visual_style, pad=True)[0]
        if index >= self.row_count():
            return Strip.blank(width, self.rich_style)
        style = self.visual_style
        if index == self.cursor and self.show_cursor:
            style += self.get_visual_style("lines--cursor", partial=True)
        key = (index, width, style)
        strip = self._drawn.get(key)
        if strip is None:
            strip = self._drawn[key] = draw_row(self, self.row(index, width), width, style)
        return strip

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        if not regions or len(self._drawn) > MAX_CACHED_ROWS:
            self._drawn.clear()  # a refresh of everything says that rows may look different
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def notify_style_update(self) -> None:
        self._drawn.clear()
        super().notify_style_update()

    def validate_cursor(self, index: int) -> int:
        return max(0, min(index, self.row_count() - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        self.refresh_line(old)
        self.refresh_line(new)
        self._show_cursor()
        self.post_message(self.Moved(self, new))

    def _show_cursor(self) -> None:
        if self.show_cursor and self.row_count() and self.size.height:
            row = Region(0, self.cursor, 1, 1)
            self.scroll_to_region(row, animate=False, force=True, immediate=True, x_axis=False)

    def move_cursor(self, rows: int) -> None:
        self.cursor += rows

    def move_cursor_to(self, index: int) -> None:
        self.cursor = index if index >= 0 else self.row_count() + index

    def move_pages(self, pages: float) -> None:
        self.cursor += int(pages * max(1, self.scrollable_content_region.height - 1))

    def choose(self) -> None:
        if self.row_count():
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor there; a double click chooses."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = offset.y + self.scroll_offset.y
        if index < self.row_count():
            self.cursor = index
            if event.chain == 2:
                self.choose()


class LaidLines(VirtualList):
    """Rows that are laid out anew for each width, and when secrets are shown or masked."""

    rows: Sequence[Any] = ()

    def lay(self) -> None:
        """Make `rows` for the width in hand."""
        raise NotImplementedError

    def draw_again(self) -> None:
        self.lay()
        super().draw_again()

    def on_resize(self) -> None:
        self.lay()
        super().on_resize()

    def row(self, index: int, width: int) -> Content:
        content: Content = self.rows[index]
        return content
