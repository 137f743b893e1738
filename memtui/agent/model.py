"""What the loop asks of a model: one request, a stream of pieces, at its end one complete answer.

Messages and blocks have the shape of the Messages API, because the largest backend uses it; another backend translates.
"""

from collections.abc import AsyncGenerator
from typing import Any, Protocol

from msgspec import Struct

from memtui.agent.usage import TokenUsage
from memtui.util.errors import MemtuiError

Block = dict[str, Any]  # {"type": "text", "text": …}, {"type": "tool_use", …}, {"type": "tool_result", …}
Message = dict[str, Any]  # {"role": "user" | "assistant", "content": list of blocks}


class Request(Struct, frozen=True):
    """One call of the model; the `cache_control` marks are set."""

    model: str
    system: list[Block]
    tools: list[Block]
    messages: list[Message]
    max_tokens: int


class UsageSoFar(Struct, frozen=True):
    """The answer goes on; `usage` is what this try has used as far as it is known."""

    usage: TokenUsage


class RetryWait(Struct, frozen=True):
    """This try failed; the same request is sent again after so many seconds."""

    after: float
    why: str


class ModelNotice(Struct, frozen=True):
    """The request is sent again at once in another form; a person should know why."""

    words: str


class ModelAnswer(Struct, frozen=True):
    """A complete answer, the last piece."""

    content: list[Block]  # the `input` of a tool_use block is a dict, or whatever the model wrote in its place
    stop: str  # the API's stop reason: "end_turn", "tool_use", "max_tokens", …
    usage: TokenUsage
    detail: str = ""  # more about it


AnswerPiece = UsageSoFar | RetryWait | ModelNotice | ModelAnswer


class ModelError(MemtuiError):
    """The model can't answer. `cause` is one word: "rate", "spend cap", "overloaded", "server", "connection",
    "cut", "auth", "billing", "forbidden", "not found", "too large", "request".
    """

    code = "model"

    def __init__(self, message: str, *, cause: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.cause = cause


class Model(Protocol):
    def answer(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Ask, with the backend's own retries; the last piece is the `ModelAnswer`. Raises `ModelError` without one."""
        ...
