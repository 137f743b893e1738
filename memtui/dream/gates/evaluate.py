"""Would a dream start now: every gate, in the order in which they are tested, with what only we know.

What only we know: what became of the lock's holder, whether dreams fail in a row, and whether a run is held. Such a run
is judged by a person before another one starts by itself: a second one would spend money to find the same again.

Looking changes nothing; only a run keeps what its scan of the sessions found.

Source: UX.md 5.8; DESIGN.md D2.
"""

from collections.abc import Iterable, Iterator, Sequence

from memtui.dream.gates.backoff import failure_gate
from memtui.dream.gates.base import Gate, dream_gate, folder_gate, lock_gate, memory_gate, time_gate
from memtui.dream.gates.sessions import assistant_mode, current_scan, log_gate, session_gate
from memtui.dream.lock.lock import effective_lock, lock_before_run
from memtui.dream.run.runs import Run, list_runs, run_awaiting_review
from memtui.dream.schedule.cron import next_start
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.config import read_config

FORCEABLE_GATES = ("time", "sessions", "failures", "review")
"""The gates that a person may skip by force."""


def evaluate_gates(
    workspace: Workspace, dirs: Dirs, now: float, *, trigger: str = "hand", keep: bool = False
) -> tuple[Gate, ...]:
    """Every gate.

    Args:
        trigger: Who would start the dream: "hand", "hook" or "schedule".
        keep: For a run: the scan of sessions, if one was due, is kept, so that there is none for ten minutes.
    """
    return tuple(_gates(workspace, dirs, now, trigger=trigger, keep=keep))


def blocking_gate_without_scan(
    workspace: Workspace, dirs: Dirs, now: float, *, trigger: str, force: bool
) -> Gate | None:
    """The gate that stops a dream, if that can be told without a scan of the sessions; `None`: a run has to find out.

    For whatever starts a dream and may not take long.
    """
    return blocking_gate(_gates(workspace, dirs, now, trigger=trigger, scan=False), force=force)


def blocking_gate(gates: Iterable[Gate], *, force: bool) -> Gate | None:
    """The first closed gate that counts; `None` if there is none."""
    return next((gate for gate in gates if not gate.open and not (force and gate.name in FORCEABLE_GATES)), None)


def _gates(
    workspace: Workspace, dirs: Dirs, now: float, *, trigger: str, keep: bool = False, scan: bool = True
) -> Iterator[Gate]:
    place, config = workspace.location, read_config(dirs.config)
    assistant = assistant_mode(config)
    next_at = next_start(dirs, place, now) if assistant else None
    yield dream_gate(place, assistant=assistant, trigger=trigger, next_at=next_at)
    yield memory_gate(place)
    lock, idle = effective_lock(place.folder, dirs), lock_before_run(place.folder, dirs)
    yield time_gate(idle, now, trigger=trigger)
    after = idle.at or 0.0
    if assistant:
        yield log_gate(place, after)
    elif scan or current_scan(place, workspace.env, after, now, dirs, config) is not None:
        yield session_gate(place, workspace.env, after, now, dirs, config, keep=keep)
    runs = list_runs(dirs, place.folder)
    yield failure_gate(runs, now, dirs)
    yield _review_gate(runs, dirs)
    yield lock_gate(lock, now)
    yield folder_gate(place.folder)


def _review_gate(runs: Sequence[Run], dirs: Dirs) -> Gate:
    held = run_awaiting_review(runs)
    reason = "none waits" if held is None else f"the dream {held.id} waits for review"
    source = str(dirs.state / "runs") if held is None else str(held.path)
    return Gate("review", held is None, "the last dream is judged", reason, source)
