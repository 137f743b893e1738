"""The conversation with the model: its answers taken apart, and the next request.

The API wants an answer back unchanged, but refuses things that a model may nevertheless have written: an id used twice,
a tool name with a blank, blank text, half a character. Those are corrected; the call concerned gets an error result.

Cache marks: one behind tools and system text, one behind each of our last two messages. The last one is where this
request is written to the cache; the one before is where the previous request was, so that it is read from there however
many blocks lie between (the API itself looks back over 20 only).
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from memtui.agent.model import Block, Message, Request
from memtui.util.text import replace_surrogates

KNOWN_BLOCKS = ("text", "thinking", "redacted_thinking", "tool_use")  # asked for, or to be sent back
_CACHE_MARK = {"cache_control": {"type": "ephemeral"}}
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_NOT_NAME = re.compile(r"[^A-Za-z0-9_-]")
_MAX_DEPTH = 20


class Conversation:
    """Grows by one answer and our reply to it at a time."""

    def __init__(self, system: str, prompt: str, tools: list[dict[str, Any]]) -> None:
        self._system = replace_surrogates(system)
        self._tools = tools
        self._messages: list[Message] = []
        self.unsent = len(self._system) + len(json.dumps(tools))  # characters that no request has held yet
        self.add_message([{"type": "text", "text": replace_surrogates(prompt)}])

    def add_message(self, blocks: list[Block]) -> None:
        """Add a message of ours: results of calls first, text after them."""
        self._messages.append({"role": "user", "content": blocks})
        self.unsent += sum(len(block.get("text", "")) + len(block.get("content", "")) for block in blocks)

    def add_answer(self, content: list[Block]) -> None:
        """Add an answer; the API accepts no empty one."""
        if content:
            self._messages.append({"role": "assistant", "content": content})

    def request(self, model: str, max_tokens: int) -> Request:
        """Make the next request; everything counts as sent then."""
        self.unsent = 0
        ours = [number for number, message in enumerate(self._messages) if message["role"] == "user"][-2:]
        messages = [
            {**message, "content": _marked(message["content"])} if number in ours else message
            for number, message in enumerate(self._messages)
        ]
        system = _marked([{"type": "text", "text": self._system}]) if self._system.strip() else []
        tools = self._tools if system else _marked(self._tools)
        return Request(model, system, tools, messages, max_tokens)


def _marked(blocks: list[Block]) -> list[Block]:
    return [*blocks[:-1], {**blocks[-1], **_CACHE_MARK}] if blocks else []


class ToolCall(Struct, frozen=True):
    """A tool call that the model wants. With a `fault` it isn't run; the fault is its result."""

    id: str
    name: str
    given: Any
    fault: str = ""

    @property
    def key(self) -> str:
        """Equal for two calls that ask for the same."""
        if self.fault:
            return f"{self.name}: {self.fault}"
        return f"{self.name} {json.dumps(self.given, sort_keys=True)}"


class ParsedResponse(Struct, frozen=True):
    """An answer's parts: `content` may be sent back, `odd` is a kind of block that we don't know."""

    content: list[Block]
    calls: list[ToolCall]
    text: str
    odd: str = ""
    thinking: str = ""


class _Unsendable(Exception):
    """A value that no request can hold; the message says why."""


def parse_response(content: list[Block], used: set[str]) -> ParsedResponse:
    """Take an answer apart; `used` are the ids of all calls so far, and gets the new ones."""
    kept: list[Block] = []
    calls: list[ToolCall] = []
    texts: list[str] = []
    thoughts: list[str] = []
    for block in content:
        kind = block.get("type")
        if kind not in KNOWN_BLOCKS:
            return ParsedResponse([], [], "\n\n".join(texts), replace_surrogates(str(kind)))
        if kind == "tool_use":
            call, sent = _parse_call(block, used)
            calls.append(call)
            kept.append(sent)
        elif kind == "text":
            text = replace_surrogates(str(block.get("text", "")))
            if text.strip():
                texts.append(text)
                kept.append({"type": "text", "text": text})
        else:  # thinking: the API wants it back unchanged
            kept.append(
                {key: replace_surrogates(value) if isinstance(value, str) else value for key, value in block.items()}
            )
            thoughts.append(str(kept[-1].get("thinking", "")).strip())
    return ParsedResponse(kept, calls, "\n\n".join(texts), thinking="\n\n".join(filter(None, thoughts)))


def only_text(content: list[Block]) -> list[Block]:
    """The text of an answer that was cut off: its calls may be incomplete, and its thinking was about them."""
    return [block for block in content if block["type"] == "text"]


def _parse_call(block: Block, used: set[str]) -> tuple[ToolCall, Block]:
    """Parse a call; returns it and its block as it can be sent back."""
    name, given, fault = block.get("name"), block.get("input"), ""
    if not isinstance(name, str):
        name = ""
    try:
        sent = _sendable(given, 0)
    except _Unsendable as error:
        sent, fault = {}, f"the input {error}"
    if not isinstance(sent, dict):
        sent, fault = {}, "the input is no JSON object"
    before = block.get("id")
    if isinstance(before, str) and before in used:
        fault = "another call had the same id: this one was not run"
    number, new = len(used), before
    while not isinstance(new, str) or not _ID.fullmatch(new) or new in used:
        number += 1
        new = f"toolu_memtui_{number}"
    used.add(new)
    called = _NOT_NAME.sub("_", name)[:128] or "unnamed"
    return ToolCall(new, name, given, fault), {"type": "tool_use", "id": new, "name": called, "input": sent}


def _sendable(value: Any, depth: int) -> Any:
    """A JSON value as a request can hold it."""
    if depth > _MAX_DEPTH:
        raise _Unsendable("is nested too deep")
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise _Unsendable("holds NaN or an infinite number")
    if isinstance(value, Mapping):
        return {replace_surrogates(str(key)): _sendable(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_sendable(inner, depth + 1) for inner in value]
    return value
