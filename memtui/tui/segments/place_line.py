"""The first line: which project, where its memory is, and what is wrong with it."""

from msgspec import Struct

from memtui.tui.segments import Line, cells, joined
from memtui.util import text


class PlaceFacts(Struct, frozen=True):
    """What the line says; strings are shown as they are, so they come in visible."""

    project: str
    branch: str
    folder: str
    problems: int = 0
    unlisted: int = 0
    last_dream: str = ""
    flags: tuple[str, ...] = ()
    """Short words for states that change what keys do: "read only", "sample data", "memory off"."""
    notice: str = ""
    """What is going on right now: reading, folder gone. Stands instead of the numbers."""


def flags(*, sample: bool, read_only: bool, enabled: bool) -> tuple[str, ...]:
    """The words for what changes what keys do."""
    words = {"sample data": sample, "read only": read_only, "memory off": not enabled}
    return tuple(word for word, holds in words.items() if holds)


def dreamt(last: float | None, now: float) -> str:
    """When the last dream was; both in seconds."""
    return text.time_ago(now - last) if last else "never"


def place_line(facts: PlaceFacts | None, width: int) -> Line:
    """Project left, health right; what does not fit is left out from the right end of the left part."""
    left: Line = [(" memtui", "bold $link")]
    if facts is None:
        return left
    right = _right(facts, width)
    room = width - cells(right) - 2
    for piece in _left(facts):
        if cells(left) + 2 + text.cells(piece[0]) <= room:
            left += [("  ", ""), piece] if piece[0] else [("  ", "")]
    gap = width - cells(left) - cells(right) - 1
    return [*left, (" " * max(1, gap), ""), *right]


def _left(facts: PlaceFacts) -> Line:
    marks = [(f"[{flag}]", "$mark bold") for flag in facts.flags]
    return [(facts.project, "bold"), *marks, (facts.branch, "$dim"), (facts.folder, "$dim")]


def _right(facts: PlaceFacts, width: int) -> Line:
    if facts.notice:
        return [(facts.notice, "$warn")]
    pieces: list[Line] = []
    if facts.problems:
        pieces.append([(f"{facts.problems} problem{'s' * (facts.problems != 1)}", "$problem bold")])
    if facts.unlisted and width >= 60:
        pieces.append([(f"{facts.unlisted} not in index", "$warn")])
    if facts.last_dream and width >= 100:
        pieces.append([(f"last dream {facts.last_dream}", "$dim")])
    return joined(pieces, "  ") if pieces else [("no problems", "$good")]
