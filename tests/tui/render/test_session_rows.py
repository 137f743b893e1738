"""Every order, filter and unfolding of the session list, without a screen."""

from pathlib import Path

from msgspec.structs import replace

from memtui.resume.outline import OutlineNode
from memtui.sessions.listing import CompressedSessions, Session
from memtui.transcripts.subagents import SubAgent
from memtui.tui.render.session_rows import (
    AGENTS,
    SESSION_ORDERS,
    AgentsRow,
    NodeRow,
    SessionsWanted,
    arrange_sessions,
    key_of,
    point_of,
    project_of,
)
from memtui.tui.state import OpenSession, Point, SessionListState


def session(name: str, *, size: int = 1, messages: int = 1, branch: str = "main", cwd: str = "/code/shop") -> Session:
    return Session(f"/p/{name}.jsonl", 1000.0, size, 0, 1000.0, name, messages, 0, branch, cwd, f"please {name}")


SHELF = SessionListState(
    sessions=CompressedSessions(
        [
            session("pnpm", size=9, messages=2),
            session("Checkout", size=5, messages=40, branch="fix"),
            session("are you online", size=7, messages=3, cwd="/code/site"),
        ]
    )
)


def titles(wanted: SessionsWanted, session_list: SessionListState = SHELF) -> list[str]:
    rows = arrange_sessions(session_list, wanted, {})
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


def node(number: int, depth: int, **more: object) -> OutlineNode:
    base = OutlineNode(depth, False, "root", f"words {number}", 2, "", f"t{number}")
    return replace(base, **more)  # type: ignore[arg-type]


def agent(number: int, depth: int) -> OutlineNode:
    return node(number, depth, kind="agent-file", agent=SubAgent(f"a{number}", Path(f"/p/agent-a{number}.jsonl")))


def test_an_unfolded_session_shows_its_branches_and_its_agents_when_asked() -> None:
    place = SHELF.sessions[0].file_path
    nodes = (node(0, 0), agent(1, 1), node(2, 1), node(3, 1, leaf_uuid="leaf"), agent(4, 2), node(5, 0))
    opened = {place: OpenSession(place, nodes)}
    wanted = SessionsWanted(unfolded=frozenset({place}))
    rows = arrange_sessions(SHELF, wanted, opened)
    below = rows[1:6]
    assert [row.end for row in below if isinstance(row, NodeRow)] == [False, False, True, False]
    assert [row.through for row in below if isinstance(row, NodeRow)] == [(), (True,), (True,), ()]
    assert below[4] == AgentsRow(place, 2, folded=True)
    assert isinstance(rows[6], Session)
    both = replace(wanted, unfolded=wanted.unfolded | {f"{place}/{AGENTS}"})
    rows = arrange_sessions(SHELF, both, opened)
    assert [row.node.first_text for row in rows if isinstance(row, NodeRow)] == [
        f"words {number}" for number in range(6)
    ]
    assert len({key_of(row) for row in rows[:1] + rows[2:3]}) == 2
    assert point_of(rows[0]) == Point(place)
    assert point_of(rows[1]) == Point(place, "t0")
    assert point_of(rows[2]) == Point(place, "t1", "/p/agent-a1.jsonl")
    assert point_of(rows[4]) == Point(place, "leaf")


def test_one_that_is_not_read_yet_shows_no_branches() -> None:
    place = SHELF.sessions[0].file_path
    assert len(arrange_sessions(SHELF, SessionsWanted(unfolded=frozenset({place})), {})) == 3


def test_a_project_is_called_by_its_directory_or_its_folder() -> None:
    assert project_of(session("x")) == "shop"
    assert project_of(session("x", cwd="")) == "p"


def test_a_row_is_found_by_its_key_in_every_order() -> None:
    place = SHELF.sessions[1].file_path
    nodes = (node(1, 0), node(2, 0, leaf_uuid="other"))
    for order in SESSION_ORDERS:
        wanted = SessionsWanted(order=order, unfolded=frozenset({place}))
        rows = arrange_sessions(SHELF, wanted, {place: OpenSession(place, nodes)})
        assert len({key_of(row) for row in rows}) >= 4
        for row in rows:
            found = rows.row_of(key_of(row))
            assert found is not None
            assert key_of(rows[found]) == key_of(row)
    assert arrange_sessions(SHELF, SessionsWanted(query="'check"), {}).row_of(SHELF.sessions[0].file_path) is None
    assert arrange_sessions(SHELF, SessionsWanted(), {}).row_of("/nowhere") is None
