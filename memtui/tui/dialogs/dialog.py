"""The frame of every dialog: title above, keys below, Esc means no."""

from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.tui.app_base import InApp
from memtui.util.text import visible

Answer = TypeVar("Answer")


class Dialog(InApp, ModalScreen[Answer | None], Generic[Answer]):
    """A framed question in the middle of the screen; subclasses compose its `body`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "no", "Back", id="dialog.escape")]

    def __init__(self, title: str, hints: str = "Esc back", *, classes: str = "") -> None:
        super().__init__(classes=classes)
        self._title = title
        self._hints = hints

    def body(self) -> ComposeResult:
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with Vertical(id="frame") as frame:
            frame.border_title = Content(visible(f" {self.app.state.masked(self._title)} ", keep=""))
            frame.border_subtitle = Content(self.app.glyphs.spell(f" {self._hints} "))
            yield from self.body()

    def message(self, lines: Iterable[str]) -> Static:
        """The text above what is asked for; it takes its own height."""
        masked = (visible(self.app.state.masked(line)) for line in lines)
        return Static(Content("\n").join(map(Content, masked)), id="message")

    def on_screen_resume(self) -> None:
        """Keys that were typed while this opened may come now."""
        self.call_after_refresh(self.app.key_queue.opened)

    def action_no(self) -> None:
        self.dismiss(None)
