"""A change before it is done, or after: a diff to read, and yes or no where there is something to decide."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from memtui.base.text import cells, visible
from memtui.tui.dialogs.dialog import Dialog
from memtui.tui.panels.lines import Lines

_STYLES = {"+": "$good", "-": "$problem", "@": "$link", "=": "bold"}


class DiffLines(Lines):
    """A unified diff, long lines wrapped; the sign in front says what the colour says."""

    show_cursor = False

    def __init__(self, diff: str) -> None:
        super().__init__(id="diff")
        self._lines = [visible(line.rstrip("\r"), keep="").replace("␉", "    ") for line in diff.split("\n")]
        self.rows: list[Content] = []

    def on_resize(self) -> None:
        width = max(4, self.size.width - 1)
        self.rows = [part for line in self._lines for part in _wrapped(line, width)]
        super().on_resize()

    def row_count(self) -> int:
        return len(self.rows)

    def row(self, index: int, width: int) -> Content:
        return self.rows[index]

    def action_cursor(self, step: int) -> None:
        self.scroll_relative(y=step, animate=False)

    def action_page(self, pages: float) -> None:
        self.scroll_relative(y=int(pages * (self.size.height - 1)), animate=False)

    def action_cursor_to(self, index: int) -> None:
        self.scroll_to(y=0 if index == 0 else len(self.rows), animate=False)


def _wrapped(line: str, width: int) -> list[Content]:
    """One line of a diff as rows; those after the first are set in, so that a sign is always a sign."""
    heading = line.startswith(("+++", "---"))
    style = "bold" if heading else _STYLES.get(line[:1], "")
    if cells(line) <= width:
        return [Content.styled(line, style)]
    first, *rest = Content.styled(line[1:], style).wrap(width - 2)
    sign = Content.styled(line[:1], style)
    return [sign + first, *(Content("  ") + part for part in rest)]


class ShowDiff(Dialog[bool]):
    """Returns True when the change is to be done; without `yes` it is only shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "yes", "Do it", id="diff.yes"),
        Binding("n", "no", "Leave it", id="diff.no"),
    ]

    def __init__(self, title: str, diff: str, *, notes: Sequence[str] = (), yes: str = "") -> None:
        hints = f"y {yes}   n Esc leave it" if yes else "Esc back"
        super().__init__(title, hints, classes="-large")
        self._diff = diff
        self._notes = notes
        self._yes = yes

    def body(self) -> ComposeResult:
        if self._notes:
            yield Static(Content("\n").join(Content(visible(note)) for note in self._notes[:6]), id="message")
        yield DiffLines(self._diff or "no difference")

    def on_mount(self) -> None:
        lines = self.query_one(DiffLines)
        lines.rows_changed()
        lines.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "yes" or bool(self._yes)

    def action_yes(self) -> None:
        """Do it."""
        self.dismiss(True)
