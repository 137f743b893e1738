"""Who may write, and what has to be in order first."""

from memtui.dream.run.recovery import recover
from memtui.memory.workspace import Workspace
from memtui.util.errors import Refused


def require_writable(workspace: Workspace) -> None:
    """`Refused` if memtui was started with --read-only."""
    if workspace.read_only:
        raise Refused("memtui was started with --read-only", hint="start it without --read-only to write")


def prepare_to_write(workspace: Workspace) -> None:
    """Get ready to write, before anything is read for it: end what a crash left half done.

    `Refused` if memtui was started with --read-only.
    """
    require_writable(workspace)
    workspace.recover()
    recover(workspace.dirs, workspace, workspace.now())
