"""When memory was last consolidated: what every look at a project shows, without testing a gate."""

from memtui.dream.gates.base import last_success
from memtui.dream.lock.lock import lock_before_run
from memtui.dream.run.runs import list_runs, newest_success
from memtui.memory.workspace import Workspace


def last_dream(workspace: Workspace, now: float) -> float | None:
    """When the last dream succeeded, ours or another program's; `None` for never."""
    folder = workspace.location.folder
    own = newest_success(list_runs(workspace.dirs, folder))
    return last_success(lock_before_run(folder, workspace.dirs), now, own)
