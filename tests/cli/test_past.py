"""History, undo, redo, restore."""

from pathlib import Path

from tests.cli.conftest import TOPICS, Run


def test_every_write_is_listed_and_each_file_has_its_own(run: Run, memory: Path) -> None:
    assert run("history").code in (0, 1)
    assert run("set", "testing", "description=One").code == 0
    assert run("set", "checkout", "description=Two").code == 0
    rows = run("history", "--json").data
    files = ("project_checkout.md", "feedback_testing.md")
    assert [row["why"] for row in rows] == [f"set description of {name}" for name in files]
    assert rows[0]["who"] == "you" and rows[0]["when"].endswith("Z")
    assert (rows[0]["files"][0]["added"], rows[0]["files"][0]["removed"]) == (1, 1)
    own = run("history", "testing", "--json").data
    assert own[0]["id"] == rows[1]["id"]
    assert len(run("history", "--limit", "1", "--jsonl").lines) == 1
    text = run("history").out
    assert rows[0]["id"][:8] in text and rows[0]["why"] in text
    patch = run("history", "testing", "-p").out
    assert "-description: Use a real database" in patch and "+description: One" in patch
    assert "diff" in run("history", "-p", "--json").data[0]


def test_what_others_did_is_recorded_as_theirs(run: Run, memory: Path) -> None:
    run("history")
    (memory / "feedback_testing.md").write_text("changed by somebody\n", encoding="utf-8")
    first = run("history", "testing", "--json").data[0]
    assert first["who"] == "outside"
    assert run("undo", first["id"][:8]).code == 0
    assert (memory / "feedback_testing.md").read_text(encoding="utf-8") == TOPICS["feedback_testing.md"]


def test_undo_and_redo_go_back_and_forth(run: Run, memory: Path) -> None:
    path = memory / "feedback_testing.md"
    nothing = run("undo", "--json")
    assert nothing.code == 3
    for word in ("One", "Two"):
        assert run("set", "testing", f"description={word}").code == 0
    dry = run("undo", "-n")
    assert dry.code == 0 and "-description: Two" in dry.out and "+description: One" in dry.out
    assert "Two" in path.read_text(encoding="utf-8")
    undone = run("undo", "--json")
    assert undone.data["done"] is True and undone.data["made"]["undoes"] == undone.data["version"]["id"]
    assert "One" in path.read_text(encoding="utf-8")
    assert run("undo").code == 0
    assert path.read_text(encoding="utf-8") == TOPICS["feedback_testing.md"]
    assert run("undo").code == 3
    assert "+description: One" in run("redo", "-n").out
    assert run("redo").code == 0
    assert run("redo").code == 0
    assert "Two" in path.read_text(encoding="utf-8")
    assert run("redo").code == 3


def test_one_of_many_can_be_undone_later(run: Run, memory: Path) -> None:
    assert run("set", "testing", "description=One").code == 0
    version = run("history", "--json").data[0]["id"]
    assert run("set", "checkout", "description=Two").code == 0
    assert run("undo", version[:10]).code == 0
    assert (memory / "feedback_testing.md").read_text(encoding="utf-8") == TOPICS["feedback_testing.md"]
    assert "Two" in (memory / "project_checkout.md").read_text(encoding="utf-8")
    again = run("undo", version)
    assert again.code == 4
    assert run("undo", "abc").code == 2
    assert run("undo", "0" * 40).code == 3


def test_an_undo_that_later_edits_stand_against_is_a_conflict(run: Run, memory: Path) -> None:
    assert run("set", "testing", "description=One").code == 0
    version = run("history", "--json").data[0]["id"]
    assert run("set", "testing", "description=Two").code == 0
    ran = run("undo", version, "--json")
    assert ran.code == 4
    assert ran.error["code"] == "conflict"
    assert "Two" in (memory / "feedback_testing.md").read_text(encoding="utf-8")


def test_a_file_comes_back_as_it_was(run: Run, memory: Path) -> None:
    path = memory / "feedback_testing.md"
    assert run("set", "testing", "description=One").code == 0
    first = run("history", "testing", "--json").data[0]["id"][:8]
    assert run("set", "testing", "description=Two").code == 0
    assert "+description: One" in run("restore", f"testing@{first}", "-n").out
    assert run("restore", f"testing@{first}").code == 0
    assert "One" in path.read_text(encoding="utf-8")
    assert run("rm", "-y", "testing").code == 0
    assert run("history", "feedback_testing").code == 0
    assert run("restore", f"feedback_testing@{first}").code == 0
    assert "One" in path.read_text(encoding="utf-8")


def test_restore_wants_a_name_and_an_id(run: Run, memory: Path) -> None:
    assert run("restore", "testing").code == 2
    assert run("restore", "@abcd1234").code == 2
    assert run("restore", "testing@").code == 2
    assert run("restore", "testing@abcd1234").code == 3
    assert run("restore", "nothing@abcd1234").code == 3


def test_nothing_yet_is_an_answer(run: Run, shop: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    ran = run("history", "--json")
    assert ran.code == 1
    assert ran.data == []
