"""The Sessions view: past sessions with their branches, the conversation that leads to any of them, and its facts."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from memtui.sessions.health_cache import MAX_CHECKED_BYTES
from memtui.sessions.listing import CompressedSessions, Session
from memtui.transcripts.path_source import PathSource
from memtui.tui import keys
from memtui.tui.reach import app_of
from memtui.tui.render.session_rows import SESSION_ORDERS, Arranged, SessionsWanted, arrange_sessions, point_of
from memtui.tui.render.session_summary import pairs_of
from memtui.tui.state import AppState, OpenConversation, Point, Scope, SessionListState
from memtui.tui.theme import Glyphs
from memtui.tui.widgets.properties import PropertyTable
from memtui.tui.widgets.session_list import SessionList
from memtui.tui.widgets.transcript_view import Anchor, TranscriptLines
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util.errors import MemtuiError
from memtui.util.text import pluralize, size, visible

PAUSE = 0.12
"""Seconds that the cursor has to rest on a row before its session is read whole; 0: it need not."""

WAYS = "0 goes there  p full screen"


class SessionsView(Widget):
    """List, conversation and facts from 100 cells on; list and conversation from 60; else one of them (stylesheet)."""

    BLANK = True  # the panes cover it
    BINDINGS = keys.bindings(keys.SESSIONS, keys.PANES)
    HINTS = keys.hints(keys.SESSION_LIST, keys.SESSIONS, keys.EVERYWHERE)

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="sessions", classes="view")
        self.glyphs = glyphs
        self.wanted = SessionsWanted()
        self.state: AppState | None = None
        self._resting: Timer | None = None
        self._asked: tuple[Point | None, Session | None] = (None, None)
        self._awaited = ""

    def compose(self) -> ComposeResult:
        yield SessionList(self.glyphs, id="shelf", classes="pane")
        yield Vertical(id="conversation", classes="pane")
        yield PropertyTable(id="session-facts", classes="pane")

    def on_mount(self) -> None:
        app_of(self).sessions.shelve(self.wanted.scope)

    @property
    def list(self) -> SessionList:
        """The list of sessions."""
        return self.query_one(SessionList)

    @property
    def current(self) -> Session | None:
        """The session that the row under the cursor belongs to."""
        return self.list.session

    @property
    def point(self) -> Point | None:
        """What the cursor is on."""
        row = self.list.current
        return point_of(row) if row is not None else None

    def show(self, state: AppState) -> None:
        """Draw the state."""
        before, self.state = self.state, state
        if state.session_list is None:
            return
        shown = (state.session_list, state.opened, state.health, int(state.now))
        if before is None or shown != (before.session_list, before.opened, before.health, int(before.now)):
            self._rearrange()
        if state.conversation is not None and (before is None or before.conversation is not state.conversation):
            self._show_conversation(state.conversation)
        self._show_facts()

    def _rearrange(self) -> None:
        state = self.state
        if state is None or state.session_list is None:
            return
        session_list = state.session_list
        rows = arrange_sessions(session_list, self.wanted, state.opened)
        self.list.show(rows, session_list, self.wanted, state.health, state.now)
        self._title(session_list, rows.listed)
        self._find_awaited(session_list)
        if (self.point, self.current) != self._asked:
            self.moved()

    def _title(self, session_list: SessionListState, shown: int) -> None:
        total = len(session_list.sessions)
        words = [session_list.scope, f"{total:,}" if shown == total else f"{shown:,} of {total:,}"]
        words += [f"branch {self.wanted.branch}"] if self.wanted.branch else []
        words += [f"by {self.wanted.order}"] if self.wanted.order != "age" else []
        words += [f"{len(self.wanted.marked)} marked"] if self.wanted.marked else []
        separator = f" {self.glyphs.separator} "
        self.list.border_title = Content(visible(separator.join(["3 Sessions", *words]), keep=""))
        self.list.border_subtitle = f"{session_list.reading}{self.glyphs.ellipsis}" if session_list.reading else ""
        filtered = self.wanted.query or self.wanted.branch
        nothing = (
            "no sessions here yet; A lists those of all projects" if session_list.scope != "all" else "no sessions yet"
        )
        self.list.empty = f"0 of {total}, Esc clears" if filtered and total else "" if session_list.reading else nothing

    def _show_facts(self) -> None:
        state, session = self.state, self.current
        facts = self.query_one(PropertyTable)
        if state is None or state.session_list is None or session is None:
            facts.pairs, facts.notes = (), ()
            return
        opened = state.opened.get(session.file_path)
        known = pairs_of(session, state.session_list, state.now, app_of(self).start.home)
        facts.pairs = [*known, *(opened.facts if opened else ())]
        width = max(8, facts.size.width)
        notes = [part for note in (opened.notes if opened else ()) for part in Content.styled(note, "$dim").wrap(width)]
        facts.notes = notes

    def _show_conversation(self, conversation: OpenConversation) -> None:
        """What leads to the row under the cursor, from its end; nothing if the cursor has gone on."""
        if conversation.point != self.point:
            return
        try:
            source = PathSource(conversation.transcript.path, conversation.way)
        except MemtuiError as error:
            self.notify(visible(error.message), severity="warning", markup=False)
            return
        pane = self.query_one("#conversation")
        pane.border_title = f"Conversation {self.glyphs.separator} {pluralize(len(conversation.way), 'row')}"
        pane.border_subtitle = WAYS
        if self.reader is None:
            pane.mount(TranscriptLines(source))
        else:
            self.reader.show(source, lambda source, most: source.last(most), Anchor(end=True))

    def _no_conversation(self, words: str) -> None:
        """Show none, and say why; that of another row would be a lie."""
        if self.reader is not None:
            self.reader.remove()
        pane = self.query_one("#conversation")
        pane.border_title, pane.border_subtitle = "Conversation", words

    @property
    def reader(self) -> TranscriptLines | None:
        """The conversation, once there was one."""
        return next(iter(self.query(TranscriptLines)), None)

    @on(TranscriptLines.Wish)
    def reader_wish(self, message: TranscriptLines.Wish) -> None:
        """Wishes of the conversation's pane."""
        match message.what:
            case "leave":
                self.remove_class("-reading")
                self.screen.set_focus(self.list)
            case "copy":
                self.app.copy_to_clipboard(message.text)
                self.notify("line sent to the clipboard", markup=False)
            case "from":
                self._menu(message.uuid)
            case "find":
                self._wish("session_find")
            case "view":
                self._wish("session_read")

    @on(TranscriptLines.Told)
    def told(self, message: TranscriptLines.Told) -> None:
        """What a search in the conversation is doing."""
        words = message.words or WAYS
        self.query_one("#conversation").border_subtitle = Content(visible(words, keep=""))

    def action_focus_preview(self) -> None:
        """Go to the conversation; where there is one pane only it takes the list's place."""
        if self.reader is not None:
            self.add_class("-reading")
            self.screen.set_focus(self.reader)

    def action_preview_scroll(self, step: int) -> None:
        """Scroll the conversation while the list keeps the focus."""
        if self.reader is not None:
            self.reader.action_cursor(step * 3)

    def action_resize(self, cells: int) -> None:
        """Make the list wider or narrower."""
        self.list.styles.width = max(24, self.list.outer_size.width + cells)

    def go_to(self, session: str) -> None:
        """Put the cursor on a session, wherever it is; once it is listed."""
        self._awaited = session
        self.wanted = replace(self.wanted, query="", branch="")
        self._rearrange()

    def _find_awaited(self, session_list: SessionListState) -> None:
        if not self._awaited:
            return
        found = next((one for one in session_list.sessions if one.id == self._awaited), None)
        if found is not None:
            self._awaited = ""
            self.list.to_key(found.file_path)
        elif not session_list.reading and session_list.scope != "all":
            self.action_scope("all")
        elif not session_list.reading:
            self.notify(f"session {visible(self._awaited[:8], keep='')} is not there any more", markup=False)
            self._awaited = ""

    @on(VirtualList.Moved, "#shelf")
    def moved(self) -> None:
        """Another row: what is known of it at once, the rest when the cursor rests."""
        self._asked = (self.point, self.current)
        self._show_facts()
        if self._resting is not None:
            self._resting.stop()
        session = self.current
        if session is None or session.size > MAX_CHECKED_BYTES:
            words = f"{size(session.size)}B: p reads it, {self.glyphs.arrow} its branches" if session else ""
            self._no_conversation(words)
            return
        if PAUSE:
            self._resting = self.set_timer(PAUSE, self._read)
        else:
            self._read()

    def _read(self) -> None:
        if self.point is not None:
            app_of(self).sessions.open(self.point)

    @on(SessionList.Folded)
    def fold(self, message: SessionList.Folded) -> None:
        """Fold or unfold a session or its agents; a session is read for it."""
        self.wanted = replace(self.wanted, unfolded=self.wanted.unfolded ^ {message.key})
        self._rearrange()
        if not message.folded and self.state and message.key not in self.state.opened:
            self._read()

    @on(VirtualList.Chosen, "#shelf")
    def choose(self) -> None:
        """Enter or a double click: what can be done with it."""
        point = self.point
        if point is not None:
            self._menu(point.uuid)

    def _menu(self, uuid: str) -> None:
        """What can be done from a message on; a sub-agent's file can only be read."""
        point = self.point
        if point is not None and point.agent:
            self._wish("session_read")
        elif point is not None:
            app_of(self).wish(f"session_menu:{uuid}", (Path(point.place),))

    def _wish(self, what: str) -> None:
        point = self.point
        if point is not None:
            app_of(self).wish(f"{what}:{point.uuid}", (Path(point.place),))

    def _wish_for_marked(self, what: str) -> None:
        places = sorted(self.wanted.marked) or ([self.point.place] if self.point else [])
        app_of(self).wish(what, tuple(Path(place) for place in places))

    def action_read(self) -> None:
        """Read the whole conversation."""
        self._wish("session_read")

    def action_rename(self) -> None:
        """Rename the session."""
        self._wish("session_rename")

    def action_save(self) -> None:
        """Save a copy of the transcript."""
        self._wish("session_save")

    def action_copy(self) -> None:
        """Copy the command that resumes it."""
        self._wish("session_copy")

    def action_memory(self) -> None:
        """Go to the memory that this session wrote."""
        self._wish("session_memory")

    def action_archive(self) -> None:
        """Archive the marked sessions, or put them back."""
        self._wish_for_marked("session_archive")

    def action_delete(self) -> None:
        """Delete the marked sessions."""
        self._wish_for_marked("session_delete")

    def action_mark(self) -> None:
        """Mark the session under the cursor and go on."""
        session = self.current
        if session is not None:
            self.wanted = replace(self.wanted, marked=self.wanted.marked ^ {session.file_path})
            self._rearrange()
            self.list.cursor += 1

    def unmark(self) -> None:
        """What was done with the marked sessions is done."""
        self.wanted = replace(self.wanted, marked=frozenset())

    def action_scope(self, scope: Scope) -> None:
        """Widen to all worktrees or all projects, or back to the project."""
        scope = "project" if self.wanted.scope == scope else scope
        self.wanted = replace(self.wanted, scope=scope, marked=frozenset())
        app_of(self).sessions.shelve(scope)

    def action_branch(self) -> None:
        """Only sessions of the git branch that is checked out, or all."""
        branch = self.state.branch if self.state and not self.wanted.branch else ""
        self.wanted = replace(self.wanted, branch=branch)
        self._rearrange()

    def action_next_order(self) -> None:
        """By age, size, messages, title."""
        step = SESSION_ORDERS.index(self.wanted.order) + 1
        self.wanted = replace(self.wanted, order=SESSION_ORDERS[step % len(SESSION_ORDERS)])
        self._rearrange()

    async def action_filter(self) -> None:
        """Type to filter."""
        from memtui.tui.widgets.filter_line import FilterLine

        line = next(iter(self.query(FilterLine)), None)
        if line is None:
            line = FilterLine(self.filter_typed, self.filter_done)
            await self.mount(line)
        self.screen.set_focus(line)

    def filter_typed(self, query: str) -> None:
        """Narrow while typing."""
        self.wanted = replace(self.wanted, query=query)
        self._rearrange()

    def filter_done(self) -> None:
        """Keep the filter, go to the list."""
        self.screen.set_focus(self.list)
        if not self.wanted.query:
            self._close_filter()

    def _close_filter(self) -> None:
        self.query("FilterLine").remove()
        if self.wanted.query:
            self.wanted = replace(self.wanted, query="")
            self._rearrange()
        self.screen.set_focus(self.list)

    def action_back(self) -> None:
        """One step back: filter, branch, marks."""
        if self.wanted.query or self.query("FilterLine"):
            self._close_filter()
        elif self.wanted.branch:
            self.action_branch()
        elif self.wanted.marked:
            self.wanted = replace(self.wanted, marked=frozenset())
            self._rearrange()

    def start_over(self) -> None:
        """Another project: filter, marks and folds mean nothing there, and its sessions are others."""
        self.wanted, self.state, self._asked = SessionsWanted(), None, (None, None)
        self.list.show(Arranged(CompressedSessions()), SessionListState(reading="reading"), self.wanted, {}, 0.0)
        app_of(self).sessions.shelve(self.wanted.scope)

    def focus_default(self) -> None:
        """Where keys go when this view is shown."""
        self.screen.set_focus(self.list)
