"""What was said so far, and the request that comes of it.

Cache marks: one behind tools and system text, one behind each of the last two things that we said. The last is where
this request is written to the cache; the one before is where the request before was, so that it is read from there
however many blocks lie between (the API itself looks back over 20 only).

Source: FORMATS.md 5.1, caching.
"""

import json
from typing import Any

from memtui.agent.model import Block, Message, Request
from memtui.agent.response import replace_surrogates

_CACHE_MARK = {"cache_control": {"type": "ephemeral"}}


class Conversation:
    """Grows by one answer and what we say to it at a time.

    Args:
        system: Who the agent is.
    """

    def __init__(self, system: str, prompt: str, tools: list[dict[str, Any]]) -> None:
        self._system = replace_surrogates(system)
        self._tools = tools
        self._messages: list[Message] = []
        self.unsent = len(self._system) + len(json.dumps(tools))
        """Characters that no request has held yet."""
        self.tell([{"type": "text", "text": replace_surrogates(prompt)}])

    def tell(self, blocks: list[Block]) -> None:
        """Say something: results of calls first, text after them."""
        self._messages.append({"role": "user", "content": blocks})
        self.unsent += sum(len(block.get("text", "")) + len(block.get("content", "")) for block in blocks)

    def take(self, content: list[Block]) -> None:
        """Keep an answer; an empty one leaves nothing that could be kept."""
        if content:
            self._messages.append({"role": "assistant", "content": content})

    def request(self, model: str, max_tokens: int) -> Request:
        """The whole conversation with its cache marks; everything counts as sent then."""
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
    """The blocks with a mark on the last one."""
    return [*blocks[:-1], {**blocks[-1], **_CACHE_MARK}] if blocks else []
