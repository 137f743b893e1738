"""A unified diff to read."""

from collections.abc import Sequence

from textual.content import Content

from memtui.presentation.diff import diff_text
from memtui.tui.theme import TONE_STYLES
from memtui.tui.widgets.virtual_list import LaidLines
from memtui.util.diff import parse_diff
from memtui.util.text import cells, visible


class DiffLines(LaidLines):
    """A unified diff, long lines wrapped; the sign in front says what the colour says."""

    show_cursor = False

    def __init__(self, diff: str) -> None:
        super().__init__(id="diff")
        self._diff = diff

    def show(self, diff: str) -> None:
        if diff != self._diff:
            self._diff = diff
            self.draw_again()
            self.scroll_to(y=0, animate=False)

    def lay(self) -> None:
        width = max(4, self.size.width - 1)
        self.rows = [
            part
            for line in diff_text(self.app.state.masked(self._diff))
            for part in _wrapped(visible(line.text, keep="\t").expandtabs(4), TONE_STYLES[line.tone], width)
        ]

    def move_cursor(self, rows: int) -> None:
        self.scroll_relative(y=rows, animate=False)

    def move_pages(self, pages: float) -> None:
        self.scroll_relative(y=int(pages * (self.size.height - 1)), animate=False)

    def move_cursor_to(self, index: int) -> None:
        self.scroll_to(y=0 if index == 0 else len(self.rows), animate=False)


class HunkLines(LaidLines):
    """The difference of one file, each hunk of it taken or left; the cursor's hunk is the one that keys are about."""

    rows: Sequence[tuple[int, Content]] = ()

    def __init__(self, diff: str) -> None:
        super().__init__(id="diff")
        self._diff = diff
        self.count = sum(line.kind == "hunk" for line in parse_diff(diff))
        self.taken = set(range(1, self.count + 1))

    def lay(self) -> None:
        width = max(4, self.size.width - 1)
        rows, hunk = list[tuple[int, Content]](), 0
        for line in diff_text(self.app.state.masked(self._diff)):
            if line.tone == "head":
                hunk += 1
                mark = self.glyphs.tick if hunk in self.taken else self.glyphs.cross
                word = "taken" if hunk in self.taken else "left"
                style = "$good bold" if hunk in self.taken else "$warn bold"
                head = Content.assemble(
                    (f"{mark} hunk {hunk} of {self.count}: {word}", style), (f"  {line.text}", "$dim")
                )
                rows.append((hunk, head))
            elif hunk:
                style = TONE_STYLES[line.tone] if hunk in self.taken else "$dim"
                text = visible(line.text, keep="\t").expandtabs(4)
                rows += [(hunk, part) for part in _wrapped(text, style, width)]
        self.rows = rows

    @property
    def hunk(self) -> int:
        """The number of the hunk under the cursor, from 1."""
        return self.rows[self.cursor][0] if self.rows else 0

    def go(self, step: int) -> None:
        wanted = min(max(self.hunk + step, 1), self.count)
        self.cursor = next(at for at, (hunk, _) in enumerate(self.rows) if hunk == wanted)

    def toggle(self) -> None:
        self.taken ^= {self.hunk}
        self.draw_again()

    def row(self, index: int, width: int) -> Content:
        return self.rows[index][1]


def _wrapped(line: str, style: str, width: int) -> list[Content]:
    """One line of a diff as rows; those after the first are set in, so that a sign is always a sign."""
    if cells(line) <= width:
        return [Content.styled(line, style)]
    first, *rest = Content.styled(line[1:], style).wrap(width - 2)
    sign = Content.styled(line[:1], style)
    return [sign + first, *(Content("  ") + part for part in rest)]
