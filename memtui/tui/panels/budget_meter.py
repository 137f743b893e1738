"""One line that says how full the memory index is, in the client's own units."""

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from memtui.memory.budget import IndexBudget
from memtui.tui.theme import UNICODE, Glyphs

NEAR = 0.8
"""From this share on the meter says "near limit"."""


def bar(share: float, width: int, glyphs: Glyphs) -> str:
    """A bar of `width` cells, ends included; never looks full unless it is, nor empty unless it is."""
    room = max(1, width - 2)
    filled = min(room, int(share * room))
    if share > 0 and filled == 0:
        filled = 1
    return f"{glyphs.left}{glyphs.full * filled}{glyphs.empty * (room - filled)}{glyphs.right}"


def verdict(budget: IndexBudget, lost: int) -> tuple[str, str]:
    """The word at the end of the line and its style: fits, near limit, or how much is not loaded."""
    if budget.over:
        lines = budget.lines - (budget.cut_line or 1) + 1
        entries = f", {lost} entries" if lost else ""
        return f"OVER: {lines} lines{entries} not loaded", "$problem bold reverse"
    if budget.used >= NEAR:
        return "near limit", "$warn bold"
    return "fits", "$good"


class BudgetMeter(Widget):
    """Lines and units of the index against their limits."""

    budget: reactive[IndexBudget | None] = reactive(None)
    """What to draw, or `None` before the first read and where there is no index."""
    lost: reactive[int] = reactive(0)
    """Entries of the index that the agent does not get."""
    note: reactive[str] = reactive("")
    """Said instead of a meter: memory is off, no index yet."""

    class Opened(Message):
        """The user wants to see the index."""

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs

    def render(self) -> Content:
        if self.note or self.budget is None:
            return Content.styled(f" {self.note or 'reading' + self.glyphs.ellipsis}", "$dim")
        budget = self.budget
        word, style = verdict(budget, self.lost)
        width = self.size.width
        lines = f" {budget.lines}/{budget.max_lines}"
        units = f" {budget.units / 1000:.1f}/{budget.max_units / 1000:.1f}k"
        if width >= 100:
            lines += f" ({budget.lines_left} left)"
            units += f" ({budget.units_left / 1000:.1f}k left)"
        texts = len(" MEMORY.md  lines ") + len(lines) + len("  units ") + len(units) + 2 + len(word) + 2
        room = (width - texts) // 2
        if room < 6:
            head = Content(f" MEMORY.md{lines}{units}  ") if width >= 50 else Content(f" {lines.strip()}{units} ")
            return head + Content.styled(f" {word} ", style)
        cells = min(room, 24)
        return Content.assemble(
            (" MEMORY.md", "bold"),
            "  lines ",
            (bar(budget.lines / budget.max_lines, cells, self.glyphs), self._style(budget.lines / budget.max_lines)),
            lines,
            "  units ",
            (bar(budget.units / budget.max_units, cells, self.glyphs), self._style(budget.units / budget.max_units)),
            units,
            "  ",
            (f" {word} ", style),
        )

    @staticmethod
    def _style(share: float) -> str:
        return "$problem" if share > 1 else "$warn" if share >= NEAR else "$good"

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Opened())
