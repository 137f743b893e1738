"""Finish what runs left that died: the adoption, the lock, the run's own file, old stages.

A run may die at any point, by SIGKILL or with the machine. An adoption that was under way is completed or undone by the
history's own journal (`Workspace.recover`), the lock gets its earlier mtime back, and the run's file gets its end.
"""

import time

from memtui.dream import has_history
from memtui.dream.lock.lock import recover_locks
from memtui.dream.lock.lock_file import PriorLock
from memtui.dream.review.adoption import adopted_operations
from memtui.dream.run.events import Ended, EventLog
from memtui.dream.run.runs import Run, clear_runs, list_runs, run_state
from memtui.dream.run.stage import clear_stages, discard_stage, has_stage, open_stage
from memtui.dream.run.stage_changes import read_stage_changes
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.text import time_ago


def recover(dirs: Dirs, workspace: Workspace, now: float) -> tuple[str, ...]:
    """Finish the dead runs of a workspace, whose ids are returned, and put right the locks of every folder.

    Called before anything writes.
    """
    if not has_history(dirs):
        return ()
    workspace.recover()
    lock_texts = {entry.run: lock_words(entry.before, now) for entry in recover_locks(dirs)}
    states = {run: run_state(run).word for run in list_runs(dirs)}
    ended = [run for run, word in states.items() if word == "died" and run.folder == workspace.location.folder]
    for run in ended:
        end_dead(dirs, workspace, run, now, lock=lock_texts.get(run.id, ""))
    running = [run.id for run, word in states.items() if word == "running"]
    clear_stages(dirs, now, running)
    clear_runs(dirs, [*running, *(run.id for run in states if has_stage(dirs, run.id))])
    return tuple(run.id for run in ended)


def end_dead(dirs: Dirs, workspace: Workspace, run: Run, now: float, *, lock: str, signal: int = 0) -> Ended:
    """Write the end of a run whose process is gone: it was adopted wholly, or not at all. Needs a recovered store.

    `lock` says to people what became of its lock, `signal` is the one that ended it, 0 if unknown.
    """
    if adopted := adopted_operations(run, workspace):
        made = adopted[0]
        discard_stage(dirs, run.id)
        names = tuple(change.name for change in made.files)
        end = Ended(how="done", reason="adopted; it died right after that", version=made.id, adopted=names, lock=lock)
    else:
        drafted = count_drafted(dirs, run.id)
        if not drafted:
            discard_stage(dirs, run.id)
        why = "its process was killed" if signal else "its process was gone, killed or with the machine"
        end = Ended(how="killed", reason=why, drafted=drafted, lock=lock, signal=signal)
    EventLog(run.events, now=lambda: now).add(end, sync=True)
    return end


def count_drafted(dirs: Dirs, run_id: str) -> int:
    """How many changes are kept in a run's stage, those included that may never be adopted."""
    if not has_stage(dirs, run_id):
        return 0
    changes = read_stage_changes(open_stage(dirs, run_id))
    return len(changes.touched) + len(changes.odd)


def lock_words(before: PriorLock | None, now: float) -> str:
    """Say what was put back in the lock's place; `None` if another process has the lock."""
    if before is None:
        return "left alone: another process has it"
    if before.kind == "none":
        return "removed again: there was none before"
    at = before.mtime_ns / 1e9
    return f"back to {time.strftime('%a %Y-%m-%d %H:%M', time.localtime(at))} ({time_ago(now - at)})"
