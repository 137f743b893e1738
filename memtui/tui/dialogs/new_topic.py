"""A new topic file: type, name, one line."""

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Label, Static

from memtui.tui.dialogs.dialog import Dialog
from memtui.tui.render.memory_rows import TYPES
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util.text import visible

MEANINGS = {
    "feedback": "how to work: a rule that a person gave",
    "project": "what is going on: decisions, dates, state",
    "user": "who the person is and how they like it",
    "reference": "where to look: links, systems, owners",
}


class NewTopicAnswer(Struct, frozen=True):
    type: str
    name: str
    description: str


class TypeLines(VirtualList):
    """The four types; the one under the cursor is chosen, which a glyph says as well as the colour."""

    def __init__(self) -> None:
        super().__init__(id="type")

    def row_count(self) -> int:
        return len(TYPES)

    def row(self, index: int, width: int) -> Content:
        mark = self.glyphs.closed if index == self.cursor else " "
        return Content.assemble(f"{mark} {TYPES[index]:<10} ", (MEANINGS[TYPES[index]], "$dim"))


class NewTopic(Dialog[NewTopicAnswer]):
    """Asks for the three things that make a topic file useful; `file_name` says what the file will be called."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "done", "Write it", id="new.done"),
        Binding("up", "type(-1)", "Type above", show=False),
        Binding("down", "type(1)", "Type below", show=False),
    ]

    def __init__(self, file_name: Callable[[str, str], str]) -> None:
        super().__init__("New topic file", "Tab next  ↑↓ type  ⏎ write it  Esc back", classes="-small")
        self._file_name = file_name

    def body(self) -> ComposeResult:
        yield TypeLines()
        yield Label("name", classes="caption")
        yield Input(id="name", compact=True, placeholder="testing rules")
        yield Label("one line: when is it useful?", classes="caption")
        yield Input(id="description", compact=True, placeholder="Integration tests must hit a real database")
        yield Static(Content(""), id="complaint")

    def on_mount(self) -> None:
        self.query_one(TypeLines).rows_changed()
        self.query_one("#name", Input).focus()

    @property
    def _type(self) -> str:
        return TYPES[self.query_one(TypeLines).cursor]

    @on(Input.Changed, "#name")
    @on(VirtualList.Moved)
    def say_file(self) -> None:
        name = self.query_one("#name", Input).value.strip()
        words = f"file: {self._file_name(self._type, name)}" if name else ""
        self.query_one("#complaint", Static).update(Content.styled(visible(words, keep=""), "$dim"))

    def action_type(self, step: int) -> None:
        self.query_one(TypeLines).cursor += step

    @on(Input.Submitted, "#name")
    def to_description(self) -> None:
        self.query_one("#description", Input).focus()

    @on(Input.Submitted, "#description")
    def action_done(self) -> None:
        name = self.query_one("#name", Input).value.strip()
        description = self.query_one("#description", Input).value.strip()
        missing = "a name is needed" if not name else "one line is needed: recall has nothing else to match"
        if name and description:
            self.dismiss(NewTopicAnswer(self._type, name, description))
        else:
            self.query_one("#complaint", Static).update(Content.styled(missing, "$problem"))
            self.query_one("#description" if name else "#name", Input).focus()
