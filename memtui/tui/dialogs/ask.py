"""One line of text: a new name, what to find, a value."""

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from memtui.tui.dialogs.dialog import Dialog
from memtui.util.text import visible


class Ask(Dialog[str]):
    """Returns the line, or None. `does` says what Enter does; `check` what is wrong with the line, "" for nothing."""

    def __init__(
        self, title: str, value: str = "", *, does: str, explain: str = "", check: Callable[[str], str] = lambda _: ""
    ) -> None:
        super().__init__(title, f"⏎ {does}   Esc back", classes="-small")
        self._value = value
        self._explain = explain
        self._check = check

    def body(self) -> ComposeResult:
        if self._explain:
            yield self.message([self._explain])
        yield Input(visible(self._value, keep=""), id="line", compact=True, select_on_focus=False)
        yield Static(Content(""), id="complaint")

    @on(Input.Changed)
    def complain(self, event: Input.Changed) -> None:
        self._say(self._check(event.value) if event.value != self._value else "")

    @on(Input.Submitted)
    def done(self, event: Input.Submitted) -> None:
        complaint = self._check(event.value)
        if complaint:
            self._say(complaint)
        else:
            self.dismiss(event.value)

    def _say(self, complaint: str) -> None:
        self.query_one("#complaint", Static).update(Content.styled(visible(complaint, keep=""), "$problem"))
