"""What the loop asks of a model: one request, a stream of pieces, at its end one whole answer.

Messages and blocks have the shape of the Messages API, because that is what the largest backend sends; a backend that
speaks otherwise translates.
"""

from collections.abc import AsyncGenerator
from typing import Any, Protocol

from msgspec import Struct

from memtui.agent.usage import TokenUsage
from memtui.util.errors import MemtuiError

Block = dict[str, Any]
"""One block of content: {"type": "text", "text": …}, {"type": "tool_use", …}, {"type": "tool_result", …}."""
Message = dict[str, Any]
"""{"role": "user" | "assistant", "content": list of blocks}"""


class Request(Struct, frozen=True):
    """One call of the model; `cache_control` marks are where they belong already."""

    model: str
    system: list[Block]
    tools: list[Block]
    messages: list[Message]
    max_tokens: int


class UsageSoFar(Struct, frozen=True):
    """A sign of life. `usage` is what this try has used as far as it is known."""

    usage: TokenUsage


class RetryWait(Struct, frozen=True):
    """This try came to nothing; the same request goes out once more after so many seconds."""

    after: float
    why: str


class ModelAnswer(Struct, frozen=True):
    """A finished answer, the last piece.

    Args:
        content: Blocks in order. The `input` of a tool_use is a dict, or whatever the model wrote in its place.
        stop: Why it ended, in the API's words: "end_turn", "tool_use", "max_tokens", …
        usage: What this try used.
        detail: More words about the stop, may be empty.
    """

    content: list[Block]
    stop: str
    usage: TokenUsage
    detail: str = ""


AnswerPiece = UsageSoFar | RetryWait | ModelAnswer


class ModelError(MemtuiError):
    """The model's side gave up. `cause` is one word: "rate", "spend cap", "overloaded", "server", "connection",
    "cut", "auth", "billing", "forbidden", "not found", "too large", "request".
    """

    code = "model"

    def __init__(self, message: str, *, cause: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.cause = cause


class Model(Protocol):
    """A backend."""

    def answer(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Ask, and try again as the backend knows best; the last piece is the `ModelAnswer`.

        Raises:
            Failed: If there is none to be had.
        """
        ...
