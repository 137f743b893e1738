"""Ending a run from outside: asked first, killed then, and what it held is put back by whoever ended it.

Only a process that is the run's own is signalled: its number, start time and run of the machine are those that the run
wrote down. On Linux the signal goes through a handle of that very process, so that no other one can take its place
between the look and the signal.

Source: DESIGN.md D3; UX.md 5.5.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from msgspec import Struct

from memtui.dream.lock.lock import recover_locks
from memtui.dream.run.events import Ended
from memtui.dream.run.recovery import end_dead, lock_words
from memtui.dream.run.runs import Run, state_of
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, Refused
from memtui.util.process import ProcessIdentity, is_alive

PATIENCE = 5.0
"""Seconds that a run has to end by itself."""

_PAUSE = 0.02


class Stopping(Struct, frozen=True):
    """How a run was ended: by which signal ("" if it was gone already), after how many seconds, and its end."""

    by: Literal["SIGTERM", "SIGKILL", ""]
    seconds: float
    end: Ended


def kill(
    run: Run,
    dirs: Dirs,
    workspace: Workspace,
    *,
    patience: float = PATIENCE,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], object] = time.sleep,
) -> Stopping:
    """End a run: SIGTERM, after `patience` seconds SIGKILL; then what it held is put back.

    Args:
        run: A run of this workspace's memory folder.

    Raises:
        Conflict: If it has ended already, or can't be ended.
        Refused: If its process is not known for sure, or is another user's.
    """
    state = state_of(run)
    if state.end is not None:
        raise Conflict(f"the dream {run.id} has ended already", hint="memtui dream log tells how")
    began, by = clock(), _end_process(run, patience, clock, pause)
    seconds = clock() - began
    workspace.recover()
    now = workspace.now()
    words = {entry.run: lock_words(entry.before, now) for entry in recover_locks(dirs)}
    end = state_of(run).end
    if end is None:
        number = signal.SIGKILL if by == "SIGKILL" else signal.SIGTERM if by == "SIGTERM" else 0
        end = end_dead(dirs, workspace, run, now, lock=words.get(run.id, ""), signal=int(number))
    return Stopping(by, seconds, end)


def _end_process(
    run: Run, patience: float, clock: Callable[[], float], pause: Callable[[float], object]
) -> Literal["SIGTERM", "SIGKILL", ""]:
    if not is_alive(run.process):
        return ""
    if run.process.started is None or run.process.pid == os.getpid():
        raise Refused(f"process {run.process.pid} is not signalled: it may not be the dream's", hint="end it by hand")
    with _handle(run.process) as send:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                send(number)
            except ProcessLookupError:
                return "SIGTERM"
            except PermissionError as error:
                raise Refused(f"process {run.process.pid} is another user's") from error
            deadline = clock() + patience
            while is_alive(run.process):
                if clock() >= deadline:
                    break
                pause(_PAUSE)
            else:
                return "SIGTERM" if number == signal.SIGTERM else "SIGKILL"
    raise Conflict(f"process {run.process.pid} doesn't end, not even by SIGKILL", hint="the disk it waits for may hang")


@contextmanager
def _handle(process: ProcessIdentity) -> Iterator[Callable[[signal.Signals], None]]:
    """Something that sends signals to this very process."""
    if not sys.platform.startswith("linux"):
        yield lambda number: os.kill(process.pid, number)
        return
    try:
        fd = os.pidfd_open(process.pid)
    except ProcessLookupError:
        yield _nobody
        return
    try:
        # Looked at once more now that the handle holds the number: if it is the run's, it stays the run's.
        yield (lambda number: signal.pidfd_send_signal(fd, number)) if is_alive(process) else _nobody
    finally:
        os.close(fd)


def _nobody(number: signal.Signals) -> None:
    raise ProcessLookupError
