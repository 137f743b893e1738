"""Sessions as the rows of their list: pure, so that every order, filter and unfolding is tested without a screen.

Rows hold what the engine gave; how one looks is decided when it comes on screen, so thousands cost nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from memtui.base.match import matches, parse
from memtui.sessions.agents import SubAgent
from memtui.sessions.listing import Session
from memtui.sessions.outline import Twig

if TYPE_CHECKING:
    from memtui.tui.state import OpenSession, Scope, Shelf

SessionOrder = Literal["age", "size", "messages", "title"]
SESSION_ORDERS: tuple[SessionOrder, ...] = ("age", "size", "messages", "title")

AGENTS = "agents"
"""What stands behind a session's place in the name of the line that holds its sub-agents."""


@dataclass(frozen=True, slots=True)
class SessionsWanted:
    """How the list is to be arranged. `branch` filters by the git branch of the last prompt, "" doesn't."""

    scope: Scope = "project"
    branch: str = ""
    query: str = ""
    order: SessionOrder = "age"
    unfolded: frozenset[str] = frozenset()
    marked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class BranchRow:
    """A branch of the session above; `end`: none follows on its level."""

    place: str
    twig: Twig
    end: bool


@dataclass(frozen=True, slots=True)
class AgentsRow:
    """The line that a session's sub-agents are folded under."""

    place: str
    count: int
    folded: bool


@dataclass(frozen=True, slots=True)
class AgentRow:
    """A sub-agent of the session above."""

    place: str
    agent: SubAgent


SessionRow = Session | BranchRow | AgentsRow | AgentRow


@dataclass(frozen=True, slots=True)
class Node:
    """What the cursor is on: a session (its own leaf), one of its rows, or a sub-agent's file."""

    place: str
    uuid: str = ""
    agent: str = ""


def node_of(row: SessionRow) -> Node:
    """What a row stands for."""
    match row:
        case Session():
            return Node(row.file.place)
        case BranchRow():
            return Node(row.place, row.twig.tip)
        case AgentRow(place, agent):
            return Node(place, agent.start, str(agent.path or ""))
        case AgentsRow():
            return Node(row.place)


def key_of(row: SessionRow) -> Hashable:
    """What stays the same when rows come and go around it."""
    match row:
        case Session():
            return row.file.place
        case BranchRow():
            return (row.place, row.twig.start)
        case AgentRow():
            return (row.place, AGENTS, row.agent.id)
        case AgentsRow():
            return (row.place, AGENTS)


def project_of(session: Session) -> str:
    """The name of the project that a session belongs to: the last part of its directory."""
    return PurePosixPath(session.facts.cwd).name or PurePosixPath(session.file.place).parent.name


def arrange_sessions(
    shelf: Shelf, wanted: SessionsWanted, opened: Mapping[str, OpenSession]
) -> tuple[SessionRow, ...]:
    """All rows, in order.

    Args:
        shelf: The sessions, newest first.
        wanted: Filter, order, what is unfolded.
        opened: What was read of sessions; one that is unfolded and not yet read shows no branches.
    """
    terms = parse(wanted.query)
    sessions = list(shelf.sessions)
    if wanted.branch:
        sessions = [one for one in sessions if one.facts.branch == wanted.branch]
    if terms:
        sessions = [one for one in sessions if _fits(terms, one)]
    if wanted.order == "size":
        sessions.sort(key=lambda one: -one.file.size)
    elif wanted.order == "messages":
        sessions.sort(key=lambda one: -one.facts.messages)
    elif wanted.order == "title":
        sessions.sort(key=lambda one: one.title.casefold())
    if not wanted.unfolded:
        return tuple(sessions)
    rows: list[SessionRow] = []
    for session in sessions:
        rows.append(session)
        place = session.file.place
        if place in wanted.unfolded and place in opened:
            rows += _below(place, opened[place], wanted)
    return tuple(rows)


def _fits(terms: tuple[object, ...], session: Session) -> bool:
    facts = session.facts
    return matches(terms, session.title, facts.first_prompt, facts.branch, facts.cwd, session.file.id)  # type: ignore[arg-type]


def _below(place: str, opened: OpenSession, wanted: SessionsWanted) -> list[SessionRow]:
    twigs = opened.outline.twigs
    rows: list[SessionRow] = []
    for number, twig in enumerate(twigs):
        following = next((other for other in twigs[number + 1 :] if other.depth <= twig.depth), None)
        end = following is None or following.depth < twig.depth
        rows.append(BranchRow(place, twig, end and not (opened.outline.agents and twig.depth == 0)))
    agents = opened.outline.agents
    if agents:
        folded = f"{place}/{AGENTS}" not in wanted.unfolded
        rows.append(AgentsRow(place, len(agents), folded))
        rows += () if folded else (AgentRow(place, agent) for agent in agents)
    return rows
