"""Many processes that want one stale lock at the same instant.

python -m tests.dream.lock_race 200
"""

import multiprocessing
import os
import sys
import tempfile
from multiprocessing.synchronize import Barrier
from pathlib import Path

from memtui.base.dirs import Dirs
from memtui.base.errors import Conflict
from memtui.dream.lock import Lock
from memtui.host.paths import LOCK
from tests.dream.scene import dead_process

_FORK = multiprocessing.get_context("fork")


def race(base: Path, contenders: int, trials: int) -> list[int]:
    """How many got the lock, in each trial."""
    dead = str(dead_process())
    for trial in range(trials):
        folder = base / f"{contenders}-{trial}"
        folder.mkdir(parents=True)
        (folder / LOCK).write_text(dead, encoding="ascii")
    barrier = _FORK.Barrier(contenders)
    won = _FORK.Array("i", trials)
    processes = [
        _FORK.Process(target=_contend, args=(base, contenders, trials, barrier, won)) for _ in range(contenders)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(100)
        assert process.exitcode == 0
    return list(won)


def _contend(
    base: Path,
    contenders: int,
    trials: int,
    barrier: Barrier,
    won: "multiprocessing.sharedctypes.SynchronizedArray[int]",
) -> None:
    dirs = Dirs(base / "config", base / "state", base / "cache")
    for trial in range(trials):
        lock = Lock(base / f"{contenders}-{trial}", dirs, settle=0.001)
        barrier.wait(60)
        try:
            lock.take()
        except Conflict:
            pass
        else:
            with won.get_lock():
                won[trial] += 1
        barrier.wait(60)  # whoever has it keeps it until all have tried
    os._exit(0)


if __name__ == "__main__":
    count = int(sys.argv[1])
    for number in (2, 8):
        with tempfile.TemporaryDirectory() as name:
            found = race(Path(name), number, count)
        print(f"contenders={number} trials={count} double={sum(one > 1 for one in found)} none={found.count(0)}")
