"""Sessions as the rows of their list, and one session as the pairs of its properties pane.

Rows hold what the engine gave; how one looks is decided when it comes on screen, so thousands cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, overload

from msgspec import Struct

from memtui.client.paths import tilde_path
from memtui.client.retention import CLEANUP_WARNING_DAYS, days_left
from memtui.presentation import LabeledText, session_text
from memtui.resume.health import check_health, find_lost_end
from memtui.resume.outline import OutlineNode, outline_of
from memtui.resume.resume import ResumePlan
from memtui.sessions.catalog import find_lineage
from memtui.sessions.listing import CompressedSessions, Session
from memtui.transcripts.stats import collect_stats
from memtui.transcripts.subagents import add_agents
from memtui.transcripts.summary import SessionSummary
from memtui.transcripts.transcript import Transcript
from memtui.tui.state import OpenSession, Point, SessionListState
from memtui.tui.theme import TONE_STYLES
from memtui.util.filter_query import matches_query, parse_query
from memtui.util.text import size, time_ago, visible

if TYPE_CHECKING:
    from memtui.memory.workspace import Workspace
    from memtui.tui.state import Scope
    from memtui.tui.widgets.properties import Pair

SessionOrder = Literal["age", "size", "messages", "title"]
SESSION_ORDERS: tuple[SessionOrder, ...] = ("age", "size", "messages", "title")
AGENTS = "agents"  # what stands behind a session's place in the name of the line that holds its sub-agents
LISTED = frozenset({"ended", "messages", "bad lines"})  # what `pairs_of` says already, or says better


class SessionsWanted(Struct, frozen=True):
    """How the list is to be arranged. `branch` filters by the git branch of the last prompt, "" doesn't."""

    scope: Scope = "project"
    programs: bool = False  # list those that programs began too
    branch: str = ""
    query: str = ""
    order: SessionOrder = "age"
    unfolded: frozenset[str] = frozenset()
    marked: frozenset[str] = frozenset()


class NodeRow(Struct, frozen=True):
    """A branch or a sub-agent of the session above; `end`: none follows on its level, `through`: one does above it."""

    place: str
    node: OutlineNode
    end: bool
    through: tuple[bool, ...] = ()  # for each level above


class AgentsRow(Struct, frozen=True):
    place: str
    count: int
    folded: bool


SessionRow = Session | NodeRow | AgentsRow


def point_of(row: SessionRow) -> Point:
    match row:
        case Session():
            return Point(row.file_path)
        case NodeRow(place, node):
            agent = node.agent.path if node.agent else None
            return Point(place, node.leaf_uuid or node.uuid, str(agent or ""))
        case AgentsRow():
            return Point(row.place)


def key_of(row: SessionRow) -> Hashable:
    match row:
        case Session():
            return row.file_path
        case NodeRow(place, node):
            return (place, node.branch.start.uuid if node.branch else node.agent.id if node.agent else "")
        case AgentsRow():
            return (row.place, AGENTS)


def project_of(session: Session) -> str:
    return PurePosixPath(session.cwd).name or PurePosixPath(session.file_path).parent.name


class Arranged(Sequence[SessionRow]):
    """The rows in order; a session, given by its number in `sessions`, stays packed until its row is read.

    Without `rows` all sessions are listed; `listed` is how many of the rows are sessions, all if left out.
    """

    def __init__(
        self,
        sessions: CompressedSessions,
        rows: Sequence[int | NodeRow | AgentsRow] | None = None,
        listed: int | None = None,
    ) -> None:
        self._sessions = sessions
        self._rows = range(len(sessions)) if rows is None else rows
        self.listed = len(self._rows) if listed is None else listed

    def row_of(self, key: Hashable) -> int | None:
        """Which row has this key, as `key_of` gives it; `None` if none has. No row is unpacked by itself for that."""
        wanted = next((number for number, one in enumerate(self._sessions) if one.file_path == key), None)
        if wanted is not None:
            return next((index for index, row in enumerate(self._rows) if row == wanted), None)
        below = ((index, row) for index, row in enumerate(self._rows) if not isinstance(row, int))
        return next((index for index, row in below if key_of(row) == key), None)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> SessionRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[SessionRow]: ...
    def __getitem__(self, index: int | slice) -> SessionRow | list[SessionRow]:
        if isinstance(index, slice):
            return list(map(self._row, self._rows[index]))
        return self._row(self._rows[index])

    def _row(self, row: int | NodeRow | AgentsRow) -> SessionRow:
        return self._sessions[row] if isinstance(row, int) else row


def arrange_sessions(
    session_list: SessionListState, wanted: SessionsWanted, opened: Mapping[str, OpenSession]
) -> Arranged:
    """All rows, in order; of a session that is unfolded and not yet read (in `opened`) no branches."""
    terms, sessions = parse_query(wanted.query), session_list.sessions
    numbers: Sequence[int] = range(len(sessions))
    if wanted.branch or terms or (not wanted.programs and any(one.by_program for one in sessions)):
        numbers = [
            number
            for number, one in enumerate(sessions)
            if wanted.branch in ("", one.branch)
            and (wanted.programs or not one.by_program)
            and (not terms or matches_query(terms, one.title, one.first_prompt, one.branch, one.cwd, one.id))
        ]
    if wanted.order != "age":
        sizes = list(map(_ORDERED[wanted.order], sessions))
        numbers = sorted(numbers, key=sizes.__getitem__)
    if not wanted.unfolded:
        return Arranged(sessions, numbers)
    below = wanted.unfolded & opened.keys()
    places = {number: one.file_path for number, one in enumerate(sessions) if one.file_path in below}
    rows: list[int | NodeRow | AgentsRow] = []
    for number in numbers:
        rows.append(number)
        if number in places:
            rows += _below(places[number], opened[places[number]], wanted)
    return Arranged(sessions, rows, len(numbers))


_ORDERED: Mapping[SessionOrder, Callable[[Session], Any]] = {
    "size": lambda one: -one.size,
    "messages": lambda one: -one.messages,
    "title": lambda one: one.title.casefold(),
}


def _below(place: str, opened: OpenSession, wanted: SessionsWanted) -> list[NodeRow | AgentsRow]:
    folded = f"{place}/{AGENTS}" not in wanted.unfolded
    nodes = [node for node in opened.outline if not (folded and node.agent)]
    agents = sum(node.agent is not None for node in opened.outline)
    rows: list[NodeRow | AgentsRow] = []
    follows = {0} if agents else set()  # levels on which a row follows
    for node in reversed(nodes):
        through = tuple(level in follows for level in range(node.depth))
        rows.insert(0, NodeRow(place, node, node.depth not in follows, through))
        follows = {level for level in follows if level < node.depth} | {node.depth}
    return [*rows, AgentsRow(place, agents, folded)] if agents else rows


def pairs_of(session: Session, session_list: SessionListState, now: float, home: Path) -> list[Pair]:
    """What is known from the list alone; no file is read."""
    archived = session.file_path in session_list.archived
    left = None if session_list.days is None else days_left(session.modified, now, session_list.days)
    soon = not archived and left is not None and left < CLEANUP_WARNING_DAYS
    live = session_list.live.get(session.id)
    pairs: list[Pair] = [
        ("id", session.id[:8], ""),
        ("live", f"open in process {live.pid}" if live else "", "$good"),
        ("in", visible(tilde_path(Path(session.cwd), home), keep="") if session.cwd else "", ""),
        ("branch", visible(session.branch, keep=""), ""),
        ("kind", visible(session.marks, keep=""), ""),
        ("last", time_ago(now - session.when), ""),
        ("messages", f"{session.messages:,}", ""),
        ("size", f"{size(session.size)}B", ""),
        ("bad lines", f"{session.bad:,}" if session.bad else "", "$problem"),
        ("archived", "by memtui; a restores it" if archived else "", "$link"),
        ("clean-up", "" if archived else session_text.cleanup_text(left), "$warn" if soon else ""),
    ]
    return [pair for pair in pairs if pair[1]]


def opened_of(
    place: str, transcript: Transcript, plan: ResumePlan, workspace: Workspace, summary: SessionSummary | None
) -> OpenSession:
    """A session read whole: branches, what a resume sends and why, tools, tokens, files, memory written."""
    done = collect_stats(transcript.each(transcript.entries))
    written = done.written_files
    memory = memory_names(written, workspace.location.folder)
    files, agents = done.changed_files, add_agents(done, transcript.path)
    family = find_lineage(workspace.dirs.cache, transcript.path)
    health = check_health(transcript, plan)
    details = [
        *(one for one in (session_text.summary_details(summary) if summary else ()) if one.label not in LISTED),
        *(LabeledText(*words, "link") for words in family.words),
        *session_text.resume_details(plan, health),
        *session_text.work_details(done, agents),
        LabeledText("files", f"{len(files)} changed" if files else ""),
        LabeledText("memory", ", ".join(memory), "link"),
    ]
    pairs: list[Pair] = [(one.label, visible(one.text, keep=""), TONE_STYLES[one.tone]) for one in details if one.text]
    lost = find_lost_end(transcript, plan)
    notes = [
        *([] if health.ok else [health.words]),
        *([f"a fork gets {lost.words}: Enter"] if lost else []),
        *(f"not sent: {one.text}" for one in session_text.omitted_details(plan)),
    ]
    return OpenSession(place, outline_of(transcript, plan), pairs, notes, written, plan.leaf.uuid, lost)


def memory_names(written: tuple[str, ...], folder: Path) -> list[str]:
    """Those of the written files that lie in the memory folder, by their names in it."""
    return [str(Path(path).relative_to(folder)) for path in written if Path(path).is_relative_to(folder)]
