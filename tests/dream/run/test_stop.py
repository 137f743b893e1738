"""Every way out of a run, at every moment, over every lock."""

import os
import signal
import subprocess
import sys
from itertools import count

import pytest
from msgspec.structs import replace

from memtui.dream.gates.evaluate import evaluate_gates
from memtui.dream.review.adoption import adopt_stage
from memtui.dream.run import stop as killing
from memtui.dream.run.recovery import recover
from memtui.dream.run.runs import Run, list_runs, run_state, write_run
from memtui.dream.run.stage import has_stage, open_stage
from memtui.dream.run.stop import stop_run
from memtui.util.errors import Conflict, Refused
from memtui.util.process import ProcessIdentity, identify_process, is_alive
from tests.dream.child import MOMENTS, Child, full_disk
from tests.dream.scene import HOUR, NOW, Scene, contents, dead_process, relisted, topic
from tests.support import digest_tree

WAYS = ("memtui kill", "SIGTERM", "SIGHUP", "SIGKILL", "time-out", "failure")
LOCKS = {"absent": None, "old": 30 * HOUR, "fresh": 60.0}


@pytest.fixture(scope="module")
def dead() -> int:
    return dead_process()


def adopted(before: dict[str, bytes]) -> dict[str, bytes]:
    """What the whole adoption of `Child`'s changes makes of a folder."""
    after = before | {topic(1): before[topic(1)].replace(b"first", b"FIRST"), "new.md": b"new\n"}
    after["MEMORY.md"] = relisted(before["MEMORY.md"].decode(), drop=topic(2), add="new.md").encode()
    del after[topic(2)]
    return after


def end_it(scene: Scene, way: str, moment: str) -> int:
    """Let a run come to its moment and end it in that way; its exit code."""
    fails = full_disk if way == "failure" else lambda: None
    child = Child(scene, moment, then=fails)
    if way == "memtui kill":
        stopping = stop_run(list_runs(scene.dirs)[0], scene.dirs, scene.workspace, pause=child.let_go, grace=60)
        assert stopping.by == "SIGTERM"
    elif way != "failure":
        os.kill(child.pid, signal.Signals[way] if way != "time-out" else signal.SIGALRM)  # as the timer does
    if way != "SIGKILL":
        # During an adoption a signal waits until that is done. Elsewhere it is there before the pipe is closed: one
        # that came just before the child began to read would not wake it.
        child.let_go()
    return child.wait()


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_out(scene: Scene, dead: int, way: str, lock: str, moment: str) -> None:
    age = LOCKS[lock]
    prior = None if age is None else scene.put_lock(str(dead).encode(), age)
    before, tree = contents(scene.folder), digest_tree(scene.folder)
    code = end_it(scene, way, moment)
    assert code == (-9 if way == "SIGKILL" else code) and code != 70
    if way == "SIGKILL":
        assert scene.lock.exists()
        ended = recover(scene.dirs, scene.workspace, NOW)
        assert len(ended) == 1
    run = list_runs(scene.dirs)[0]
    end = run_state(run).end
    assert end is not None and end.reason
    whole = moment == "adopting" and way != "failure"
    assert end.how == ("done" if whole else {"time-out": "over-budget", "failure": "failed"}.get(way, "killed"))
    if whole:
        assert contents(scene.folder) == adopted(before)
    elif moment == "adopting":  # some files were replaced and put back; that makes new times for the folder only
        assert {k: v for k, v in digest_tree(scene.folder).items() if v[0] != "dir"} == {
            k: v for k, v in tree.items() if v[0] != "dir"
        }
    else:
        assert digest_tree(scene.folder) == tree, "every byte and every time, the folder's own included"
    assert [path.name for path in scene.folder.iterdir() if path.name.endswith(".tmp")] == []
    if whole and way != "SIGKILL":
        assert scene.lock.stat().st_mtime_ns == int(NOW * 1e9)
    elif prior is None:
        assert not scene.lock.exists()
    else:
        assert (scene.lock.read_bytes(), scene.lock.stat().st_mtime_ns) == prior
    closed = {gate.name for gate in evaluate_gates(scene.workspace, scene.dirs, NOW) if not gate.open}
    again = "time" in closed
    assert "lock" not in closed and again == (lock == "fresh" or whole)
    if whole:
        scene.workspace.undo_order().undo()
        assert contents(scene.folder) == before, "undo brings every byte back"
    elif moment != "before":
        assert end.drafted >= 1 and has_stage(scene.dirs, run.id)
        adopt_stage(open_stage(scene.dirs, run.id), scene.workspace, [topic(1)])
        assert b"FIRST" in (scene.folder / topic(1)).read_bytes(), "what it drafted can still be had"
    else:
        assert not has_stage(scene.dirs, run.id)


def test_a_run_that_doesn_t_listen_is_killed(scene: Scene) -> None:
    before = digest_tree(scene.folder)
    child = Child(scene, "mid", deaf=True)
    ticks = count()  # SIGTERM's time runs out; SIGKILL's doesn't, however busy the machine is
    clock = lambda: min(float(next(ticks)), 11.0)  # noqa: E731
    stopping = stop_run(list_runs(scene.dirs)[0], scene.dirs, scene.workspace, clock=clock)
    assert stopping.by == "SIGKILL" and stopping.end.signal == signal.SIGKILL
    assert child.wait() == -9
    assert digest_tree(scene.folder) == before
    assert stopping.end.how == "killed" and stopping.end.lock == "removed again: there was none before"
    with pytest.raises(Conflict, match="has ended already"):
        stop_run(list_runs(scene.dirs)[0], scene.dirs, scene.workspace)


def test_killing_a_run_that_died_puts_back_what_it_held(scene: Scene) -> None:
    before = digest_tree(scene.folder)
    child = Child(scene, "mid")
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    stopping = stop_run(list_runs(scene.dirs)[0], scene.dirs, scene.workspace)
    assert stopping.by == "" and stopping.end.how == "killed"
    assert digest_tree(scene.folder) == before


def as_if_by(scene: Scene, process: ProcessIdentity) -> Run:
    """A run that a process seems to be at."""
    scene.run(lambda stage, emit: None)
    run = replace(list_runs(scene.dirs)[0], process=process)
    write_run(run)
    run.events.unlink()
    return run


def test_another_process_of_the_same_number_is_never_signalled(scene: Scene) -> None:
    bystander = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    try:
        real = identify_process(bystander.pid)
        for other in (replace(real, started=(real.started or 0) - 60), replace(real, boot="another run")):
            stopping = stop_run(as_if_by(scene, other), scene.dirs, scene.workspace)
            assert stopping.by == ""
        with pytest.raises(Refused, match="may not be the dream's"):
            stop_run(as_if_by(scene, ProcessIdentity(bystander.pid)), scene.dirs, scene.workspace)
        with pytest.raises(Refused, match="may not be the dream's"):
            stop_run(as_if_by(scene, identify_process(os.getpid())), scene.dirs, scene.workspace)
        assert is_alive(real)
    finally:
        bystander.communicate()
    assert bystander.returncode != -signal.SIGTERM


def test_a_number_that_changes_hands_between_the_looks_is_not_signalled(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    bystander = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    try:
        run = as_if_by(scene, identify_process(bystander.pid))
        answers = iter([True, True, False])  # of `run_state`, of the first look, of the look through the handle
        monkeypatch.setattr(killing, "is_alive", lambda process: next(answers, False))
        next(answers)
        assert stop_run(run, scene.dirs, scene.workspace).by == "SIGTERM"
        assert bystander.poll() is None
    finally:
        bystander.communicate()


def test_a_signal_before_the_work_begins_ends_it(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_tree(scene.folder)
    from memtui.dream.lock.lock import DreamLock

    real = DreamLock.take

    def take(self: DreamLock) -> None:
        real(self)
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(DreamLock, "take", take)
    end = scene.run(lambda stage, emit: pytest.fail("it worked"))
    assert (end.how, end.signal) == ("killed", signal.SIGTERM)
    assert digest_tree(scene.folder) == before


def test_a_second_signal_doesn_t_disturb_the_clearing_up(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_tree(scene.folder)
    from memtui.dream.lock.lock import DreamLock

    real = DreamLock.roll_back

    def roll_back(self: DreamLock) -> object:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGHUP)
        return real(self)

    monkeypatch.setattr(DreamLock, "roll_back", roll_back)
    end = scene.run(lambda stage, emit: os.kill(os.getpid(), signal.SIGTERM))
    assert (end.how, end.signal) == ("killed", signal.SIGTERM)
    assert digest_tree(scene.folder) == before
