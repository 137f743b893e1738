"""Reading the disk for the screen: in threads, so that no key waits, and reported as messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from memtui.client.git import branch_of
from memtui.client.paths import LOCK_NAME
from memtui.dream import has_history
from memtui.tui.messages import (
    CommandFailed,
    DiskChanged,
    DreamsChanged,
    InitialLoadFinished,
    PreviewLoaded,
    SnapshotLoaded,
)
from memtui.tui.startup.frame_cache import Stamp, stamp
from memtui.tui.startup.stamps import stamps_of
from memtui.util.errors import MemtuiError
from memtui.util.gc_tuning import limit_heaps

if TYPE_CHECKING:
    from memtui.memory.snapshot import Snapshot
    from memtui.memory.workspace import Workspace
    from memtui.tui.app import MemtuiApp
    from memtui.tui.state import Preview


class MemoryLoader:
    """What the app has read, and how often: first, again, and the file under the cursor."""

    def __init__(self, app: MemtuiApp) -> None:
        self.app = app
        self.loaded: tuple[Snapshot, list[Stamp]] | None = None
        """The last full reading, and the stamps of all that it was made from."""

    def first(self) -> None:
        """Names first, unless the last start's first frame shows them; then links, checks and history."""
        self._start("read", self._first)

    def again(self) -> None:
        """Read what changed; the cursor stays where it is."""
        self._start("read", self._again)

    def look(self) -> None:
        """Read again if anything is not as it was read, which sizes and times tell: for what no watcher reports."""
        self._start("rescan", self._look)

    def preview(self, snapshot: Snapshot, wanted: Preview) -> None:
        """Draw the file under the cursor."""
        self._start("preview", lambda: self._preview(snapshot, wanted))

    def _start(self, group: str, work: Callable[[], None]) -> None:
        # With a description of its own: Textual would make one from the arguments, a whole world among them.
        self.app.run_worker(work, thread=True, exclusive=True, group=group, exit_on_error=False, description=group)

    def _first(self) -> None:
        limit_heaps()
        app, workspace = self.app, self.app.workspace
        if app.state is not None and (app.state.first is None or app.state.first.title is None):
            self._post(full=False)
        self._foreseen(workspace.recover)
        self._foreseen(self._recover_dreams)
        message = self._post(full=True)
        self._foreseen(workspace.note_outside)
        self.loaded = (message.snapshot, stamps_of(workspace, message.snapshot))
        app.post_message(InitialLoadFinished())
        self._tell_of_dreams()

    def _recover_dreams(self) -> None:
        workspace = self.app.workspace
        if has_history(workspace.dirs):
            from memtui.dream.run.recovery import recover  # the engine's import belongs into this thread

            recover(workspace.dirs, workspace, workspace.now())

    def _tell_of_dreams(self) -> None:
        """Have the runs read once there may be any: until then nothing of dreams is imported."""
        workspace = self.app.workspace
        if not self.app.reads_dreams and has_history(workspace.dirs, workspace.location.folder):
            _ = self.app.dreams  # its import belongs into this thread
            self.app.post_message(DreamsChanged())

    def _again(self) -> None:
        workspace = self.app.workspace
        message = self._post(full=True)
        self.loaded = (message.snapshot, stamps_of(workspace, message.snapshot))
        self._foreseen(workspace.note_outside)
        self._tell_of_dreams()

    def _look(self) -> None:
        stamps = self.loaded[1] if self.loaded else []
        if any(stamp(seen[0]) != seen for seen in stamps) and not get_current_worker().is_cancelled:
            self.app.post_message(DiskChanged())

    def _foreseen(self, write: Callable[[], object]) -> None:
        """Keep the history; where that is impossible it is said, and reading goes on."""
        if self.app.workspace.read_only:
            return
        try:
            write()
        except MemtuiError as error:
            self.app.post_message(CommandFailed(error.message, error.hint))

    def _post(self, *, full: bool) -> SnapshotLoaded:
        state = self.app.state
        message = load_snapshot_again(self.app.workspace, state.snapshot if state else None, full=full)
        same = full and state is not None and message.same_as(state)
        if not same and not get_current_worker().is_cancelled:
            self.app.post_message(message)
        return message

    def _preview(self, snapshot: Snapshot, wanted: Preview) -> None:
        from memtui.tui.render.preview import make_preview  # the engine's import belongs into this thread

        preview = make_preview(self.app.workspace, snapshot, wanted, self.app.glyphs)
        if not get_current_worker().is_cancelled:
            self.app.post_message(PreviewLoaded(preview))


FRESH = 3600.0
"""Seconds after which no run of ours is on any more, so that a lock's own time is that of its last success."""


def load_snapshot_again(workspace: Workspace, known: Snapshot | None, *, full: bool) -> SnapshotLoaded:
    """Read all of it; `full` adds links, checks and what the last dream changed."""
    snapshot = workspace.read(full=full, known=known)
    place = workspace.location
    return SnapshotLoaded(
        snapshot=snapshot,
        unsaved=frozenset(draft.path for draft in workspace.drafts.list()),
        pinned=workspace.pins.paths(place.folder),
        changed=_changed_by_dream(workspace) if full else frozenset(),
        last_dream=_last_dream(workspace),
        branch=branch_of(place.cwd),
    )


def _changed_by_dream(workspace: Workspace) -> frozenset[Path]:
    """What the newest dream changed; where the history can't be read, which is said elsewhere, nothing is marked."""
    try:
        return workspace.changed_by_dream()
    except MemtuiError:
        return frozenset()


def _last_dream(workspace: Workspace) -> float | None:
    """When the last dream succeeded, in seconds since 1970; the lock's own time is the start of the one that is on."""
    folder = workspace.location.folder
    try:
        at = (folder / LOCK_NAME).stat().st_mtime
    except OSError:
        return None
    if workspace.now() - at > FRESH:
        return at
    # Only where a run may be on: the first reading waits for no import.
    from memtui.dream.lock.lock import lock_before_run

    return lock_before_run(folder, workspace.dirs).at
