"""Which sessions count as read: moved by runs that read them and were taken, by no other."""

import os
from collections.abc import Callable

import pytest

from memtui.dream.gates.evaluate import evaluate_gates
from memtui.dream.gates.session_mark import mark_sessions_read, unread_since
from memtui.dream.review.review import adopt_run, discard_run
from memtui.dream.run.run import Emit
from memtui.dream.run.runs import find_run, list_runs
from memtui.dream.run.stage import Stage
from memtui.util.errors import MemtuiError
from tests.dream.scene import HOUR, NOW, Scene, dead_process, edit, put_session, topic
from tests.support import digest_tree

OLD = 48 * HOUR


def change(stage: Stage, emit: Emit) -> None:
    edit(stage, topic(1), "first", "FIRST")


def nothing(stage: Stage, emit: Emit) -> None:
    pass


def fail(stage: Stage, emit: Emit) -> None:
    change(stage, emit)
    raise MemtuiError("no more")


def kill(stage: Stage, emit: Emit) -> None:
    change(stage, emit)
    os.kill(os.getpid(), 15)


def lock_of(scene: Scene) -> tuple[bytes, int] | None:
    return (scene.lock.read_bytes(), scene.lock.stat().st_mtime_ns) if scene.lock.exists() else None


def marks(scene: Scene) -> object:
    return digest_tree(scene.dirs.state / "read")


@pytest.mark.parametrize("lock", [None, b"", b"{dead}"])
@pytest.mark.parametrize("work", [change, nothing, fail, kill])
def test_a_dry_run_leaves_folder_lock_and_mark_whatever_its_end(
    scene: Scene, work: Callable[[Stage, Emit], None], lock: bytes | None
) -> None:
    if lock is not None:
        scene.put_lock(lock.replace(b"{dead}", str(dead_process()).encode()), 30 * HOUR)
    put_session(scene, 1)
    mark_sessions_read(scene.workspace, NOW - OLD, NOW - OLD)
    before = digest_tree(scene.folder), marks(scene)
    shut = [gate.open for gate in evaluate_gates(scene.workspace, scene.dirs, NOW)]
    scene.run(work, dry_run=True)
    scene.run(work, dry_run=True)
    assert (digest_tree(scene.folder), marks(scene)) == before
    assert [gate.open for gate in evaluate_gates(scene.workspace, scene.dirs, NOW)] == shut, "failures included"


@pytest.mark.parametrize(
    ("work", "reads", "moves"),
    [
        (change, True, True), (nothing, True, True), (change, False, False), (nothing, False, False),
        (fail, True, False), (kill, True, False),
    ],
)  # fmt: skip
def test_only_a_run_that_read_sessions_and_succeeded_moves_mark_and_lock(
    scene: Scene, work: Callable[[Stage, Emit], None], reads: bool, moves: bool
) -> None:
    prior = scene.put_lock(str(dead_process()).encode(), OLD)
    scene.run(work, reads_sessions=reads)
    assert unread_since(scene.workspace, NOW) == pytest.approx(NOW if moves else NOW - OLD)
    assert (lock_of(scene) == prior) != moves
    time = next(gate for gate in evaluate_gates(scene.workspace, scene.dirs, NOW) if gate.name == "time")
    assert time.open == (work in (fail, kill)), "a dream without a model is a dream: the next one waits as well"


def test_what_was_said_while_a_dream_worked_is_not_read_yet(scene: Scene) -> None:
    def work(stage: Stage, emit: Emit) -> None:
        scene.now += HOUR / 2
        put_session(scene, 1, age=-HOUR / 4)

    scene.run(work)
    assert scene.lock.stat().st_mtime == pytest.approx(NOW + HOUR / 2)
    sessions = next(gate for gate in evaluate_gates(scene.workspace, scene.dirs, scene.now) if gate.name == "sessions")
    assert sessions.reason == "1 of 5"
    scene.put_lock(b"1", -HOUR)  # Claude Code has dreamt since
    assert unread_since(scene.workspace, NOW + 2 * HOUR) == pytest.approx(NOW + HOUR)
    scene.lock.unlink()
    assert unread_since(scene.workspace, NOW + 2 * HOUR) == NOW, "a lock that was cleared takes no mark along"


def test_a_held_dream_has_read_its_sessions_once_it_is_adopted(scene: Scene) -> None:
    first = scene.run(change, adopt="review").run
    assert unread_since(scene.workspace, NOW) is None
    scene.now += HOUR
    adopt_run(find_run(list_runs(scene.dirs), first), scene.dirs, scene.workspace)
    assert unread_since(scene.workspace, scene.now) == NOW
    assert scene.lock.stat().st_mtime == scene.now
    scene.now += HOUR
    second = scene.run(lambda stage, emit: edit(stage, topic(2), "first", "1st"), adopt="review").run
    discard_run(find_run(list_runs(scene.dirs), second), scene.dirs, scene.workspace)
    assert unread_since(scene.workspace, scene.now) == NOW


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"[" * 100_000, b'{"until": 1}', b'{"until": NaN, "ended": NaN}', b'{"until": 9e99, "ended": 9e99}'],
)
def test_a_mark_that_can_t_be_is_none(scene: Scene, text: bytes) -> None:
    mark_sessions_read(scene.workspace, NOW, NOW)
    next((scene.dirs.state / "read").iterdir()).write_bytes(text)
    assert unread_since(scene.workspace, NOW) is None
    mark_sessions_read(scene.workspace, NOW, NOW)
    assert unread_since(scene.workspace, NOW) == NOW
