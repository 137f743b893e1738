"""Notes in the index itself: they take room that entries need, and are loaded whether or not they are useful."""

from collections.abc import Iterator

from memtui.memory.checks.base import INDEX, Check, CheckedFile, Problem
from memtui.memory.index import index_lines

MAX_PROSE_LINES = 20
MAX_PROSE_UNITS = 2_000
"""A short introduction, or a few facts that every session needs, are what an index may hold beside its entries."""


def find(file: CheckedFile) -> Iterator[Problem]:
    prose = [line for line in index_lines(file.text or "") if line.kind == "prose"]
    lines, units = (sum(line.cost[at] for line in prose) for at in (0, 1))
    if lines > MAX_PROSE_LINES or units > MAX_PROSE_UNITS:
        message = f"{lines} lines ({units:,} characters) are notes, not entries: in a topic they cost nothing at start"
        yield file.problem("index-prose", "info", message, prose[0].number)


CHECK = Check(("index-prose",), INDEX, find, order=210)
