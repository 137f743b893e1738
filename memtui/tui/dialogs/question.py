"""Yes or no, with what it means; the safe answer has the focus and Esc means it too."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button

from memtui.tui.dialogs.dialog import Dialog, text_rows
from memtui.util.text import visible


class Question(Dialog[bool]):
    """Answers True for yes and None for no. `y` is never the key that opened it, so a repeated key does no harm."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "yes", "Yes", id="question.yes"),
        Binding("n", "no", "No", id="question.no"),
        Binding("left,right,tab", "other", "Other button", show=False),
    ]

    def __init__(self, title: str, lines: Sequence[str], *, yes: str = "Yes", no: str = "No") -> None:
        super().__init__(title, "y yes   n Esc no", classes="-small")
        self._lines = lines
        self._yes, self._no = yes, no

    def body(self) -> ComposeResult:
        yield text_rows([Content(visible(line)) for line in self._lines], "message")
        with Horizontal(id="buttons"):
            yield Button(Content(f"{self._no}  Esc"), id="no", compact=True)
            yield Button(Content(f"{self._yes}  y"), id="yes", variant="error", compact=True)

    def on_mount(self) -> None:
        self.query_one("#no", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(True if event.button.id == "yes" else None)

    def action_yes(self) -> None:
        """Do it."""
        self.dismiss(True)

    def action_other(self) -> None:
        """The other button."""
        here = self.query_one("#yes", Button).has_focus
        self.query_one("#no" if here else "#yes", Button).focus()
