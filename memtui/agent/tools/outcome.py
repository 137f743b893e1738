"""What a tool call returns."""

from msgspec import Struct

from memtui.util.errors import MemtuiError


class ToolResult(Struct, frozen=True):
    """An answer to the model."""

    text: str  # what the model gets, raw from disk and not for a screen
    ok: bool = True
    reason: str = ""  # why it is not `ok`, in one line; may quote the model
    fresh: str = ""  # the part of a file, or the output, that the model has now seen
    wrote: bool = False  # a file changed

    @classmethod
    def fault(cls, reason: str) -> "ToolResult":
        return cls(reason, ok=False, reason=reason)


class ToolFault(MemtuiError):
    """A tool can't do what was asked; the message tells the model what would work."""
