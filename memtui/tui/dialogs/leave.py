"""Quitting while something is unfinished: text that is not saved, a dream that goes on."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button

from memtui.tui.dialogs.dialog import Dialog, text_rows
from memtui.util.text import visible

Leaving = Literal["quit", "stop"]


class Leave(Dialog[Leaving]):
    """Returns "quit", which leaves a dream running, "stop", which ends it first, or None: stay."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "stop", "Stop it and quit", id="leave.stop"),
        Binding("left,right,tab", "other", "Other button", show=False),
    ]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__(title, "⏎ leave running   y stop it   Esc stay", classes="-small")
        self._lines = lines

    def body(self) -> ComposeResult:
        yield text_rows([Content(visible(line)) for line in self._lines], "message")
        with Horizontal(id="buttons"):
            yield Button(Content("Stop it and quit  y"), id="stop", variant="error", compact=True)
            yield Button(Content("Leave it running and quit"), id="quit", compact=True)

    def on_mount(self) -> None:
        self.query_one("#quit", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss("stop" if event.button.id == "stop" else "quit")

    def action_stop(self) -> None:
        """End it first."""
        self.dismiss("stop")

    def action_other(self) -> None:
        """The other button."""
        here = self.query_one("#quit", Button).has_focus
        self.query_one("#stop" if here else "#quit", Button).focus()
