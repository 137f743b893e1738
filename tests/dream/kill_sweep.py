"""SIGKILL before every call that a run, or an adoption by hand, makes of the file system, and what comes of it.

python -m tests.dream.kill_sweep        every call
python -m tests.dream.kill_sweep 10     every tenth
"""

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from memtui.dream.gates.evaluate import evaluate_gates
from memtui.dream.gates.session_mark import unread_since
from memtui.dream.review.review import adopt_run
from memtui.dream.run.recovery import recover
from memtui.dream.run.run import Emit
from memtui.dream.run.runs import Run, decisions_of, list_runs, run_awaiting_review, run_state
from memtui.dream.run.stage import Stage, has_stage
from memtui.fs.filesystem import FileSystem
from memtui.services.access import settle
from tests.dream.scene import HOUR, NOW, Scene, add, contents, dead_process, edit, make_scene, relisted, remove, topic
from tests.support import digest_tree

CALLS = ("open", "close", "read", "write", "fsync", "utime", "replace", "link", "unlink", "mkdir", "lstat", "fstat")


def work(stage: Stage, emit: Emit) -> None:
    edit(stage, topic(1), "first", "FIRST")
    remove(stage, topic(2))
    add(stage, "new.md", "new\n")


def link_away(scene: Scene) -> None:
    """The index and a topic lie elsewhere in the home, with links in their place."""
    vault = scene.workspace.env.home / "vault"
    vault.mkdir(parents=True)
    for name in ("MEMORY.md", topic(1)):
        (scene.folder / name).rename(vault / name)
        (scene.folder / name).symlink_to(vault / name)


def sweep(base: Path, step: int, content: bytes | None, *, is_linked: bool = False) -> Iterator[str]:
    """One run a point; yields how it ended: "old" or "new" state of the folder, "through" for the run that lived.

    Args:
        step: Every so many calls.
        content: What the lock holds before; `None` for no lock.
        is_linked: Whether two files are links.
    """
    number = 1
    while True:
        folder = base / str(number)
        folder.mkdir()
        scene = make_scene(folder, files=12)
        if is_linked:
            link_away(scene)
        prior = None if content is None else scene.put_lock(content, 30 * HOUR)
        before, tree = contents(scene.folder), digest_tree(scene.folder)
        if _run_and_die(scene, number):
            assert contents(scene.folder) == _adopted(before)
            yield "through"
            return
        recover(scene.dirs, scene.workspace, NOW)
        yield _checked(scene, before, tree, prior, number)
        number += step


def sweep_adoption(base: Path, step: int, names: tuple[str, ...] | None, *, is_linked: bool = False) -> Iterator[str]:
    """As `sweep`, for the adoption of a held run by hand: all of it, or the named files."""
    number = 1
    while True:
        folder = base / str(number)
        folder.mkdir()
        scene = make_scene(folder, files=12)
        if is_linked:
            link_away(scene)
        prior = scene.put_lock(str(dead_process()).encode(), 30 * HOUR)
        scene.run(work, adopt="review")
        before, run = contents(scene.folder), list_runs(scene.dirs)[0]

        def adopt(scene: Scene = scene, run: Run = run) -> bool:
            return bool(adopt_run(run, scene.dirs, scene.workspace, names).names)

        lived = _do_and_die(adopt, number)
        told = settle(scene.workspace)
        yield "through" if lived else _checked_adoption(scene, run, before, prior, names, number)
        assert settle(scene.workspace) == (), "what was finished is finished"
        assert not lived or told == ()
        if lived:
            return
        number += step


def _checked_adoption(
    scene: Scene, run: Run, before: dict[str, bytes], prior: tuple[bytes, int], names: tuple[str, ...] | None,
    number: int,
) -> str:  # fmt: skip
    """Old: it waits as before. New: it is adopted, and read as such; with all of it the next dream has to wait."""
    wanted = _adopted(before)
    if names is not None:
        wanted = {name: wanted.get(name, b"") if name in names else data for name, data in before.items()}
    now = {name: data for name, data in contents(scene.folder).items() if name.endswith(".md")}  # writes clear the rest
    decided = decisions_of(run)
    assert now in (before, wanted), f"call {number}: neither old nor new: {sorted(now.keys() ^ before.keys())}"
    new = now == wanted
    assert decided == ({"adopted"} if new else set()), f"call {number}: {decided}"
    waits = run_awaiting_review(list_runs(scene.dirs), scene.dirs)
    assert (waits is None) == new, f"call {number}: waits for review"
    assert has_stage(scene.dirs, run.id) == (not new or names is not None), f"call {number}: its drafts"
    shut = {gate.name for gate in evaluate_gates(scene.workspace, scene.dirs, NOW) if not gate.open}
    assert ("review" in shut, "lock" in shut, "time" in shut) == (not new, False, new), f"call {number}: {shut}"
    lock = (scene.lock.read_bytes(), scene.lock.stat().st_mtime_ns)
    if not (new and names is None):
        assert lock == prior, f"call {number}: the lock is {lock}"
    else:
        assert lock[1] == int(NOW * 1e9) and unread_since(scene.workspace, NOW) == NOW, f"call {number}: {lock}"
    if new:
        scene.workspace.undo_order().undo()
        assert contents(scene.folder) == before, f"call {number}: undo"
    return "new" if new else "old"


def _run_and_die(scene: Scene, number: int) -> bool:
    return _do_and_die(lambda: scene.run(work).how == "done", number)


def _do_and_die(do: Callable[[], bool], number: int) -> bool:
    """Do it in a child that is killed before its n-th call; whether it lived to the end."""
    gc.freeze()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            _kill_before(number)
            code = 0 if do() else 1
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
        scene.workspace.undo_order().undo()
        assert contents(scene.folder) == before, f"call {number}: undo"
    return "new" if new else "old"


def main(step: int) -> None:
    for names, is_linked in ((None, False), ((topic(1),), False), (None, True)):
        with tempfile.TemporaryDirectory() as name:
            ends = list(sweep_adoption(Path(name), step, names, is_linked=is_linked))
        what = f"adoption={'all' if names is None else 'part'} linked={is_linked}"
        print(f"{what} points={len(ends) - 1} old={ends.count('old')} "
              f"new={ends.count('new')} between=0 through={ends.count('through')}")  # fmt: skip
    for content, is_linked in ((None, False), (str(dead_process()).encode(), False), (None, True)):
        with tempfile.TemporaryDirectory() as name:
            ends = list(sweep(Path(name), step, content, is_linked=is_linked))
        what = f"lock={'absent' if content is None else 'old'} linked={is_linked}"
        print(f"{what} points={len(ends) - 1} old={ends.count('old')} "
              f"new={ends.count('new')} between=0 through={ends.count('through')}")  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
