"""Name and value pairs, then lines below them: the properties of the file under the cursor."""

from collections.abc import Sequence

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.theme import glyphs_of
from memtui.util import text

MAX_LINES = 3  # lines of a value where there is no room for all of all

Pair = tuple[str, str, str]  # name, value, style of the value; all visible text


class PropertyTable(Widget):
    BORDER_TITLE = "Properties"

    pairs: reactive[Sequence[Pair]] = reactive(())
    notes: reactive[Sequence[Content]] = reactive(())

    def _laid(self, value: str, style: str, width: int) -> list[Content]:
        """A value in lines; a path is broken behind slashes."""
        if value.startswith(("/", "~/")) and " " not in value:
            lines = text.break_path(value, width, ellipsis=glyphs_of(self).ellipsis)
            return [Content.styled(line, style) for line in lines]
        return Content.styled(value, style).wrap(width) if value else [Content("")]

    def render(self) -> Content:
        width = self.size.width
        column = max((text.cells(name) for name, _, _ in self.pairs), default=0) + 2
        rows: list[Content] = []
        laid = [(name, self._laid(value, style, max(4, width - column))) for name, value, style in self.pairs]
        room = self.size.height - sum(len(parts) for _, parts in laid) - len(self.notes) - 1
        for name, parts in laid:
            if room < 0 and len(parts) > MAX_LINES:  # there is no room for all of all
                room += len(parts) - MAX_LINES
                parts = [
                    *parts[: MAX_LINES - 1],
                    parts[MAX_LINES - 1].truncate(max(3, width - column - 1)) + glyphs_of(self).ellipsis,
                ]
            for number, part in enumerate(parts):
                lead = text.pad(name, column) if number == 0 else " " * column
                rows.append(Content.styled(lead, "$dim") + part)
        if self.notes:
            rows.append(Content(""))
            rows += self.notes
        return Content("\n").join(rows)
