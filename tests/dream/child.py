"""A run in a process of its own, which stops at a chosen moment and waits for what happens to it."""

import gc
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memtui.dream.run.run import Emit
from memtui.dream.run.stage import Stage
from memtui.fs.filesystem import FileSystem
from tests.dream.scene import Scene, add, edit, remove, topic

MOMENTS = ("before", "mid", "adopting")
"""Before its first change, between two, and while its changes are put into the memory folder."""


class Child:
    """A forked run.

    Args:
        moment: Where it stops.
        then: What it does when it is let go on: nothing, or raise.
        deaf: Whether it doesn't let a signal end its work.
    """

    def __init__(
        self,
        scene: Scene,
        moment: str,
        *,
        then: Callable[[], None] = lambda: None,
        deaf: bool = False,
    ) -> None:
        self.scene = scene
        there, told = os.pipe()
        wait, go = os.pipe()
        gc.freeze()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(there)
            os.close(go)
            code = 70
            try:
                code = _live(scene, moment, then, deaf, told, wait)
            finally:
                os._exit(code)
        os.close(told)
        os.close(wait)
        self._go = go
        assert os.read(there, 1) == b"x", "it ended before its moment came"
        os.close(there)

    def let_go(self, *_: object) -> None:
        """Let it go on from where it stopped."""
        if self._go >= 0:
            os.close(self._go)
            self._go = -1

    def wait(self) -> int:
        """Its exit code, or minus the signal that ended it."""
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


CODES = {"done": 0, "nothing": 0, "held": 1, "failed": 2, "over-budget": 3, "killed": 4, "gate": 5}


def _live(scene: Scene, moment: str, then: Callable[[], None], deaf: bool, told: int, wait: int) -> int:
    def stop() -> None:
        if deaf:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        os.write(told, b"x")
        os.read(wait, 1)
        then()

    def work(stage: Stage, emit: Emit) -> None:
        if moment == "before":
            stop()
        edit(stage, topic(1), "first", "FIRST")
        if moment == "mid":
            stop()
        remove(stage, topic(2))
        add(stage, "new.md", "new\n")

    if moment == "adopting":
        _stop_at_the_first_rename(scene.folder, stop)
    return CODES[scene.run(work).how]


def _stop_at_the_first_rename(folder: Path, stop: Callable[[], None]) -> None:
    real, inode, stopped = FileSystem.replace, folder.stat().st_ino, []

    def replace(self: FileSystem, source: Any, target: Any, *, dir_fd: int | None = None) -> None:
        real(self, source, target, dir_fd=dir_fd)
        if str(target).endswith(".md") and not stopped and dir_fd is not None and os.fstat(dir_fd).st_ino == inode:
            stopped.append(target)
            stop()

    FileSystem.replace = replace  # type: ignore[method-assign]


def full_disk() -> None:
    """What a failing run raises, in its work and in the middle of an adoption."""
    raise OSError(28, "No space left on device")
