"""What is sent of a session, in pieces: the blocks of each message, and what of it isn't sent."""

from dataclasses import dataclass, field
from typing import Final

from memtui.sessions.entries import Entry
from memtui.sessions.lines import Record

NO_CONTENT: Final = "(no content)"
"""Stands for a message of nothing."""

THINKING: Final = ("thinking", "redacted_thinking")


@dataclass(slots=True)
class Block:
    """A block as it is sent, and the row that it comes from. `reminder`: part of a text that isn't the person's."""

    data: Record
    entry: Entry
    reminder: bool = False

    @property
    def type(self) -> str:
        return str(self.data["type"])


@dataclass(slots=True)
class Message:
    """What one side says. `id` is the answer's own id, "" for a user's; `bare`: the content is one string."""

    role: str
    blocks: list[Block]
    id: str = ""
    bare: bool = False


@dataclass(slots=True)
class Dropped:
    """A row of which something isn't sent, and why."""

    entry: Entry
    why: str


@dataclass(slots=True)
class Conversation:
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
