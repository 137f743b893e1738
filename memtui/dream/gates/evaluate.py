"""All gates, in the order in which they are tested; the cheap ones first.

Two of them look at earlier runs. Dreams that fail again and again are not tried at every turn's end: after two failures
in a row the next one waits an hour, after each further one twice as long, a day at most; a run that was killed neither
counts nor ends the row. And while a run awaits review no further one starts by itself: it would spend money to find the
same again.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import takewhile

from memtui.dream.gates.base import Gate, dream_gate, folder_gate, lock_gate, memory_gate, time_gate
from memtui.dream.gates.session_mark import unread_since
from memtui.dream.gates.sessions import assistant_mode, current_scan, log_gate, session_gate
from memtui.dream.lock.lock import effective_lock, lock_before_run
from memtui.dream.run.events import Ended
from memtui.dream.run.runs import Run, list_runs, newest_success, run_awaiting_review, run_state
from memtui.dream.schedule.cron import next_start
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.config import read_config
from memtui.util.text import pluralize, time_ago

FORCEABLE_GATES = ("time", "sessions", "failures", "review")
FREE_FAILURES = 1  # failures after which the next dream may still start at once
FIRST_BACKOFF_S = 3600
MAX_BACKOFF_S = 86_400

_FAILED = ("failed", "over-budget")
_SUCCEEDED = ("done", "nothing", "held")


def evaluate_gates(
    workspace: Workspace, dirs: Dirs, now: float, *, trigger: str = "hook", keep: bool = False
) -> tuple[Gate, ...]:
    """Evaluate every gate for a trigger. A run passes `keep`, to keep the result of a scan of the sessions."""
    return tuple(_gates(workspace, dirs, now, trigger=trigger, keep=keep))


def blocking_gate(gates: Iterable[Gate], *, force: bool, skipped: Container[str] = ()) -> Gate | None:
    """The first closed gate that counts; `skipped` are gates that don't."""
    free = FORCEABLE_GATES if force else skipped
    return next((gate for gate in gates if not gate.open and gate.name not in free), None)


def blocking_gate_without_scan(
    workspace: Workspace, dirs: Dirs, now: float, *, trigger: str, force: bool
) -> Gate | None:
    """As `blocking_gate`, but fast: where the sessions would have to be scanned, that is left to the run."""
    return blocking_gate(_gates(workspace, dirs, now, trigger=trigger, scan=False), force=force)


def _gates(
    workspace: Workspace, dirs: Dirs, now: float, *, trigger: str, keep: bool = False, scan: bool = True
) -> Iterator[Gate]:
    location, config = workspace.location, read_config(dirs.config)
    assistant = assistant_mode(config)
    next_at = next_start(dirs, location, now) if assistant else None
    yield dream_gate(location, assistant=assistant, trigger=trigger, next_at=next_at)
    yield memory_gate(location)
    runs = list_runs(dirs, location.folder)
    yield time_gate(lock_before_run(location.folder, dirs), now, own=newest_success(runs), trigger=trigger)
    after = unread_since(workspace, now) or 0.0
    if assistant:
        yield log_gate(location, after)
    elif scan or current_scan(workspace, config, after, now) is not None:
        yield session_gate(workspace, config, after, now, keep=keep)
    yield failure_gate(runs, now, dirs)
    yield _review_gate(runs, dirs)
    yield lock_gate(effective_lock(location.folder, dirs), now)
    yield folder_gate(location.folder)


def failure_gate(runs: Iterable[Run], now: float, dirs: Dirs) -> Gate:
    ends = failures_in_a_row(runs)
    words, source = "no failures in a row", str(dirs.state / "runs")
    if not ends:
        return Gate("failures", True, words, "none failed", source)
    last = min(ends[0].at, now)
    what = "the last one failed" if len(ends) == 1 else f"{pluralize(len(ends), 'dream')} failed in a row, the last"
    opens_at = last + backoff_s(len(ends))
    reason = f"{what} {time_ago(now - last)}: {ends[0].reason}"
    return Gate("failures", now >= opens_at, words, reason, source, opens_at if now < opens_at else None)


def failures_in_a_row(runs: Iterable[Run]) -> tuple[Ended, ...]:
    """The ends of the runs that failed since the last one that went well; a dry run counts for nothing."""
    ends = (end for run in runs if not run.dry_run and (end := run_state(run).end) is not None)
    return tuple(end for end in takewhile(lambda end: end.how not in _SUCCEEDED, ends) if end.how in _FAILED)


def backoff_s(failures: int) -> int:
    extra = failures - FREE_FAILURES
    return 0 if extra <= 0 else min(FIRST_BACKOFF_S << min(extra - 1, 16), MAX_BACKOFF_S)


def _review_gate(runs: Sequence[Run], dirs: Dirs) -> Gate:
    held = run_awaiting_review(runs, dirs)
    reason = "none waits" if held is None else f"the dream {held.id} waits for review"
    source = str(dirs.state / "runs") if held is None else str(held.path)
    return Gate("review", held is None, "no dream awaits review", reason, source)
