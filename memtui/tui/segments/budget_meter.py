"""One line that says how full the memory index is, in the client's own units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from memtui.tui.glyphs import Glyphs
from memtui.tui.segments import Line, cells, joined

if TYPE_CHECKING:
    from memtui.memory.scope import Scope

NEAR = 0.8
"""From this share on the meter says "near limit"."""
OFF = "memory is off: the agent loads nothing (5 Settings says who turned it off)"


def bar(share: float, width: int, glyphs: Glyphs) -> str:
    """A bar of `width` cells, ends included; never looks full unless it is, nor empty unless it is."""
    room = max(1, width - 2)
    filled = min(room, int(share * room))
    if share > 0 and filled == 0:
        filled = 1
    return f"{glyphs.left}{glyphs.full * filled}{glyphs.empty * (room - filled)}{glyphs.right}"


class Fill(Struct, frozen=True):
    """How full an index is: counted lines and UTF-16 units, their limits, and the lines and entries not loaded."""

    lines: int
    units: int
    max_lines: int
    max_units: int
    lost_lines: int
    lost_entries: int

    @classmethod
    def of(cls, scope: Scope) -> Fill | None:
        """The fill of a scope's index; None where there is none."""
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


def verdict(budget: Fill) -> tuple[tuple[str, ...], str]:
    """The words at the end of the line, the longest first, and their style."""
    if budget.lost_lines:
        lines = f"{budget.lost_lines} line{'s' * (budget.lost_lines != 1)}"
        entries = f", {budget.lost_entries} entries" if budget.lost_entries else ""
        return (f"OVER: {lines}{entries} not loaded", f"{lines} not loaded", "OVER"), "$problem bold reverse"
    if budget.used >= NEAR:
        return ("near limit",), "$warn bold"
    return ("fits",), "$good"


def thousands(units: int) -> str:
    """Units in thousands: "14.6k"."""
    return f"{units / 1000:.1f}k"


def meter_line(budget: Fill | None, note: str, width: int, glyphs: Glyphs) -> Line:
    """As much of the meter as fits, or the note that stands instead of it; `None` before the first read."""
    if note or budget is None:
        return [(f" {note or 'reading' + glyphs.ellipsis}", "$dim")]
    words, style = verdict(budget)
    long, short = words[0], words[min(1, len(words) - 1)]
    best_first = [(True, 24, long), (True, 10, long), (False, 24, long), (False, 10, long), (False, 6, long)]
    best_first += [(False, 10, short), (False, 6, short), (False, 0, long), (False, 0, short)]
    for left, bars, word in best_first:
        line: Line = [(" ", ""), *_amounts(budget, bars, width, glyphs, left=left), (f" {word} ", style)]
        if cells(line) <= width:
            return line
    return [(" ", ""), (f" {words[-1]} ", style)]


def _amounts(budget: Fill, bars: int, width: int, glyphs: Glyphs, *, left: bool) -> Line:
    """Lines and units, with bars of so many cells (0: none), and what is left where there is room to say it."""
    pieces: list[Line] = [[("MEMORY.md", "bold")]] if bars or width >= 70 else []
    for words, used, most, show in (
        ("lines", budget.lines, budget.max_lines, str),
        ("units", budget.units, budget.max_units, thousands),
    ):
        amount = f"{show(used).removesuffix('k')}/{show(most)} "
        if left:
            amount += f"({show(abs(most - used))} {'left' if used <= most else 'over'}) "
        drawn = [(bar(used / most, bars, glyphs) + " ", _style(used / most))] if bars else []
        pieces.append([(f"{words} ", ""), *drawn, (amount, "")])
    return joined(pieces, " ")


def _style(share: float) -> str:
    return "$problem" if share > 1 else "$warn" if share >= NEAR else "$good"
