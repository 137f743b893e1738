"""The list of sessions: each with its marks, messages and age, and unfolded its branches and sub-agents."""

from collections.abc import Hashable, Mapping
from types import MappingProxyType

from textual.content import Content

from memtui.client.retention import cleanup_mark, days_left
from memtui.client.session_files import UNTITLED
from memtui.resume.outline import NODE_LABELS
from memtui.sessions.listing import Session
from memtui.transcripts.entries import parse_timestamp
from memtui.tui.commands import registry, sessions
from memtui.tui.commands.registry import Command, declare
from memtui.tui.render import session_rows
from memtui.tui.state import SessionListState
from memtui.tui.widgets.row_list import RowList
from memtui.util import text

SIZE_FROM = 44  # cells from which the column with the size fits
PROJECT_FROM = 50  # cells from which sessions of several projects name theirs in a column


COMMANDS = declare(
    registry.SESSION_LIST,
    Command("sessions.open", "Resume, fork, copy or export", "enter", lambda at: at.find(SessionList).open(),
            "⏎ resume", sessions.no_sessions),
    Command("sessions.unfold", "Branches and agents, or to the next pane", "right,l",
            lambda at: at.find(SessionList).fold(folded=False), "→ branches"),
    Command("sessions.fold", "Fold", "left,h", lambda at: at.find(SessionList).fold(folded=True)),
)  # fmt: skip


class SessionList(RowList[session_rows.SessionRow]):
    BINDINGS = registry.bindings(COMMANDS)
    session_list = SessionListState()
    wanted = session_rows.SessionsWanted()
    health: Mapping[str, str] = MappingProxyType({})
    now = 0.0

    def show(
        self, rows: session_rows.Arranged, session_list: SessionListState, wanted: session_rows.SessionsWanted,
        health: Mapping[str, str], now: float,
    ) -> None:  # fmt: skip
        self.health, self.session_list, self.wanted, self.now = health, session_list, wanted, now
        self.put(rows)

    @property
    def on_screen(self) -> list[Session]:
        top = self.scroll_offset.y
        return [row for row in self.rows[top : top + self.size.height] if isinstance(row, Session)]

    @property
    def session(self) -> Session | None:
        """The session that the row under the cursor belongs to: it, or the one above."""
        above = (self.rows[i] for i in range(min(self.cursor, len(self.rows) - 1), -1, -1))
        return next((row for row in above if isinstance(row, Session)), None)

    def row_of(self, key: Hashable) -> int | None:
        return self.rows.row_of(key) if isinstance(self.rows, session_rows.Arranged) else None

    def key(self, row: session_rows.SessionRow) -> Hashable:
        return session_rows.key_of(row)

    def row(self, index: int, width: int) -> Content:
        row = self.rows[index]
        match row:
            case Session():
                return self._session(row, width)
            case session_rows.NodeRow():
                return self._node(row, width)
            case session_rows.AgentsRow():
                fold = self.glyphs.closed if row.folded else self.glyphs.opened
                words = f"   {self.glyphs.corner}{fold} agents "
                return Content.assemble(words, (f"{self.glyphs.separator} {row.count}", "$dim"))

    def _session(self, session: Session, width: int) -> Content:
        place = session.file_path
        fold = self.glyphs.opened if place in self.wanted.unfolded else " "
        mark, style = self._mark(session)
        amount = f"{text.size(session.size):>6}" if width >= SIZE_FROM else ""
        tail = f" {session.messages:>5}{amount}{text.age(self.now - session.when):>5}"
        word = self._word(session)
        lead = f"{mark}{self.glyphs.tick if place in self.wanted.marked else ' '}{fold}"
        room = max(1, width - len(lead) - len(tail) - (len(word) + 1 if word else 0))
        project = ""
        if self.session_list.scope != "project" and width >= PROJECT_FROM:
            project = (
                text.pad(text.visible(session_rows.project_of(session), keep=""), 12, ellipsis=self.glyphs.ellipsis)
                + " "
            )
        title = text.visible(self.app.state.masked(session.title), keep="") or UNTITLED
        title = text.pad(title, max(1, room - len(project)), ellipsis=self.glyphs.ellipsis)
        marks = ((lead[:1], style), (lead[1:2], "$mark bold"), lead[2:])
        named = ((project, "$link"), (title, "" if session.title else "$dim"))
        return Content.assemble(*marks, *named, (f" {word}" if word else "", style or "$warn"), (tail, "$dim"))

    def _mark(self, session: Session) -> tuple[str, str]:
        if session.id in self.session_list.live:
            return self.glyphs.changed, "$good"
        lost = session.bad or self.health.get(session.file_path)
        return (self.glyphs.problem, "$problem bold") if lost else (" ", "")

    def _word(self, session: Session) -> str:
        return " ".join(filter(None, (self._state_word(session), session.marks)))

    def _state_word(self, session: Session) -> str:
        if session.id in self.session_list.live:
            return "live"
        if session.file_path in self.session_list.archived:
            return "archived"
        if self.session_list.days is None:
            return ""
        return cleanup_mark(days_left(session.modified, self.now, self.session_list.days))

    def _node(self, row: session_rows.NodeRow, width: int) -> Content:
        node = row.node
        guides = "".join(f"{self.glyphs.quote} " if more else "  " for more in row.through[:8])
        lead = f"   {guides}" + (self.glyphs.corner if row.end else self.glyphs.fork)
        ended = parse_timestamp(node.stamp)
        tail = f" {node.messages:>5}{self.glyphs.dash if ended is None else text.age(self.now - ended):>5}"
        here = f"{self.glyphs.arrow} " if node.leaf else ""
        kind = NODE_LABELS[node.kind]
        if node.agent is not None:
            kind = "Claude Code's own" if node.agent.internal else node.agent.kind or kind
        first = self.app.state.masked(node.first_text)
        words = text.visible(f"{kind}: {first}" if kind else first, keep="")
        words = text.pad(words, max(1, width - len(lead) - len(here) - len(tail)), ellipsis=self.glyphs.ellipsis)
        style = "bold" if node.leaf else "$warn" if node.kind == "orphan" else "$dim" if node.agent else ""
        return Content.assemble((lead, "$dim"), (here, "$good bold"), (words, style), (tail, "$dim"))

    def fold(self, *, folded: bool) -> None:
        """Fold or unfold the session under the cursor; on a row below it, left goes to the session."""
        match self.current:
            case None:
                pass
            case session_rows.AgentsRow(place) as row if row.folded != folded:
                self.post_message(self.Folded(f"{place}/{session_rows.AGENTS}", folded))
            case Session() as row if (row.file_path not in self.wanted.unfolded) != folded:
                self.post_message(self.Folded(row.file_path, folded))
            case _:
                self.leave_row(Session, left=folded)

    def open(self) -> None:
        row = self.current
        if isinstance(row, session_rows.AgentsRow):
            self.post_message(self.Folded(f"{row.place}/{session_rows.AGENTS}", not row.folded))
        else:
            self.choose()
