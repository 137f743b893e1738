"""Stops a run of the agent client that leads nowhere or has used up its tokens, as our own loop does with its own.

The client itself keeps to turns and money; what it prints says the rest.

Source: SAFETY.md F48, F49.
"""

from memtui.agent.answers import Call
from memtui.agent.events import shown_line
from memtui.agent.progress import IDLE, SAME, Progress
from memtui.agent.task import Budget
from memtui.agent.tools.box import telling
from memtui.agent.tools.outcome import Outcome
from memtui.agent.usage import Usage
from memtui.base.errors import MemtuiError
from memtui.base.files import digest
from memtui.base.text import size
from memtui.dream.run import OverBudget

_WRITING = ("Edit", "Write")


class Guard:
    """Watches one run.

    Args:
        budget: The limits; those of turns, money and time are kept by others.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._progress = Progress()

    def called(self, id: str, name: str, given: object) -> None:
        """The model wants a tool.

        Raises:
            MemtuiError: If it wanted just that too often.
        """
        if self._progress.repeats(Call(id, name, given)):
            raise MemtuiError(f"the same call {SAME} times: {shown_line(f'{name} {telling(name, given)}')}")

    def answered(self, name: str, text: str, *, ok: bool) -> None:
        """A tool came to that."""
        fresh = digest(f"{name} {text}".encode("utf-8", "surrogatepass")) if ok else ""
        self._progress.saw(Outcome(text, ok, fresh=fresh, wrote=ok and name in _WRITING))

    def turn_over(self) -> None:
        """All results of an answer are in.

        Raises:
            MemtuiError: If nothing new came of too many answers in a row.
        """
        self._progress.turn_over()
        if self._progress.idle >= IDLE:
            raise MemtuiError(f"{IDLE} turns in a row read and wrote nothing new")

    def spent(self, usage: Usage) -> None:
        """So many tokens were used so far.

        Raises:
            OverBudget: If that is too many.
        """
        for used, most, what in (
            (usage.prompt, self._budget.input_tokens, "input"),
            (usage.output, self._budget.output_tokens, "output"),
        ):
            if most is not None and used > most:
                raise OverBudget(f"{size(most)} {what} tokens are used up")
