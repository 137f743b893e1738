"""Turns what an agent reports into events of a dream.

A write is reported as a look at the stage: which files differ is read from disk, never taken from the model.
"""

from collections.abc import Callable

from memtui.agent.budget import WRITING_TOOLS
from memtui.agent.events import AgentEvent, AgentNote, ModelRetry, ModelTurn, ToolUsed, UsageTotal
from memtui.dream.backends.prompts import stages_in, without_stages
from memtui.dream.run.events import Event, Money, Note, Phase, Retry, Tokens, Turn, WriteFailed


class EventAdapter:
    """Passes an agent's events on to `emit` as a dream's."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._stage = ""
        self._retries = 0

    def take(self, event: AgentEvent) -> None:
        match event:
            case ModelTurn(number=number, text=text, tools=tools):
                for stage in stages_in(text):
                    if stage != self._stage:
                        self._stage = stage
                        self._emit(Phase(stage=stage))
                self._emit(Turn(number, without_stages(text), dict(tools)))
            case ToolUsed(name=name, argument=argument, ok=False, reason=reason):
                if name in WRITING_TOOLS:
                    self._emit(WriteFailed(argument, reason))
                if reason.startswith("denied: "):
                    self._emit(Note(f"denied: {name} {argument}: {reason.removeprefix('denied: ')}"))
            case ToolUsed(name=name):
                if name in WRITING_TOOLS:
                    self._emit(Phase(stage=self._stage))  # makes the run compare its stage
            case ModelRetry(after=after, why=why):
                self._retries += 1
                self._emit(Retry(self._retries, after, why))
            case UsageTotal(usage=usage, money=money):
                self._emit(Tokens(usage.input, usage.output, usage.cache_read, usage.cache_write))
                if money is not None:
                    self._emit(Money(money))
            case AgentNote(text=text):
                self._emit(Note(text))
