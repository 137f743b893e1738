"""What became of runs, by their events and the history: what whoever lists dreams reads, without the review itself."""

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Literal

from memtui.dream.run.events import Decided
from memtui.dream.run.runs import Run, RunProgress, events_of, run_state
from memtui.dream.run.stage import has_stage
from memtui.history.versions import Operation
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs

MAX_CLOCK_STEP_S = 86_400  # how far a clock may have been set back since a run began
Decision = Literal["", "adopted", "partly adopted", "restored", "discarded", "expired"]
"""What became of a run's changes; "" while nothing is decided, or where there was nothing to decide."""


def decision_on(run: Run, progress: RunProgress, operations: Iterable[Operation], *, kept: bool) -> Decision:
    """What became of a run's changes, by the folder's operations since it began; `kept`: its stage is still there."""
    decided = {one.what for one in progress.decided}
    fates = adopted_files(run, operations)
    standing = [name for name, fate in fates.items() if fate == "adopted"]
    if standing:
        whole = len(standing) == len(fates) and not kept and "discarded" not in decided
        return "adopted" if whole else "partly adopted"
    if fates and not kept:
        return "restored"
    if "discarded" in decided:
        return "discarded"
    held = progress.end is not None and progress.end.how == "held"
    return "expired" if held and not kept and not run.dry_run else ""


def adopted_files(run: Run, operations: Iterable[Operation]) -> dict[str, str]:
    """What became of each file of which something was adopted: it is "adopted", or was "undone" or "restored" since."""
    found: dict[str, str] = {}
    back = set[str]()
    for one in operations:
        names, extra = [change.name for change in one.files], one.extra or {}
        if extra.get("before-run") == run.id and not one.undone:
            back.update(names)
        elif one.kind == "adopt" and extra.get("run") == run.id:
            for name in names:
                fate = "undone" if one.undone else "restored" if name in back else "adopted"
                found[name] = fate if fate == "adopted" else found.get(name, fate)
    return found


def operations_since(runs: Sequence[Run], workspace: Workspace) -> tuple[Operation, ...]:
    """The operations of a memory folder since the oldest of these runs of it began, newest first."""
    if not runs:
        return ()
    begun = min(run.at for run in runs) - MAX_CLOCK_STEP_S
    return tuple(takewhile(lambda one: one.when >= begun, workspace.store(runs[0].folder).operations()))


def adopted_operations(run: Run, workspace: Workspace) -> tuple[Operation, ...]:
    """The operations in which something of a run was adopted, newest first."""
    operations = workspace.store(run.folder).operations()
    return tuple(one for one in operations if one.kind == "adopt" and (one.extra or {}).get("run") == run.id)


def is_adoption_unfinished(run: Run, dirs: Dirs, workspace: Workspace) -> bool:
    """Whether an adoption by hand was stopped after the folder was changed. Cheap for a run without a stage."""
    if not has_stage(dirs, run.id) or run_state(run).end is None:
        return False
    ended = any(one.what == "adopted" and not one.left for one in _decided(run))
    return ended or bool(unrecorded_adoptions(run, workspace))


def unrecorded_adoptions(run: Run, workspace: Workspace) -> tuple[Operation, ...]:
    """The adoptions of a run that its events don't tell of, oldest first."""
    versions = {one.version for one in _decided(run)}
    made = adopted_operations(run, workspace)
    return tuple(one for one in reversed(made) if one.id not in versions and not one.undone)


def _decided(run: Run) -> tuple[Decided, ...]:
    return tuple(event for event in events_of(run) if isinstance(event, Decided))
