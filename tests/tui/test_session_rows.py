"""Every order, filter and unfolding of the session list, without a screen."""

from dataclasses import replace

from memtui.host.heads import SessionFile
from memtui.sessions.agents import SubAgent
from memtui.sessions.listing import Session
from memtui.sessions.outline import Outline, Twig
from memtui.sessions.scan import Facts
from memtui.tui.session_rows import (
    AGENTS,
    AgentRow,
    AgentsRow,
    BranchRow,
    Node,
    SessionsWanted,
    arrange_sessions,
    key_of,
    node_of,
    project_of,
)
from memtui.tui.state import OpenSession, Shelf


def session(name: str, *, size: int = 1, messages: int = 1, branch: str = "main", cwd: str = "/code/shop") -> Session:
    return Session(
        SessionFile(f"/p/{name}.jsonl", 1000.0, size),
        Facts(title=name, first_prompt=f"please {name}", messages=messages, branch=branch, cwd=cwd),
    )


SHELF = Shelf(
    sessions=(
        session("pnpm", size=9, messages=2),
        session("Checkout", size=5, messages=40, branch="fix"),
        session("are you online", size=7, messages=3, cwd="/code/site"),
    )
)


def titles(wanted: SessionsWanted, shelf: Shelf = SHELF) -> list[str]:
    rows = arrange_sessions(shelf, wanted, {})
    return [row.title for row in rows if isinstance(row, Session)]


def test_orders() -> None:
    assert titles(SessionsWanted()) == ["pnpm", "Checkout", "are you online"]
    assert titles(SessionsWanted(order="size")) == ["pnpm", "are you online", "Checkout"]
    assert titles(SessionsWanted(order="messages")) == ["Checkout", "are you online", "pnpm"]
    assert titles(SessionsWanted(order="title")) == ["are you online", "Checkout", "pnpm"]


def test_filters() -> None:
    assert titles(SessionsWanted(query="'check")) == ["Checkout"]
    assert titles(SessionsWanted(query="!check")) == ["pnpm", "are you online"]
    assert titles(SessionsWanted(query="site")) == ["are you online"]
    assert titles(SessionsWanted(branch="fix")) == ["Checkout"]
    assert titles(SessionsWanted(query="nothing of this kind")) == []


def twig(index: int, depth: int, **more: object) -> Twig:
    base = Twig(index, "root", depth, f"words {index}", 2, 1, 1000.0, f"s{index}", f"t{index}", "", False)
    return replace(base, **more)  # type: ignore[arg-type]


def test_an_unfolded_session_shows_its_branches_and_agents() -> None:
    place = SHELF.sessions[0].file.place
    agents = (SubAgent("a1"), SubAgent("a2", start="u7"))
    opened = {place: OpenSession(place, Outline((twig(0, 0), twig(1, 1), twig(2, 1), twig(3, 0)), agents))}
    wanted = SessionsWanted(unfolded=frozenset({place}))
    rows = arrange_sessions(SHELF, wanted, opened)
    below = rows[1:6]
    assert [row.end for row in below if isinstance(row, BranchRow)] == [False, False, True, False]
    assert below[4] == AgentsRow(place, 2, folded=True)
    assert isinstance(rows[6], Session)
    both = replace(wanted, unfolded=wanted.unfolded | {f"{place}/{AGENTS}"})
    rows = arrange_sessions(SHELF, both, opened)
    assert [row.agent.id for row in rows if isinstance(row, AgentRow)] == ["a1", "a2"]
    assert len({key_of(row) for row in rows}) == len(rows)
    assert node_of(rows[1]) == Node(place, "t0")
    assert node_of(rows[7]) == Node(place, "u7")
    assert node_of(rows[0]) == Node(place)


def test_one_that_is_not_read_yet_shows_no_branches() -> None:
    place = SHELF.sessions[0].file.place
    assert len(arrange_sessions(SHELF, SessionsWanted(unfolded=frozenset({place})), {})) == 3


def test_a_project_is_called_by_its_directory_or_its_folder() -> None:
    assert project_of(session("x")) == "shop"
    assert project_of(session("x", cwd="")) == "p"
