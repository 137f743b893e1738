"""What an agent is asked to do, what it may use up, and how it ended."""

from typing import Literal

from msgspec import Struct, field

from memtui.agent.usage import TokenUsage

EndReason = Literal["done", "over budget", "failed", "refused", "killed"]

TOOLS = ("Read", "Grep", "Glob", "Bash", "Edit", "Write")
"""Every tool there is."""


class Budget(Struct, frozen=True):
    """Limits of one run, checked before each turn; `None` is no limit.

    Args:
        turns: Answers of the model.
        wall: Seconds from the start to the end, waiting included.
        input_tokens: Tokens sent in all turns together, those from the cache included.
        output_tokens: Tokens answered in all turns together.
        money: US dollars. Can't be held for a model without a known price; the run says so.
        max_output: Tokens of one answer.

    Source: SAFETY.md F21, F49.
    """

    turns: int = 30
    wall: float = 45 * 60.0
    input_tokens: int | None = 4_000_000
    output_tokens: int | None = 200_000
    money: float | None = None
    max_output: int = 16_000


class Task(Struct, frozen=True):
    """One run: who the agent is (`system`), what it shall do (`prompt`), which model, tools and limits it has."""

    system: str
    prompt: str
    model: str
    tools: tuple[str, ...] = TOOLS
    budget: Budget = field(default_factory=Budget)


class TaskResult(Struct, frozen=True):
    """How a run ended.

    Args:
        why: "done" is the only good end.
        cause: The same more exactly, one word for programs: "answered"; "turns", "wall", "input", "output", "money",
            "context"; "repeats", "no_progress", "stop_reason", "empty", "block"; "refusal"; "stopped"; or what the
            model's side reported (`model.Failed`).
        words: A sentence for people without a full stop; for "done" the last thing that the model said.
        hint: What to do about it, may be empty.
        usage: Everything used, calls that failed included.
        money: Dollars, `None` if the model's price isn't known.
        turns: Answers that were taken.
    """

    why: EndReason
    cause: str
    words: str
    usage: TokenUsage
    money: float | None
    turns: int
    hint: str = ""
