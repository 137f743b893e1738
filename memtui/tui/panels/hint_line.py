"""The last line: what the keys do here, cut at whole hints so that nothing is half said."""

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.base import text
from memtui.tui.theme import glyphs_of


class HintLine(Widget):
    """As many hints as fit, in order; the last ones (keys, quit) always stay."""

    hints: reactive[tuple[str, ...]] = reactive(())

    def render(self) -> Content:
        hints = [glyphs_of(self).spell(hint) for hint in self.hints]
        always = [hint for hint in hints if hint.startswith(("?", "q "))]
        others = [hint for hint in hints if hint not in always]
        room = self.size.width - 1 - sum(text.cells(hint) + 2 for hint in always)
        shown: list[str] = []
        for hint in others:
            if (room := room - text.cells(hint) - 2) < 0:
                break
            shown.append(hint)
        pieces = []
        for hint in [*shown, *always]:
            key, _, words = hint.partition(" ")
            pieces.append(Content.assemble((key, "bold $link"), " ", (words, "$dim")))
        return Content(" ") + Content("  ").join(pieces)
