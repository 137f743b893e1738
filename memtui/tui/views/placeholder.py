"""A view that is not there yet, and says what to use meanwhile."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from memtui.tui.app_base import View

WORDS = {
    "search": ("4 Search", "Search over everything is not here yet. In 1 Memory the key / filters names and lines."),
}


class Placeholder(View):
    """Says so, and nothing else."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, classes="view")
        self._title, self._words = WORDS[name]

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="pane", can_focus=True) as pane:
            pane.border_title = self._title
            yield Static(Content.styled(self._words, "$dim"))

    def focus_default(self) -> None:
        self.query_one(VerticalScroll).focus()
