"""Which files of a session go where."""

import itertools
import json

from memtui.projects.relocate_sessions import SessionMove, Stay, plan_sessions
from tests.projects.conftest import Home, session_id
from tests.support import digest_tree

ONE, TWO = session_id(1), session_id(2)


def plan(home: Home, **more: object) -> tuple[dict[str, SessionMove], list[Stay]]:
    fresh = itertools.count(900)
    before = digest_tree(home.root)
    moves, stays = plan_sessions(home.source, home.target, fresh=lambda: session_id(next(fresh)), **more)  # type: ignore[arg-type]
    assert digest_tree(home.root) == before
    return {move.id: move for move in moves}, stays


def targets(move: SessionMove) -> list[str]:
    return [file.target for file in move.files]


def test_all_that_belongs_to_a_session_goes_along_the_transcript_last(home: Home) -> None:
    home.session(home.old, 1, "fix the till")
    for name in ("subagents/agent-a.jsonl", "subagents/workflows/w/journal.jsonl", "tool-results/t.txt"):
        home.write(home.source / ONE / name, "x")
    home.write(home.source / "agent-old.jsonl", json.dumps({"sessionId": ONE}) + "\n")
    home.write(home.source / "agent-lost.jsonl", json.dumps({"sessionId": TWO}) + "\n")
    home.write(home.source / "sessions-index.json", "{}")
    moves, stays = plan(home)
    (move,) = moves.values()
    assert (move.title, move.renamed, move.there) == ("fix the till", False, False)
    assert targets(move) == [
        f"{ONE}/subagents/agent-a.jsonl",
        f"{ONE}/subagents/workflows/w/journal.jsonl",
        f"{ONE}/tool-results/t.txt",
        "agent-old.jsonl",
        f"{ONE}.jsonl",
    ]
    assert [stay.what for stay in stays] == ["agent-lost.jsonl"]


def test_the_same_bytes_are_there_already(home: Home) -> None:
    path = home.session(home.old, 1)
    home.write(home.target / path.name, path.read_bytes())
    moves, _ = plan(home)
    assert moves[ONE].there
    assert not moves[ONE].renamed


def test_another_session_of_that_name_gives_a_new_id_to_all_of_it(home: Home) -> None:
    home.session(home.old, 1)
    home.write(home.source / ONE / "subagents" / "agent-a.jsonl", "x")
    home.write(home.source / "agent-b.jsonl", json.dumps({"sessionId": ONE}) + "\n")
    home.write(home.target / f"{ONE}.jsonl", "another\n")
    moves, _ = plan(home)
    new = session_id(900)
    assert moves[ONE].new_id == new
    assert targets(moves[ONE]) == [
        f"{new}/subagents/agent-a.jsonl", f"{new}/subagents/agent-b.jsonl", f"{new}.jsonl"
    ]  # fmt: skip


def test_a_sub_agent_that_differs_is_a_conflict_as_well(home: Home) -> None:
    home.session(home.old, 1)
    home.write(home.source / ONE / "subagents" / "agent-a.jsonl", "x")
    home.write(home.target / ONE / "subagents" / "agent-a.jsonl", "y")
    assert plan(home)[0][ONE].renamed


def test_what_is_running_or_a_link_stays(home: Home) -> None:
    home.session(home.old, 1)
    home.session(home.old, 2)
    (home.source / TWO).mkdir()
    (home.source / TWO / "evil").symlink_to("/etc")
    (home.source / f"{session_id(3)}.jsonl").symlink_to(home.source / f"{ONE}.jsonl")
    moves, stays = plan(home, live={ONE})
    assert moves == {}
    assert {stay.what for stay in stays} == {ONE, TWO, session_id(3)}


def test_what_is_left_of_a_session_goes_too(home: Home) -> None:
    home.write(home.source / ONE / "subagents" / "agent-a.jsonl", "x")
    moves, _ = plan(home)
    assert targets(moves[ONE]) == [f"{ONE}/subagents/agent-a.jsonl"]
    assert plan(home, chosen=lambda file: True)[0] == {}


def test_only_those_that_are_chosen(home: Home) -> None:
    home.session(home.old, 1)
    home.session(home.old, 2)
    moves, stays = plan(home, chosen=lambda file: file.id == TWO)
    assert (list(moves), stays) == ([TWO], [])
