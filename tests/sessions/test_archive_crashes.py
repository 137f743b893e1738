"""Sessions put away and brought back: whole wherever the world stops, and whatever the disk refuses."""

import errno
import json
from pathlib import Path

import pytest

from memtui.util.errors import Conflict
from tests.fs.faults import FaultFS, Snapshot, upward
from tests.fs.power import PowerFS
from tests.sessions.archiving import Act, Scene, away, back, fail_everywhere, faulty, stop_everywhere, stop_twice

DEEDS = pytest.mark.parametrize("operation", [away, back])
CODES = (errno.EIO, errno.ENOSPC, errno.EACCES)


@pytest.fixture
def scene(ram_path: Path) -> Scene:
    return Scene(ram_path, lean=True)


@DEEDS
def test_wherever_the_world_stops_the_session_is_whole(scene: Scene, operation: Act) -> None:
    """Before each call, which is also after the one before it: `keep_loop` does both."""
    assert stop_everywhere(scene, operation) > 100


@DEEDS
def test_whatever_call_fails_the_session_is_whole(scene: Scene, operation: Act) -> None:
    """The errors take turns: `keep_loop` tries each at each call."""
    assert fail_everywhere(scene, operation, CODES) > 50


@DEEDS
def test_a_crash_while_a_crash_is_being_ended(scene: Scene, operation: Act) -> None:
    assert stop_twice(scene, operation, first=150, then=7) > 30


def test_what_another_program_writes_at_any_moment_is_not_lost(scene: Scene) -> None:
    late = b'{"type":"mode","mode":"late"}\n'
    snapshot = Snapshot(scene.base)
    written: list[str] = []

    def write() -> None:
        if scene.path.exists():
            written.append("late")
            with scene.path.open("ab") as file:
                file.write(late)

    def meanwhile(fs: FaultFS, number: int) -> None:
        written.clear()
        fs.do_at(number, write)

    refused = 0
    for fs in upward(faulty(scene, snapshot, meanwhile)):
        try:
            scene.keeper(fs).archive([scene.path])
            text = scene.box().file.path.read_bytes()
            assert not scene.path.exists()
        except Conflict:
            refused += 1
            text = scene.path.read_bytes()
            assert scene.tree().keys() == scene.before.keys()
            assert not scene.keeper().kept()
        assert text == scene.before[scene.path.name][1] + late * len(written), fs.where
    assert refused > 10


@DEEDS
def test_no_state_after_a_power_cut_is_bad(ram_path: Path, operation: Act) -> None:
    scene = Scene(ram_path)
    for path in scene.project.rglob("*"):  # fewer files: fewer states
        if path.is_file() and path.name not in (scene.path.name, "agent-a.jsonl"):
            path.unlink()
    if operation is back:
        scene.keeper().archive([scene.path])
    texts = {path.name: path.read_bytes() for path in scene.base.rglob("*.jsonl") if path.name != "deeds.jsonl"}
    assert len(texts) == 2
    fs = PowerFS(scene.base, noise=lambda name: name.endswith(("/lock", ".tmp")))
    operation(scene, scene.keeper(fs))
    fs._record("the end")
    bad = []
    for what, disk in fs.states:
        disk.put(scene.base)
        scene.keeper().recover()
        boxes = scene.keeper().kept()
        root = boxes[0].box if boxes else scene.project
        found = {path.name: path.read_bytes() for path in root.rglob("*.jsonl")}
        if found != texts or (boxes and scene.path.exists()):
            bad.append(f"{what}: {sorted(found)}")
    print(f"states={len(fs.states)} bad={len(bad)}")
    assert not bad, bad[:5]
    assert len(fs.states) > 20
    assert json.loads(json.dumps([one.what for one in scene.keeper().operations.all()]))
