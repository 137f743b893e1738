"""A line above the hints while a dream is on or waits for a person; no line at all while there is nothing to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.theme import glyphs_of

if TYPE_CHECKING:
    from memtui.tui.state import Pill


class DreamPill(Widget):
    dream: reactive[Pill | None] = reactive(None)
    now: reactive[float] = reactive(0.0)
    still: reactive[bool] = reactive(False)

    class Opened(Message):
        """The user wants to see that run."""

    def render(self) -> Content:
        if self.dream is None:
            return Content("")
        from memtui.tui.render.dream_rows import pill_row  # with the engine, which the first frame does without

        return pill_row(self.dream, self.now, self.size.width, glyphs_of(self), still=self.still)

    def watch_dream(self, dream: Pill | None) -> None:
        self.set_class(dream is not None, "-on")

    def on_click(self) -> None:
        self.post_message(self.Opened())
