"""Who may write, and what has to be in order before somebody looks or writes."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.dream import has_history
from memtui.fs.links import why_not_written
from memtui.memory.workspace import Workspace
from memtui.util.errors import MemtuiError, Refused
from memtui.util.lazy_module import LazyModule

if TYPE_CHECKING:
    from memtui.dream.run import recovery
else:  # with what it imports 0.4 MB, only where a dream ever ran
    recovery = LazyModule("memtui.dream.run.recovery")


def require_writable(workspace: Workspace) -> None:
    """`Refused` if memtui was started with --read-only."""
    workspace.check_writable()


def require_writable_file(workspace: Workspace, path: Path) -> None:
    """`Refused` in read-only mode, and for a link through which nothing is written: asked before anything is typed."""
    require_writable(workspace)
    reason = why_not_written(path, workspace.own)
    if reason:
        raise Refused(f"{path.name} is read only: {reason}")


def prepare_to_write(workspace: Workspace) -> tuple[str, ...]:
    """End what a crash left half done, before anything is read for a write; as `settle`, but `Refused` if read-only."""
    require_writable(workspace)
    workspace.recover()
    now = workspace.now()
    if not has_history(workspace.dirs):
        return ()
    return recovery.recover(workspace.dirs, workspace, now) + recovery.expire_unreviewed(workspace.dirs, workspace, now)


def settle(workspace: Workspace) -> tuple[str, ...]:
    """Finish runs and adoptions that were stopped, before dreams are looked at; a sentence for each thing done.

    Nothing is done in read-only mode, nor where the disk or the history refuses, which whoever looks at them tells.
    """
    dirs, now = workspace.dirs, workspace.now()
    if workspace.read_only or not has_history(dirs):
        return ()
    with suppress(MemtuiError, OSError):
        done = recovery.recover(dirs, workspace, now) if recovery.is_anything_left(dirs, workspace, now) else ()
        return done + recovery.expire_unreviewed(dirs, workspace, now)
    return ()
