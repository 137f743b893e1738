"""SIGKILL before every call that a run makes of the file system, and what the next start makes of it.

python -m tests.dream.kill_sweep        every call
python -m tests.dream.kill_sweep 10     every tenth
"""

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from memtui.dream.gates.evaluate import evaluate_gates
from memtui.dream.run.recovery import recover
from memtui.dream.run.run import Emit
from memtui.dream.run.runs import list_runs, run_state
from memtui.dream.run.stage import Stage
from memtui.fs.filesystem import FileSystem
from tests.dream.scene import HOUR, NOW, Scene, add, contents, dead_process, edit, make_scene, relisted, remove, topic
from tests.support import digest_tree

CALLS = ("open", "close", "read", "write", "fsync", "utime", "replace", "link", "unlink", "mkdir", "lstat", "fstat")


def work(stage: Stage, emit: Emit) -> None:
    edit(stage, topic(1), "first", "FIRST")
    remove(stage, topic(2))
    add(stage, "new.md", "new\n")


def sweep(base: Path, step: int, content: bytes | None) -> Iterator[str]:
    """One run a point; yields how it ended: "old" or "new" state of the folder, "through" for the run that lived.

    Args:
        step: Every so many calls.
        content: What the lock holds before; `None` for no lock.
    """
    number = 1
    while True:
        folder = base / str(number)
        folder.mkdir()
        scene = make_scene(folder, files=12)
        prior = None if content is None else scene.put_lock(content, 30 * HOUR)
        before, tree = contents(scene.folder), digest_tree(scene.folder)
        if _run_and_die(scene, number):
            assert contents(scene.folder) == _adopted(before)
            yield "through"
            return
        recover(scene.dirs, scene.workspace, NOW)
        yield _checked(scene, before, tree, prior, number)
        number += step


def _run_and_die(scene: Scene, number: int) -> bool:
    """Run in a child that is killed before its n-th call; whether it lived to the end."""
    gc.freeze()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            _kill_before(number)
            code = 0 if scene.run(work).how == "done" else 1
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (0, -signal.SIGKILL), code
    return code == 0


def _kill_before(number: int) -> None:
    left = [number]

    def counted(name: str) -> None:
        real = getattr(FileSystem, name)

        def call(*args: object, **options: object) -> object:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **options)

        setattr(FileSystem, name, call)

    for name in CALLS:
        counted(name)


def _adopted(before: dict[str, bytes]) -> dict[str, bytes]:
    after = before | {topic(1): before[topic(1)].replace(b"first", b"FIRST"), "new.md": b"new\n"}
    after["MEMORY.md"] = relisted(before["MEMORY.md"].decode(), drop=topic(2), add="new.md").encode()
    del after[topic(2)]
    return after


def _checked(
    scene: Scene, before: dict[str, bytes], tree: dict[str, tuple[str, bytes, int]], prior: tuple[bytes, int] | None,
    number: int,
) -> str:  # fmt: skip
    """Old or new, whole; the lock as it was, or with the time of the success; the next run may come."""
    now = contents(scene.folder)
    new = now == _adopted(before)
    assert new or now == before, f"call {number}: neither old nor new: {sorted(now.keys() ^ before.keys())}"
    lock = (scene.lock.read_bytes(), scene.lock.stat().st_mtime_ns) if scene.lock.exists() else None
    success = lock is not None and new and lock[1] == int(NOW * 1e9)
    assert success or lock == prior, f"call {number}: the lock is {lock}"
    if not new:
        files = {name: entry for name, entry in digest_tree(scene.folder).items() if entry[0] == "file"}
        assert files == {name: entry for name, entry in tree.items() if entry[0] == "file"}, f"call {number}: a time"
    shut = {gate.name for gate in evaluate_gates(scene.workspace, scene.dirs, NOW) if not gate.open}
    assert "lock" not in shut and ("time" in shut) == new, f"call {number}: {shut}"
    for run in list_runs(scene.dirs):
        end = run_state(run).end
        assert end is not None and (end.how == "done") == new, f"call {number}: {end}"
    if new:
        scene.workspace.undo()
        assert contents(scene.folder) == before, f"call {number}: undo"
    return "new" if new else "old"


def main(step: int) -> None:
    for content in (None, str(dead_process()).encode()):
        with tempfile.TemporaryDirectory() as name:
            ends = list(sweep(Path(name), step, content))
        print(f"lock={'absent' if content is None else 'old'} points={len(ends) - 1} old={ends.count('old')} "
              f"new={ends.count('new')} between=0 through={ends.count('through')}")  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
