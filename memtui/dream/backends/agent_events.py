"""Turns what an agent reports into events of a dream.

A write is reported as a look at the stage: which files differ is read from disk, never taken from the model.

The stage of a dream is what the model announces, in its text or in what it shows of its thinking, where a plan may name
later stages: the first one counts, and only if it is further than the present one. As long as it announces none, the
stage follows from what it does: reading is orient, looking into sessions is gather, the first write is consolidate, and
writing the index after topics is prune.
"""

from collections.abc import Callable
from pathlib import PurePath

from memtui.agent.budget import WRITING_TOOLS
from memtui.agent.events import AgentEvent, AgentNote, ModelRetry, ModelTurn, ToolUsed, UsageTotal
from memtui.dream.backends.names import STAGES
from memtui.dream.backends.prompts import stages_in, without_stages
from memtui.dream.run.events import Event, Money, Note, Phase, Retry, Tokens, Turn, WriteFailed
from memtui.memory.index import INDEX_NAME


class EventAdapter:
    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._stage = ""
        self._announced = self._topic_written = False
        self._retries = 0

    def take(self, event: AgentEvent) -> None:
        match event:
            case ModelTurn(number=number, text=text, tools=tools, thinking=thinking):
                thought, said = stages_in(thinking)[:1], stages_in(text)
                self._announced = self._announced or bool(thought or said)
                self._advance(*thought)
                for stage in said:
                    self._enter(stage)
                self._emit(Turn(number, without_stages(text) or without_stages(thinking), dict(tools)))
            case ToolUsed(name=name, argument=argument, ok=False, reason=reason):
                if name in WRITING_TOOLS:
                    self._emit(WriteFailed(argument, reason))
                if reason.startswith("denied: "):
                    self._emit(Note(f"denied: {name} {argument}: {reason.removeprefix('denied: ')}"))
            case ToolUsed(name=name):
                if not self._announced:
                    self._advance(self._stage_by(event))
                if name in WRITING_TOOLS:
                    self._emit(Phase(stage=self._stage))  # makes the run compare its stage
            case ModelRetry(after=after, why=why):
                self._retries += 1
                self._emit(Retry(self._retries, after, why))
            case UsageTotal(usage=usage, money=money):
                written = usage.cache_write + usage.cache_write_1h
                self._emit(Tokens(usage.input, usage.output, usage.cache_read, written))
                if money is not None:
                    self._emit(Money(money))
            case AgentNote(text=text):
                self._emit(Note(text))

    def _enter(self, stage: str) -> None:
        if stage != self._stage:
            self._stage = stage
            self._emit(Phase(stage=stage))

    def _advance(self, *stages: str) -> None:
        """Enter a stage, unless the present one is as far."""
        for stage in stages:
            if not self._stage or STAGES.index(stage) > STAGES.index(self._stage):
                self._enter(stage)

    def _stage_by(self, used: ToolUsed) -> str:
        if used.name not in WRITING_TOOLS:
            return "gather" if used.source else "orient"
        if PurePath(used.argument).name == INDEX_NAME and self._topic_written:
            return "prune"
        self._topic_written = self._topic_written or PurePath(used.argument).name != INDEX_NAME
        return "consolidate"
