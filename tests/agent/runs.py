"""A run of an agent for a test: a scripted server behind the real SDK, a clock and waits that the test owns."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from memtui.agent.anthropic import AnthropicModel, Endpoint
from memtui.agent.events import AgentEvent
from memtui.agent.loop import run_task
from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.task import Budget, Task, TaskResult
from tests.agent.scripted_api import Scripted

KEY = "sk-ant-api03-" + "k3yForTests" * 9


@dataclass
class Ran:
    """How it ended, what it told, how long it waited between tries."""

    end: TaskResult
    events: list[AgentEvent]
    waits: list[float]

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


@dataclass
class Runner:
    """Runs tasks in a world."""

    api: Scripted
    scope: AllowedFolders
    waits: list[float] = field(default_factory=list)

    async def run(
        self,
        prompt: str = "Tidy up.",
        *,
        model: str = "claude-sonnet-5-5",
        system: str = "You keep a memory.",
        budget: Budget | None = None,
        events: list[AgentEvent] | None = None,
        **more: Any,
    ) -> Ran:
        waits: list[float] = []
        told: list[AgentEvent] = [] if events is None else events

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        backend = AnthropicModel(Endpoint(key=KEY, base_url=self.api.url), sleep=sleep, rng=random.Random(7))
        try:
            tools = more.pop("tools", None)
            task = Task(system, prompt, model, budget=budget or Budget(), **({"tools": tools} if tools else {}))
            end = await run_task(task, self.scope, backend, told.append, **more)
        finally:
            await backend.aclose()
        return Ran(end, told, waits)


def ticking(step: float) -> Callable[[], float]:
    """A clock that goes on by `step` seconds each time somebody looks."""
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += step
        return now

    return clock
