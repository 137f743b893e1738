"""A change before it is done, or after: a diff to read, and yes or no where there is something to decide."""

from collections.abc import Sequence
from typing import ClassVar, Generic

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from memtui.tui.dialogs.dialog import Answer, Dialog
from memtui.tui.widgets.diff_lines import DiffLines, HunkLines
from memtui.util.text import first_lines

MAX_NOTES = 6  # lines of notes above the difference


class DiffDialog(Dialog[Answer], Generic[Answer]):
    """Notes above a difference."""

    def __init__(self, title: str, hints: str, notes: Sequence[str], lines: DiffLines | HunkLines) -> None:
        super().__init__(title, hints, classes="-large")
        self._notes, self._lines = notes, lines

    def body(self) -> ComposeResult:
        if self._notes:
            yield self.message(first_lines(self._notes, MAX_NOTES))
        yield self._lines

    def on_mount(self) -> None:
        self._lines.rows_changed()
        self._lines.focus()


class ShowDiff(DiffDialog[bool]):
    """Returns True when the change is to be done; without `yes` it is only shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "yes", "Yes", id="diff.yes"),
        Binding("n", "no", "No", id="diff.no"),
    ]

    def __init__(self, title: str, diff: str, *, notes: Sequence[str] = (), yes: str = "") -> None:
        hints = f"y {yes}   n Esc back" if yes else "Esc back"
        super().__init__(title, hints, notes, DiffLines(diff or "no difference"))
        self._yes = yes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "yes" or bool(self._yes)

    def action_yes(self) -> None:
        self.dismiss(True)
