"""The base of views whose list is narrowed by a filter line."""

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from msgspec.structs import replace
from textual.widget import Widget

from memtui.tui.app_base import View
from memtui.tui.widgets.filter_line import FilterLine

Choice = TypeVar("Choice")


class HasQuery(Protocol):
    """How a list is arranged, its filter included."""

    @property
    def query(self) -> str:
        """The filter as it was typed, "" for none."""


Arrangement = TypeVar("Arrangement", bound=HasQuery)


class FilteredView(View, Generic[Arrangement]):
    """A view with a list, arranged by `wanted`."""

    wanted: Arrangement

    @property
    def list(self) -> Widget:
        """The list."""
        raise NotImplementedError

    def rearrange(self) -> None:
        """Draw the list as `wanted` says."""
        raise NotImplementedError

    def arrange_by(self, **changes: Any) -> None:
        """Change fields of `wanted`, and draw the list."""
        wanted: Any = self.wanted  # a struct, which a protocol cannot say
        self.wanted = replace(wanted, **changes)
        self.rearrange()

    @property
    def filter_line(self) -> FilterLine | None:
        return next(iter(self.query(FilterLine)), None)

    async def filter(self) -> None:
        """Type to filter."""
        line = self.filter_line
        if line is None:
            line = FilterLine(self.filter_typed, self.filter_done)
            await self.mount(line)
        self.screen.set_focus(line)  # at once: `focus` would let the next keys go to the list

    def filter_typed(self, query: str) -> None:
        """Narrow while typing."""
        self.arrange_by(query=query)

    def filter_done(self) -> None:
        """Keep the filter, go to the list."""
        self.screen.set_focus(self.list)
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
        self.screen.set_focus(self.list)
        return True

    def focus_default(self) -> None:
        self.screen.set_focus(self.list)


def next_of(choices: Sequence[Choice], current: Choice, step: int = 1) -> Choice:
    """The choice after the current one, around."""
    return choices[(choices.index(current) + step) % len(choices)]
