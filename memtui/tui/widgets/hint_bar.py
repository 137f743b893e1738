"""The last line: what the keys do here; which hints fit is decided in `segments.hint_line`."""

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.segments.hint_line import hint_line
from memtui.tui.theme import glyphs_of


class HintBar(Widget):
    """As many hints as fit."""

    hints: reactive[tuple[str, ...]] = reactive(())

    def render(self) -> Content:
        return Content.assemble(*hint_line(self.hints, self.size.width, glyphs_of(self)))
