"""What is sent of a session, in pieces: the blocks of each message, and what of it isn't sent.

One block as it is sent: whole characters, tools by their present names, and no reference to a tool that is gone.

Rules, each as client 2.1.332 was seen to follow it:

1. Half surrogate pairs become U+FFFD.
2. The tool `Task` is called `Agent` now; `SendMessage` has lost an older way to say to whom.
3. A result that refers to tools keeps the references to those that the client has; where none of its blocks is left
   a stand-in text is. A reference that stays adds the text "Tool loaded." behind the results.
"""

from typing import Any, Final

from msgspec import Struct, field

from memtui.transcripts.entries import Entry, whole_characters
from memtui.transcripts.lines import Record

TOOL_LOADED: Final = "Tool loaded."
TOOLS_GONE: Final = "[Tool references removed - tools no longer available]"
RENAMED: Final = {"Task": "Agent"}
TOOLS: Final = frozenset(
    {
        "Agent",
        "Bash",
        "CronCreate",
        "CronDelete",
        "CronList",
        "DeferredToolPlaceholder",
        "Edit",
        "EnterWorktree",
        "ExitWorktree",
        "ListAgents",
        "Monitor",
        "NotebookEdit",
        "Read",
        "ReportFindings",
        "ScheduleWakeup",
        "SendMessage",
        "Skill",
        "Task",
        "TaskStop",
        "ToolSearch",
        "WebFetch",
        "WebSearch",
        "Workflow",
        "Write",
    }
)
"""Tools that the client has without a terminal, without servers and with its own settings."""
TASK_TOOLS: Final = TOOLS | {"TaskCreate", "TaskGet", "TaskList", "TaskUpdate"}
"""The same for older models."""
_OLD_ADDRESS: Final = ("type", "recipient", "content")
"""What `SendMessage` was given before it was given `to` and `message`; dropped where both stand there."""


def cleaned(block: Record, tools: frozenset[str]) -> Record:
    """A block as it is written to the API.

    Args:
        block: As it stands in the record; it stays as it is.
        tools: The names of the tools that there are.
    """
    if block["type"] == "text":
        return {**block, "text": whole_characters(block["text"])}
    if block["type"] == "tool_use":
        name = block.get("name")
        told = {**block, "name": RENAMED.get(name, name)} if isinstance(name, str) else block
        given = block.get("input")
        if name == "SendMessage" and isinstance(given, dict) and "to" in given and "message" in given:
            told = {**told, "input": {key: value for key, value in given.items() if key not in _OLD_ADDRESS}}
        return told
    content = block.get("content")
    if block["type"] == "tool_result" and isinstance(content, list):
        kept = [part for part in content if not (_refers(part) and _is_gone(part.get("tool_name"), tools))]
        if len(kept) < len(content):
            return {**block, "content": kept or [{"type": "text", "text": TOOLS_GONE}]}
    return block


def looks_up(block: Record) -> bool:
    """Whether a block is a result that refers to a tool."""
    content = block.get("content")
    return block["type"] == "tool_result" and isinstance(content, list) and any(map(_refers, content))


def _refers(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_reference"


def _is_gone(name: object, tools: frozenset[str]) -> bool:
    return isinstance(name, str) and name not in tools


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


class DroppedBlock(Struct):
    """A row of which something isn't sent, and why."""

    entry: Entry
    why: str


class ApiConversation(Struct):
    """The messages of a resume, and what is on the way but isn't sent."""

    messages: list[Message] = field(default_factory=list)
    dropped: list[DroppedBlock] = field(default_factory=list)
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
