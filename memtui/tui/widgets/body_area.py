"""The text field of the editor: Textual's, but no byte of the text reaches the terminal as a command."""

from rich.text import Text
from textual.reactive import reactive
from textual.widgets import TextArea

from memtui.util.text import visible

HIGHLIGHT_UP_TO = 64_000  # characters; above it highlighting costs more than a key may
WRAP_UP_TO = 200_000


def same_length(line: str) -> str:
    """Visible text with exactly one character for each, so that columns and the cursor stay true."""
    shown = visible(line, keep="\t")
    if len(shown) == len(line):
        return shown
    marks = (visible(char, keep="\t") for char in line)
    return "".join(mark if len(mark) == 1 else "\ufffd" for mark in marks)


class BodyArea(TextArea):
    """Markdown, wrapped and highlighted up to a size at which that stays quick."""

    cut_row: reactive[int | None] = reactive(None)
    """The row, from 0, from which on nothing of an index is loaded: drawn faint from there on."""

    def __init__(self, text: str, *, line_number_start: int) -> None:
        language = "markdown" if len(text) <= HIGHLIGHT_UP_TO else None
        super().__init__(
            text, language=language, soft_wrap=len(text) <= WRAP_UP_TO, show_line_numbers=True, compact=True,
            line_number_start=line_number_start, tab_behavior="indent", id="body",
        )  # fmt: skip

    def watch_cut_row(self) -> None:
        self._line_cache.clear()

    def get_line(self, line_index: int) -> Text:
        faint = self.cut_row is not None and line_index >= self.cut_row
        line = same_length(self.document.get_line(line_index))
        return Text(line, style="dim italic" if faint else "", end="", no_wrap=True)
