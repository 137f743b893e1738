"""What an agent is asked to do, what it may use up, and how it ended."""

from typing import Literal

from msgspec import Struct, field

from memtui.agent.usage import TokenUsage

EndReason = Literal["done", "over budget", "failed", "refused", "killed"]

TOOLS = ("Read", "Grep", "Glob", "Bash", "Edit", "Write")
"""Every tool there is."""


class Budget(Struct, frozen=True):
    """Limits of one run, checked before each turn; `None` is no limit. At most one call goes over.

    Args:
        turns: Answers of the model.
        wall: Seconds from start to end, waiting included; below the hour after which a run's lock expires.
        input_tokens: Tokens sent in all turns, cached ones included.
        output_tokens: Tokens answered in all turns.
        money: US dollars. Without a known price it can't be kept; the run says so.
        max_output: Tokens of one answer.
    """

    turns: int = 30
    wall: float = 45 * 60.0
    input_tokens: int | None = 4_000_000
    output_tokens: int | None = 200_000
    money: float | None = None
    max_output: int = 16_000


class Task(Struct, frozen=True):
    """One run: system prompt, prompt, model, tools and limits."""

    system: str
    prompt: str
    model: str
    tools: tuple[str, ...] = TOOLS
    budget: Budget = field(default_factory=Budget)


class TaskResult(Struct, frozen=True):
    """How a run ended.

    Args:
        why: "done" is the only good end.
        cause: The same in more detail, one word for programs: "answered"; "turns", "wall", "input", "output", "money",
            "context"; "repeats", "no_progress", "stop_reason", "empty", "block"; "refusal"; "stopped"; or what the
            model's side reported (`ModelError.cause`).
        words: A sentence for people without a full stop; for "done" the last text of the model.
        hint: What to do about it, may be empty.
        usage: All tokens used, including failed calls.
        money: Dollars, `None` if the model's price is unknown.
    """

    why: EndReason
    cause: str
    words: str
    usage: TokenUsage
    money: float | None
    turns: int
    hint: str = ""
