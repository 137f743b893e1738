"""A screen over the views with hints in its last line."""

from typing import Generic, TypeVar

from textual.screen import Screen

from memtui.tui.app_base import InApp
from memtui.tui.commands import registry
from memtui.tui.widgets.hint_bar import HintBar

Answer = TypeVar("Answer")


class HintedScreen(InApp, Screen[Answer], Generic[Answer]):
    """Its hint bar says what the keys do in the widget that has the focus."""

    def on_mount(self) -> None:
        self.call_after_refresh(self.app.key_queue.opened)
        self.bindings_updated_signal.subscribe(self, lambda _: self._show_hints())
        self._show_hints()

    def _show_hints(self) -> None:
        self.query_one(HintBar).hints = registry.hints(self, self.app.state)
