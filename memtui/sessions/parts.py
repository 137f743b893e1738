"""What is sent of a session, in pieces: the blocks of each message, and what of it isn't sent."""

from typing import Any, Final

from msgspec import Struct, field

from memtui.sessions.entries import Entry
from memtui.sessions.lines import Record

NO_CONTENT: Final = "(no content)"
"""Stands for a message of nothing."""

THINKING: Final = ("thinking", "redacted_thinking")


_LONG: Final = 2000
"""Characters from which on a text is cut where nobody sends it: no rule about a message looks further."""


def shortened(value: Any) -> Any:
    """A record, or what is in one, with its long texts cut; what is blank so far is left whole, for blank is a rule."""
    if isinstance(value, str):
        return value[:_LONG] if len(value) > _LONG and value[:_LONG].strip() else value
    if isinstance(value, dict):
        return {key: shortened(part) for key, part in value.items()}
    return list(map(shortened, value)) if isinstance(value, list) else value


class Block(Struct):
    """A block as it is sent, and the row that it comes from. `reminder`: part of a text that isn't the person's."""

    data: Record
    entry: Entry
    reminder: bool = False

    @property
    def type(self) -> str:
        return str(self.data["type"])


class Message(Struct):
    """What one side says. `id` is the answer's own id, "" for a user's; `bare`: the content is one string."""

    role: str
    blocks: list[Block]
    id: str = ""
    bare: bool = False


class Dropped(Struct):
    """A row of which something isn't sent, and why."""

    entry: Entry
    why: str


class Conversation(Struct):
    """The messages of a resume, and what is on the way but isn't sent."""

    messages: list[Message] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    model: str = ""


def is_blank(block: Block) -> bool:
    """Whether it is a text of nothing but white space."""
    return block.type == "text" and not block.data["text"].strip()


def is_reminder(message: Message) -> bool:
    """Whether it is what the client tells about an attachment."""
    return message.blocks[0].entry.type == "attachment"


def is_told(message: Message) -> bool:
    """Whether a result is in it."""
    return any(block.type == "tool_result" for block in message.blocks)


def is_thought(message: Message) -> bool:
    """Whether it is an answer of nothing but thinking or white space."""
    return message.role == "assistant" and all(block.type in THINKING or is_blank(block) for block in message.blocks)
