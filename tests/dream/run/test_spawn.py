"""Dreams that a hook or a schedule starts: what stops them is written down, and nobody waits."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memtui.dream.gates.sessions import SCAN_INTERVAL_S
from memtui.dream.run import spawn as module
from memtui.dream.run.runs import list_runs, refusals
from memtui.dream.run.spawn import RunRequest, record_start_fault, start_detached, start_if_ready
from memtui.util.errors import MemtuiError
from tests.dream.scene import HOUR, Scene, put_session


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[RunRequest]:
    """The wishes of the processes that would have been started."""
    wishes: list[RunRequest] = []

    def start(cwd: Path, wish: RunRequest, *, environ: Mapping[str, str]) -> None:
        wishes.append(wish)

    monkeypatch.setattr(module, "start_detached", start)
    return wishes


def trigger(scene: Scene, **more: object) -> str | None:
    wish = RunRequest(**{"trigger": "hook", **more})  # type: ignore[arg-type]
    shut = start_if_ready(scene.workspace, scene.dirs, wish, environ={}, now=scene.now)
    return None if shut is None else shut.name


def test_a_closed_gate_is_written_down_and_nothing_starts(scene: Scene, started: list[RunRequest]) -> None:
    scene.put_lock(b"", 3 * HOUR)
    assert trigger(scene) == "time"
    assert trigger(scene, trigger="schedule") == "time"
    found = refusals(scene.dirs, scene.folder)
    assert [(one.name, one.trigger) for one in found] == [("time", "schedule"), ("time", "hook")]
    assert found[0].reason == "last dream 2h ago"
    assert not started and not list_runs(scene.dirs)


def test_a_scan_is_left_to_the_process_that_is_started(
    scene: Scene, started: list[RunRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    put_session(scene, 1)
    with monkeypatch.context() as patch:
        patch.setattr("memtui.dream.gates.sessions.has_substance", lambda file: pytest.fail("read in a hurry"))
        assert trigger(scene) is None
    assert scene.run(lambda stage, emit: None, force=False).how == "gate"
    assert trigger(scene) == "sessions"
    scene.now += SCAN_INTERVAL_S
    assert trigger(scene) is None
    assert len(started) == 2


def test_force_skips_what_it_may(scene: Scene, started: list[RunRequest]) -> None:
    scene.put_lock(b"", 3 * HOUR)
    assert trigger(scene, force=True) is None and started[0].force
    scene.put_lock(b"", 60)
    assert trigger(scene, force=True) == "lock"


def test_a_fault_of_a_start_that_nobody_sees_is_written_down(scene: Scene) -> None:
    record_start_fault(scene.workspace, scene.dirs, "schedule", "no client", scene.now)
    assert [(one.name, one.reason) for one in refusals(scene.dirs, scene.folder)] == [("start", "no client")]


def test_the_process_gets_its_wishes_and_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = "import os, sys; open(sys.argv[1], 'w').write(' '.join([*sys.argv[2:], str(os.getsid(0) == os.getpid())]))"
    program = (sys.executable, "-S", "-c", script, str(pipe))
    wish = RunRequest("prune", "offline", "hook", force=True, dry_run=True, review=True)
    start_detached(tmp_path, wish, environ={}, program=program)
    words = pipe.read_text(encoding="ascii")  # waits for whoever writes
    assert words == "dream run --mode prune --trigger hook --backend offline --force --dry-run --review True"
    with pytest.raises(MemtuiError):
        start_detached(tmp_path / "gone", wish, environ={}, program=program)
