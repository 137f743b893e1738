"""A model's answer taken apart: what it said, what it wants, and what of it goes back with the next request.

The API wants an answer back unchanged, but refuses what a model may nevertheless have written: an id used twice, a name
with a blank, blank text, half a character. Those are put right here; the call they belong to gets an error as its
result.

Source: FORMATS.md 5.1; SAFETY.md F46, F47.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from memtui.agent.model import Block

KNOWN_BLOCKS = ("text", "thinking", "redacted_thinking", "tool_use")
"""Kinds of block that we asked for or have to send back."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_NOT_NAME = re.compile(r"[^A-Za-z0-9_-]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DEPTH = 20


class ToolCall(Struct, frozen=True):
    """A tool that the model wants. With a `fault` it isn't run; the fault is its result."""

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
    """An answer's parts. `content` may go back to the API; `odd` names a kind of block that we don't know."""

    content: list[Block]
    calls: list[ToolCall]
    text: str
    odd: str = ""


class _Unsendable(Exception):
    pass


def parse_response(content: list[Block], used: set[str]) -> ParsedResponse:
    """Take an answer apart.

    Args:
        used: Ids of all calls so far; gets the new ones.
    """
    kept: list[Block] = []
    calls: list[ToolCall] = []
    texts: list[str] = []
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
        else:
            kept.append(
                {key: replace_surrogates(value) if isinstance(value, str) else value for key, value in block.items()}
            )
    return ParsedResponse(kept, calls, "\n\n".join(texts))


def only_text(content: list[Block]) -> list[Block]:
    """What remains of an answer that was cut: a call that isn't whole is none, and thoughts about it lead nowhere."""
    return [block for block in content if block["type"] == "text"]


def replace_surrogates(text: str) -> str:
    """The text without halves of characters, which no request can hold."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _parse_call(block: Block, used: set[str]) -> tuple[ToolCall, Block]:
    """The call, and its block as it can be sent back."""
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
    """A JSON value that a request can hold."""
    if depth > _MAX_DEPTH:
        raise _Unsendable("is nested too deep")
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise _Unsendable("holds a number that is none")
    if isinstance(value, Mapping):
        return {replace_surrogates(str(key)): _sendable(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_sendable(inner, depth + 1) for inner in value]
    return value
