"""Sessions as the rows of their list: pure, so that every order, filter and unfolding is tested without a screen.

Rows hold what the engine gave; how one looks is decided when it comes on screen, so thousands cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, overload

from msgspec import Struct

from memtui.base.match import matches, parse
from memtui.search.packed import unpack
from memtui.sessions.listing import Session
from memtui.sessions.outline import Node
from memtui.tui.state import Point

if TYPE_CHECKING:
    from memtui.tui.state import OpenSession, Scope, Shelf

SessionOrder = Literal["age", "size", "messages", "title"]
SESSION_ORDERS: tuple[SessionOrder, ...] = ("age", "size", "messages", "title")

AGENTS = "agents"
"""What stands behind a session's place in the name of the line that holds its sub-agents."""


class SessionsWanted(Struct, frozen=True):
    """How the list is to be arranged. `branch` filters by the git branch of the last prompt, "" doesn't."""

    scope: Scope = "project"
    branch: str = ""
    query: str = ""
    order: SessionOrder = "age"
    unfolded: frozenset[str] = frozenset()
    marked: frozenset[str] = frozenset()


class NodeRow(Struct, frozen=True):
    """A branch or a sub-agent of the session above; `end`: none follows on its level."""

    place: str
    node: Node
    end: bool


class AgentsRow(Struct, frozen=True):
    """The line that shows and hides a session's sub-agents."""

    place: str
    count: int
    folded: bool


SessionRow = Session | NodeRow | AgentsRow


def point_of(row: SessionRow) -> Point:
    """What a row stands for."""
    match row:
        case Session():
            return Point(row.place)
        case NodeRow(place, node):
            agent = node.agent.path if node.agent else None
            return Point(place, node.leaf_uuid or node.uuid, str(agent or ""))
        case AgentsRow():
            return Point(row.place)


def key_of(row: SessionRow) -> Hashable:
    """What stays the same when rows come and go around it."""
    match row:
        case Session():
            return row.place
        case NodeRow(place, node):
            return (place, node.branch.start.uuid if node.branch else node.agent.id if node.agent else "")
        case AgentsRow():
            return (row.place, AGENTS)


def project_of(session: Session) -> str:
    """The name of the project that a session belongs to: the last part of its directory."""
    return PurePosixPath(session.cwd).name or PurePosixPath(session.place).parent.name


class Arranged(Sequence[SessionRow]):
    """The rows in order; a session stays packed until somebody looks at its row. `sessions` says how many there are."""

    def __init__(self, rows: Sequence[bytes | NodeRow | AgentsRow] = (), sessions: int = 0) -> None:
        self._rows = rows
        self.sessions = sessions

    def packed(self, start: int, stop: int) -> list[bytes]:
        """The sessions among these rows, as they are packed."""
        return [row for row in self._rows[start:stop] if isinstance(row, bytes)]

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> SessionRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[SessionRow]: ...
    def __getitem__(self, index: Any) -> SessionRow | list[SessionRow]:
        if isinstance(index, slice):
            return list(map(_row, self._rows[index]))
        return _row(self._rows[index])


def _row(row: bytes | NodeRow | AgentsRow) -> SessionRow:
    return unpack(row) if isinstance(row, bytes) else row


def arrange_sessions(shelf: Shelf, wanted: SessionsWanted, opened: Mapping[str, OpenSession]) -> Arranged:
    """All rows, in order.

    Args:
        shelf: The sessions, newest first.
        wanted: Filter, order, what is unfolded.
        opened: What was read of sessions; one that is unfolded and not yet read shows no branches.
    """
    terms = parse(wanted.query)
    packed: Sequence[bytes] = shelf.sessions.rows  # of thousands, no two are unpacked at a time
    if wanted.branch:
        packed = [row for row in packed if unpack(row).branch == wanted.branch]
    if terms:
        packed = [row for row in packed if _fits(terms, unpack(row))]
    if wanted.order != "age":
        packed = sorted(packed, key=_ORDERED[wanted.order])
    if not wanted.unfolded:
        return Arranged(packed, len(packed))
    rows: list[bytes | NodeRow | AgentsRow] = []
    for row in packed:
        rows.append(row)
        place = unpack(row).place
        if place in wanted.unfolded and place in opened:
            rows += _below(place, opened[place], wanted)
    return Arranged(rows, len(packed))


_ORDERED: Mapping[SessionOrder, Callable[[bytes], Any]] = {
    "size": lambda row: -unpack(row).size,
    "messages": lambda row: -unpack(row).messages,
    "title": lambda row: unpack(row).title.casefold(),
}


def _fits(terms: tuple[object, ...], session: Session) -> bool:
    return matches(terms, session.title, session.first_prompt, session.branch, session.cwd, session.id)  # type: ignore[arg-type]


def _below(place: str, opened: OpenSession, wanted: SessionsWanted) -> list[NodeRow | AgentsRow]:
    folded = f"{place}/{AGENTS}" not in wanted.unfolded
    nodes = [node for node in opened.outline if not (folded and node.agent)]
    agents = sum(node.agent is not None for node in opened.outline)
    rows: list[NodeRow | AgentsRow] = []
    for number, node in enumerate(nodes):
        following = next((other for other in nodes[number + 1 :] if other.depth <= node.depth), None)
        end = following is None or following.depth < node.depth
        rows.append(NodeRow(place, node, end and not (agents and node.depth == 0)))
    return [*rows, AgentsRow(place, agents, folded)] if agents else rows
