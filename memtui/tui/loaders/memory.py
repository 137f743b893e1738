"""Reading the disk for the screen: in threads, so that no key waits, and reported as messages."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from memtui.client.git import branch_of
from memtui.client.paths import LOCK_NAME
from memtui.dream import has_history
from memtui.tui import messages
from memtui.tui.app_base import AppBase
from memtui.tui.startup.frame_cache import Stamp, stamp
from memtui.tui.startup.stamps import stamps_of
from memtui.util.errors import MemtuiError
from memtui.util.lazy_module import LazyModule

if TYPE_CHECKING:
    from memtui.dream.gates import last_dream
    from memtui.memory.snapshot import Snapshot
    from memtui.memory.workspace import Workspace
    from memtui.services import access
    from memtui.services import editor as editing
    from memtui.tui.render import preview
    from memtui.tui.state import Preview
else:  # the engine is imported in the thread that reads first
    last_dream, access = LazyModule("memtui.dream.gates.last_dream"), LazyModule("memtui.services.access")
    preview, editing = LazyModule("memtui.tui.render.preview"), LazyModule("memtui.services.editor")


class MemoryLoader:
    """What the app has read, and how often: first, again, and the file under the cursor.

    One reading goes on at a time. What the watcher reports is compared with what was read last, by sizes and times: a
    write of our own, which was read when it was done, is not read once more.
    """

    def __init__(self, app: AppBase) -> None:
        self.app = app
        self.loaded: tuple[Snapshot, list[Stamp]] | None = None
        """The last full reading, and the stamps of all that it was made from."""
        self._busy = self._repeat = False

    def first(self) -> None:
        """Names first, unless the last start's first frame shows them; then links, checks and history."""
        self._busy = True
        self.app.start_thread("read", self._first)

    def read_again(self) -> None:
        """Read what changed; the cursor stays where it is. A reading that goes on is followed by another."""
        self._repeat = self._busy
        if not self._busy:
            self._busy = True
            self.app.start_thread("read", self._again)

    def look(self) -> None:
        if self._busy:
            self._repeat = True
        else:
            self.app.start_thread("rescan", self._look)

    def preview(self, snapshot: Snapshot, wanted: Preview) -> None:
        def draw() -> None:
            made = preview.make_preview(self.app.workspace, snapshot, wanted, self.app.glyphs)
            if not get_current_worker().is_cancelled:
                self.app.post_message(messages.PreviewLoaded(made))

        self.app.start_thread("preview", draw)

    def _first(self) -> None:
        app, workspace = self.app, self.app.workspace
        if app.state.first is None or app.state.first.title is None:
            self._post(full=False)
        self._write(workspace.recover)
        self._write(self._recover_dreams)
        message = self._post(full=True)
        self._write(workspace.note_outside)
        self._take_up_texts()
        self.loaded = (message.snapshot, stamps_of(workspace, message.snapshot))
        app.post_message(messages.InitialLoadFinished())
        self._finished(workspace)

    def _again(self) -> None:
        workspace = self.app.workspace
        before = {seen[0]: stamp(seen[0]) for seen in (self.loaded[1] if self.loaded else ())}
        message = self._post(full=True)
        files = {str(file.path) for scope in message.snapshot.scopes for file in scope.files}
        # Of folders what they were before they were read: what comes into one meanwhile is seen by the next look.
        found = stamps_of(workspace, message.snapshot)
        stamps = [seen if seen[0] in files else before.get(seen[0], seen) for seen in found]
        self.loaded = (message.snapshot, stamps)
        self._write(workspace.note_outside)
        self._finished(workspace)

    def _finished(self, workspace: Workspace) -> None:
        if has_history(workspace.dirs, workspace.location.folder):
            import_module("memtui.tui.loaders.dreams")  # in this thread: the app will want it
            self.app.post_message(messages.DreamsFound())
        self.app.post_message(messages.ReadingFinished("memory"))

    def done(self) -> None:
        self._busy = False
        if self._repeat:
            self._repeat = False
            self.look()

    def _take_up_texts(self) -> None:
        """Keep what an editor left behind, or saved after it had returned, as drafts."""
        for words in editing.take_up_leftovers(self.app.workspace):
            self.app.post_message(messages.LeftoverFinished(words))

    def _recover_dreams(self) -> None:
        for words in access.prepare_to_write(self.app.workspace) if has_history(self.app.workspace.dirs) else ():
            self.app.post_message(messages.LeftoverFinished(words))

    def _look(self) -> None:
        self._take_up_texts()
        stamps = self.loaded[1] if self.loaded else []
        if any(stamp(seen[0]) != seen for seen in stamps) and not get_current_worker().is_cancelled:
            self.app.post_message(messages.SnapshotOutdated())

    def _write(self, write: Callable[[], object]) -> None:
        """Keep the history; where that is impossible it is said, and reading goes on."""
        if self.app.workspace.read_only:
            return
        try:
            write()
        except MemtuiError as error:
            self.app.post_message(messages.CommandFailed(error.message, error.hint))

    def _post(self, *, full: bool) -> messages.SnapshotLoaded:
        state = self.app.state
        message = load_snapshot_again(self.app.workspace, state.snapshot, full=full)
        if not (full and message.same_as(state)) and not get_current_worker().is_cancelled:
            self.app.post_message(message)
        return message


def load_snapshot_again(workspace: Workspace, known: Snapshot | None, *, full: bool) -> messages.SnapshotLoaded:
    """Read all of it; `full` adds links, checks and what the last dream changed."""
    snapshot = workspace.read(full=full, known=known)
    place = workspace.location
    unsaved = frozenset(draft.path for draft in workspace.drafts.list())
    changed = _changed_by_dream(workspace) if full else frozenset[Path]()
    pinned, last = workspace.pins.paths(place.folder), _last_dream(workspace)
    return messages.SnapshotLoaded(snapshot, unsaved, pinned, changed, last, branch_of(place.cwd))


def _changed_by_dream(workspace: Workspace) -> frozenset[Path]:
    """What the newest dream changed; where the history can't be read, which is said elsewhere, nothing is marked."""
    try:
        return workspace.changed_by_dream()
    except MemtuiError:
        return frozenset()


def _last_dream(workspace: Workspace) -> float | None:
    """When the last dream succeeded, in seconds since 1970; where none of ours ever ran, that is the lock's time."""
    if has_history(workspace.dirs):
        return last_dream.last_dream(workspace, workspace.now())
    try:
        at = (workspace.location.folder / LOCK_NAME).stat().st_mtime
    except OSError:
        return None
    return at if at <= workspace.now() else None
