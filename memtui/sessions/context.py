"""A resume as messages that the Messages API accepts: plain dictionaries, no SDK.

What the API asks for: the first message is the user's, sides take turns, every call has its result in the very next
message and no result stands elsewhere, no text is empty, ids are unique. The client gets by with less, because it
repairs on the way; here it is made true, and a test enforces it.

Source:
    Messages API reference; FORMATS 2.7.
"""

from typing import Any, Final

from memtui.sessions.chain import Resume
from memtui.sessions.entries import text
from memtui.sessions.messages import INTERRUPTED, NO_CONTENT, Block, whole_characters

SENT: Final = ("text", "tool_use", "tool_result", "image", "document")
"""Kinds of block that another model may get; thinking is signed for the one that thought it."""

UNFINISHED: Final = (
    "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown.]"
)
BEGINNING: Final = "(the conversation before this was left out)"

ApiMessage = dict[str, Any]


def context_messages(resume: Resume) -> list[ApiMessage]:
    """The messages of a resume in the form of the Messages API; empty if there is no conversation."""
    found: list[ApiMessage] = []
    for message in resume.messages or ():
        content = [_block(block) for block in message.blocks if _sendable(block)]
        if not content:
            content = [{"type": "text", "text": NO_CONTENT}] if message.role == "user" else []
        if content:
            _append(found, message.role, content)
    if found and found[0]["role"] != "user":
        found.insert(0, {"role": "user", "content": [{"type": "text", "text": BEGINNING}]})
    return _close_calls(found)


def _append(found: list[ApiMessage], role: str, content: list[ApiMessage]) -> None:
    """Add what one side says; neighbours of one side become one message, calls last and results first in it."""
    if found and found[-1]["role"] == role:
        found[-1]["content"] += content
    else:
        found.append({"role": role, "content": content})
    kind, last = ("tool_use", True) if role == "assistant" else ("tool_result", False)
    found[-1]["content"].sort(key=lambda block: (block["type"] == kind) is last)


def _close_calls(messages: list[ApiMessage]) -> list[ApiMessage]:
    """Give every call a result in the next message, and take out results without a call."""
    closed: list[ApiMessage] = []
    for number, message in enumerate(messages):
        calls = _calls(closed[-1]) if closed else []
        content = [
            block for block in message["content"] if block["type"] != "tool_result" or block["tool_use_id"] in calls
        ]
        if message["role"] == "user":
            answered = {block["tool_use_id"] for block in content if block["type"] == "tool_result"}
            content = [*(_unfinished(call) for call in calls if call not in answered), *content]
            content.sort(key=lambda block: block["type"] != "tool_result")
        closed.append({"role": message["role"], "content": content or [{"type": "text", "text": NO_CONTENT}]})
        if number == len(messages) - 1 and _calls(closed[-1]):
            closed.append({"role": "user", "content": [_unfinished(call) for call in _calls(closed[-1])]})
    return closed


def _calls(message: ApiMessage) -> list[str]:
    return [block["id"] for block in message["content"] if block["type"] == "tool_use"]


def _unfinished(call: str) -> ApiMessage:
    return {"type": "tool_result", "tool_use_id": call, "content": UNFINISHED, "is_error": True}


def _sendable(block: Block) -> bool:
    if block.type not in SENT:
        return False
    return block.type != "text" or bool(block.data["text"].strip())


def _block(block: Block) -> ApiMessage:
    """A block with the fields that the API knows, and nothing of the client's own."""
    data = block.data
    if block.type == "text":
        return {"type": "text", "text": whole_characters(data["text"])}
    if block.type == "tool_use":
        given = data.get("input")
        return {
            "type": "tool_use",
            "id": text(data.get("id")),
            "name": text(data.get("name")) or "unknown",
            "input": _whole(given) if isinstance(given, dict) else {"value": _whole(given)},
        }
    if block.type == "tool_result":
        found: ApiMessage = {"type": "tool_result", "tool_use_id": text(data.get("tool_use_id"))}
        content = _result(data.get("content"))
        if content:
            found["content"] = content
        if data.get("is_error") is True:
            found["is_error"] = True
        return found
    return {"type": block.type, "source": _whole(data.get("source"))}


def _result(content: object) -> str | list[ApiMessage]:
    if isinstance(content, str):
        return UNFINISHED if content == INTERRUPTED else whole_characters(content)
    parts: list[ApiMessage] = []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        if part.get("type") == "text" and text(part.get("text")):
            parts.append({"type": "text", "text": whole_characters(part["text"])})
        elif part.get("type") == "image" and isinstance(part.get("source"), dict):
            parts.append({"type": "image", "source": _whole(part["source"])})
    return parts


def _whole(value: Any) -> Any:
    """A value in which no text has half characters."""
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, list):
        return [_whole(part) for part in value]
    if isinstance(value, dict):
        return {whole_characters(str(key)): _whole(part) for key, part in value.items()}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return None
    return value
