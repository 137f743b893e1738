"""Dreams that fail in a row wait longer and longer; everything is read from the runs themselves."""

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.dream.gates.base import Gate
from memtui.dream.gates.evaluate import FIRST_BACKOFF_S, MAX_BACKOFF_S, backoff_s, evaluate_gates, failures_in_a_row
from memtui.dream.run.run import Emit, OverBudget
from memtui.dream.run.runs import list_runs
from memtui.dream.run.stage import Stage
from memtui.util.errors import MemtuiError
from tests.dream.scene import HOUR, NOW, Scene, edit, put_session, topic


def fail(stage: Stage, emit: Emit) -> None:
    raise MemtuiError("no more")


def spend(stage: Stage, emit: Emit) -> None:
    raise OverBudget("30 turns are used up")


def kill(stage: Stage, emit: Emit) -> None:
    signal.raise_signal(signal.SIGTERM)


def change(stage: Stage, emit: Emit) -> None:
    edit(stage, topic(1), "first", "FIRST_BACKOFF_S")


def gate(scene: Scene) -> Gate:
    return next(one for one in evaluate_gates(scene.workspace, scene.dirs, scene.now) if one.name == "failures")


def test_the_first_failure_costs_nothing_the_next_ones_double(scene: Scene) -> None:
    assert gate(scene).open
    scene.run(fail)
    assert gate(scene).open and gate(scene).reason == "the last one failed just now: no more"
    scene.now += 60
    scene.run(spend)
    shut = gate(scene)
    assert not shut.open and shut.opens_at == NOW + 60 + FIRST_BACKOFF_S
    assert shut.reason == "2 dreams failed in a row, the last just now: 30 turns are used up"
    scene.now += FIRST_BACKOFF_S - 1
    assert not gate(scene).open
    scene.now += 1
    assert gate(scene).open
    scene.run(fail)
    assert gate(scene).opens_at == scene.now + 2 * FIRST_BACKOFF_S


@pytest.mark.parametrize(("work", "how"), [(change, "done"), (lambda stage, emit: None, "nothing")])
def test_one_that_goes_well_ends_the_row(scene: Scene, work: object, how: str) -> None:
    for _ in range(3):
        scene.run(fail)
    scene.now += HOUR
    assert scene.run(work).how == how  # type: ignore[arg-type]
    assert failures_in_a_row(list_runs(scene.dirs)) == () and gate(scene).open


def test_one_that_was_killed_says_nothing(scene: Scene) -> None:
    scene.run(kill)
    scene.run(kill)
    assert gate(scene).reason == "none failed"
    scene.run(fail)
    scene.run(kill)
    scene.run(fail)
    assert len(failures_in_a_row(list_runs(scene.dirs))) == 2 and not gate(scene).open


def test_only_force_skips_it(scene: Scene) -> None:
    for number in range(5):
        put_session(scene, number)
    scene.run(fail)
    scene.run(fail)
    end = scene.run(change, force=False)
    assert end.how == "gate" and end.reason.startswith("failures: 2 dreams failed in a row")
    assert scene.run(change, force=True).how == "done"


def test_a_clock_set_back_asks_for_no_endless_wait(scene: Scene) -> None:
    scene.run(fail)
    scene.run(fail)
    scene.now -= 365 * 24 * HOUR
    assert gate(scene).opens_at == scene.now + FIRST_BACKOFF_S


@given(st.integers(0, 10_000))
def test_the_wait_grows_and_has_an_end(count: int) -> None:
    assert backoff_s(count) <= backoff_s(count + 1) <= MAX_BACKOFF_S
    assert backoff_s(6) == 16 * FIRST_BACKOFF_S and backoff_s(7) == MAX_BACKOFF_S
