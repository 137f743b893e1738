"""Finish what runs, and adoptions by hand, left that died: the adoption, the lock, the run's own file, old stages.

Both may die at any point, by SIGKILL or with the machine. The history's journal completes or undoes an adoption, the
lock gets its earlier mtime back, and the run's file gets its end, or what was adopted of it. Whoever looks at dreams
next does that first (`services.access.settle`).
"""

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from memtui.dream import has_history
from memtui.dream.lock.journal import lock_entries
from memtui.dream.lock.lock import recover_locks
from memtui.dream.lock.lock_file import PriorLock
from memtui.dream.review.decisions import adopted_operations, is_adoption_unfinished
from memtui.dream.run.events import Decided, Ended, EventLog
from memtui.dream.run.runs import Run, clear_runs, decisions_of, is_expired, list_runs, run_state, same_folder
from memtui.dream.run.stage import STAGE_RETENTION_S, clear_stages, discard_stage, has_stage, open_stage
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.lazy_module import LazyModule
from memtui.util.process import is_alive
from memtui.util.text import time_ago

if TYPE_CHECKING:
    from memtui.dream.gates import session_mark
    from memtui.dream.review import review
    from memtui.dream.run import stage_changes
else:  # the engine, 1 MB: only where a process died
    session_mark, review = LazyModule("memtui.dream.gates.session_mark"), LazyModule("memtui.dream.review.review")
    stage_changes = LazyModule("memtui.dream.run.stage_changes")


def recover(dirs: Dirs, workspace: Workspace, now: float) -> tuple[str, ...]:
    """Finish runs and adoptions that died, and put locks right, before any write; a sentence for each thing done."""
    if not has_history(dirs):
        return ()
    workspace.recover()
    lock_texts = {entry.run: lock_words(entry.before, now) for entry in recover_locks(dirs)}
    runs = list_runs(dirs)
    states = {run.id: run_state(run).word for run in runs}
    told: list[str] = []
    for run in runs:
        if not same_folder(run.folder, workspace.location.folder):
            continue
        if states[run.id] == "died":
            end = end_dead(dirs, workspace, run, now, lock=lock_texts.get(run.id, ""))
            told.append(f"the dream {run.id} had died: {end.reason}")
        elif is_adoption_unfinished(run, dirs, workspace) and review.finish_adoption(run, dirs, workspace):
            told.append(f"adopting the dream {run.id} had been interrupted: it is finished now")
    running = [id for id, word in states.items() if word == "running"]
    clear_stages(dirs, now, running)
    clear_runs(dirs, [*running, *(id for id in states if has_stage(dirs, id))])
    return tuple(told)


def expire_unreviewed(dirs: Dirs, workspace: Workspace, now: float) -> tuple[str, ...]:
    """Record of each held run whose drafts were removed unjudged that it is decided; a sentence each, so once."""
    told = []
    for run in list_runs(dirs, workspace.location.folder):
        if is_expired(run, dirs) and not decisions_of(run):
            EventLog(run.events, now=lambda: now).add(Decided(what="expired", left=0), sync=True)
            days = STAGE_RETENTION_S // 86_400
            told.append(
                f"nobody reviewed the dream {run.id} for {days} days: its drafts are gone, it counts as decided"
            )
    return tuple(told)


def is_anything_left(dirs: Dirs, workspace: Workspace, now: float) -> bool:
    """Whether `recover` would do something for this folder; locks and writes nothing."""
    folder = os.path.realpath(workspace.location.folder)
    if any(not entry.done and not is_alive(entry.holder) for entry in lock_entries(dirs)):
        return True
    if any(one.folder == folder for one in workspace.history.interrupted()):
        return True
    return any(
        run_state(run).word == "died"
        or (has_stage(dirs, run.id) and now - run.at > STAGE_RETENTION_S)
        or is_adoption_unfinished(run, dirs, workspace)
        for run in list_runs(dirs, workspace.location.folder)
    )


def end_dead(dirs: Dirs, workspace: Workspace, run: Run, now: float, *, lock: str, signal: int = 0) -> Ended:
    """Write the end of a run whose process is gone. Needs a recovered store; `lock` says what became of its lock."""
    if adopted := adopted_operations(run, workspace):
        made = adopted[0]
        discard_stage(dirs, run.id)
        if run.reads_sessions:
            with suppress(OSError):
                session_mark.mark_sessions_read(workspace, run.at, now)
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
    changes = stage_changes.read_stage_changes(open_stage(dirs, run_id))
    return len(changes.touched) + len(changes.odd)


def lock_words(before: PriorLock | None, now: float) -> str:
    """Say what was put back in the lock's place; `None` if another process has the lock."""
    if before is None:
        return "left alone: another process has it"
    if before.kind == "none":
        return "removed again: there was none before"
    at = before.mtime_ns / 1e9
    return f"back to {time.strftime('%a %Y-%m-%d %H:%M', time.localtime(at))} ({time_ago(now - at)})"
