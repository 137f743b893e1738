"""A run, or an adoption by hand, that is killed at some call of the file system."""

from pathlib import Path

import pytest

from tests.dream.kill_sweep import sweep, sweep_adoption
from tests.dream.scene import dead_process, topic


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
