"""The app: it owns the state, starts the workers, and is the only one that assigns either."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.worker import Worker, WorkerState

from memtui.tui import messages, preload, styles
from memtui.tui.app_base import AppBase, ShowsState, View
from memtui.tui.commands import app as app_commands
from memtui.tui.commands import registry
from memtui.tui.headlines import meter_fill, meter_note, title_status
from memtui.tui.startup.first_state import decode, names_in
from memtui.tui.startup.save_frame import save_first_frame
from memtui.tui.startup.start import StartContext
from memtui.tui.state import AppState
from memtui.tui.theme import UNICODE, Glyphs, theme_for
from memtui.tui.views.memory import MemoryView
from memtui.tui.views.table import VIEWS
from memtui.tui.widgets.budget_meter import BudgetMeter
from memtui.tui.widgets.dream_pill import DreamPill
from memtui.tui.widgets.hint_bar import HintBar
from memtui.tui.widgets.title_bar import TitleBar
from memtui.tui.widgets.view_tabs import ViewTabs
from memtui.tui.widgets.virtual_list import Lines
from memtui.util.config import Config
from memtui.util.gc_tuning import freeze_heap
from memtui.util.lazy_module import LazyModule
from memtui.util.text import visible

if TYPE_CHECKING:
    from memtui.dream.run.spawn import StartedRun
    from memtui.memory.snapshot import Snapshot
    from memtui.memory.workspace import Workspace
    from memtui.transcripts.transcript import Transcript
    from memtui.tui import palette
    from memtui.tui.dialogs import watch_run
    from memtui.tui.loaders import dreams as dream_loaders
    from memtui.tui.loaders import memory as memory_loaders
    from memtui.tui.loaders import sessions as session_loaders
    from memtui.tui.loaders import watcher
    from memtui.tui.screens import editor
    from memtui.util import crash_report
else:  # wanted behind the first frame, and imported there
    watch_run, watcher = LazyModule("memtui.tui.dialogs.watch_run"), LazyModule("memtui.tui.loaders.watcher")
    dream_loaders, memory_loaders = LazyModule("memtui.tui.loaders.dreams"), LazyModule("memtui.tui.loaders.memory")
    session_loaders, editor = LazyModule("memtui.tui.loaders.sessions"), LazyModule("memtui.tui.screens.editor")
    palette = LazyModule("memtui.tui.palette")
    crash_report = LazyModule("memtui.util.crash_report")

FOLDER_GONE = "the folder is gone: this was read last"

RESCAN_INTERVAL_S = 10.0
"""Seconds between two looks at the disk, for what the watcher missed (a full queue, a network folder)."""

TICK_INTERVAL_S = 1.0  # seconds between two turns of the mark of a dream that is running
AGE_INTERVAL_S = 60.0  # seconds after which ages are drawn again


class MemtuiApp(AppBase):
    """memtui over one workspace.

    `sample`: the home is the made-up one, which is said in the first line; `open_sample` makes it, for a user without
    memory. `watch`: follow the disk; off in tests that say themselves when to look.
    """

    # Those of screens and dialogs, too: a stylesheet that is added later costs all of them a second parse, 80 ms.
    CSS_PATH = styles.sheets(
        "app", *(view.sheet for view in VIEWS if view.sheet), "dialog", "editor", "transcript", "watch_run"
    )
    TITLE = "memtui"
    BINDINGS = registry.bindings(app_commands.EVERYWHERE)

    def __init__(
        self, start: StartContext, config: Config, *, glyphs: Glyphs = UNICODE, sample: bool = False,
        open_sample: Callable[[], Workspace] | None = None, watch: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(start, config, glyphs)
        self.sample, self.open_sample, self.watch_disk = sample, open_sample, watch
        self._memory_loader: memory_loaders.MemoryLoader | None = None
        self._session_loader: session_loaders.SessionLoader | None = None
        self._dream_loader: dream_loaders.DreamLoader | None = None
        self._tick_timer: Timer | None = None
        self._welcomed = False
        self._mounted = False
        self._frame_saved = False
        self._use_theme()  # before the first frame: a change of theme costs all stylesheets a second parse
        self.set_reactive(MemtuiApp.state, self._blank())

    def compose(self) -> ComposeResult:
        yield TitleBar(id="place")
        yield ViewTabs(id="tabs")
        yield BudgetMeter(id="meter")
        yield MemoryView()
        yield DreamPill(id="pill")
        yield HintBar(id="hints")

    def on_mount(self) -> None:
        self._mounted = True
        self.animation_level = "none" if self.still else "full"
        self.set_keymap(dict(self.config.keys))
        self.meet_terminal()
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self._show_hints())
        self._show(self.state)
        self.call_after_refresh(lambda: self.memory_loader.first())

    # What reads for it; made when it is first wanted, behind the first frame.

    @property
    def memory_loader(self) -> memory_loaders.MemoryLoader:
        if self._memory_loader is None:
            self._memory_loader = memory_loaders.MemoryLoader(self)
        return self._memory_loader

    @property
    def session_loader(self) -> session_loaders.SessionLoader:
        if self._session_loader is None:
            self._session_loader = session_loaders.SessionLoader(self, watch=self.watch_disk)
        return self._session_loader

    @property
    def dream_loader(self) -> dream_loaders.DreamLoader:
        if self._dream_loader is None:
            self._dream_loader = dream_loaders.DreamLoader(self)
        return self._dream_loader

    @property
    def memory_view(self) -> MemoryView:
        return self.screen_stack[0].query_one(MemoryView)

    # State: assigned here and nowhere else.

    def _blank(self) -> AppState:
        start = self.start
        words = {"sample data": self.sample, "read only": start.read_only, "memory off": not start.location.enabled}
        words["directory unknown"] = not start.location.directory_known
        first = decode(start.frame_cache.state) if start.frame_cache else None
        if first is None or first.folder != str(start.location.folder):
            first = names_in(start.location.folder)
        return AppState(
            start.location, start.now(), first=first, flags=tuple(word for word, holds in words.items() if holds),
            read_only=start.read_only, notice="" if first and first.title else f"reading{self.glyphs.ellipsis}",
        )  # fmt: skip

    def watch_state(self, state: AppState) -> None:
        self._show(state)

    def _show(self, state: AppState) -> None:
        if not self._mounted:
            return
        body = self.screen_stack[0]
        body.query_one(TitleBar).status = title_status(state, self.start.home)
        body.query_one(ViewTabs).shown = state.view
        meter = body.query_one(BudgetMeter)
        meter.budget, meter.note = meter_fill(state), meter_note(state)
        self._show_pill(state)
        for shown in self._shown():
            shown.show(state)

    def _shown(self) -> list[ShowsState]:
        body, *over = self.screen_stack
        views = [view for view in body.query(View) if view.display and view.is_mounted]  # so its parts are there
        return [*views, *(screen for screen in over if isinstance(screen, ShowsState) and screen.is_mounted)]

    def _show_hints(self) -> None:
        body = self.screen_stack[0]
        if self.screen is body:
            body.query_one(HintBar).hints = registry.hints(body, self.state)

    def _show_pill(self, state: AppState) -> None:
        pill = self.screen_stack[0].query_one(DreamPill)
        pill.still, pill.now, pill.dream = self.still, self.start.now(), state.pill
        if not state.ticks and self._tick_timer is not None:
            self._tick_timer.stop()
            self._tick_timer = None
        elif state.ticks and self._tick_timer is None:
            self._tick_timer = self.set_interval(TICK_INTERVAL_S, self._tick)

    def _tick(self) -> None:
        now = self.start.now()
        self.dream_loader.tick()
        self.screen_stack[0].query_one(DreamPill).now = now
        for shown in self._shown():
            shown.tick(now)

    # Reading: the loaders do it in threads; here is what comes of it.

    @on(messages.SnapshotLoaded)
    def take_snapshot(self, message: messages.SnapshotLoaded) -> None:
        notices = [] if message.snapshot.full else [f"checking{self.glyphs.ellipsis}"]
        notices += [notice for notice in message.snapshot.notices if message.snapshot.auto is not None]
        notice = notices[0] if notices and self.start.location.enabled else ""
        known, snapshot = self.state.snapshot, message.snapshot
        gone = known is not None and known.auto is not None and snapshot.auto is None
        if known is not None and gone:  # a checkout or a network folder brings it back: what was read last stays
            snapshot, notice = known, FOLDER_GONE
        elif snapshot.auto is not None and self.screen.id == app_commands.WELCOME_ID:
            self.screen.dismiss(None)
        self.state = replace(
            self.state, snapshot=snapshot, folder_gone=gone, now=self.start.now(), notice=notice,
            unsaved=message.unsaved, pinned=message.pinned, changed=message.changed, last_dream=message.last_dream,
            branch=message.branch,
        )  # fmt: skip
        if snapshot.full:
            self._first_run(snapshot)

    def _first_run(self, snapshot: Snapshot) -> None:
        """Where this project has no memory yet, say so and offer what helps; once, and only over the main screen."""
        if snapshot.auto is None and not self._welcomed and len(self.screen_stack) == 1 and self.start.location.enabled:
            self._welcomed = True
            self.perform(app_commands.welcome)

    @on(messages.InitialLoadFinished)
    def follow_disk(self) -> None:
        """All is read: collect garbage again, import what later keys need, and follow the disk from here."""
        freeze_heap()
        self._save_frame()
        self.start_thread("preload", preload.load_likely)
        if self.watch_disk:
            dreams = watcher.follow_dreams(self, lambda: self._dream_loader.followed if self._dream_loader else "")
            for group, follow in (("follow", watcher.follow(self)), ("follow-dreams", dreams)):
                self.run_worker(follow, group=group, exclusive=True, exit_on_error=False, description=group)
            self.set_interval(RESCAN_INTERVAL_S, self.memory_loader.look)
            self.set_interval(AGE_INTERVAL_S, self._age)

    def _age(self) -> None:
        self.state = replace(self.state, now=self.start.now())
        self._read_dreams_again()  # a check may be ready by now, another program's lock may be too old

    @on(messages.DiskChanged)
    def disk_changed(self) -> None:
        self.memory_loader.look()
        self._read_dreams_again()

    @on(messages.SnapshotOutdated)
    def snapshot_outdated(self) -> None:
        self.memory_loader.read_again()

    @on(messages.ReadingFinished)
    def reading_finished(self, message: messages.ReadingFinished) -> None:
        loaders = {"memory": self.memory_loader, "sessions": self._session_loader, "dreams": self._dream_loader}
        if (loader := loaders[message.of]) is not None:
            loader.done()

    @on(messages.PreviewRequested)
    def read_preview(self, message: messages.PreviewRequested) -> None:
        if self.state.snapshot is not None:
            self.memory_loader.preview(self.state.snapshot, message.wanted)

    @on(messages.StateUpdate)
    def take_update(self, message: messages.StateUpdate) -> None:
        self.state = message.into(self.state)
        self._save_frame()

    def _save_frame(self) -> None:
        """Save the first complete frame for the next start, once it is drawn."""

        def save() -> None:
            if not (self._frame_saved or self.state.secrets_shown):
                self._frame_saved = save_first_frame(self, self.memory_view, self.memory_loader.loaded)

        if not self._frame_saved:  # scroll bars are drawn one refresh after the rows that they belong to
            self.call_after_refresh(self.call_after_refresh, save)

    @on(messages.SessionListRequested)
    def read_session_list(self, message: messages.SessionListRequested) -> None:
        self.session_loader.load_list(message.scope)

    @on(messages.SessionRequested)
    def read_session(self, message: messages.SessionRequested) -> None:
        self.session_loader.open(message.point)

    @on(messages.SessionsChanged)
    def sessions_changed(self) -> None:
        self.session_loader.read_again()

    @on(messages.RunRequested)
    def read_run(self, message: messages.RunRequested) -> None:
        if message.over_views:
            self.dream_loader.watch(message.id)
        else:
            self.dream_loader.open(message.id)

    @on(messages.DreamViewShown)
    async def dream_view_shown(self, message: messages.DreamViewShown) -> None:
        await preload.load("memtui.tui.loaders.dreams")
        self.dream_loader.look(shown=message.shown)

    @on(messages.DiffRequested)
    def read_diff(self, message: messages.DiffRequested) -> None:
        self.dream_loader.read_change(message.id, message.name)

    @on(messages.DreamsChanged)
    def dreams_changed(self) -> None:
        self.dream_loader.read_again()

    @on(messages.DreamsFound)
    def dreams_found(self) -> None:
        """There may be runs; from the first on they are read whenever the disk changes."""
        if self._dream_loader is None:
            self.dream_loader.read_again()

    def _read_dreams_again(self) -> None:
        if self._dream_loader is not None:
            self._dream_loader.read_again()

    def toggle_secrets(self) -> None:
        super().toggle_secrets()
        for screen in self.screen_stack:
            for lines in screen.walk_children(with_self=False):
                if isinstance(lines, Lines):
                    lines.draw_again()

    def read_again(self) -> None:
        self.memory_loader.read_again()
        if self._session_loader is not None:
            self._session_loader.read_again()
        self._read_dreams_again()

    def transcript(self, path: Path) -> Transcript:
        return self.session_loader.transcript(path)

    def follow_run(self, run: StartedRun) -> None:
        self.dream_loader.started(run)

    # Commands: `commands` asks and has things done; here is only what comes of it.

    def action_command(self, id: str) -> None:
        registry.run(self, registry.find(id))

    def action_go(self, id: str) -> None:
        """As `action_command`, in the view that the command belongs to."""
        self.perform(palette.RunCommand(registry.find(id)))

    @on(messages.CommandDone)
    def command_done(self, message: messages.CommandDone) -> None:
        self.clear_notifications()  # one at a time: they lie over what they are about
        self.notify(visible(message.words), timeout=4, markup=False)
        if message.problem:
            self.notify(visible(message.problem), severity="warning", timeout=8, markup=False)
        if message.focus and self.memory_view.is_attached:
            self.memory_view.await_path(message.focus)
        self.memory_loader.read_again()
        self._read_dreams_again()

    @on(messages.CommandFailed)
    def command_failed(self, message: messages.CommandFailed) -> None:
        words = message.message + (f"\n{message.hint}" if message.hint else "")
        self.clear_notifications()
        self.notify(visible(words), title="Not done", severity="error", timeout=30, markup=False)

    @on(messages.LeftoverFinished)
    def leftover_finished(self, message: messages.LeftoverFinished) -> None:
        self.notify(visible(message.words), severity="warning", timeout=30, markup=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that fails on something unexpected is our bug: it is written down and said, never swallowed."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None and not self._exit:
            path = crash_report.write_crash_report(error, [event.worker.group], self.workspace.dirs.state)
            words = f"this is a bug of memtui: {crash_report.error_summary(error)}"
            self.post_message(messages.CommandFailed(words, f"please report it with {path}"))

    def open_workspace(self, workspace: Workspace) -> None:
        self.start, self._workspace = StartContext.over(workspace), workspace
        self._welcomed = False
        if self._dream_loader is not None:
            self._dream_loader.stop()
        self._memory_loader = self._session_loader = self._dream_loader = None
        self.state = self._blank()
        for view in self.screen_stack[0].query(View):
            view.start_over()
        self.memory_loader.first()

    def take_config(self, config: Config) -> None:
        self.config = config
        self._use_theme()
        self.animation_level = "none" if self.still else "full"
        self.set_keymap(dict(config.keys))
        if self._workspace is not None:
            self._workspace.use_trash(config["trash"] == "true")
        self._show(self.state)

    def _use_theme(self) -> None:
        self.theme = theme_for(self.config["theme"], self.start.location.switch("theme").value)

    # Views.

    async def show_view(self, name: str) -> View:
        body = self.screen_stack[0]
        if not body.query(f"#{name}"):
            entry = next(view for view in VIEWS if view.name == name)
            await preload.load(entry.module)
            view = getattr(import_module(entry.module), entry.view)
            await body.mount(view(), before="#pill")
        for view in body.query(View):
            hides = view.display and view.id != name
            view.display = view.id == name
            for widget in view.walk_children() if hides else ():
                widget.refresh()  # lets go of its drawn lines, 0.5 MB: it is drawn anew when it comes back
        self.state = replace(self.state, view=name, bad_dream="" if name == "dream" else self.state.bad_dream)
        shown = body.query_one(f"#{name}", View)
        shown.focus_default()
        return shown

    async def show_run(self, id: str) -> None:
        await preload.load("memtui.tui.dialogs.watch_run")
        screen = self.screen
        if isinstance(screen, watch_run.WatchRun):
            screen.go_to(id)
        elif len(self.screen_stack) == 1:
            view = await self.show_view("dream")
            if id:
                view.go_to(id)
        elif isinstance(screen, editor.Editor):
            screen.leave()  # its text stays as a draft

    def watch_run(self, id: str) -> None:
        self.push_screen(watch_run.WatchRun(id))

    @on(DreamPill.Opened)
    def show_dream(self) -> None:
        self.perform(app_commands.show_dream)

    @on(BudgetMeter.Opened)
    def show_index(self) -> None:
        self.perform(app_commands.show_index)
