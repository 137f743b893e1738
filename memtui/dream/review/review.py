"""What a person does with a run afterwards: adopt it or some of it, throw it away, take back what it did.

Source: DESIGN.md D1; UX.md 5.5.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress

from msgspec import Struct

from memtui.dream.lock.lock import Lock
from memtui.dream.review import adoption
from memtui.dream.review.adoption import Adopted
from memtui.dream.run.events import Decided, EventLog
from memtui.dream.run.runs import Run, state_of
from memtui.dream.run.stage import Stage, discard_stage, has_stage, open_stage
from memtui.dream.run.stage_changes import staged
from memtui.fs.atomic import digest
from memtui.history.store import Change
from memtui.history.versions import Operation, Saved
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused


def kept_stage(run: Run, dirs: Dirs) -> Stage:
    """What is kept aside of a run that has ended.

    Raises:
        Conflict: If it still runs.
        NotFound: If nothing is kept.
    """
    if state_of(run).word == "running":
        raise Conflict(f"the dream {run.id} still runs", hint="memtui dream watch follows it, memtui kill ends it")
    return open_stage(dirs, run.id)


def adopt_run(
    run: Run, dirs: Dirs, workspace: Workspace, names: Collection[str] | None = None, *, over: bool = False
) -> Adopted:
    """Adopt what is kept of a run, all of it or the named files.

    Once nothing of a held run is left to adopt, it counts as the last consolidation, and what was kept is removed.

    Raises:
        MemtuiError: As from `kept_stage` and `adoption.adopt`; nothing was written then.
    """
    stage = kept_stage(run, dirs)
    done = adoption.adopt(stage, workspace, names, over=over)
    if done.names:
        _decided(run, workspace, Decided("adopted", done.names, done.version or ""))
    if not done.left and done.names:
        end = state_of(run).end
        if end is not None and end.how == "held" and not run.dry_run:
            _count_as_success(run, dirs, workspace)
        discard_stage(dirs, run.id)
    return done


def _count_as_success(run: Run, dirs: Dirs, workspace: Workspace) -> None:
    """Give the lock the time of this moment, unless somebody dreams just now: then that one will."""
    lock = Lock(run.folder, dirs, run=run.id, now=workspace.now)
    with suppress(MemtuiError):
        lock.take()
        lock.release()


def discard_run(run: Run, dirs: Dirs, workspace: Workspace) -> None:
    """Throw away what is kept of a run.

    Raises:
        Conflict, NotFound: As from `kept_stage`.
    """
    kept_stage(run, dirs)
    discard_stage(dirs, run.id)
    _decided(run, workspace, Decided("discarded"))


def _decided(run: Run, workspace: Workspace, event: Decided) -> None:
    EventLog(run.events, now=workspace.now).add(event, sync=True)


def versions_of(run: Run, workspace: Workspace) -> tuple[Operation, ...]:
    """The versions in which something of a run was adopted, newest first."""
    versions = workspace.store(run.folder).operations()
    return tuple(one for one in versions if one.kind == "adopt" and (one.extra or {}).get("run") == run.id)


def changes_of(run: Run, dirs: Dirs, workspace: Workspace) -> tuple[tuple[str, bytes | None, bytes | None], ...]:
    """What a run changed: name, text before and text after, `None` for no file.

    If something is kept of it, what adopting it now would do; else what was adopted, oldest version first, a name once
    for each version that changed it.
    """
    if has_stage(dirs, run.id):
        plan = adoption.plan(open_stage(dirs, run.id), workspace)
        return tuple((name, before, after) for name, (before, after) in adoption.differences(plan).items())
    history = workspace.store(run.folder).history
    return tuple(
        (change.name, history.before(version.id, change.name), history.read(version.id, change.name))
        for version in reversed(versions_of(run, workspace))
        for change in version.files
    )


class Sides(Struct, frozen=True):
    """A file three times: before the run, as the run made it, and as it is in the folder now; `None` for no file."""

    before: bytes | None
    made: bytes | None
    now: bytes | None


def sides_of(run: Run, dirs: Dirs, workspace: Workspace, name: str) -> Sides:
    """A file of a run, also of one that is still at work; nothing else of the run is read.

    Args:
        name: What it is called now.

    Raises:
        NotFound: If nothing is known of what the run did to it.
    """
    found = workspace.store(run.folder).read(name)
    now = None if found is None else found[0]
    if has_stage(dirs, run.id):
        stage = open_stage(dirs, run.id)
        return Sides(stage.base(name), staged(stage, name), now)
    history = workspace.store(run.folder).history
    for version in versions_of(run, workspace):
        if any(change.name == name for change in version.files):
            return Sides(history.before(version.id, name), history.read(version.id, name), now)
    raise NotFound(f"nothing is known of what the dream {run.id} did to {name}")


def restore_plan(run: Run, workspace: Workspace, names: Collection[str] | None = None) -> tuple[Change, ...]:
    """What would bring files back to what they were before a run was adopted; later edits are kept by the store.

    Args:
        names: The files; all that the run changed if left out.

    Raises:
        NotFound: If nothing of the run was adopted, or not this file.
    """
    made = [version for version in versions_of(run, workspace) if not version.undone]
    if not made:
        raise NotFound(f"nothing of the dream {run.id} is in the memory folder", hint="memtui history tells more")
    history = workspace.store(run.folder).history
    first: dict[str, tuple[bytes | None, bytes | None]] = {}
    for version in made:  # newest first: the text after it is the newest one's, the text before it the oldest one's
        for change in version.files:
            after = first[change.name][1] if change.name in first else history.read(version.id, change.name)
            first[change.name] = (history.before(version.id, change.name), after)
    missing = [name for name in names or () if name not in first]
    if missing:
        raise NotFound(f"the dream didn't change {missing[0]}", hint=f"memtui dream diff {run.id} lists what it did")
    return tuple(
        Change(name, before, None if after is None else digest(after), after)
        for name, (before, after) in first.items()
        if names is None or name in names
    )


def restore_run(run: Run, workspace: Workspace, changes: Sequence[Change]) -> Saved:
    """Carry out a `restore_plan`, as one operation that can be undone; what later edits overlap is in `left`.

    Raises:
        Refused: If memtui is read only.
        Stale: If later edits stand in the way of all of it; nothing was written.
    """
    if workspace.read_only:
        raise Refused("memtui was started with --read-only", hint="start it without --read-only to write")
    count = f"{len(changes)} file{'s' * (len(changes) != 1)}"
    why = f"restore {count} from before the dream {run.id}"
    return workspace.store(run.folder).apply(
        changes, why=why, kind="restore", extra={"before-run": run.id}, partial=True
    )
