"""A list over values: the base of the lists in which each row has a key, by which the cursor stays on it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from textual.message import Message

from memtui.tui.widgets.virtual_list import VirtualList

Row = TypeVar("Row")


class RowList(VirtualList, Generic[Row]):
    """Rows; subclasses say by `key` which one is which, and by `row` how one looks."""

    @dataclass
    class Folded(Message):
        """A line is to be folded or unfolded, for the lists that have such lines."""

        key: str
        folded: bool

    rows: Sequence[Row] = ()

    def key(self, row: Row) -> Hashable:
        """What stays the same when rows come and go around it."""
        raise NotImplementedError

    def put(self, rows: Sequence[Row]) -> None:
        keep = self.row_key(self.cursor) if self.cursor < len(self.rows) else None
        self.rows = rows
        self.rows_changed(keep=keep)

    def to_key(self, key: Hashable) -> bool:
        """Put the cursor on a row; whether it is in the list."""
        index = self.row_of(key)
        if index is None:
            return False
        self.cursor = index
        return True

    @property
    def current(self) -> Row | None:
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def row_key(self, index: int) -> Hashable:
        return self.key(self.rows[index])

    def leave_row(self, head: type, *, left: bool) -> None:
        """To the row of a kind above, or to the next pane."""
        if left:
            above = (i for i in range(self.cursor, -1, -1) if isinstance(self.rows[i], head))
            self.cursor = next(above, self.cursor)
        else:
            self.screen.focus_next()

    def open(self) -> None:
        self.choose()
