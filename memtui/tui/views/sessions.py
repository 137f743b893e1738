"""The Sessions view: past sessions with their branches, the conversation up to any point of them, and properties."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer

from memtui.sessions.health_cache import MAX_CHECKED_BYTES
from memtui.sessions.listing import CompressedSessions, Session
from memtui.transcripts.path_source import PathSource
from memtui.tui.app_base import Selection
from memtui.tui.commands import app, registry, sessions
from memtui.tui.commands.registry import Command, declare
from memtui.tui.messages import SessionListRequested, SessionRequested
from memtui.tui.render import session_rows
from memtui.tui.state import AppState, OpenConversation, Point, Scope, SessionListState
from memtui.tui.views.filtered import FilteredView, next_of
from memtui.tui.widgets.properties import PropertyTable
from memtui.tui.widgets.session_list import SessionList
from memtui.tui.widgets.transcript_view import Anchor, TranscriptLines
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util.errors import MemtuiError
from memtui.util.text import pluralize, size, visible

READ_DELAY_S = 0.12  # seconds that the cursor has to rest on a row before its session is read whole; 0: it need not
PANE_HINTS = "0 focus  p full screen"
NONE_HERE = "no sessions here yet; A lists those of all projects"

COMMANDS = declare(
    registry.SESSIONS,
    Command("sessions.filter", "Filter: 'exact ^start end$ !not", "slash", lambda at: at.find(SessionsView).filter(),
            "/ filter"),
    Command("sessions.all", "Of all projects, or of this one", "A",
            lambda at: at.find(SessionsView).toggle_scope("all"), "A all"),
    Command("sessions.worktrees", "Of all worktrees of this repository", "W",
            lambda at: at.find(SessionsView).toggle_scope("worktrees"), "W worktrees"),
    Command("sessions.branch", "Only those of the git branch that is checked out", "B",
            lambda at: at.find(SessionsView).toggle_branch(), "B branch"),
    Command("sessions.programs", "Also those of programs: headless, SDK, team workers", "H",
            lambda at: at.find(SessionsView).toggle_programs()),
    Command("sessions.mark", "Mark for archive and delete", "space", lambda at: at.find(SessionsView).mark()),
    Command("sessions.order", "Order by age, size, messages or title", "o",
            lambda at: at.find(SessionsView).next_order()),
    Command("sessions.escape", "Filter and marks off", "escape", lambda at: at.find(SessionsView).back()),
)  # fmt: skip


class SessionsView(FilteredView[session_rows.SessionsWanted]):
    """List, conversation and properties from 100 cells on; the first two from 60; else one of them (stylesheet)."""

    BINDINGS = registry.bindings(sessions.COMMANDS[:1], COMMANDS, sessions.COMMANDS[1:], app.PANES)

    def __init__(self) -> None:
        super().__init__(id="sessions", classes="view")
        self.wanted = session_rows.SessionsWanted()
        self.state: AppState | None = None
        self._read_timer: Timer | None = None
        self._requested: tuple[Point | None, Session | None] = (None, None)
        self._awaited = ""

    def compose(self) -> ComposeResult:
        yield SessionList(id="session-list", classes="pane")
        yield Vertical(id="conversation", classes="pane")
        yield PropertyTable(id="session-properties", classes="pane")

    def on_mount(self) -> None:
        self.post_message(SessionListRequested(self.wanted.scope))

    @property
    def list(self) -> SessionList:
        return self.query_one(SessionList)

    @property
    def current(self) -> Session | None:
        return self.list.session

    @property
    def point(self) -> Point | None:
        row = self.list.current
        return session_rows.point_of(row) if row is not None else None

    def show(self, state: AppState) -> None:
        before, self.state = self.state, state
        if state.session_list is None:
            return
        shown = (state.session_list, state.opened, state.health, int(state.now))
        if before is None or shown != (before.session_list, before.opened, before.health, int(before.now)):
            self.rearrange()
        if state.conversation is not None and (before is None or before.conversation is not state.conversation):
            self._show_conversation(state.conversation)
        self._show_properties()

    def rearrange(self) -> None:
        state = self.state
        if state is None or state.session_list is None:
            return
        session_list = state.session_list
        rows = session_rows.arrange_sessions(session_list, self.wanted, state.opened)
        self.list.show(rows, session_list, self.wanted, state.health, state.now)
        self._title(session_list, rows.listed)
        self._find_awaited(session_list)
        if (self.point, self.current) != self._requested:
            self.moved()

    def _title(self, session_list: SessionListState, shown: int) -> None:
        total = len(session_list.sessions)
        wanted, reading = self.wanted, session_list.reading
        words = [
            "3 Sessions",
            session_list.scope,
            f"{total:,}" if shown == total else f"{shown:,} of {total:,}",
            f"branch {wanted.branch}" if wanted.branch else "",
            f"by {wanted.order}" if wanted.order != "age" else "",
            f"{len(wanted.marked)} marked" if wanted.marked else "",
        ]
        self.list.border_title = Content(visible(f" {self.glyphs.separator} ".join(filter(None, words)), keep=""))
        self.list.border_subtitle = f"{reading}{self.glyphs.ellipsis}" if reading else ""
        nothing = "no sessions yet" if session_list.scope == "all" else NONE_HERE
        filtered = total and (wanted.query or wanted.branch)
        self.list.empty = f"0 of {total}, Esc clears" if filtered else "" if reading else nothing

    def _show_properties(self) -> None:
        state, session = self.state, self.current
        table = self.query_one(PropertyTable)
        if state is None or state.session_list is None or session is None:
            table.pairs, table.notes = (), ()
            return
        opened = state.opened.get(session.file_path)
        known = session_rows.pairs_of(session, state.session_list, state.now, self.app.start.home)
        pairs = [*known, *(opened.pairs if opened else ())]
        table.pairs = [(name, state.masked(value), style) for name, value, style in pairs]
        notes, width = opened.notes if opened else (), max(8, table.size.width)
        table.notes = [part for note in notes for part in Content.styled(state.masked(note), "$dim").wrap(width)]

    def _show_conversation(self, conversation: OpenConversation) -> None:
        """What leads to the row under the cursor, from its end; nothing if the cursor has gone on."""
        if conversation.point != self.point:
            return
        try:
            source = PathSource(conversation.transcript.path, conversation.entries)
        except MemtuiError as error:
            self.notify(visible(error.message), severity="warning", markup=False)
            return
        pane = self.query_one("#conversation")
        pane.border_title = f"Conversation {self.glyphs.separator} {pluralize(len(conversation.entries), 'row')}"
        pane.border_subtitle = PANE_HINTS
        if self.reader is None:
            pane.mount(TranscriptLines(source))
        else:
            self.reader.show(source, lambda source: source.last(), Anchor(end=True))

    def _no_conversation(self, words: str) -> None:
        """Show none, and say why; that of another row would be wrong."""
        if self.reader is not None:
            self.reader.remove()
        pane = self.query_one("#conversation")
        pane.border_title, pane.border_subtitle = "Conversation", words

    @property
    def reader(self) -> TranscriptLines | None:
        return next(iter(self.query(TranscriptLines)), None)

    @on(TranscriptLines.Left)
    def leave_reader(self) -> None:
        self.focus_list()

    @on(TranscriptLines.FromHere)
    def from_here(self, message: TranscriptLines.FromHere) -> None:
        self._menu(message.uuid)

    @on(TranscriptLines.ViewToggled)
    def read_whole(self) -> None:
        """The pane shows the path alone: all of it is on a screen of its own."""
        self.app.perform(sessions.read)

    @on(TranscriptLines.Status)
    def show_status(self, message: TranscriptLines.Status) -> None:
        words = message.words or PANE_HINTS
        self.query_one("#conversation").border_subtitle = Content(visible(words, keep=""))

    def scroll_preview(self, step: int) -> None:
        if self.reader is not None:
            self.reader.move_cursor(step * 3)

    def go_to(self, key: str) -> None:
        """Put the cursor on a session, wherever it is; once it is listed."""
        self._awaited = key
        self.arrange_by(query="", branch="")

    def _find_awaited(self, session_list: SessionListState) -> None:
        if not self._awaited:
            return
        found = next((one for one in session_list.sessions if one.id == self._awaited), None)
        if found is not None:
            self._awaited = ""
            self.list.to_key(found.file_path)
        elif not session_list.reading and session_list.scope != "all":
            self.toggle_scope("all")
        elif not session_list.reading:
            self.notify(f"session {visible(self._awaited[:8], keep='')} is not there any more", markup=False)
            self._awaited = ""

    @on(VirtualList.Moved, "#session-list")
    def moved(self) -> None:
        """Another row: what is known of it at once, the rest when the cursor rests."""
        self._requested = (self.point, self.current)
        self._show_properties()
        if self._read_timer is not None:
            self._read_timer.stop()
        session = self.current
        if session is None or session.size > MAX_CHECKED_BYTES:
            words = f"{size(session.size)}B: p reads it, {self.glyphs.arrow} its branches" if session else ""
            self._no_conversation(words)
        elif READ_DELAY_S:
            self._read_timer = self.set_timer(READ_DELAY_S, self._read)
        else:
            self._read()

    def _read(self) -> None:
        if self.point is not None:
            self.post_message(SessionRequested(self.point))

    @on(SessionList.Folded)
    def fold(self, message: SessionList.Folded) -> None:
        self.arrange_by(unfolded=self.wanted.unfolded ^ {message.key})
        if not message.folded and self.state and message.key not in self.state.opened:
            self._read()

    @on(VirtualList.Chosen, "#session-list")
    def choose(self) -> None:
        if self.point is not None:
            self._menu(self.point.uuid)

    def _menu(self, uuid: str) -> None:
        """What can be done from a message on; a sub-agent's file can only be read."""
        point = self.point
        if point is not None:
            command = sessions.read if point.agent else sessions.show_menu
            self.app.perform(command, Selection(Path(point.place), message=uuid))

    @property
    def selection(self) -> Selection:
        point, marked = self.point, tuple(Path(place) for place in sorted(self.wanted.marked))
        return Selection(Path(point.place), marked, point.uuid) if point is not None else Selection(marked=marked)

    def mark(self) -> None:
        session = self.current
        if session is not None:
            self.arrange_by(marked=self.wanted.marked ^ {session.file_path})
            self.list.cursor += 1

    def unmark(self) -> None:
        self.wanted = replace(self.wanted, marked=frozenset())

    def toggle_scope(self, scope: Scope) -> None:
        scope = "project" if self.wanted.scope == scope else scope
        self.wanted = replace(self.wanted, scope=scope, marked=frozenset())
        self.post_message(SessionListRequested(scope))

    def toggle_branch(self) -> None:
        branch = self.state.branch if self.state and not self.wanted.branch else ""
        self.arrange_by(branch=branch)

    def toggle_programs(self) -> None:
        self.arrange_by(programs=not self.wanted.programs)

    def next_order(self) -> None:
        self.arrange_by(order=next_of(session_rows.SESSION_ORDERS, self.wanted.order))

    def back(self) -> None:
        if self.close_filter():
            return
        if self.wanted.branch:
            self.toggle_branch()
        elif self.wanted.marked:
            self.arrange_by(marked=frozenset())

    def start_over(self) -> None:
        self.wanted, self.state, self._requested = session_rows.SessionsWanted(), None, (None, None)
        self.list.show(
            session_rows.Arranged(CompressedSessions()), SessionListState(reading="reading"), self.wanted, {}, 0.0
        )
        self.post_message(SessionListRequested(self.wanted.scope))
