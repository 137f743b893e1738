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


def verdict(budget: IndexBudget, lost: int) -> tuple[tuple[str, ...], str]:
    """The words at the end of the line, the longest first, and their style."""
    if budget.over:
        lines = f"{budget.lines - (budget.cut_line or 1) + 1} lines"
        entries = f", {lost} entries" if lost else ""
        return (f"OVER: {lines}{entries} not loaded", f"{lines} not loaded", "OVER"), "$problem bold reverse"
    if budget.used >= NEAR:
        return ("near limit",), "$warn bold"
    return ("fits",), "$good"


def thousands(units: int) -> str:
    """Units in thousands: "14.6k"."""
    return f"{units / 1000:.1f}k"


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
        words, style = verdict(budget, self.lost)
        long, short = words[0], words[min(1, len(words) - 1)]
        best_first = [(True, 24, long), (True, 10, long), (False, 24, long), (False, 10, long), (False, 6, long)]
        best_first += [(False, 10, short), (False, 6, short), (False, 0, long), (False, 0, short)]
        for left, cells, word in best_first:
            line = Content(" ") + self._amounts(budget, cells, left=left) + Content.styled(f" {word} ", style)
            if line.cell_length <= self.size.width:
                return line
        return Content(" ") + Content.styled(f" {words[-1]} ", style)

    def _amounts(self, budget: IndexBudget, cells: int, *, left: bool) -> Content:
        """Lines and units, with bars of so many cells (0: none), and what is left where there is room to say it."""
        pieces = [Content.styled("MEMORY.md", "bold")] if cells or self.size.width >= 70 else []
        for words, used, most, show in (
            ("lines", budget.lines, budget.max_lines, str),
            ("units", budget.units, budget.max_units, thousands),
        ):
            amount = f"{show(used).removesuffix('k')}/{show(most)} "
            if left:
                amount += f"({show(abs(most - used))} {'left' if used <= most else 'over'}) "
            drawn = bar(used / most, cells, self.glyphs) + " " if cells else ""
            pieces.append(Content.assemble(f"{words} ", (drawn, self._style(used / most)), amount))
        return Content(" ").join(pieces)

    @staticmethod
    def _style(share: float) -> str:
        return "$problem" if share > 1 else "$warn" if share >= NEAR else "$good"

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Opened())
