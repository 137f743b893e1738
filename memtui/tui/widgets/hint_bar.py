"""The last line: what the keys do here, cut at whole hints so that nothing is half said."""

from collections.abc import Sequence

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.theme import Glyphs, glyphs_of
from memtui.util import text


class HintBar(Widget):
    """As many hints as fit."""

    hints: reactive[tuple[str, ...]] = reactive(())

    def render(self) -> Content:
        return hint_line(self.hints, self.size.width, glyphs_of(self))


def hint_line(hints: Sequence[str], width: int, glyphs: Glyphs) -> Content:
    """As many hints as fit, in order; the last ones (keys, quit) always stay."""
    spelled = [glyphs.spell(hint) for hint in hints]
    always = [hint for hint in spelled if hint.startswith(("?", "q "))]
    room = width - 1 - sum(text.cells(hint) + 2 for hint in always)
    shown: list[str] = []
    for hint in spelled:
        if hint in always:
            continue
        if (room := room - text.cells(hint) - 2) < 0:
            break
        shown.append(hint)
    parts = [hint.partition(" ") for hint in [*shown, *always]]
    lines = [Content.assemble((key, "bold $link"), " ", (words, "$dim")) for key, _, words in parts]
    return Content(" ") + Content("  ").join(lines)
