"""Starting a dream from something that nobody looks at: the end of a turn, or a schedule.

It takes no longer than a look at the cheap gates and the start of a process; what costs more, a scan of the sessions
above all, that process does. What stopped a dream is written down among the refusals, as everywhere.
"""

from collections.abc import Mapping, Sequence

from memtui.base.dirs import Dirs
from memtui.dream.events import GateClosed
from memtui.dream.gates import Gate
from memtui.dream.ready import quick_refusal
from memtui.dream.runs import note_refusal
from memtui.dream.start import Wish, start_unwatched
from memtui.memory.workspace import Workspace


def trigger_dream(
    workspace: Workspace,
    dirs: Dirs,
    wish: Wish,
    *,
    environ: Mapping[str, str],
    now: float,
    program: Sequence[str] | None = None,
) -> Gate | None:
    """Start a dream if nothing speaks against it, and don't wait for it.

    Args:
        wish: What kind of run; its trigger says who starts it.
        environ: The process's environment.
        now: Seconds since 1970.
        program: As in `start_run`.

    Returns:
        The gate that stopped it, or `None`: a process was started, which may still find a gate closed.

    Raises:
        MemtuiError: If it can't be started.
    """
    shut = quick_refusal(workspace, dirs, now, trigger=wish.trigger, force=wish.force)
    if shut is not None:
        _refuse(workspace, dirs, wish.trigger, shut.name, shut.reason, now)
    else:
        start_unwatched(workspace.place.cwd, wish, environ=environ, program=program)
    return shut


def note_fault(workspace: Workspace, dirs: Dirs, trigger: str, reason: str, now: float) -> None:
    """Write down why a dream that nobody waits for couldn't even begin."""
    _refuse(workspace, dirs, trigger, "start", reason, now)


def _refuse(workspace: Workspace, dirs: Dirs, trigger: str, name: str, reason: str, now: float) -> None:
    """Write down what stopped a dream."""
    event = GateClosed(name=name, reason=reason, folder=str(workspace.place.folder), trigger=trigger)
    note_refusal(dirs, event, lambda: now)
