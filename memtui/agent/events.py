"""What a run tells while it works, in the agent's own terms; the caller makes of it what it shows and keeps.

Every text in an event is safe to show and to keep: control characters are visible marks, what looks like a secret is
taken out. What tools answered is in no event: that is between the files and the model.
"""

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from memtui.agent.usage import TokenUsage
from memtui.secrets.scanner import redact, scan
from memtui.util.text import clip, visible


class ModelTurn(Struct, frozen=True):
    """The model gave an answer: the how manieth (from 1), what it said, how many calls of which tool it wants."""

    number: int
    text: str
    tools: Mapping[str, int]


class ToolUsed(Struct, frozen=True):
    """A call was answered: the tool, what tells it from others (a path, a pattern, a line), and why it failed."""

    name: str
    argument: str
    ok: bool
    reason: str


class ModelRetry(Struct, frozen=True):
    """The model's side failed and is asked again after so many seconds."""

    after: float
    why: str


class UsageTotal(Struct, frozen=True):
    """Everything used so far, and its price in dollars (`None`: not known)."""

    usage: TokenUsage
    money: float | None


class AgentNote(Struct, frozen=True):
    """Something that a person should know."""

    text: str


AgentEvent = ModelTurn | ToolUsed | ModelRetry | UsageTotal | AgentNote
EmitAgentEvent = Callable[[AgentEvent], None]

MAX_TEXT_CHARS = 4000
"""Characters of an answer that an event holds."""
MAX_LINE_CELLS = 200
"""Cells of an argument or a reason."""

_WHITESPACE = re.compile(r"\s+")


def safe_text(text: str) -> str:
    """Text of a model as an event may hold it, lines kept."""
    text = text[: 2 * MAX_TEXT_CHARS]  # a secret that the second cut splits was whole when it was looked for
    safe = visible(redact(text, scan(text)))
    return safe if len(safe) <= MAX_TEXT_CHARS else safe[:MAX_TEXT_CHARS] + "…"


def safe_line(text: str) -> str:
    """The same as one short line."""
    return clip(_WHITESPACE.sub(" ", safe_text(text)).strip(), MAX_LINE_CELLS)
