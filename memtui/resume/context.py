"""A resume as messages that the Messages API accepts: plain dictionaries, no SDK.

What the API asks for: the first message is the user's, roles alternate, every call has its result in the very next
message and no result is elsewhere, no text is blank, the last answer doesn't end in white space, ids are unique,
ids and names are made of letters, digits, "_" and "-", images and documents have a source that it knows. The client
repairs the rest when it sends; here everything is repaired, and a test enforces it.
"""

import math
import re
from typing import Any, Final

from memtui.resume.conversation import INTERRUPTED, NO_CONTENT, Block
from memtui.resume.resume import ResumePlan
from memtui.transcripts.entries import text
from memtui.transcripts.lines import map_values
from memtui.util.text import replace_surrogates

SENT_KINDS: Final = ("text", "tool_use", "tool_result", "image", "document")  # thinking is signed for its model
UNFINISHED: Final = (
    "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown.]"
)
MEDIA_LEFT_OUT: Final = "[{} left out]"  # sent instead of an image or a document whose source no other program can read
BEGINNING: Final = "(the conversation before this was left out)"

_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")
_MAX_NAME_CHARS: Final = 128
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})

ApiMessage = dict[str, Any]


def context_messages(resume: ResumePlan) -> list[ApiMessage]:
    """The messages of a resume in the form of the Messages API; empty if there is no conversation."""
    found: list[ApiMessage] = []
    ids = _Ids()
    for message in resume.messages or ():
        content = [_block(block, ids) for block in message.blocks if block.type in SENT_KINDS and not block.blank]
        if not content:
            content = [{"type": "text", "text": NO_CONTENT}] if message.role == "user" else []
        if content:
            _append(found, message.role, content)
    if found and found[0]["role"] != "user":
        found.insert(0, {"role": "user", "content": [{"type": "text", "text": BEGINNING}]})
    closed = _close_calls(found)
    if closed and closed[-1]["role"] == "assistant" and closed[-1]["content"][-1]["type"] == "text":
        closed[-1]["content"][-1]["text"] = closed[-1]["content"][-1]["text"].rstrip()
    return closed


class _Ids:
    """Makes ids of calls that the API accepts; different ids stay different."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self.used: set[str] = set()

    def __call__(self, value: str) -> str:
        if value not in self.known:
            plain = made = _NOT_IN_NAMES.sub("_", value) or "call"
            while made in self.used:
                made = f"{plain}_{len(self.used)}"
            self.known[value] = made
            self.used.add(made)
        return self.known[value]


def _append(found: list[ApiMessage], role: str, content: list[ApiMessage]) -> None:
    """Add content of one role; neighbours of one role become one message, calls last and results first in it."""
    if found and found[-1]["role"] == role:
        found[-1]["content"] += content
    else:
        found.append({"role": role, "content": content})
    kind, last = ("tool_use", True) if role == "assistant" else ("tool_result", False)
    found[-1]["content"].sort(key=lambda block: (block["type"] == kind) is last)


def _close_calls(messages: list[ApiMessage]) -> list[ApiMessage]:
    """Give every call a result in the next message, and drop results without a call."""
    closed: list[ApiMessage] = []
    for number, message in enumerate(messages):
        calls = _calls(closed[-1]) if closed else []
        blocks = message["content"]
        content = [block for block in blocks if block["type"] != "tool_result" or block["tool_use_id"] in calls]
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


def _block(block: Block, ids: _Ids) -> ApiMessage:
    """A block with the fields that the API knows, and no others."""
    data = block.data
    if block.type == "text":
        return {"type": "text", "text": replace_surrogates(data["text"])}
    if block.type == "tool_use":
        given = data.get("input")
        return {
            "type": "tool_use",
            "id": ids(text(data.get("id"))),
            "name": _NOT_IN_NAMES.sub("_", text(data.get("name")))[:_MAX_NAME_CHARS] or "unknown",
            "input": map_values(given if isinstance(given, dict) else {"value": given}, _sendable_value),
        }
    if block.type == "tool_result":
        found: ApiMessage = {"type": "tool_result", "tool_use_id": ids(text(data.get("tool_use_id")))}
        content = _result(data.get("content"))
        if content:
            found["content"] = content
        if data.get("is_error") is True:
            found["is_error"] = True
        return found
    return _media(data)


def _result(content: object) -> str | list[ApiMessage]:
    if isinstance(content, str):
        return UNFINISHED if content == INTERRUPTED else replace_surrogates(content)
    parts: list[ApiMessage] = []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        if part.get("type") == "text" and text(part.get("text")).strip():
            parts.append({"type": "text", "text": replace_surrogates(part["text"])})
        elif part.get("type") in ("image", "document"):
            parts.append(_media(part))
    return parts


def _media(data: ApiMessage) -> ApiMessage:
    """An image or a document, or a text instead of one that can't be sent."""
    kind, source = data["type"], data.get("source")
    how = source.get("type") if isinstance(source, dict) else None
    if isinstance(source, dict) and how in ("base64", "text"):
        media, body = text(source.get("media_type")), text(source.get("data"))
        if kind == "image":
            fits = how == "base64" and media in _IMAGES
        else:
            fits = media == ("application/pdf" if how == "base64" else "text/plain")
        if fits and (body.strip() if how == "text" else body and _BASE64.fullmatch(body)):
            return {"type": kind, "source": {"type": how, "media_type": media, "data": replace_surrogates(body)}}
    elif isinstance(source, dict) and how == "url" and text(source.get("url")).startswith(("https://", "http://")):
        return {"type": kind, "source": {"type": "url", "url": replace_surrogates(source["url"])}}
    return {"type": "text", "text": MEDIA_LEFT_OUT.format(kind)}


def _sendable_value(value: Any) -> Any:
    if isinstance(value, str):
        return replace_surrogates(value)
    return None if isinstance(value, float) and math.isinf(value) else value
