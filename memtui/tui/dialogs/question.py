"""Questions that buttons answer: yes or no, quitting while a dream runs, and what is done with a secret.

Esc always means that nothing is done.
"""

from collections.abc import Sequence
from typing import ClassVar, Generic

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button

from memtui.services.questions import SecretChoice, SecretFound
from memtui.tui.dialogs.dialog import Answer, Dialog

MAX_SECRETS_LISTED = 8


class AnswerButton(Struct, Generic[Answer], frozen=True):
    """A button: its widget id, its label, what it answers, and whether it is drawn as the dangerous one."""

    id: str
    label: str
    answer: Answer | None
    danger: bool = False


class ButtonDialog(Dialog[Answer]):
    """Lines of text above a row of buttons; the button named by `start` has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,tab", "app.focus_next", "Next button", show=False),
        Binding("left,shift+tab", "app.focus_previous", "Previous button", show=False),
    ]

    def __init__(
        self, title: str, hints: str, lines: Sequence[str], buttons: Sequence[AnswerButton[Answer]], *, start: str
    ) -> None:
        super().__init__(title, hints, classes="-small")
        self._lines = lines
        self._buttons = buttons
        self._start = start

    def body(self) -> ComposeResult:
        yield self.message(self._lines)
        with Horizontal(id="buttons"):
            for one in self._buttons:
                yield Button(Content(one.label), id=one.id, variant="error" if one.danger else "default", compact=True)

    def on_mount(self) -> None:
        self.query_one(f"#{self._start}", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.action_answer(event.button.id or "")

    def action_answer(self, button: str) -> None:
        self.dismiss(next(one.answer for one in self._buttons if one.id == button))


class Question(ButtonDialog[bool]):
    """Answers True for yes and None for no. `y` is never the key that opened it, so a repeated key does no harm."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer('yes')", "Yes", id="question.yes"),
        Binding("n", "no", "No", id="question.no"),
    ]

    def __init__(self, title: str, lines: Sequence[str], *, yes: str = "Yes", no: str = "No") -> None:
        buttons = [AnswerButton("no", f"{no}  Esc", None), AnswerButton("yes", f"{yes}  y", True, danger=True)]
        super().__init__(title, "y yes   n Esc no", lines, buttons, start="no")


class Leave(ButtonDialog[str]):
    """Returns "quit", which leaves a dream running, "stop", which ends it first, or None: stay."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("y", "answer('stop')", "Stop it and quit", id="leave.stop")]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        stop = AnswerButton("stop", "Stop it and quit  y", "stop", danger=True)
        leave = AnswerButton("quit", "Leave it running and quit", "quit")
        super().__init__(title, "⏎ leave running   y stop it   Esc stay", lines, [stop, leave], start="quit")


CHOICES: dict[SecretChoice, str] = {"redact": "Redact  r", "keep": "Keep once  k", "always": "Always allow  a"}


class SecretQuestion(ButtonDialog[SecretChoice]):
    """Returns what is to be done with what looks like a secret, or None: the text is not saved."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "answer('redact')", "Redact", id="secret.redact"),
        Binding("k", "answer('keep')", "Keep once", id="secret.keep"),
        Binding("a", "answer('always')", "Always allow", id="secret.always"),
    ]

    def __init__(self, found: SecretFound) -> None:
        secrets = found.secrets
        lines = [f"line {one.line}: {one.rule}  {one.masked}" for one in secrets[:MAX_SECRETS_LISTED]]
        lines += [f"and {len(secrets) - MAX_SECRETS_LISTED} more"] if len(secrets) > MAX_SECRETS_LISTED else []
        lines += ["", "Claude Code reads what is saved here, and it may be shared."]
        lines += ["Until you decide, the text is kept as a draft."] if found.draft_kept else []
        hints = "r redact   k keep once   a always allow   Esc don't save"
        buttons = [AnswerButton[SecretChoice](choice, label, choice) for choice, label in CHOICES.items()]
        super().__init__(f"{found.count} in {found.name}", hints, lines, buttons, start="redact")
