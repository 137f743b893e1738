"""Many processes that want one stale lock at the same instant.

python -m tests.dream.lock_race 200
"""

import multiprocessing
import os
import random
import sys
import tempfile
import time
from contextlib import suppress
from multiprocessing.sharedctypes import SynchronizedArray
from multiprocessing.synchronize import Barrier
from pathlib import Path

from memtui.client.paths import LOCK_NAME
from memtui.dream.lock.lock import DreamLock
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict
from memtui.util.process import ProcessIdentity, is_alive
from tests.dream.scene import dead_process

_FORK = multiprocessing.get_context("fork")


def race(base: Path, contenders: int, trials: int) -> list[int]:
    """How many got the lock, in each trial."""
    dead = str(dead_process())
    for trial in range(trials):
        folder = base / f"{contenders}-{trial}"
        folder.mkdir(parents=True)
        (folder / LOCK_NAME).write_text(dead, encoding="ascii")
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
    won: "SynchronizedArray[int]",
) -> None:
    dirs = Dirs(base / "config", base / "state", base / "cache")
    for trial in range(trials):
        lock = DreamLock(base / f"{contenders}-{trial}", dirs, settle=0.001)
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


def against_another_program(base: Path, trials: int) -> list[int]:
    """How many of the two went on to write memory, in each trial."""
    dead = str(dead_process())
    for trial in range(trials):
        (base / f"2-{trial}").mkdir(parents=True)
        (base / f"2-{trial}" / LOCK_NAME).write_text(dead, encoding="ascii")
    barrier = _FORK.Barrier(2)
    wrote = _FORK.Array("i", trials)
    processes = [_FORK.Process(target=one, args=(base, trials, barrier, wrote)) for one in (_ours, _theirs)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(200)
        assert process.exitcode == 0
    return list(wrote)


def _ours(base: Path, trials: int, barrier: Barrier, wrote: "SynchronizedArray[int]") -> None:
    dirs = Dirs(base / "config", base / "state", base / "cache")
    for trial in range(trials):
        lock = DreamLock(base / f"2-{trial}", dirs)
        barrier.wait(60)
        time.sleep(random.random() / 500)
        with suppress(Conflict):
            lock.take()
            lock.check()  # as an adoption does before it writes
            with wrote.get_lock():
                wrote[trial] += 1
        barrier.wait(60)
    os._exit(0)


def _theirs(base: Path, trials: int, barrier: Barrier, wrote: "SynchronizedArray[int]") -> None:
    me = str(os.getpid())
    for trial in range(trials):
        path = base / f"2-{trial}" / LOCK_NAME
        barrier.wait(60)
        time.sleep(random.random() / 500)
        found = path.read_text(encoding="ascii")
        if not found or not is_alive(ProcessIdentity(int(found))):
            time.sleep(random.random() / 500)
            path.write_text(me, encoding="ascii")
            time.sleep(random.random() / 500)
            if path.read_text(encoding="ascii") == me:
                with wrote.get_lock():
                    wrote[trial] += 1
        barrier.wait(60)
    os._exit(0)


if __name__ == "__main__":
    count = int(sys.argv[1])
    for number in (2, 8):
        with tempfile.TemporaryDirectory() as name:
            found = race(Path(name), number, count)
        print(f"contenders={number} trials={count} double={sum(one > 1 for one in found)} none={found.count(0)}")
    with tempfile.TemporaryDirectory() as name:
        found = against_another_program(Path(name), count)
    print(f"another program trials={count} both={sum(one > 1 for one in found)} none={found.count(0)}")
