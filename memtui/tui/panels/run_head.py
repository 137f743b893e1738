"""The first lines about a run: as many as there is to say."""

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static


class RunHead(Static):
    """Lines that are drawn anew only when they say something else."""

    def __init__(self, *, id: str) -> None:
        super().__init__(Content(""), id=id)
        self._rows: list[Content] = []

    def show(self, rows: Sequence[Content]) -> None:
        """Say these."""
        if list(rows) != self._rows:
            taller = len(rows) != len(self._rows)
            self._rows = list(rows)
            self.update(Content("\n").join(self._rows), layout=taller)
