"""A text to read: drawn lines with a cursor, find, and links to follow."""

from collections.abc import Sequence

from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from memtui.tui import keys
from memtui.tui.render.markdown import MarkdownLine
from memtui.tui.widgets.virtual_list import VirtualList


class ReaderView(VirtualList):
    """Draws lines that somebody else made (in a thread, for the width in hand)."""

    BINDINGS = keys.bindings(keys.READER)
    show_find: reactive[str] = reactive("")
    """The text that is being looked for; its matches are marked."""

    class WidthChanged(Message):
        """The lines were made for another width."""

    class Follow(Message):
        """A link is to be followed."""

        def __init__(self, target: str) -> None:
            super().__init__()
            self.target = target

    class Step(Message):
        """The next or previous of preview, links, history."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    class Wish(Message):
        """A wish that needs the file: "edit", "find", "back", "leave", "copy"; `line` is the source line."""

        def __init__(self, what: str, line: int, text: str) -> None:
            super().__init__()
            self.what = what
            self.line = line
            self.text = text

    def __init__(self, *, id: str, classes: str = "") -> None:
        super().__init__(id=id, classes=classes)
        self.lines: Sequence[MarkdownLine] = ()
        self._width = 0
        self.name_shown = ""
        """The title of what is shown: the same title again keeps the place."""

    def show(self, lines: Sequence[MarkdownLine], *, keep_place: bool = False) -> None:
        """Draw these lines; from the top unless the same text only changed a little."""
        self.lines = lines
        if not keep_place:
            self.set_reactive(VirtualList.cursor, 0)
            self.scroll_to(y=0, animate=False)
        self.rows_changed()

    def to_source(self, line: int) -> None:
        """Put the cursor on the first drawn line of a source line."""
        self.cursor = next((i for i, drawn in enumerate(self.lines) if drawn.source >= line), len(self.lines) - 1)

    def row_count(self) -> int:
        return len(self.lines)

    def row(self, index: int, width: int) -> Content:
        content = self.lines[index].content
        if self.show_find:
            start = content.plain.lower().find(self.show_find.lower())
            while start >= 0:
                end = start + len(self.show_find)
                content = content.stylize("reverse bold", start, end)
                start = content.plain.lower().find(self.show_find.lower(), end)
        return content

    @property
    def draw_width(self) -> int:
        """Cells that a line may take."""
        return max(1, self.size.width - 1)

    def on_resize(self) -> None:
        super().on_resize()
        if self.draw_width != self._width:
            self._width = self.draw_width
            self.post_message(self.WidthChanged())

    def watch_show_find(self) -> None:
        self.refresh()

    @property
    def _here(self) -> MarkdownLine | None:
        return self.lines[self.cursor] if self.cursor < len(self.lines) else None

    def _wish(self, what: str) -> None:
        here = self._here
        self.post_message(self.Wish(what, here.source if here else 1, here.content.plain if here else ""))

    def action_follow(self) -> None:
        """Follow the first link of the line under the cursor."""
        here = self._here
        if here and here.links:
            self.post_message(self.Follow(here.links[0]))
        else:
            self.app.bell()

    def action_find(self) -> None:
        """Ask what to look for."""
        self._wish("find")

    def action_find_next(self, step: int) -> None:
        """Go to the next line that has the text looked for."""
        count = len(self.lines)
        needle = self.show_find.lower()
        if not needle:
            return
        order = [(self.cursor + step * i) % count for i in range(1, count + 1)]
        self.cursor = next((i for i in order if needle in self.lines[i].content.plain.lower()), self.cursor)

    def action_back(self) -> None:
        """Back to the file in which the last link was followed."""
        self._wish("back")

    def action_edit_here(self) -> None:
        """Edit the file at this line."""
        self._wish("edit")

    def action_copy_line(self) -> None:
        """Copy the line under the cursor."""
        self._wish("copy")

    def action_leave(self) -> None:
        """Find off, else back to the list."""
        if self.show_find:
            self.show_find = ""
        else:
            self._wish("leave")

    def action_step(self, step: int) -> None:
        """Preview, links, history."""
        self.post_message(self.Step(step))
