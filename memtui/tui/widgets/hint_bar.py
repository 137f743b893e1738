"""The last line: what the keys do here, cut at whole hints so that nothing is half said; a click does the same."""

from collections.abc import Mapping
from itertools import accumulate

from textual.content import Content
from textual.reactive import reactive

from memtui.tui.theme import glyphs_of
from memtui.tui.widgets.view_tabs import CommandLine, clickable
from memtui.util import text


class HintBar(CommandLine):
    """As many hints as fit, in order; those that end with `ALWAYS` stay, last."""

    ALWAYS = (".escape", "editor.close", "app.help", "app.quit")
    hints: reactive[Mapping[str, str]] = reactive({})  # the words, with the id of the command

    def render(self) -> Content:
        ids = {glyphs_of(self).spell(hint): id for hint, id in self.hints.items()}
        always = [hint for hint, id in ids.items() if id.endswith(self.ALWAYS)]
        others = [hint for hint in ids if hint not in always]
        room = self.size.width - 1 - sum(text.cells(hint) + 2 for hint in always)
        ends = accumulate(text.cells(hint) + 2 for hint in others)
        shown = others[: sum(end <= room for end in ends)]
        return Content(" ") + Content("  ").join(self._drawn(hint, ids[hint]) for hint in [*shown, *always])

    @staticmethod
    def _drawn(hint: str, id: str) -> Content:
        key, _, words = hint.partition(" ")
        return clickable(key, id, "bold $link") + clickable(f" {words}", id, "$dim")
