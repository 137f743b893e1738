"""`sessions tree` and `sessions health`, and what `sessions ls` says of live and leaving sessions."""

import json
import os
from pathlib import Path

import pytest

from memtui.client.paths import project_name
from memtui.util.process import identify_process
from tests.cli.conftest import Run
from tests.support import digest_tree
from tests.transcripts.rows import SESSION, Script

BAD = "\x1b[2J\u202eevil"


@pytest.fixture
def session(home: Path, shop: Path) -> Path:
    """A rewind, a sub-agent of the session's and one of the client's, and text that attacks the terminal."""
    script = Script().user("u0", None, f"Start {BAD}").call("c1", "u0", "t1", "Agent", prompt="look")
    script.user("s1", None, "look", isSidechain=True).answer("s2", "s1", isSidechain=True)
    script.result("r1", "c1", "t1").answer("a1", "r1").user("u2", "a1").answer("a2", "u2").user("u3", "a1")
    script.answer("a3", "u3")
    folder = home / ".claude" / "projects" / project_name(str(shop))
    agents = folder / SESSION / "subagents"
    agents.mkdir(parents=True)
    row = Script().user("x1", None, "summarise", isSidechain=True).lines[0]
    (agents / "agent-acompact-1.jsonl").write_text(row + "\n", encoding="utf-8")
    return script.write(folder)


def test_the_tree_for_people(run: Run, session: Path) -> None:
    before = digest_tree(session.parent)
    told = run("sessions", "tree", SESSION[:8])
    lines = told.out.splitlines()
    assert told.code == 0, told.err
    assert "\x1b" not in told.out
    assert [line.split("  ")[0] for line in lines] == [
        "Start ␛[2J‹U+202E›evil",
        "◀ a resume continues here: last record in the file",
        "├ sub-agent: look",
        "└ rewind: u2",
        "1 agents of Claude Code itself are not drawn; -v draws them",
    ]
    assert "6 msg" in lines[0]
    assert "a3" in lines[0]
    assert "summarise" in run("sessions", "tree", SESSION, "-v").out
    assert run("sessions", "tree", SESSION, "--ascii").out.replace("␛", "").replace("‹", "").replace("›", "").isascii()
    assert digest_tree(session.parent) == before


def test_the_tree_for_scripts(run: Run, session: Path) -> None:
    data = run("sessions", "tree", SESSION, "--json", "--messages").data
    root, side, rewind, own = data["branches"]
    assert (root["kind"], root["depth"], root["leaf"], root["tip"], root["prompts"]) == ("root", 0, "a3", "a3", 2)
    assert (side["kind"], side["agent"]["call"]) == ("sub-agent", "t1")
    assert (rewind["kind"], rewind["leaves"], rewind["leaf"]) == ("rewind", "a1", None)
    assert own["agent"]["internal"]
    assert [row["uuid"] for row in rewind["rows"]] == ["u2", "a2"]
    assert [row["says"] for row in root["rows"]][1:3] == ["+Agent", "="]
    assert [row["kind"] for row in run("sessions", "tree", SESSION, "--jsonl").lines] == [
        "root", "sub-agent", "rewind", "agent-file",
    ]  # fmt: skip
    assert "rows" not in run("sessions", "tree", SESSION, "--json").data["branches"][0]


def test_the_tree_in_words(run: Run, session: Path) -> None:
    first, second, third = run("sessions", "tree", SESSION, "--plain").out.splitlines()
    assert first.startswith("0\troot\tStart ")
    assert first.endswith("\ta3\tleaf a3: last record in the file")
    assert second.split("\t")[:4] == ["1", "sub-agent", "look", "2"]
    assert third.split("\t")[:4] == ["1", "rewind", "u2", "2"]
    assert "2\tuser\tu2\t1\t" in run("sessions", "tree", SESSION, "--plain", "--messages").out


def test_every_message_is_drawn_and_the_leaf_marked(run: Run, home: Path, session: Path) -> None:
    with session.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"type": "last-prompt", "leafUuid": "u2", "sessionId": SESSION}) + "\n")
    told = run("sessions", "tree", SESSION, "--messages").out
    assert "◀ a resume continues at u2: a last-prompt record points to it, and it is on another branch" in told
    marked = [line for line in told.splitlines() if "◀" in line and "continues" not in line]
    assert len(marked) == 1
    assert "> u2" in marked[0]


def test_a_session_without_a_conversation(run: Run, home: Path) -> None:
    path = home / "s.jsonl"
    path.write_text('{"type":"mode","mode":"normal"}\n', encoding="utf-8")
    assert "a resume finds no conversation" in run("sessions", "tree", path).out


def test_health_of_one_and_of_all(run: Run, session: Path) -> None:
    told = run("sessions", "health", SESSION)
    assert (told.code, told.out.split()) == (0, ["✓", SESSION[:8], "all", "6", "messages", "reachable"])
    broken = Script().user("u0", None).answer("a1", "u0").user("u2", "lost").answer("a3", "u2").write(session.parent)
    broken.rename(broken.with_name(SESSION.replace("1", "2") + ".jsonl"))
    Script().user("u0", None).answer("a1", "u0").write(session.parent)
    told = run("sessions", "health")
    assert told.code == 1
    assert "only 2 of 4 messages (50%) reachable: 1 broken link" in told.out
    rows = {row["id"]: row for row in run("sessions", "health", "--json", "--all").data}
    assert rows[SESSION]["ok"]
    other = rows[SESSION.replace("1", "2")]
    assert (other["ok"], other["percent"], other["lost"], other["broken"]) == (False, 50, {"lost-parent": 2}, 1)
    assert run("sessions", "health", "--plain").out.count("problem\t") == 1


def test_health_of_nothing(run: Run, shop: Path) -> None:
    told = run("sessions", "health")
    assert (told.code, told.out) == (0, "")
    assert "no session here" in told.err


def test_the_list_marks_live_and_leaving_sessions(run: Run, home: Path, session: Path) -> None:
    day, now = 86_400, session.stat().st_mtime
    row = run("sessions", "ls", "--json").data[0]
    assert (row["live"], row["pid"]) == (False, None)
    assert 29.9 < row["days_left"] <= 30
    os.utime(session, (now - 27.5 * day, now - 27.5 * day))
    assert "goes in 2d" in run("sessions", "ls").out
    (home / ".claude" / "settings.json").write_text('{"cleanupPeriodDays": 90}', encoding="utf-8")
    assert "goes in" not in run("sessions", "ls").out
    (home / ".claude" / "settings.json").write_text('{"cleanupPeriodDays": 0}', encoding="utf-8")
    assert run("sessions", "ls", "--json").data[0]["days_left"] is None
    began = identify_process(os.getpid()).started
    assert began is not None
    record = {"pid": os.getpid(), "sessionId": SESSION, "procStart": str(round(began * os.sysconf("SC_CLK_TCK")))}
    (home / ".claude" / "sessions").mkdir()
    (home / ".claude" / "sessions" / f"{os.getpid()}.json").write_text(json.dumps(record), encoding="utf-8")
    row = run("sessions", "ls", "--json").data[0]
    assert (row["live"], row["pid"]) == (True, os.getpid())
    assert "  live  " in run("sessions", "ls").out
