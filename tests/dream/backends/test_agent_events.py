"""An agent's events as a dream's: the stage, announced or told by what the model does."""

import pytest

from memtui.agent.events import AgentEvent, ModelTurn, ToolUsed, UsageTotal
from memtui.agent.usage import TokenUsage
from memtui.dream.backends.agent_events import EventAdapter
from memtui.dream.run.events import Event, Phase, Tokens, Turn


def taken(*events: AgentEvent) -> list[Event]:
    dream: list[Event] = []
    adapter = EventAdapter(dream.append)
    for event in events:
        adapter.take(event)
    return dream


def stages(*events: AgentEvent) -> list[str]:
    found = [event.stage for event in taken(*events) if isinstance(event, Phase)]
    return [stage for number, stage in enumerate(found) if found[:number][-1:] != [stage]]


def used(name: str, argument: str, *, ok: bool = True, source: bool = False) -> ToolUsed:
    return ToolUsed(name, argument, ok, "" if ok else "no", source)


def says(text: str, thinking: str = "") -> ModelTurn:
    return ModelTurn(1, text, {}, thinking)


READ, SEARCH = used("Read", "/stage/MEMORY.md"), used("Grep", "DONE in /sessions", source=True)
WRITE, INDEX = used("Edit", "/stage/a.md"), used("Write", "/stage/MEMORY.md")


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([READ, SEARCH, WRITE, INDEX], ["orient", "gather", "consolidate", "prune"]),
        ([SEARCH, READ, INDEX, SEARCH, WRITE, READ, INDEX, WRITE], ["gather", "consolidate", "prune"]),
        ([used("Bash", "ls /sessions", source=True), used("Write", "b.md", ok=False)], ["gather"]),
        ([says("STAGE: orient"), SEARCH, WRITE, says("", "STAGE: gather"), INDEX], ["orient", "gather"]),
        ([READ, SEARCH, says("", "STAGE: consolidate\nSTAGE: prune"), INDEX], ["orient", "gather", "consolidate"]),
        ([says("", "STAGE: gather"), says("", "STAGE: orient"), says("STAGE: orient")], ["gather", "orient"]),
    ],
    ids=["deeds", "deeds never go back", "failed", "announced", "a plan in thinking", "back only in text"],
)  # fmt: skip
def test_stages(events: list[AgentEvent], expected: list[str]) -> None:
    assert stages(*events) == expected


def test_what_is_shown_of_thinking_is_the_text_of_a_turn_that_has_none() -> None:
    turns = taken(says("", "STAGE: orient\nI look."), says("Done.", "hm"))
    assert [turn.text for turn in turns if isinstance(turn, Turn)] == ["I look.", "Done."]


def test_tokens_written_to_the_cache_are_one_count() -> None:
    assert taken(UsageTotal(TokenUsage(1, 2, 3, 4, 5), None)) == [Tokens(1, 2, 3, 9)]
