"""How full an index is."""

from memtui.memory.budget import IndexBudget, Limit
from memtui.presentation import LabeledText
from memtui.util.text import pluralize

NEAR_LIMIT = 0.8  # the share of a limit from which an index is said to be near it
LIMIT_UNITS: dict[Limit, str] = {"lines": "lines", "units": "characters"}
"""What each limit counts. Characters are UTF-16 code units, as the client counts them: an emoji is two."""


def budget_verdict(lost_lines: int, used: float, *, lost_entries: int = 0, near: float = NEAR_LIMIT) -> LabeledText:
    """Whether all of an index is loaded, by the lines and entries that are not and the share of the nearer limit.

    The label is the shortest form of it.
    """
    if lost_lines:
        entries = f", {lost_entries:,} entr{'y' if lost_entries == 1 else 'ies'}" if lost_entries else ""
        return LabeledText("OVER", f"OVER: {pluralize(lost_lines, 'line')}{entries} not loaded", "problem")
    if used >= near:
        return LabeledText("near limit", "near limit", "warn")
    return LabeledText("fits", "fits", "good")


def amount_left(used: int, limit: int) -> str:
    """How much still fits: "48 left", "12 over"."""
    return f"{limit - used:,} left" if used <= limit else f"{used - limit:,} over"


def index_details(budget: IndexBudget, entries: int, lost_entries: int) -> list[LabeledText]:
    """What a list of properties says of an index."""
    loaded = LabeledText("loaded", "all", "good")
    if budget.over:
        loaded = LabeledText("loaded", f"up to line {(budget.cut_line_in_file or 1) - 1:,}", "problem")
    lost = f", {lost_entries:,} not loaded" if lost_entries else ""
    return [
        LabeledText("index", f"{pluralize(budget.lines, 'line')}, {pluralize(budget.units, 'character')}", "bold"),
        loaded,
        LabeledText("entries", f"{entries:,}{lost}", "problem" if lost else ""),
    ]
