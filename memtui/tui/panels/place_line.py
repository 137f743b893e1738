"""The first line: which project, where its memory is, and what is wrong with it."""

from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.base import text
from memtui.base.text import many


@dataclass(frozen=True, slots=True)
class PlaceFacts:
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


class PlaceLine(Widget):
    """Project left, health right; what does not fit is left out from the right end of the left part."""

    facts: reactive[PlaceFacts | None] = reactive(None)

    def render(self) -> Content:
        facts = self.facts
        if facts is None:
            return Content.styled(" memtui", "bold $link")
        right = self._right(facts)
        room = self.size.width - right.cell_length - 2
        left = Content.styled(" memtui", "bold $link")
        for piece, style in self._left(facts):
            if left.cell_length + 2 + text.cells(piece) <= room:
                left += Content("  ") + Content.styled(piece, style)
        gap = self.size.width - left.cell_length - right.cell_length - 1
        return left + Content(" " * max(1, gap)) + right

    @staticmethod
    def _left(facts: PlaceFacts) -> list[tuple[str, str]]:
        flags = [(f"[{flag}]", "$mark bold") for flag in facts.flags]
        return [(facts.project, "bold"), *flags, (facts.branch, "$dim"), (facts.folder, "$dim")]

    def _right(self, facts: PlaceFacts) -> Content:
        if facts.notice:
            return Content.styled(facts.notice, "$warn")
        pieces: list[Content] = []
        if facts.problems:
            pieces.append(Content.styled(many(facts.problems, "problem"), "$problem bold"))
        if facts.unlisted and self.size.width >= 60:
            pieces.append(Content.styled(f"{facts.unlisted} not in index", "$warn"))
        if facts.last_dream and self.size.width >= 100:
            pieces.append(Content.styled(f"last dream {facts.last_dream}", "$dim"))
        return Content("  ").join(pieces) if pieces else Content.styled("no problems", "$good")
