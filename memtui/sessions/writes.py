"""The files that a session's own calls wrote: Edit, Write and their kin; not what a shell command did."""

from collections.abc import Iterable

from memtui.sessions.entries import blocks_of, text
from memtui.sessions.lines import Record
from memtui.sessions.stats import EDITS


def written_files(records: Iterable[Record]) -> tuple[str, ...]:
    """The paths that calls were given to write to, in the order in which they first appear; a refused call counts."""
    found: dict[str, None] = {}
    for data in records:
        message = data.get("message")
        if data.get("type") != "assistant" or not isinstance(message, dict):
            continue
        for block in blocks_of(message):
            given = block.get("input")
            if block["type"] == "tool_use" and block.get("name") in EDITS and isinstance(given, dict):
                path = text(given.get("file_path")) or text(given.get("notebook_path"))
                if path:
                    found[path] = None
    return tuple(found)
