"""The line in which a filter is typed."""

from collections.abc import Callable

from textual import on
from textual.widgets import Input


class FilterLine(Input):
    def __init__(self, typed: Callable[[str], None], done: Callable[[], None]) -> None:
        super().__init__(id="filter", compact=True, placeholder="filter: 'exact ^start end$ !not")
        self._typed = typed
        self._done = done

    @on(Input.Changed)
    def report_typed(self, event: Input.Changed) -> None:
        event.stop()
        self._typed(event.value)

    @on(Input.Submitted)
    def report_done(self, event: Input.Submitted) -> None:
        event.stop()
        self._done()
