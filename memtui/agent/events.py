"""What a run reports while it works, in the agent's own terms; the caller decides what it shows and keeps.

Every text in an event is safe to show and to keep: control characters are made visible, and what looks like a secret is
masked. The results of tools are in no event.
"""

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from memtui.agent.usage import TokenUsage
from memtui.secrets.scanner import redact, scan
from memtui.util.text import clip, visible


class ModelTurn(Struct, frozen=True):
    """The model answered: its number from 1, its text, calls it wants by tool, what it shows of its thinking."""

    number: int
    text: str
    tools: Mapping[str, int]
    thinking: str = ""


class ToolUsed(Struct, frozen=True):
    """A tool call was answered: its main argument, why it failed, whether it names a `source` that may only be read."""

    name: str
    argument: str
    ok: bool
    reason: str
    source: bool = False


class ModelRetry(Struct, frozen=True):
    """A call to the model failed and is repeated after so many seconds."""

    after: float
    why: str


class UsageTotal(Struct, frozen=True):
    """All tokens used so far, and their price in dollars, `None` if unknown."""

    usage: TokenUsage
    money: float | None


class AgentNote(Struct, frozen=True):
    """Something that a person should know."""

    text: str


AgentEvent = ModelTurn | ToolUsed | ModelRetry | UsageTotal | AgentNote
EmitAgentEvent = Callable[[AgentEvent], None]

MAX_TEXT_CHARS = 4000
MAX_LINE_CELLS = 200

_WHITESPACE = re.compile(r"\s+")


def safe_text(text: str) -> str:
    """Text of a model as an event may hold it, line ends kept."""
    text = text[: 2 * MAX_TEXT_CHARS]  # longer than the final cut, which must not split a secret unseen
    safe = visible(redact(text, scan(text)))
    return safe if len(safe) <= MAX_TEXT_CHARS else safe[:MAX_TEXT_CHARS] + "…"


def safe_line(text: str) -> str:
    """The same on one short line."""
    return clip(_WHITESPACE.sub(" ", safe_text(text)).strip(), MAX_LINE_CELLS)


def unknown_price(model: str) -> str:
    return f"price of {safe_line(model)} unknown: no limit in money"
