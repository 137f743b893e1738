"""The line in which a filter is typed."""

from collections.abc import Callable

from textual import on
from textual.widgets import Input


class FilterLine(Input):
    """Tells what is typed at every key, and when Enter is pressed; imported when somebody filters."""

    def __init__(self, typed: Callable[[str], None], done: Callable[[], None]) -> None:
        super().__init__(id="filter", compact=True, placeholder="filter: 'exact ^start end$ !not")
        self._tell_typed = typed
        self._tell_done = done

    @on(Input.Changed)
    def tell_typed(self, event: Input.Changed) -> None:
        """Narrow while typing."""
        event.stop()
        self._tell_typed(event.value)

    @on(Input.Submitted)
    def tell_done(self, event: Input.Submitted) -> None:
        """Enter keeps the filter."""
        event.stop()
        self._tell_done()
