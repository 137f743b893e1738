"""The app: it owns the state, starts the workers, and is the only one that assigns either."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from memtui.tui import keys, styles
from memtui.tui.headlines import meter_fill, meter_note, title_facts
from memtui.tui.messages import (
    CommandDone,
    CommandFailed,
    CommandRequested,
    DiskChanged,
    DreamsChanged,
    EditorRequest,
    InitialLoadFinished,
    PreviewRequested,
    RunsFinished,
    SessionListFinished,
    SessionsChanged,
    SnapshotLoaded,
    StateUpdate,
)
from memtui.tui.rooms import Rooms
from memtui.tui.startup.first_state import decode, names_in
from memtui.tui.startup.save_frame import save_first_frame
from memtui.tui.startup.start import StartContext
from memtui.tui.state import AppState, Preview, ShowsDream
from memtui.tui.theme import UNICODE, Glyphs, theme_for
from memtui.tui.views.memory import MemoryView
from memtui.tui.widgets.budget_meter import BudgetMeter
from memtui.tui.widgets.dream_pill import DreamPill
from memtui.tui.widgets.hint_bar import HintBar
from memtui.tui.widgets.title_bar import TitleBar
from memtui.util.config import Config
from memtui.util.gc_tuning import freeze_heap
from memtui.util.text import visible

if TYPE_CHECKING:
    from memtui.client.memory_location import MemoryLocation
    from memtui.memory.snapshot import Snapshot
    from memtui.memory.workspace import Workspace

RESCAN = 10.0
"""Seconds between two looks at the disk, for what the watcher missed (a full queue, a network folder)."""


SECOND = 1.0
"""Seconds between two turns of the mark of a dream that is on."""

MINUTE = 60.0
"""Seconds after which ages are drawn anew."""


class MemtuiApp(Rooms):
    """memtui over one workspace.

    Args:
        start: The project to open first.
        config: Our own settings.
        glyphs: What the terminal can show.
        sample: Whether the home is the made-up one, which is said in the first line.
        open_sample: Makes a made-up home, for somebody who has nothing yet.
        watch: Follow the disk; off in tests that say themselves when to look.
    """

    CSS_PATH = styles.sheets("app", "memory", "sessions", "dream", "settings")
    TITLE = "memtui"
    BINDINGS = keys.bindings(keys.EVERYWHERE)

    state: reactive[AppState | None] = reactive(None, init=False, repaint=False)
    """Repaints nothing by itself: what shows a part of it does."""

    def __init__(
        self, start: StartContext, config: Config, *, glyphs: Glyphs = UNICODE, sample: bool = False,
        open_sample: Callable[[], Workspace] | None = None, watch: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(start, glyphs)
        self._ticking: Timer | None = None
        self.config = config
        self.sample = sample
        self.open_sample = open_sample
        self.watch_disk = watch
        self._welcomed = False
        self._mounted = False
        self._frame_saved = False
        self._use_theme()  # before the first frame: a change of theme costs all stylesheets a second parse
        self.set_reactive(MemtuiApp.state, self._blank())

    @property
    def still(self) -> bool:
        """Whether nothing moves that need not."""
        return self.config["motion"] == "none"

    def compose(self) -> ComposeResult:
        yield TitleBar(id="place")
        yield BudgetMeter(self.glyphs, id="meter")
        yield MemoryView(self.glyphs)
        yield DreamPill(id="pill")
        yield HintBar(id="hints")

    def on_mount(self) -> None:
        self._mounted = True
        self.animation_level = "none" if self.config["motion"] == "none" else "full"
        self.set_keymap(dict(self.config.keys))
        self.meet_terminal()
        self._show(self.state)
        self.call_after_refresh(lambda: self.reading.first())

    # State: assigned here and nowhere else.

    def _blank(self) -> AppState:
        start = self.start
        words = {"sample data": self.sample, "read only": start.read_only, "memory off": not start.location.enabled}
        first = decode(start.frame_cache.state) if start.frame_cache else None
        if first is None or first.folder != str(start.location.folder):
            first = names_in(start.location.folder)
        return AppState(
            start.location, start.now(), first=first, flags=tuple(word for word, holds in words.items() if holds),
            read_only=start.read_only, notice="" if first and first.title else f"reading{self.glyphs.ellipsis}",
        )  # fmt: skip

    def watch_state(self, state: AppState) -> None:
        self._show(state)

    def _show(self, state: AppState | None) -> None:
        if state is None or not self._mounted:
            return
        self.query_one(TitleBar).facts = title_facts(state, self.start.home)
        meter = self.query_one(BudgetMeter)
        meter.budget = meter_fill(state)
        meter.note = meter_note(state)
        self._show_pill(state)
        for view in self.query(".view").results():
            if view.display:
                view.show(state)  # type: ignore[attr-defined]
                self.query_one(HintBar).hints = view.HINTS  # type: ignore[attr-defined]
        for screen in self.screen_stack[1:]:
            if isinstance(screen, ShowsDream):
                screen.show(state)

    def _show_pill(self, state: AppState) -> None:
        """The dream that is on or waits; while one is on the time goes by."""
        pill = self.query_one(DreamPill)
        pill.still, pill.now, pill.dream = self.still, self.start.now(), state.pill
        if not state.ticks and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
        elif state.ticks and self._ticking is None:
            self._ticking = self.set_interval(SECOND, self._turn)

    def _turn(self) -> None:
        """A second of a dream: only what shows it is drawn."""
        now = self.start.now()
        self.dreams.tick()
        body = self.screen_stack[0]
        body.query_one(DreamPill).now = now
        for screen in self.screen_stack[1:]:
            if isinstance(screen, ShowsDream):
                screen.tick(now)
        for view in body.query("DreamView").results():
            if view.display:
                view.tick(now)  # type: ignore[attr-defined]

    # Reading: `reading` does it in threads; here is what comes of it.

    @on(SnapshotLoaded)
    def take_world(self, message: SnapshotLoaded) -> None:
        """A new world: everything that is shown follows from it."""
        if self.state is None:
            return
        notices = [] if message.snapshot.full else [f"checking{self.glyphs.ellipsis}"]
        notices += [notice for notice in message.snapshot.notices if message.snapshot.auto is not None]
        notice = notices[0] if notices and self.start.location.enabled else ""
        self.state = replace(
            self.state, snapshot=message.snapshot, now=self.start.now(), notice=notice, unsaved=message.unsaved,
            pinned=message.pinned, changed=message.changed, last_dream=message.last_dream, branch=message.branch,
        )  # fmt: skip
        if message.snapshot.full:
            self._first_run(message.snapshot)

    def _first_run(self, snapshot: Snapshot) -> None:
        """Where this project has no memory yet, say so and offer what helps; once, and only over the main screen."""
        if snapshot.auto is None and not self._welcomed and len(self.screen_stack) == 1 and self.start.location.enabled:
            self._welcomed = True
            self.wish("welcome")

    @on(InitialLoadFinished)
    def follow_disk(self) -> None:
        """All is read: collect garbage again, and follow the disk from here."""
        freeze_heap()
        self._save_frame()
        if self.watch_disk:
            from memtui.tui.loaders.watcher import follow, follow_dreams

            for group, work in (("follow", follow(self)), ("follow-dreams", follow_dreams(self))):
                self.run_worker(work, group=group, exclusive=True, exit_on_error=False, description=group)
            self.set_interval(RESCAN, self.reading.look)
            self.set_interval(MINUTE, self._tick)

    def _tick(self) -> None:
        if self.state:
            self.state = replace(self.state, now=self.start.now())
            self._dreams_again()  # a gate may have opened, somebody's lock may have got too old

    @on(DiskChanged)
    def disk_changed(self) -> None:
        """The watcher saw something; it may be the lock of somebody who dreams."""
        self.reading.again()
        self._dreams_again()

    @on(PreviewRequested)
    def preview_wanted(self, message: PreviewRequested) -> None:
        """Read a file for the preview, in a thread so that a slow disk never delays a key."""
        if self.state and self.state.snapshot:
            self.reading.preview(self.state.snapshot, Preview(message.path, message.mode, width=message.width))

    @on(StateUpdate)
    def take_news(self, message: StateUpdate) -> None:
        """Something was read: show it."""
        if self.state:
            self.state = message.into(self.state)
            self._save_frame()

    def _save_frame(self) -> None:
        """Save the first complete frame for the next start, once it is drawn."""

        def save() -> None:
            self._frame_saved = self._frame_saved or save_first_frame(self)

        if not self._frame_saved:
            self.call_after_refresh(save)

    @on(SessionListFinished)
    def shelf_done(self) -> None:
        """The list of sessions was read; what changed meanwhile is read next."""
        self.sessions.done()

    @on(SessionsChanged)
    def sessions_changed(self) -> None:
        """The watcher saw something that the list of sessions shows."""
        self.sessions.again()

    @on(RunsFinished)
    def dreams_done(self) -> None:
        """The runs were read; what changed meanwhile is read next."""
        self.dreams.done()

    @on(DreamsChanged)
    def dreams_changed(self) -> None:
        """The watcher saw something of a run."""
        self.dreams.again()

    def _dreams_again(self) -> None:
        """Read the runs again, if there ever were any: of the first `reading` tells."""
        if self._dreams is not None:
            self._dreams.again()

    # Wishes: `wishes` asks and writes; here is only what comes of it.

    def wish(self, what: str, paths: tuple[Path, ...] = (), line: int | None = None) -> None:
        """A view or a key wants something done; what is typed next waits for the dialog, if there comes one."""
        self.type_ahead.opening()
        self.run_worker(
            self._grant(CommandRequested(what, paths, line)), group="wish", exit_on_error=False, description=what
        )

    async def _grant(self, wish: CommandRequested) -> None:
        try:
            await self.wishes.run(wish)
        finally:
            self.type_ahead.opened()

    @on(EditorRequest)
    def editor_wants(self, message: EditorRequest) -> None:
        """The editor needs the engine."""
        hands = self.wishes.editing
        methods = {"save": hands.save_editor, "compare": hands.compare_editor, "find": hands.find_in_editor}
        method = methods[message.what]
        self.run_worker(
            self.wishes.guarded(method(message.editor)), group="editor", exit_on_error=False, description=message.what
        )

    @on(CommandDone)
    def written(self, message: CommandDone) -> None:
        """Say what was written, and read it back."""
        self.clear_notifications()  # one at a time: they lie over what they are about
        self.notify(visible(message.words), timeout=4, markup=False)
        if message.problem:
            self.notify(visible(message.problem), severity="warning", timeout=8, markup=False)
        if message.focus and self.memory.is_attached:
            self.memory.await_path(message.focus)
        self.reading.again()
        self._dreams_again()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that fails on something unforeseen is our bug: it is written down and said, never swallowed."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            from memtui.util.crash_report import error_summary, write_crash_report

            path = write_crash_report(error, [event.worker.group], self.workspace.dirs.state)
            self.post_message(
                CommandFailed(f"this is a bug of memtui: {error_summary(error)}", f"please report it with {path}")
            )

    @on(CommandFailed)
    def failed(self, message: CommandFailed) -> None:
        """Say what went wrong; stays until it is dismissed by time enough to read it."""
        words = message.message + (f"\n{message.hint}" if message.hint else "")
        self.clear_notifications()
        self.notify(visible(words), title="Not done", severity="error", timeout=30, markup=False)

    def open_workspace(self, workspace: Workspace) -> None:
        """Go to another project; the rest of the screen stays."""
        self.start, self._workspace = StartContext.over(workspace), workspace
        self._welcomed = False
        self._sessions = None
        if self._dreams is not None:
            self._dreams.stop()
            self._dreams = None
        self.state = self._blank()
        for view in self.screen_stack[0].query(".view"):
            view.start_over()  # type: ignore[attr-defined]
        self.reading.first()

    def take_location(self, location: MemoryLocation) -> None:
        """The settings decided anew."""
        if self.state:
            self.state = replace(self.state, location=location)

    def take_config(self, config: Config) -> None:
        """Our own settings: theme, motion and keys at once."""
        self.config = config
        self._use_theme()
        self.animation_level = "none" if config["motion"] == "none" else "full"
        self.set_keymap(dict(config.keys))
        if self._workspace is not None:
            self._workspace.use_trash(config["trash"] == "true")
        if self.state:
            self._show(self.state)

    def _use_theme(self) -> None:
        self.theme = theme_for(self.config["theme"], self.start.location.switch("theme").value)

    # Keys that mean the same everywhere.

    async def action_view(self, name: str) -> None:
        """Show a view; it is mounted when it is wanted for the first time."""
        body = self.screen_stack[0]
        if not body.query(f"#{name}"):
            await body.mount(self._make_view(name), before="#pill")
        for view in body.query(".view"):
            view.display = view.id == name
        if self.state:
            seen = "" if name == "dream" else self.state.bad_dream
            self.state = replace(self.state, view=name, bad_dream=seen)
        body.query_one(f"#{name}").focus_default()  # type: ignore[attr-defined]

    def _make_view(self, name: str) -> Widget:
        if name == "settings":
            from memtui.tui.views.settings import SettingsView

            return SettingsView(self.glyphs)
        if name == "dream":
            from memtui.tui.views.dream import DreamView

            return DreamView(self.glyphs)
        if name == "sessions":
            from memtui.tui.views.sessions import SessionsView

            return SessionsView(self.glyphs)
        from memtui.tui.views.placeholder import Placeholder

        return Placeholder(name)

    def action_reload(self) -> None:
        """Read the disk again, now."""
        self.reading.again()
        if self._sessions is not None:
            self._sessions.again()
        self._dreams_again()

    async def show_dream(self, id: str) -> None:
        """The Dream view, with the cursor on a run ("" leaves it where it is)."""
        await self.action_view("dream")
        if id:
            self.dream_view.go_to(id)

    @on(DreamPill.Opened)
    def pill_opened(self) -> None:
        """A click on the pill."""
        self.wish("dream_show:typing")

    def action_wish(self, what: str) -> None:
        """What a key that means the same everywhere asks for."""
        self.wish(what)

    @on(BudgetMeter.Opened)
    def show_index(self) -> None:
        """A click on the meter."""
        self.wish("show_index")
