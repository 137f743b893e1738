"""Bases of views with a list and a pane beside it; the list may be narrowed by a filter line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec.structs import replace
from textual.widget import Widget

from memtui.tui.app_base import View
from memtui.tui.widgets.filter_line import FilterLine

if TYPE_CHECKING:
    from memtui.tui.render.memory_rows import Wanted
    from memtui.tui.render.session_rows import SessionsWanted

Choice = TypeVar("Choice")
Arrangement = TypeVar("Arrangement", "Wanted", "SessionsWanted")


class ListView(View):
    """A view with a list and a pane that shows what its cursor is on; where there is room for one, either of them."""

    MIN_LIST_CELLS = 24

    @property
    def list(self) -> Widget:
        raise NotImplementedError

    @property
    def reader(self) -> Widget | None:
        raise NotImplementedError

    def focus_default(self) -> None:
        self.screen.set_focus(self.list)  # at once: `focus` would let the next keys go elsewhere

    def focus_preview(self) -> None:
        if self.reader is not None:
            self.add_class("-reading")
            self.screen.set_focus(self.reader)

    def focus_list(self) -> None:
        self.remove_class("-reading")
        self.focus_default()

    def resize(self, cells: int) -> None:
        self.list.styles.width = max(self.MIN_LIST_CELLS, self.list.outer_size.width + cells)


class FilteredView(ListView, Generic[Arrangement]):
    """A view with a list, arranged by `wanted`."""

    wanted: Arrangement

    def rearrange(self) -> None:
        raise NotImplementedError

    def arrange_by(self, **changes: Any) -> None:
        self.wanted = replace(self.wanted, **changes)
        self.rearrange()

    @property
    def filter_line(self) -> FilterLine | None:
        return next(iter(self.query(FilterLine)), None)

    async def filter(self) -> None:
        line = self.filter_line
        if line is None:
            line = FilterLine(self.filter_typed, self.filter_done)
            await self.mount(line)
        self.screen.set_focus(line)

    def filter_typed(self, query: str) -> None:
        self.arrange_by(query=query)

    def filter_done(self) -> None:
        self.focus_default()
        if not self.wanted.query:
            self.close_filter()

    def close_filter(self) -> bool:
        """Filter off, back to the list; whether there was one."""
        line = self.filter_line
        if line is None and not self.wanted.query:
            return False
        if line is not None:
            line.remove()
        if self.wanted.query:
            self.arrange_by(query="")
        self.focus_default()
        return True


def next_of(choices: Sequence[Choice], current: Choice, step: int = 1) -> Choice:
    """The choice after the current one, around."""
    return choices[(choices.index(current) + step) % len(choices)]
