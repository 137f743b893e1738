"""What dreams change, as unified diffs. Runs in threads; knows no widget."""

from collections.abc import Collection

from memtui.dream.lock.external_run import ExternalRun, text_before_run
from memtui.dream.review.review import texts_changed, versions_of_file
from memtui.dream.run.runs import Run, run_state
from memtui.dream.run.stage import has_stage
from memtui.memory.workspace import Workspace
from memtui.util.diff import unified_diff


def run_difference(run: Run, workspace: Workspace, names: Collection[str] | None = None) -> str:
    """What a run changes, or changed: all of it, or the named files; "" for nothing that is known.

    Of a run at work: what it has drafted so far. Of one whose draft is kept: what adopting would do. Else what it did.

    Raises:
        MemtuiError: If nothing is known of a named file.
    """
    if names is not None:
        sides = {name: versions_of_file(run, workspace.dirs, workspace, name) for name in names}
        moved = any(side.now != side.before for side in sides.values())
        if not (moved and has_stage(workspace.dirs, run.id) and run_state(run).word != "running"):
            return "".join(unified_diff(side.before, side.made, name) for name, side in sides.items())
    changes = texts_changed(run, workspace.dirs, workspace)
    return "".join(
        unified_diff(before, after, name) for name, before, after in changes if names is None or name in names
    )


def foreign_difference(workspace: Workspace, foreign: ExternalRun | None, name: str) -> str:
    """What became of a file since another program took the lock, as far as history knows what it was before.

    Raises:
        MemtuiError: If it doesn't, or the file can't be read.
    """
    if foreign is None:
        return ""
    found = workspace.store(workspace.location.folder).read(name)
    new = any(file.name == name and file.kind == "added" for file in foreign.files)
    before = None if new else text_before_run(workspace, name, foreign.since)
    return unified_diff(before, None if found is None else found[0], name)
