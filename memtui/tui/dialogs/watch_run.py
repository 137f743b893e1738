"""One dream over whatever view is shown: how far it is, what it touches, its log; where there is room, the diff.

The same for a run of ours, one that has ended, and one of another program (id "").
"""

from __future__ import annotations

from textual import events, getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer

from memtui.dream.lock.external_run import ExternalRun
from memtui.presentation.dream_text import claims_summary, touched_words
from memtui.tui.app_base import Selection, ShowsState
from memtui.tui.commands import app, dreams, history, registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.dialogs.dialog import Dialog
from memtui.tui.messages import DiffRequested, DreamSeen, RunRequested
from memtui.tui.render.dream_rows import details, foreign_head, standing, title_of, touched_files
from memtui.tui.state import AppState, Dream
from memtui.tui.widgets.diff_lines import DiffLines
from memtui.tui.widgets.run_panes import RunFiles, RunHead, RunLog
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util.text import duration, visible

DIFF_FROM_CELLS = 110  # cells from which the diff of the file under the cursor stands beside the files
READ_DELAY_S = 0.12  # seconds that the cursor stays on a file before its diff is read
GOING = "x stop   ⏎ diff   f follow   J K log   Esc close, dream goes on"
KEPT = "⏎ diff   a adopt   A adopt all   X discard   c compare   Esc close"
ADOPTED = "⏎ diff   c compare   u restore   U restore all   Esc close"
ENDED = "⏎ diff   D dream again   Esc close"
FOREIGN = "⏎ diff   u restore   Esc close"


COMMANDS = declare(
    registry.WATCH,
    Command("watch.follow", "Follow the log, or leave it where it is", "f",
            lambda at: at.find(WatchRun).toggle_following(), "f follow"),
    Command("watch.log_down", "Scroll the log down", "J", lambda at: at.find(WatchRun).scroll_log(1)),
    Command("watch.log_up", "Scroll the log up", "K", lambda at: at.find(WatchRun).scroll_log(-1)),
    Command("watch.undo", "Undo the last write", "z", history.undo, "z undo", disabled_reason=registry.read_only),
    Command("watch.help", "Keys", "question_mark,f1", app.show_help, "? keys"),
    Command("watch.close", "Close; a dream goes on", "escape,w,shift+down,f4", lambda at: at.find(WatchRun).action_no(),
            "Esc close"),
)  # fmt: skip


class WatchRun(ShowsState, Dialog[None]):
    """Head above, files and log below each other; f says whether the log follows, J and K scroll it."""

    BINDINGS = registry.bindings(COMMANDS, dreams.RUN)
    files = getters.query_one(RunFiles)
    run_log = getters.query_one(RunLog)

    def __init__(self, id: str) -> None:
        super().__init__("dream", "Esc close", classes="-whole")
        self.shown_id = id
        self._foreign: ExternalRun | None = None
        self._read_timer: Timer | None = None
        self._requested: tuple[object, ...] = ()
        self._frame_words = ("", "")

    def body(self) -> ComposeResult:
        yield RunHead(id="head")
        with Horizontal(id="columns"):
            with Vertical(id="left"):
                yield RunHead(id="touched")
                yield RunFiles(id="files")
                yield RunHead(id="log_title")
                yield RunLog(id="log")
            yield DiffLines("")

    def on_mount(self) -> None:
        self.app.clear_notifications()  # what they say is said here
        self.screen.set_focus(self.files)
        self.go_to(self.shown_id)

    def on_unmount(self) -> None:
        self.app.post_message(RunRequested("", over_views=True))

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= DIFF_FROM_CELLS, "-beside")
        self._requested = ()
        self.call_after_refresh(self._draw)

    @property
    def selection(self) -> Selection:
        return Selection(run=self.shown_id, file=self.files.file)

    def go_to(self, id: str) -> None:
        self.shown_id, self._requested = id, ()
        self.app.post_message(RunRequested(id, over_views=True))
        self.app.post_message(DreamSeen(id))
        self._draw()

    @property
    def dream(self) -> Dream | None:
        """The run, unless it is another program's or not listed."""
        return next((dream for dream in self.app.state.dreams if dream.run.id == self.shown_id), None)

    def show(self, state: AppState) -> None:
        if self.is_mounted:
            self._draw()

    def _draw(self) -> None:
        state, dream, now = self.app.state, self.dream, self.app.start.now()
        opened = state.open_dream if state.open_dream is not None and state.open_dream.id == self.shown_id else None
        width = max(20, self.query_one("#columns").size.width)
        if dream is not None:
            rows = [*standing(dream, opened, now, width, self.app.glyphs), *details(dream, width)]
            most = max(2, self.size.height // 2 - 3)  # where it is low, the files come before what matters less
            self.query_one("#head", RunHead).show(rows[:most])
            self.files.show(touched_files(dream, opened))
        elif not self.shown_id:
            self._draw_foreign(state, width)
        touched = touched_words(file for file, _ in self.files.rows) or "no file touched"
        self.query_one("#touched", RunHead).show([Content.styled(touched, "bold")])
        claims = opened.claims if opened is not None and dream is not None and dream.kept else ()
        self.run_log.show(opened.events if opened is not None else (), claims)
        self._show_following(claims_summary(claims))
        self.tick(now)
        self.show_change()

    def _draw_foreign(self, state: AppState, width: int) -> None:
        """Another program's dream; once it has ended, what is known of it stays."""
        self._foreign = foreign = state.foreign or self._foreign
        if foreign is None:
            if state.starting is None:
                self.dismiss(None)
            return
        session_list = state.session_list.sessions if state.session_list is not None else ()
        title = next((one.title for one in session_list if one.id == foreign.session), "")
        self.query_one("#head", RunHead).show(foreign_head(foreign, title, width, on=state.foreign is not None))
        self.files.show([(file, "") for file in foreign.files])

    def _show_following(self, claims: str = "") -> None:
        """Whether the log follows; of a run that has ended there is nothing to follow, and one has `claims` instead."""
        words = "following" if self.run_log.follows else "stands still; f follows again"
        words = f"   {words}" if self.dream is not None and self.dream.state.word == "running" else ""
        heading = Content.assemble((claims or "log, newest first", "bold"), (words, "$dim"))
        self.query_one("#log_title", RunHead).show([heading] if self.run_log.row_count() else [])

    def tick(self, now: float) -> None:
        dream, frame = self.dream, self.query_one("#frame")
        if dream is not None:
            words, hints = title_of(dream, now, self.app.glyphs), self._keys(dream)
        elif self._foreign is not None:
            held = f"lock held {duration(max(now - self._foreign.since, 0.0))}"
            words = f"dream of another program: {held if self.app.state.foreign is not None else 'ended'}"
            hints = FOREIGN
        else:
            words, hints = "dream: starting", "Esc close, dream goes on"
        frame_words = (visible(f" {words[:1].upper()}{words[1:]} ", keep=""), self.app.glyphs.spell(f" {hints} "))
        if frame_words != self._frame_words:  # to say the same again would paint all of the frame
            self._frame_words = frame_words
            frame.border_title, frame.border_subtitle = map(Content, frame_words)

    def _keys(self, dream: Dream) -> str:
        if dream.state.word == "running":
            return GOING
        if dream.kept:
            return KEPT
        return ADOPTED if dream.state.end is not None and dream.state.end.adopted else ENDED

    @on(VirtualList.Moved, "#files")
    def show_change(self) -> None:
        """The diff at the right: what is known of it, and ask for it again if file or run are others by now."""
        if not self.has_class("-beside"):
            return
        name, change, dream = self.files.file, self.app.state.change, self.dream
        known = change is not None and (change.id, change.name) == (self.shown_id, name)
        self.query_one(DiffLines).show(change.text if known and change is not None else "")
        entry = next((file for file in self.files.rows if file[0].name == name), None)
        wanted = (self.shown_id, name, entry, dream.state.word if dream is not None else "")
        if name and wanted != self._requested:
            self._requested = wanted
            if self._read_timer is not None:
                self._read_timer.stop()
            request = DiffRequested(self.shown_id, name)
            self._read_timer = self.set_timer(READ_DELAY_S, lambda: self.post_message(request))

    @on(VirtualList.Chosen, "#files")
    def chosen(self) -> None:
        self.app.perform(dreams.show_difference)

    def toggle_following(self) -> None:
        self.run_log.follow(on=not self.run_log.follows)
        self._show_following()

    def scroll_log(self, step: int) -> None:
        """Scroll the log; a person who reads older rows is not followed."""
        if step > 0:
            self.run_log.follow(on=False)
        self.run_log.scroll_relative(y=step * 3, animate=False)
        self._show_following()
