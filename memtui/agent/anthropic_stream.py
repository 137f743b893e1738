"""The events of one answer of the Messages API, put together.

Nothing is taken on trust: an answer is finished only when its last event has come and every block was closed; what
isn't known is left out or kept as it is; input of a call that is no JSON stays the text that it was.

Source: FORMATS.md 5.1, SSE; SAFETY.md F44, F46.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

from memtui.agent.model import Answer, Block
from memtui.agent.usage import Usage

_CHARACTERS = 4
"""Characters of a token, about: what a broken answer has cost is told by nobody."""
_GROWS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


class Gathered:
    """One answer while it comes in."""

    def __init__(self) -> None:
        self._started = False
        self._blocks: dict[int, Block] = {}
        self._inputs: dict[int, list[str]] = {}
        self._open: set[int] = set()
        self._over = False
        self._stop = ""
        self._detail = ""
        self._counts: dict[str, int] = {}
        self._characters = 0

    def add(self, event: Mapping[str, Any]) -> None:
        """Take one event; one of unknown kind or shape changes nothing."""
        kind = event.get("type")
        if kind == "message_start":
            self._started = True
            self._count(_map(_map(event.get("message")).get("usage")))
        elif kind == "message_delta":
            delta = _map(event.get("delta"))
            self._stop = _text(delta.get("stop_reason")) or self._stop
            details = _map(delta.get("stop_details"))
            self._detail = _text(details.get("explanation")) or _text(details.get("category"))
            self._characters = 0
            self._count(_map(event.get("usage")))
        elif kind == "message_stop":
            self._over = True
        elif isinstance(index := event.get("index"), int):
            self._block(kind, index, event)

    @property
    def finished(self) -> bool:
        """Whether all of it is here."""
        return self._started and self._over and not self._open and self._stop != ""

    @property
    def usage(self) -> Usage:
        """What it has used as far as it is known; output is estimated until it is told."""
        counts = self._counts
        return Usage(
            input=counts.get("input_tokens", 0),
            output=max(counts.get("output_tokens", 0), self._characters // _CHARACTERS),
            cache_read=counts.get("cache_read_input_tokens", 0),
            cache_write=counts.get("cache_creation_input_tokens", 0),
        )

    def answer(self) -> Answer:
        """The answer, once it is finished."""
        content = []
        for index, block in sorted(self._blocks.items()):
            parts = "".join(self._inputs.get(index, []))
            if block.get("type") == "tool_use" and (parts or "input" not in block):
                block = {**block, "input": _input(parts)}
            content.append(block)
        return Answer(content, self._stop, self.usage, self._detail)

    def _block(self, kind: object, index: int, event: Mapping[str, Any]) -> None:
        if kind == "content_block_start":
            self._blocks[index] = dict(_map(event.get("content_block")))
            self._open.add(index)
        elif kind == "content_block_stop":
            self._open.discard(index)
        elif kind == "content_block_delta" and index in self._blocks:
            delta = _map(event.get("delta"))
            if (part := _text(delta.get("partial_json"))) and delta.get("type") == "input_json_delta":
                self._inputs.setdefault(index, []).append(part)
                self._characters += len(part)
            elif key := _GROWS.get(_text(delta.get("type"))):
                part = _text(delta.get(key))
                self._blocks[index][key] = _text(self._blocks[index].get(key)) + part
                self._characters += len(part)

    def _count(self, usage: Mapping[str, Any]) -> None:
        """Counts are totals: a later one replaces an earlier one."""
        for key, value in usage.items():
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                self._counts[key] = value


def _input(text: str) -> Any:
    """A call's input, or the text itself where it is no JSON that a request could hold."""
    try:
        return json.loads(text or "{}", parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
