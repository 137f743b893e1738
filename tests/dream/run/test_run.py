"""A run from its gates to its end, with scripted work."""

import asyncio
import os
import signal
import threading
from pathlib import Path

import pytest

from memtui.dream.gates.evaluate import evaluate_gates
from memtui.dream.run import events
from memtui.dream.run.events import Ended, Event, File, GateClosed, Held, Note, Phase, Turn
from memtui.dream.run.recovery import recover
from memtui.dream.run.run import Emit, OverBudget
from memtui.dream.run.runs import (
    events_of,
    find_run,
    list_runs,
    refusals,
    reserve_run,
    run_awaiting_review,
    run_progress,
    run_state,
)
from memtui.dream.run.stage import Stage, has_stage
from memtui.memory.workspace import Workspace
from memtui.util.errors import MemtuiError, Refused
from memtui.util.process import current_process, identify_process
from tests.dream.scene import HOUR, NOW, Scene, contents, dead_process, edit, remove, topic
from tests.support import digest_tree


def touch(stage: Stage, emit: Emit) -> None:
    emit(Turn(1, "reading", {"Read": 2}))
    edit(stage, topic(1), "first", "FIRST")
    emit(Turn(2, "writing", {"Edit": 1}))
    remove(stage, topic(2))


def told(scene: Scene) -> list[Event]:
    return list(events_of(list_runs(scene.dirs)[0]))


def test_a_whole_run_is_adopted_and_told(scene: Scene) -> None:
    heard: list[Event] = []
    scene.put_lock(str(dead_process()).encode(), 30 * HOUR)
    end = scene.run(touch, backend="scripted", why="a test", trigger="schedule", on_event=heard.append)
    assert (end.how, end.adopted) == ("done", ("MEMORY.md", topic(1), topic(2)))
    assert "FIRST" in scene.text(topic(1)) and not (scene.folder / topic(2)).exists()
    assert scene.lock.stat().st_mtime_ns == int(NOW * 1e9)
    found = told(scene)
    assert found == heard
    assert [type(one).__name__ for one in found] == [
        "Started", "Phase", "Turn", "Turn", "Phase", "File", "File", "File", "Ended",
    ]  # fmt: skip
    assert [one.name for one in found if isinstance(one, Phase)] == ["starting", "updating"]
    run = list_runs(scene.dirs)[0]
    assert (run.backend, run.why, run.trigger, run.mode) == ("scripted", "a test", "schedule", "reflect")
    assert run.process == current_process() and [gate.name for gate in run.gates][-2:] == ["lock", "folder"]
    now = run_progress(found)
    assert (now.turns, now.tools, now.phase) == (2, {"Read": 2, "Edit": 1}, "updating")
    kinds = {"MEMORY.md": "changed", topic(1): "changed", topic(2): "removed"}
    assert {file.name: file.kind for file in now.files.values()} == kinds
    assert isinstance(found[-1], Ended) and found[-1].version == end.version
    assert not has_stage(scene.dirs, end.run)
    assert run_state(run).word == "ended"


def test_async_work_is_awaited(scene: Scene) -> None:
    async def work(stage: Stage, emit: Emit) -> None:
        await asyncio.sleep(0)
        touch(stage, emit)

    assert scene.run(work).how == "done"


def test_nothing_to_do_counts_as_a_success(scene: Scene) -> None:
    before = contents(scene.folder)
    end = scene.run(lambda stage, emit: None)
    assert (end.how, end.reason) == ("nothing", "nothing to do")
    assert scene.lock.stat().st_mtime_ns == int(NOW * 1e9)
    assert contents(scene.folder) == before and not has_stage(scene.dirs, end.run)


def test_a_change_that_was_taken_back_is_told_as_the_same(scene: Scene) -> None:
    def work(stage: Stage, emit: Emit) -> None:
        edit(stage, topic(1), "first", "FIRST!")
        emit(Turn(1))
        edit(stage, topic(1), "FIRST!", "first")
        emit(Turn(2))

    assert scene.run(work).how == "nothing"
    assert [one.kind for one in told(scene) if isinstance(one, File)] == ["changed", "same"]
    assert run_progress(told(scene)).files == {}


def gut(stage: Stage, emit: Emit) -> None:
    for number in range(23):
        remove(stage, topic(number))


def test_a_run_that_deletes_23_of_40_files_is_held(scene: Scene) -> None:
    scene.put_lock(b"", 30 * HOUR)
    before = digest_tree(scene.folder)
    end = scene.run(gut)
    assert end.how == "held" and "MEMORY.md loses 56% of its terms, 23 of 41" in end.reason
    assert digest_tree(scene.folder) == before
    assert has_stage(scene.dirs, end.run)
    assert [one.rule for one in told(scene) if isinstance(one, Held)] == ["lost"]
    assert run_progress(told(scene)).end == told(scene)[-1]
    held = run_awaiting_review(list_runs(scene.dirs), scene.dirs)
    assert held is not None and held.id == end.run
    gate = next(gate for gate in evaluate_gates(scene.workspace, scene.dirs, NOW) if gate.name == "review")
    assert not gate.open and end.run in gate.reason


def test_a_dry_run_and_review_by_settings_adopt_nothing(scene: Scene) -> None:
    before = digest_tree(scene.folder)
    dry = scene.run(touch, dry_run=True)
    assert dry.how == "held" and "dry run" in dry.reason
    assert run_awaiting_review(list_runs(scene.dirs), scene.dirs) is None, "nobody has to judge a dry run"
    kept = scene.run(touch, adopt="review")
    assert kept.how == "held" and "review" in kept.reason
    assert digest_tree(scene.folder) == before


def test_a_person_s_edit_during_the_run_is_merged_or_waits(scene: Scene) -> None:
    def work(stage: Stage, emit: Emit) -> None:
        edit(stage, topic(1), "first", "FIRST")
        path = scene.folder / topic(1)
        path.write_text(path.read_text(encoding="utf-8").replace("third", "mine"), encoding="utf-8")

    assert scene.run(work).how == "done"
    assert "FIRST" in scene.text(topic(1)) and "mine" in scene.text(topic(1))

    def clash(stage: Stage, emit: Emit) -> None:
        edit(stage, topic(3), "first", "FIRST")
        path = scene.folder / topic(3)
        path.write_text(path.read_text(encoding="utf-8").replace("first", "mine"), encoding="utf-8")

    end = scene.run(clash)
    assert end.how == "held" and [one.rule for one in end.held] == ["conflict"]
    assert "mine" in scene.text(topic(3)) and "FIRST" not in scene.text(topic(3))


def test_gates_stop_a_run_with_their_reason(scene: Scene) -> None:
    before, state = digest_tree(scene.folder), digest_tree(scene.dirs.state)
    assert scene.run(touch, force=False, dry_run=True).how == "gate"
    assert digest_tree(scene.dirs.state) == state, "a dry run leaves everything"
    end = scene.run(touch, force=False, trigger="hook")
    assert (end.how, end.run) == ("gate", "") and end.reason.startswith("sessions: 0 of 5")
    assert digest_tree(scene.folder) == before and list_runs(scene.dirs) == ()
    closed = refusals(scene.dirs, scene.folder)
    assert [(one.name, one.trigger) for one in closed] == [("sessions", "hook")]
    named = scene.run(touch, force=False, run_id=reserve_run(scene.dirs, NOW))
    assert named.how == "gate"
    assert [type(one) for one in told(scene)] == [GateClosed, Ended]


def test_force_never_skips_the_lock(scene: Scene) -> None:
    scene.put_lock(b"1", 60)
    before = digest_tree(scene.folder)
    end = scene.run(touch)
    assert end.how == "gate" and end.reason == "lock: held by process 1"
    assert digest_tree(scene.folder) == before


class Strange(Exception):
    pass


def fail(error: BaseException) -> object:
    def work(stage: Stage, emit: Emit) -> None:
        touch(stage, emit)
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "how", "reason"),
    [
        (MemtuiError("no key"), "failed", "no key"),
        (OverBudget("30 turns"), "over-budget", "30 turns"),
        (OSError(28, "No space"), "failed", "No room left on the disk"),
        (TimeoutError("slow"), "failed", "slow"),
        (KeyboardInterrupt(), "killed", "interrupted"),
    ],
)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_run_that_fails_leaves_all_exact_and_keeps_its_drafts(
    scene: Scene, error: BaseException, how: str, reason: str, asynchronous: bool
) -> None:
    scene.put_lock(str(dead_process()).encode(), 30 * HOUR)
    before = digest_tree(scene.folder)
    sync = fail(error)

    async def later(stage: Stage, emit: Emit) -> None:
        await asyncio.sleep(0)
        sync(stage, emit)  # type: ignore[operator]

    end = scene.run(later if asynchronous else sync)  # type: ignore[arg-type]
    assert end.how == how and reason in end.reason
    assert digest_tree(scene.folder) == before
    last = told(scene)[-1]
    assert isinstance(last, Ended) and (last.how, last.drafted) == (how, 3) and "back to" in last.lock
    assert has_stage(scene.dirs, end.run)


def test_a_fault_of_the_program_stays_loud_and_leaves_all_exact(scene: Scene) -> None:
    before = digest_tree(scene.folder)
    with pytest.raises(Strange):
        scene.run(fail(Strange("boom")))  # type: ignore[arg-type]
    assert digest_tree(scene.folder) == before
    last = told(scene)[-1]
    assert isinstance(last, Ended) and last.how == "failed" and "Strange: boom" in last.reason


def test_the_time_is_limited_for_work_of_every_kind(scene: Scene) -> None:
    before = digest_tree(scene.folder)

    def slow(stage: Stage, emit: Emit) -> None:
        edit(stage, topic(1), "first", "FIRST")
        threading.Event().wait(30)

    async def slow_too(stage: Stage, emit: Emit) -> None:
        edit(stage, topic(1), "first", "FIRST")
        await asyncio.sleep(30)

    for work in (slow, slow_too):
        end = scene.run(work, wall=0.05)
        assert end.how == "over-budget" and "minutes are up" in end.reason
    ticks = iter(range(0, 10**6, 1000))

    def endless(stage: Stage, emit: Emit) -> None:
        while True:
            emit(Turn(1))

    end = scene.run(endless, clock=lambda: float(next(ticks)))
    assert (end.how, end.reason) == ("over-budget", "45 minutes are up")
    assert digest_tree(scene.folder) == before


def test_a_run_outside_the_main_thread_works_without_signals(scene: Scene) -> None:
    ends = []
    thread = threading.Thread(target=lambda: ends.append(scene.run(touch)))
    thread.start()
    thread.join()
    assert [end.how for end in ends] == ["done"]


def test_the_handlers_of_before_are_back_afterwards(scene: Scene) -> None:
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGALRM)
    before = [signal.getsignal(number) for number in numbers]
    scene.run(touch)
    assert [signal.getsignal(number) for number in numbers] == before


def test_the_lock_lost_before_adoption_means_nothing_is_written(scene: Scene) -> None:
    def work(stage: Stage, emit: Emit) -> None:
        touch(stage, emit)
        scene.put_lock(b"1", 0)

    before = contents(scene.folder)
    end = scene.run(work)
    assert end.how == "held" and "process 1 took the lock" in end.reason
    assert contents(scene.folder) == before and scene.lock.read_bytes() == b"1"


def test_a_full_disk_for_events_doesn_t_keep_the_lock(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_tree(scene.folder)

    def full(*args: object, **options: object) -> None:
        raise OSError(28, "full")

    def work(stage: Stage, emit: Emit) -> None:
        monkeypatch.setattr(events, "write_all", full)
        emit(Note("lost"))
        raise MemtuiError("and the work, too")

    assert scene.run(work).how == "failed"
    assert digest_tree(scene.folder) == before


def test_a_memory_that_is_not_there_yet_is_made_by_a_run_that_has_something(tmp_path: Path, scene: Scene) -> None:
    for path in scene.folder.iterdir():
        path.unlink()
    scene.folder.rmdir()
    assert scene.run(lambda stage, emit: Strange and emit(Note("x"))).how == "nothing"
    assert [path.name for path in scene.folder.iterdir()] == [".consolidate-lock"]


def test_a_folder_that_can_t_be_written_fails_and_says_so(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_tree(scene.folder)

    def no(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("memtui.dream.lock.lock.write_temp", no)
    end = scene.run(touch)
    assert end.how == "failed" and "permission denied" in end.reason
    assert run_state(list_runs(scene.dirs)[0]).end is not None
    assert digest_tree(scene.folder) == before


def test_a_signal_ends_async_work_at_once_and_lets_it_clear_up(scene: Scene) -> None:
    before = digest_tree(scene.folder)
    cleared = []

    async def helper() -> None:
        await asyncio.sleep(0)
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(30)

    async def work(stage: Stage, emit: Emit) -> None:
        edit(stage, topic(1), "first", "FIRST")
        task = asyncio.create_task(helper())
        try:
            await asyncio.wait_for(task, 30)
        finally:
            cleared.append(True)

    end = scene.run(work)
    assert (end.how, end.signal, cleared) == ("killed", signal.SIGTERM, [True])
    assert digest_tree(scene.folder) == before


def test_a_read_only_program_does_not_dream(scene: Scene) -> None:
    scene.workspace = Workspace(scene.workspace.env, scene.dirs, scene.workspace.location, read_only=True)
    with pytest.raises(Refused):
        scene.run(touch)


def test_runs_are_listed_found_and_judged(scene: Scene) -> None:
    ids = []
    for minute in range(3):
        scene.now = NOW + minute // 2 * 3600
        ids.append(scene.run(touch, dry_run=True).run)
    listed = list_runs(scene.dirs, scene.folder)
    assert [run.id for run in listed] == ids[::-1]
    assert list_runs(scene.dirs, scene.folder / "other") == ()
    assert find_run(listed, None).id == ids[2]
    assert ids[1] == ids[0] + "-2"
    assert find_run(listed, ids[0]).id == ids[0], "a whole id, though it begins another"
    with pytest.raises(MemtuiError, match="matches"):
        find_run(listed, ids[0][:4])
    with pytest.raises(MemtuiError, match="no dream"):
        find_run(listed, "1999")


def test_a_run_that_died_is_ended_at_the_next_start(scene: Scene) -> None:
    from msgspec.structs import replace

    from memtui.dream.run.runs import write_run

    end = scene.run(touch, dry_run=True)
    run = list_runs(scene.dirs)[0]
    gone = identify_process(dead_process())
    write_run(replace(run, process=gone))
    lines = run.events.read_bytes().splitlines(keepends=True)
    run.events.write_bytes(b"".join(lines[:-1]) + lines[-1][:10])
    died = list_runs(scene.dirs)[0]
    assert run_state(died).word == "died"
    [told] = recover(scene.dirs, scene.workspace, NOW)
    assert told.startswith(f"the dream {end.run} had died: its process was gone")
    state = run_state(died)
    assert state.end is not None and (state.end.how, state.end.drafted) == ("killed", 3)
    assert recover(scene.dirs, scene.workspace, NOW) == ()


def test_opening_changes_nothing_where_nobody_ever_dreamt(scene: Scene) -> None:
    assert recover(scene.dirs, scene.workspace, NOW) == ()
    assert not scene.dirs.state.exists()
