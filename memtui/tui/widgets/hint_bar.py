"""The last line: what the keys do here, cut at whole hints so that nothing is half said."""

from itertools import accumulate

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.theme import glyphs_of
from memtui.util import text


class HintBar(Widget):
    """As many hints as fit, in order; the last ones (keys, quit) always stay."""

    hints: reactive[tuple[str, ...]] = reactive(())

    def render(self) -> Content:
        spelled = list(map(glyphs_of(self).spell, self.hints))
        always = [hint for hint in spelled if hint.startswith(("?", "q "))]
        others = [hint for hint in spelled if hint not in always]
        room = self.size.width - 1 - sum(text.cells(hint) + 2 for hint in always)
        ends = accumulate(text.cells(hint) + 2 for hint in others)
        shown = others[: sum(end <= room for end in ends)]
        parts = [hint.partition(" ") for hint in [*shown, *always]]
        lines = [Content.assemble((key, "bold $link"), " ", (words, "$dim")) for key, _, words in parts]
        return Content(" ") + Content("  ").join(lines)
