"""Pick one of many: projects, versions, types, commands."""

from collections.abc import Hashable, Sequence
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input

from memtui.tui.dialogs.dialog import Dialog
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util import text
from memtui.util.filter_query import matches_query, parse_query

MAX_FRAME_SHARE = 0.86  # of the screen's height, as the stylesheet has it
FIELD_ROWS = 3  # the filter, and an explanation of two lines at most

Key = TypeVar("Key", bound=Hashable)


class Option(Struct, Generic[Key], frozen=True):
    """One line: `label` left, `detail` right, both any text; `off` is why it can't be chosen."""

    key: Key
    label: str
    detail: str = ""
    off: str = ""


class OptionLines(VirtualList, Generic[Key]):
    """The options that match; digits choose while nothing is typed."""

    can_focus = False

    def __init__(self, options: Sequence[Option[Key]]) -> None:
        super().__init__(id="options")
        self.options = options

    def row_count(self) -> int:
        return len(self.options)

    def row(self, index: int, width: int) -> Content:
        option = self.options[index]
        masked = self.app.state.masked
        detail = text.clip(text.visible(masked(option.off or option.detail), keep=""), width // 2)
        room = width - text.cells(detail) - 3
        label = text.pad(text.visible(masked(option.label), keep=""), max(1, room))
        style = "$dim" if option.off else ""
        return Content.styled(f" {label} ", style) + Content.styled(f"{detail} ", "$warn" if option.off else "$dim")


class Choose(Dialog[Key], Generic[Key]):
    """Returns the key of the option, or None. Typing filters (`util.filter_query`); a menu takes digits."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,ctrl+j,ctrl+n", "step(1)", "Down", show=False),
        Binding("up,ctrl+k", "step(-1)", "Up", show=False),
        Binding("pagedown", "step(10)", "Page down", show=False),
        Binding("pageup", "step(-10)", "Page up", show=False),
    ]

    def __init__(
        self, title: str, options: Sequence[Option[Key]], *,
        start: Key | None = None, explain: str = "", digits: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(title, "type to filter   ⏎ choose   Esc back", classes="-list")
        self._all, self._start, self._explain, self._digits = options, start, explain, digits

    def body(self) -> ComposeResult:
        if self._explain:
            yield self.message([self._explain])
        yield Input(placeholder="filter: 'exact ^start end$ !not", id="filter", compact=True)
        yield OptionLines(self._all)

    def on_mount(self) -> None:
        lines = self._lines
        self._fit()
        lines.rows_changed()
        lines.cursor = next((i for i, option in enumerate(self._all) if option.key == self._start), 0)
        self.query_one(Input).focus()

    @property
    def _lines(self) -> "OptionLines[Key]":
        return self.query_one(OptionLines)

    @on(Input.Changed, "#filter")
    def narrow(self, event: Input.Changed) -> None:
        if self._digits and event.value.isdecimal() and 0 < int(event.value) <= len(self._all):
            self.dismiss(self._all[int(event.value) - 1].key)
            return
        lines = self._lines
        lines.options = self._matching()
        lines.cursor = 0
        lines.rows_changed()

    @on(Input.Submitted, "#filter")
    @on(VirtualList.Chosen)
    def chosen(self) -> None:
        lines = self._lines
        if lines.cursor < len(lines.options):
            option = lines.options[lines.cursor]
            if option.off:
                self.notify(Content(text.visible(option.off)), severity="warning")  # type: ignore[arg-type]
            else:
                self.dismiss(option.key)

    def add(self, options: Sequence[Option[Key]]) -> None:
        self._all = [*self._all, *options]
        if self.is_attached:
            self._fit()
            self._lines.options = self._matching()
            self._lines.rows_changed()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """A list that fits is as high as its options; a longer one takes what the frame may have."""
        height = max(3, len(self._all))
        is_long = height + self.query_one("#frame").gutter.height + FIELD_ROWS > self.size.height * MAX_FRAME_SHARE
        self.set_class(is_long, "-full")
        self._lines.styles.height = None if is_long else height

    def _matching(self) -> list[Option[Key]]:
        terms = parse_query(self.query_one(Input).value)
        return [option for option in self._all if matches_query(terms, option.label, option.detail)]

    def action_step(self, step: int) -> None:
        self._lines.cursor += step
