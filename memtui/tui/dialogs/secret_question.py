"""A text holds what looks like a secret: take it out, keep it once, or never ask about it again."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button

from memtui.services.questions import SecretChoice, SecretFound
from memtui.tui.dialogs.dialog import Dialog, text_rows
from memtui.util.text import visible

MAX_LISTED = 8
CHOICES: dict[SecretChoice, tuple[str, str]] = {
    "redact": ("r", "Redact"), "keep": ("k", "Keep once"), "always": ("a", "Always allow"),
}  # fmt: skip


class SecretQuestion(Dialog[SecretChoice]):
    """Returns what is to be done, or None: the text is not saved."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "choose('redact')", "Redact", id="secret.redact"),
        Binding("k", "choose('keep')", "Keep once", id="secret.keep"),
        Binding("a", "choose('always')", "Always allow", id="secret.always"),
        Binding("right,tab", "app.focus_next", "Next button", show=False),
        Binding("left,shift+tab", "app.focus_previous", "Previous button", show=False),
    ]

    def __init__(self, found: SecretFound) -> None:
        super().__init__(f"{found.count} in {found.name}", "r redact   k keep once   a always allow   Esc don't save",
                         classes="-small")  # fmt: skip
        self._found = found

    def body(self) -> ComposeResult:
        secrets = self._found.secrets
        lines = [f"line {one.line}: {one.rule}  {one.masked}" for one in secrets[:MAX_LISTED]]
        lines += [f"and {len(secrets) - MAX_LISTED} more"] if len(secrets) > MAX_LISTED else []
        lines += ["", "What is saved here is read by the agent and may be shared."]
        if self._found.draft_kept:
            lines.append("Until you decide, the text is kept as a draft.")
        yield text_rows([Content(visible(line)) for line in lines], "message")
        with Horizontal(id="buttons"):
            for choice, (key, words) in CHOICES.items():
                yield Button(Content(f"{words}  {key}"), id=choice, compact=True)

    def on_mount(self) -> None:
        self.query_one("#redact", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.action_choose(next(choice for choice in CHOICES if choice == event.button.id))

    def action_choose(self, choice: SecretChoice) -> None:
        """Return it."""
        self.dismiss(choice)
