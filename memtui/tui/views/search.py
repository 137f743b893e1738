"""The Search view, which is not there yet, and says what to use meanwhile."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from memtui.tui.app_base import View

WORDS = "Search over everything is not here yet. In 1 Memory the key / filters names and lines."


class SearchView(View):
    def __init__(self) -> None:
        super().__init__(id="search", classes="view")

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="pane", can_focus=True) as pane:
            pane.border_title = "4 Search"
            yield Static(Content.styled(WORDS, "$dim"))

    def focus_default(self) -> None:
        self.query_one(VerticalScroll).focus()
