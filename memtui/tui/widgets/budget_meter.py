"""One line that says how full the memory index is, in the client's own units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from memtui.presentation import Tone
from memtui.presentation.budget_text import NEAR_LIMIT, budget_verdict
from memtui.tui.theme import TONE_STYLES, Glyphs, glyphs_of

if TYPE_CHECKING:
    from memtui.memory.scope import Scope  # 100 ms that the first frame doesn't wait for


EMPHASIS: dict[Tone, str] = {"problem": " bold reverse", "warn": " bold"}
"""Added to the style of a verdict that should be seen."""


class IndexFill(Struct, frozen=True):
    """How full an index is: counted lines and UTF-16 units, their limits, and the lines and entries not loaded."""

    lines: int
    units: int
    max_lines: int
    max_units: int
    lost_lines: int
    lost_entries: int

    @classmethod
    def of(cls, scope: Scope) -> IndexFill | None:
        budget = scope.budget
        if budget is None:
            return None
        lost_lines = budget.lines - (budget.cut_line or 1) + 1 if budget.over else 0
        lost = sum(entry.loaded is False for entry in scope.entries)
        return cls(budget.lines, budget.units, budget.max_lines, budget.max_units, lost_lines, lost)

    @property
    def used(self) -> float:
        """The larger share of the two limits; above 1 something is not loaded."""
        return max(self.lines / self.max_lines, self.units / self.max_units)


class BudgetMeter(Widget):
    budget: reactive[IndexFill | None] = reactive(None)  # `None` before the first read and where there is no index
    note: reactive[str] = reactive("")  # said instead of a meter: memory is off, no index yet

    class Opened(Message):
        """The user wants to see the index."""

    def render(self) -> Content:
        budget, width, glyphs = self.budget, self.size.width, glyphs_of(self)
        if self.note or budget is None:
            return Content.styled(f" {self.note or 'reading' + glyphs.ellipsis}", "$dim")
        verdict = budget_verdict(budget.lost_lines, budget.used, lost_entries=budget.lost_entries)
        short = budget_verdict(budget.lost_lines, budget.used).text.removeprefix(f"{verdict.label}: ")
        long, style = verdict.text, TONE_STYLES[verdict.tone] + EMPHASIS.get(verdict.tone, "")
        best_first = [(True, 24, long), (True, 10, long), (False, 24, long), (False, 10, long), (False, 6, long)]
        best_first += [(False, 10, short), (False, 6, short), (False, 0, long), (False, 0, short)]
        for left, bars, word in best_first:
            line = Content.assemble(" ", _amounts(budget, bars, width, glyphs, left=left), (f" {word} ", style))
            if line.cell_length <= width:
                return line
        lines = f" lines {budget.lines}/{budget.max_lines} "
        rest = (line for line in (f"{lines} {long}", f"{lines} {short}") if len(line) < width)
        words = next(rest, f"{lines} {verdict.label}").removeprefix(lines)
        return Content.assemble(lines, (f"{words} ", style))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Opened())


def _amounts(budget: IndexFill, bars: int, width: int, glyphs: Glyphs, *, left: bool) -> Content:
    """Lines and characters, with bars of so many cells (0: none), and what is left where there is room to say it."""
    pieces = [Content.styled("MEMORY.md", "bold")] if bars or width >= 70 else []
    for words, used, most, show in (
        ("lines", budget.lines, budget.max_lines, str),
        ("characters", budget.units, budget.max_units, thousands),
    ):
        amount = f"{show(used).removesuffix('k')}/{show(most)} "
        if left:
            amount += f"({show(abs(most - used))} {'left' if used <= most else 'over'}) "
        drawn = Content.styled(bar(used / most, bars, glyphs) + " ", _style(used / most)) if bars else ""
        pieces.append(Content.assemble(f"{words} ", drawn, amount))
    return Content(" ").join(pieces)


def bar(share: float, width: int, glyphs: Glyphs) -> str:
    """A bar of `width` cells, ends included; never looks full unless it is, nor empty unless it is."""
    room = max(1, width - 2)
    filled = max(min(room, int(share * room)), int(share > 0))
    return f"{glyphs.left}{glyphs.full * filled}{glyphs.empty * (room - filled)}{glyphs.right}"


def thousands(units: int) -> str:
    """Units in thousands: "14.6k"."""
    return f"{units / 1000:.1f}k"


def _style(share: float) -> str:
    return "$problem" if share > 1 else "$warn" if share >= NEAR_LIMIT else "$good"
