"""A change before it is done, or after: a diff to read, and yes or no where there is something to decide."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from memtui.tui.dialogs.dialog import Dialog, message
from memtui.tui.widgets.diff_lines import DiffLines


class ShowDiff(Dialog[bool]):
    """Returns True when the change is to be done; without `yes` it is only shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "yes", "Yes", id="diff.yes"),
        Binding("n", "no", "No", id="diff.no"),
    ]

    def __init__(self, title: str, diff: str, *, notes: Sequence[str] = (), yes: str = "") -> None:
        hints = f"y {yes}   n Esc back" if yes else "Esc back"
        super().__init__(title, hints, classes="-large")
        self._diff = diff
        self._notes = notes
        self._yes = yes

    def body(self) -> ComposeResult:
        if self._notes:
            yield message(self._notes[:6])
        yield DiffLines(self._diff or "no difference")

    def on_mount(self) -> None:
        lines = self.query_one(DiffLines)
        lines.rows_changed()
        lines.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "yes" or bool(self._yes)

    def action_yes(self) -> None:
        self.dismiss(True)
