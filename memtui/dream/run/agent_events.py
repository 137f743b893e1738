"""What an agent tells, as events of a dream.

A write is told by a look at the stage: which files differ is asked of the disk, never of the model.
"""

from collections.abc import Callable

from memtui.agent import events as agent
from memtui.agent.usage import TokenUsage
from memtui.dream.backends.prompts import stages_in, without_stages
from memtui.dream.run.events import Event, Money, Note, Phase, Retry, Tokens, Turn

_WRITING = ("Edit", "Write")


class EventAdapter:
    """Turns an agent's events into a dream's."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._stage = ""
        self._retries = 0

    def take(self, event: agent.AgentEvent) -> None:
        """Tell one event on."""
        match event:
            case agent.ModelTurn(number=number, text=text, tools=tools):
                for stage in stages_in(text):
                    if stage != self._stage:
                        self._stage = stage
                        self._emit(Phase(stage=stage))
                self._emit(Turn(number, without_stages(text), dict(tools)))
            case agent.ToolUsed(name=name, argument=argument, ok=False, reason=reason):
                if reason.startswith("denied: "):
                    self._emit(Note(f"denied: {name} {argument}: {reason.removeprefix('denied: ')}"))
            case agent.ToolUsed(name=name):
                if name in _WRITING:
                    self._emit(Phase(stage=self._stage))  # makes the run look at the stage
            case agent.ModelRetry(after=after, why=why):
                self._retries += 1
                self._emit(Retry(self._retries, after, why))
            case agent.UsageTotal(usage=usage, money=money):
                self._emit(tokens(usage))
                if money is not None:
                    self._emit(Money(money))
            case agent.AgentNote(text=text):
                self._emit(Note(text))


def tokens(usage: TokenUsage) -> Tokens:
    """A total of tokens as a dream tells it."""
    return Tokens(usage.input, usage.output, usage.cache_read, usage.cache_write)
