"""One line that says how full the memory index is; what it says is in `segments.budget_meter`."""

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.glyphs import UNICODE, Glyphs
from memtui.tui.segments.budget_meter import Fill, meter_line


class BudgetMeter(Widget):
    """Lines and units of the index against their limits."""

    budget: reactive[Fill | None] = reactive(None)
    """What to draw, or `None` before the first read and where there is no index."""
    note: reactive[str] = reactive("")
    """Said instead of a meter: memory is off, no index yet."""

    class Opened(Message):
        """The user wants to see the index."""

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs

    def render(self) -> Content:
        return Content.assemble(*meter_line(self.budget, self.note, self.size.width, self.glyphs))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Opened())
