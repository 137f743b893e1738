"""End a run from outside: SIGTERM, then SIGKILL; what it held is put back by whoever ended it.

Only the run's own process is signalled: its PID, start time and boot must be those that the run recorded. On Linux the
signal goes through a pidfd of that very process, so that no other can take its PID between the check and the signal.
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
from memtui.dream.run.runs import Run, run_state
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, Refused
from memtui.util.process import ProcessIdentity, is_alive

KILL_GRACE_S = 5.0  # time that a run has to end after SIGTERM before it gets SIGKILL

_POLL_INTERVAL_S = 0.02


class StopResult(Struct, frozen=True):
    """How a run was ended: the signal ("" if its process was gone already), after how many seconds, and its end."""

    by: Literal["SIGTERM", "SIGKILL", ""]
    seconds: float
    end: Ended


def stop_run(
    run: Run,
    dirs: Dirs,
    workspace: Workspace,
    *,
    grace: float = KILL_GRACE_S,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], object] = time.sleep,
) -> StopResult:
    """End a run of this workspace: SIGTERM, after `grace` seconds SIGKILL; then put back what it held.

    Raises `Conflict` if it has ended or can't be ended, `Refused` if its process isn't surely known, or another user's.
    """
    state = run_state(run)
    if state.end is not None:
        raise Conflict(f"the dream {run.id} has ended already", hint="memtui dream log tells how")
    began, by = clock(), _end_process(run, grace, clock, pause)
    seconds = clock() - began
    workspace.recover()
    now = workspace.now()
    lock_texts = {entry.run: lock_words(entry.before, now) for entry in recover_locks(dirs)}
    end = run_state(run).end
    if end is None:
        number = int(signal.Signals[by]) if by else 0
        end = end_dead(dirs, workspace, run, now, lock=lock_texts.get(run.id, ""), signal=number)
    return StopResult(by, seconds, end)


def _end_process(
    run: Run, grace: float, clock: Callable[[], float], pause: Callable[[float], object]
) -> Literal["SIGTERM", "SIGKILL", ""]:
    if not is_alive(run.process):
        return ""
    if run.process.started is None or run.process.pid == os.getpid():
        raise Refused(f"process {run.process.pid} is not signalled: it may not be the dream's", hint="end it by hand")
    signals: tuple[Literal["SIGTERM", "SIGKILL"], ...] = ("SIGTERM", "SIGKILL")
    with _handle(run.process) as send:
        for name in signals:
            try:
                send(signal.Signals[name])
            except ProcessLookupError:
                return "SIGTERM"
            except PermissionError as error:
                raise Refused(f"process {run.process.pid} is another user's") from error
            deadline = clock() + grace
            while (lives := is_alive(run.process)) and clock() < deadline:
                pause(_POLL_INTERVAL_S)
            if not lives:
                return name
    raise Conflict(f"process {run.process.pid} doesn't end, not even by SIGKILL", hint="the disk it waits for may hang")


@contextmanager
def _handle(process: ProcessIdentity) -> Iterator[Callable[[signal.Signals], None]]:
    """A function that signals this very process, or raises `ProcessLookupError`."""
    if not sys.platform.startswith("linux"):
        yield lambda number: os.kill(process.pid, number)
        return
    try:
        fd = os.pidfd_open(process.pid)
    except ProcessLookupError:
        yield _no_process
        return
    try:
        # Checked again while the pidfd keeps the PID from being reused.
        yield (lambda number: signal.pidfd_send_signal(fd, number)) if is_alive(process) else _no_process
    finally:
        os.close(fd)


def _no_process(number: signal.Signals) -> None:
    raise ProcessLookupError
