"""Would a dream start now, with what only we know: what became of the lock's holder, and whether a run is held.

Looking changes nothing. A run that is held is judged by a person before another one starts by itself: a second one
would spend money to find the same again.

Source: UX.md 5.8.
"""

from memtui.base.dirs import Dirs
from memtui.dream.gates import Gate, gates
from memtui.dream.lock import seen_lock
from memtui.dream.runs import list_runs, waiting
from memtui.memory.workspace import Workspace

FORCED = ("time", "sessions", "review")
"""The gates that a person may skip by force."""


def all_gates(workspace: Workspace, dirs: Dirs, now: float) -> tuple[Gate, ...]:
    """The gates of `gates`, with what we know of the lock, and one more: a run that waits for review."""
    lock = seen_lock(workspace.place.folder, dirs)
    found = gates(workspace.place, workspace.env, now, lock)
    held = waiting(list_runs(dirs, workspace.place.folder))
    reason = "none waits" if held is None else f"the dream {held.id} waits for review"
    source = str(dirs.state / "runs") if held is None else str(held.path)
    review = Gate("review", held is None, "the last dream is judged", reason, source)
    return (*found[:-1], review, found[-1])
