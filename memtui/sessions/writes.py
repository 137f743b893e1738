"""The files that a session's own calls wrote: Edit, Write and their kin; not what a shell command did."""

from memtui.sessions.entries import blocks_of, text
from memtui.sessions.lines import Record
from memtui.sessions.stats import EDITS


class Writes:
    """Collects the paths that calls were given to write to, record by record; a refused call counts."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def take(self, data: Record) -> None:
        """Look at one record."""
        message = data.get("message")
        if data.get("type") != "assistant" or not isinstance(message, dict):
            return
        for block in blocks_of(message):
            given = block.get("input")
            if block["type"] == "tool_use" and block.get("name") in EDITS and isinstance(given, dict):
                path = text(given.get("file_path")) or text(given.get("notebook_path"))
                if path:
                    self._found[path] = None

    @property
    def files(self) -> tuple[str, ...]:
        """The paths, in the order in which they first appear."""
        return tuple(self._found)
