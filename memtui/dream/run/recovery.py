"""What runs that died left behind, ended at the next start: the adoption, the lock, the run's own file, old stages.

Source: SAFETY.md section 0 (3), F20, F22.
"""

import time

from memtui.dream.lock.journal import Before
from memtui.dream.lock.lock import recover_locks
from memtui.dream.run.events import Ended, EventLog
from memtui.dream.run.runs import Run, clear_runs, list_runs, state_of
from memtui.dream.run.stage import clear_stages, discard_stage, has_stage, open_stage
from memtui.dream.run.stage_changes import read_stage_changes
from memtui.dream.traces import of_ours
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.text import time_ago


def recover(dirs: Dirs, workspace: Workspace, now: float) -> tuple[str, ...]:
    """End what died, of this workspace and, for locks, of every folder. For the start of whatever writes.

    Args:
        now: Seconds since 1970.

    Returns:
        The ids of the runs that were ended.
    """
    if not of_ours(dirs):
        return ()
    workspace.recover()
    words = {entry.run: lock_words(entry.before, now) for entry in recover_locks(dirs)}
    ended = []
    runs = list_runs(dirs)
    states = {run.id: state_of(run).word for run in runs}
    for run in runs:
        if states[run.id] == "died" and _is_of(run, workspace):
            end_dead(dirs, workspace, run, now, lock=words.get(run.id, ""))
            ended.append(run.id)
    kept = clear_stages_of(dirs, now, [run.id for run in runs if states[run.id] == "running"])
    clear_runs(dirs, kept)
    return tuple(ended)


def clear_stages_of(dirs: Dirs, now: float, busy: list[str]) -> list[str]:
    """Throw old stages away; the runs whose stage is kept."""
    clear_stages(dirs, now, busy)
    return busy + [run.id for run in list_runs(dirs) if has_stage(dirs, run.id)]


def _is_of(run: Run, workspace: Workspace) -> bool:
    return run.folder == workspace.location.folder


def end_dead(dirs: Dirs, workspace: Workspace, run: Run, now: float, *, lock: str, signal: int = 0) -> Ended:
    """Write down the end of a run whose process is gone: adopted wholly, or not at all. Needs a recovered store.

    Args:
        lock: What became of its lock.
        signal: The signal that ended it, if it is known.
    """
    versions = workspace.store(run.folder).operations()
    made = next((one for one in versions if one.kind == "adopt" and (one.extra or {}).get("run") == run.id), None)
    log = EventLog(run.events, now=lambda: now)
    if made is not None:
        discard_stage(dirs, run.id)
        names = tuple(change.name for change in made.files)
        end = Ended(how="done", reason="adopted; it died right after that", version=made.id, adopted=names, lock=lock)
    else:
        drafted = 0
        if has_stage(dirs, run.id):
            ledger = read_stage_changes(open_stage(dirs, run.id))
            drafted = len(ledger.touched) + len(ledger.odd)
            if not drafted:
                discard_stage(dirs, run.id)
        why = "its process was killed" if signal else "its process was gone, killed or with the machine"
        end = Ended(how="killed", reason=why, drafted=drafted, lock=lock, signal=signal)
    log.add(end, sync=True)
    return end


def lock_words(before: Before | None, now: float) -> str:
    """What was done to a lock that was rolled back, for people.

    Args:
        before: What was put back; `None` if somebody else has it.
        now: Seconds since 1970.
    """
    if before is None:
        return "left alone: somebody else has it"
    if before.kind == "none":
        return "gone again: there was none before"
    at = before.mtime_ns / 1e9
    return f"back to {time.strftime('%a %Y-%m-%d %H:%M', time.localtime(at))} ({time_ago(now - at)})"
