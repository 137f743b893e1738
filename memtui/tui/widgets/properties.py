"""Name and value pairs, then lines below them: the properties of the file under the cursor."""

from collections.abc import Sequence

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.util import text

Pair = tuple[str, str, str]  # name, value, style of the value; all visible text


class PropertyTable(Widget):
    BORDER_TITLE = "Properties"

    pairs: reactive[Sequence[Pair]] = reactive(())
    notes: reactive[Sequence[Content]] = reactive(())

    def render(self) -> Content:
        width = self.size.width
        column = max((text.cells(name) for name, _, _ in self.pairs), default=0) + 2
        rows: list[Content] = []
        for name, value, style in self.pairs:
            parts = Content.styled(value, style).wrap(max(4, width - column)) if value else [Content("")]
            for number, part in enumerate(parts[:3]):
                lead = text.pad(name, column) if number == 0 else " " * column
                rows.append(Content.styled(lead, "$dim") + part)
        if self.notes:
            rows.append(Content(""))
            rows += self.notes
        return Content("\n").join(rows)
