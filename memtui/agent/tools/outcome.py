"""What a tool call returns."""

from msgspec import Struct

from memtui.util.errors import MemtuiError


class ToolResult(Struct, frozen=True):
    """An answer to the model.

    `text` is what the model gets, raw from disk and not for a screen. `reason` says in one line why it is not `ok`, and
    may quote the model. `fresh` identifies the part of a file, or the output, that the model has now seen, "" for none.
    `wrote`: a file changed.
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
    """A tool can't do what was asked; the message tells the model what would work."""
