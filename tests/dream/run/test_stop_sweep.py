"""A run, or an adoption by hand, that is killed at some call of the file system."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from memtui.dream.review.review import adopt_run
from memtui.dream.run.runs import decisions_of, list_runs, run_awaiting_review
from memtui.fs.filesystem import FileSystem
from memtui.services.access import settle
from memtui.util.errors import MemtuiError
from tests.dream.kill_sweep import sweep, sweep_adoption, work
from tests.dream.scene import contents, dead_process, make_scene, topic


@pytest.mark.parametrize("lock", ["absent", "old"])
def test_wherever_a_run_is_killed_the_next_start_finds_old_or_new(tmp_path: Path, lock: str) -> None:
    """Some points here; `python -m tests.dream.kill_sweep` takes every one."""
    ends = list(sweep(tmp_path, 37, None if lock == "absent" else str(dead_process()).encode()))
    print(f"lock={lock} points={len(ends) - 1} old={ends.count('old')} new={ends.count('new')}")
    assert ends[-1] == "through" and ends.count("old") > 5


@pytest.mark.parametrize("names", [None, (topic(1),)], ids=["all", "part"])
def test_wherever_an_adoption_is_killed_the_next_look_tells_the_truth(
    tmp_path: Path, names: tuple[str, ...] | None
) -> None:
    ends = list(sweep_adoption(tmp_path, 17, names))
    print(f"points={len(ends) - 1} old={ends.count('old')} new={ends.count('new')}")
    assert ends[-1] == "through" and "old" in ends and ("new" in ends or names)


def test_a_disk_that_fills_up_in_an_adoption_is_told_as_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever needs room is there before the first file is replaced; from then on nothing may say that it failed."""
    ends = []
    for free in range(10):
        folder = tmp_path / str(free)
        folder.mkdir()
        scene = make_scene(folder, files=12)
        scene.run(work, adopt="review")
        before, run, left = contents(scene.folder), list_runs(scene.dirs)[0], [free]
        real = FileSystem.write

        def write(self: FileSystem, fd: int, data: Any, left: list[int] = left, real: Any = real) -> int:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return int(real(self, fd, data))

        with monkeypatch.context() as full:
            full.setattr(FileSystem, "write", write)
            try:
                done = len(adopt_run(run, scene.dirs, scene.workspace).names)
            except (MemtuiError, OSError):
                done = 0
        ends.append(done)
        assert (contents(scene.folder) == before) == (not done)
        settle(scene.workspace)
        assert decisions_of(run) == ({"adopted"} if done else set())
        assert (run_awaiting_review(list_runs(scene.dirs), scene.dirs) is None) == bool(done)
    assert set(ends) == {0, 4}
