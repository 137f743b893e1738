"""What a call came to."""

from msgspec import Struct

from memtui.util.errors import MemtuiError


class ToolResult(Struct, frozen=True):
    """An answer to the model.

    Args:
        text: What the model gets, as it is on the disk: not for a screen.
        ok: Whether the tool did what was asked.
        reason: Why not, one line; may quote the model.
        fresh: Names the piece of a file, or the output, that the model has now seen; "" for nothing.
        wrote: Whether a file changed.
    """

    text: str
    ok: bool = True
    reason: str = ""
    fresh: str = ""
    wrote: bool = False

    @classmethod
    def fault(cls, reason: str) -> "ToolResult":
        return cls(reason, ok=False, reason=reason)


class ToolFault(MemtuiError):
    """The tool can't do it; the message tells the model what would work."""
