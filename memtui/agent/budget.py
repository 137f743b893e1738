"""What a run may still use, and whether it makes progress.

Usage is counted after each call of the model and estimated before the next. An answer can't exceed what is left,
because the next request asks for no more; its input can only be estimated, so at worst one call's input goes over.
"""

from collections import Counter

from msgspec import Struct

from memtui.agent.conversation import ToolCall
from memtui.agent.events import safe_line
from memtui.agent.task import Budget
from memtui.agent.tools.outcome import ToolResult
from memtui.agent.tools.toolbox import call_argument
from memtui.agent.usage import Price, TokenUsage
from memtui.util.text import size

MAX_SAME_CALLS = 3  # a run that makes the same call so often is stopped
MAX_IDLE_TURNS = 6  # a run with so many turns in a row that read and wrote nothing new is stopped
MIN_ANSWER_TOKENS = 512  # with fewer left, no answer is asked for
WRITING_TOOLS = ("Edit", "Write")
_CHARS_PER_TOKEN = 3  # at least, in memory files and transcripts


class ProgressGuard:
    """Watches the calls of one run. After a write, reading the same again is no repetition; writing it again is."""

    def __init__(self) -> None:
        self._reads: Counter[str] = Counter()
        self._writes: Counter[str] = Counter()
        self._fresh: set[str] = set()
        self._moved = False
        self.idle = 0  # turns in a row without anything new

    def repeated(self, call: ToolCall) -> str:
        """Count a call; returns the reason to stop if it was made too often, else ""."""
        counts = self._writes if call.name in WRITING_TOOLS else self._reads
        counts[call.key] += 1
        if counts[call.key] < MAX_SAME_CALLS:
            return ""
        words = safe_line(f"{call.name} {call_argument(call.name, call.given)}")
        return f"the same call {MAX_SAME_CALLS} times: {words}"

    def note_result(self, outcome: ToolResult) -> None:
        if outcome.wrote:
            self._reads.clear()
            self._moved = True
        if outcome.fresh and outcome.fresh not in self._fresh:
            self._fresh.add(outcome.fresh)
            self._moved = True

    def turn_over(self) -> None:
        self.idle = 0 if self._moved else self.idle + 1
        self._moved = False

    def stuck(self) -> str:
        """The reason to stop if too many turns in a row brought nothing new, else ""."""
        return f"{MAX_IDLE_TURNS} turns in a row read and wrote nothing new" if self.idle >= MAX_IDLE_TURNS else ""


class Limit(Struct, frozen=True):
    """Why there is no next call of the model: one word for programs, a sentence for people."""

    cause: str
    words: str


class Spending:
    """Counts what a run uses; `price` is the model's, `None` if unknown."""

    def __init__(self, budget: Budget, price: Price | None) -> None:
        self._budget = budget
        self._price = price
        self._usage = TokenUsage()
        self._money = 0.0
        self._open = TokenUsage()
        self._last = TokenUsage()

    @property
    def usage(self) -> TokenUsage:
        """Everything so far, including calls under way and failed ones."""
        return self._usage + self._open

    @property
    def money(self) -> float | None:
        """The dollars for it, `None` if the price is unknown."""
        return None if self._price is None else self._money + self._price.cost(self._open)

    def under_way(self, usage: TokenUsage) -> None:
        """Note what the present call has used as far as it is known."""
        self._open = usage

    def settle(self, answered: TokenUsage | None = None) -> None:
        """End the present call; `answered` is what it used, if it was answered."""
        if answered is not None:
            self._open = self._last = answered
        self._usage, self._money = self.usage, self.money or 0.0
        self._open = TokenUsage()

    def next_answer_tokens(self, unsent: int) -> int | Limit:
        """How many tokens the next answer may have, if the next request holds so many characters not sent before."""
        budget, room = self._budget, self._budget.max_output
        known, new = self._last.prompt + self._last.output, unsent // _CHARS_PER_TOKEN
        if budget.input_tokens is not None and self._usage.prompt + known + new > budget.input_tokens:
            return Limit("input", f"the next turn would go over {size(budget.input_tokens)} input tokens")
        if budget.output_tokens is not None:
            room = min(room, budget.output_tokens - self._usage.output)
            if room < min(MIN_ANSWER_TOKENS, budget.max_output):
                return Limit("output", f"{size(budget.output_tokens)} output tokens are used up")
        if budget.money is not None and self._price is not None:
            room = min(room, self._affordable(budget.money, self._price, known, new))
            if room < min(MIN_ANSWER_TOKENS, budget.max_output):
                return Limit("money", f"the next turn would go over ${budget.money:.2f}")
        return room

    def _affordable(self, money: float, price: Price, known: int, new: int) -> int:
        """Output tokens that the remaining money pays for, once the input is paid."""
        cached = bool(self._last.cache_read or self._last.cache_write)
        sent = TokenUsage(cache_read=known, cache_write=new) if cached else TokenUsage(input=known, cache_write=new)
        rates = price.longer if price.longer is not None and sent.prompt > price.long else price
        return int((money - self._money - rates.cost(sent)) * 1e6 / rates.output)
