"""Runs that end from outside: no time left, a stop, a cancellation. Files are whole, and nothing holds the end up."""

import asyncio
import threading
import types
from functools import partial
from typing import Any

import pytest

from memtui.agent.events import ModelTurn
from memtui.agent.task import Budget
from tests.agent.runs import Runner, ticking
from tests.agent.scripted_api import Reply, answer, call, text
from tests.support import digest_tree


async def test_time_is_over_between_turns(runner: Runner) -> None:
    runner.api.says(*(answer(call("Read", file_path="a.md", offset=1, limit=n)) for n in range(1, 9)))
    ran = await runner.run(budget=Budget(wall=600), clock=ticking(20))
    assert (ran.end.why, ran.end.cause, ran.end.words) == ("over budget", "wall", "10 min are over")


async def test_time_is_over_while_a_stream_drips(runner: Runner) -> None:
    drip = answer(text("a" * 50), *(text("word") for _ in range(40)))
    runner.api.says(drip)
    ran = await runner.run(budget=Budget(wall=1000), clock=ticking(30))
    assert (ran.end.cause, ran.end.turns) == ("wall", 0)
    assert ran.end.usage.input == 100, "a call that was broken off is counted"


async def test_time_is_over_while_nothing_comes(runner: Runner) -> None:
    runner.api.says(Reply(answer(text("x")).events, cut=2, hangs=True))
    ran = await runner.run(budget=Budget(wall=0.1))
    assert (ran.end.why, ran.end.cause, ran.end.words) == ("over budget", "wall", "0.1 s are over")


async def test_a_stop_ends_it_at_once(runner: Runner) -> None:
    write = call("Write", file_path="n.md", content="x\n" * 500)
    whole = answer(write)
    runner.api.says(answer(call("Read", file_path="a.md")), Reply(whole.events, cut=len(whole.events) - 2, hangs=True))
    before = digest_tree(runner.scope.root)
    stop = asyncio.Event()
    work = asyncio.create_task(runner.run(stop=stop))
    await asyncio.get_running_loop().run_in_executor(None, runner.api.hanging.wait)
    stop.set()
    ran = await work
    assert (ran.end.why, ran.end.cause, ran.end.turns) == ("killed", "stopped", 1)
    assert ran.end.usage.input == 200
    assert digest_tree(runner.scope.root) == before


async def test_an_end_at_any_await_leaves_files_whole(runner: Runner) -> None:
    root, loop = runner.scope.root, asyncio.get_running_loop()
    old, new = "x a b type\n", "y a b type\n"
    replies = [
        answer(call("Read", file_path="a.md"), call("Grep", pattern="type"), call("Bash", command="cat a.md")),
        answer(call("Edit", file_path="a.md", old_string="x", new_string="y"), call("Glob", pattern="*.md")),
        answer(text("ok")),
    ]
    seen: list[str] = []
    step, done = 0, False
    while not done:
        step += 1
        (root / "a.md").write_text(old)
        runner.api.says(*replies)
        loop.set_task_factory(partial(_broken_off, step))
        done = (await runner.run()).end.why == "done"
        seen.append((root / "a.md").read_text())
        assert not [name for name in root.iterdir() if "memtui-" in name.name]
    loop.set_task_factory(None)
    assert set(seen) == {old, new} and len(seen) > 10


def _broken_off(step: int, loop: asyncio.AbstractEventLoop, coro: Any, **more: Any) -> asyncio.Task[Any]:
    """A task; if it is the run's own, it is cancelled at its n-th await."""
    if coro.__qualname__.endswith(".go"):
        coro = _until(step, coro)
    return asyncio.Task(coro, loop=loop, **more)


async def _until(step: int, coro: Any) -> Any:
    return await _steps(step, coro)


@types.coroutine
def _steps(step: int, coro: Any) -> Any:
    value, fault = None, None
    while True:
        try:
            future = coro.send(value) if fault is None else coro.throw(fault)
        except StopIteration as stop:
            return stop.value
        value, fault, step = None, None, step - 1
        if step == 0 and (task := asyncio.current_task()) is not None:
            task.cancel()
        try:
            value = yield future
        except (Exception, asyncio.CancelledError) as raised:  # noqa: BLE001 - handed on
            fault = raised


async def test_a_cancellation_is_passed_on(runner: Runner) -> None:
    runner.api.says(Reply(answer(text("x")).events, cut=2, hangs=True))
    work = asyncio.create_task(runner.run())
    await asyncio.get_running_loop().run_in_executor(None, runner.api.hanging.wait)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work


async def test_a_bash_line_holds_up_no_stop(runner: Runner) -> None:
    (runner.scope.root / "slow.md").write_text("a\n" * 200_000)
    line = "sort slow.md | sort | sort | sort | sort -r | sort | sort -r | sort"
    runner.api.says(answer(call("Bash", command=line)))
    events: list[Any] = []
    stop = asyncio.Event()
    work = asyncio.create_task(runner.run(stop=stop, events=events))
    while not any(isinstance(event, ModelTurn) for event in events):
        await asyncio.sleep(0)
    stop.set()
    ran = await work
    assert ran.end.why == "killed"
    assert not [thread for thread in threading.enumerate() if thread.name == "memtui-tool" and not thread.daemon]
