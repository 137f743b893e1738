"""The first line: which project, where its memory is, and what is wrong with it; made in `segments.place_line`."""

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.segments.place_line import PlaceFacts, place_line


class TitleBar(Widget):
    """Project left, health right."""

    facts: reactive[PlaceFacts | None] = reactive(None)

    def render(self) -> Content:
        return Content.assemble(*place_line(self.facts, self.size.width))
