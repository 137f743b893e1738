"""What an agent is asked to do, what it may use up, and how it ended."""

from typing import Literal

from msgspec import Struct, field

from memtui.agent.usage import TokenUsage

EndReason = Literal["done", "over budget", "failed", "refused", "killed"]

TOOLS = ("Read", "Grep", "Glob", "Bash", "Edit", "Write")


class Budget(Struct, frozen=True):
    """Limits of one run, checked before each turn: at most one call goes over. `None` is no limit."""

    turns: int = 30  # answers of the model
    wall: float = 45 * 60.0  # seconds, waiting included; below the hour after which a run's lock expires
    input_tokens: int | None = 4_000_000  # cached ones too
    output_tokens: int | None = 200_000
    money: float | None = None  # US dollars; without a known price it can't be kept, and the run says so
    max_output: int = 64_000  # tokens of one answer, thinking included


class Task(Struct, frozen=True):
    system: str
    prompt: str
    model: str
    tools: tuple[str, ...] = TOOLS
    budget: Budget = field(default_factory=Budget)


class TaskResult(Struct, frozen=True):
    """How a run ended; "done" is the only good end.

    `cause` is one word for programs: "answered"; "turns", "wall", "input", "output", "money", "context"; "repeats",
    "no_progress", "stop_reason", "empty", "block"; "refusal"; "stopped"; or `ModelError.cause`.
    """

    why: EndReason
    cause: str
    words: str  # for people; for "done" the last text of the model
    usage: TokenUsage  # with failed calls
    money: float | None  # US dollars, `None` if the model's price is unknown
    turns: int
    hint: str = ""
