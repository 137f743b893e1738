"""History, undo, redo, restore."""

from pathlib import Path
from shutil import which

import pytest

from memtui.history.database import HistoryDatabase
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
    assert ran.code == 4 and not ran.data["done"] and ran.data["words"].startswith("nothing was undone: ")
    assert [one["name"] for one in ran.data["left"]] == ["feedback_testing.md"]
    assert f"memtui undo {version[:8]} --over feedback_testing.md takes" in run("undo", version).out
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


def damage(run: Run, home: Path) -> Path:
    """Overwrite the history of the home."""
    assert run("set", "testing", "description=One").code == 0
    database = home / ".local/state/memtui/history.db"
    HistoryDatabase(database).close()
    database.write_bytes(b"\0" * 20_000)
    return database


def test_a_damaged_history_is_said_and_everything_else_works(run: Run, memory: Path, home: Path) -> None:
    database = damage(run, home)
    before = (memory / "feedback_testing.md").read_bytes()
    assert run("ls").code == 0
    assert run("show", "testing").code == 0
    assert run("check").code in (0, 1)
    for words in (("history",), ("undo",), ("set", "testing", "description=Two"), ("restore", "--as-of", "1d")):
        ran = run(*words)
        assert (ran.code, f"The history {database} is damaged: nothing was written" in ran.err) == (1, True), words
    assert (memory / "feedback_testing.md").read_bytes() == before
    found = {row["name"]: row for row in run("doctor", "--json").data["findings"]}
    assert found["history"]["state"] == "problem"
    database.rename(home / "broken.db")
    assert run("set", "testing", "description=Two").code == 0
    assert run("undo").code == 0


def test_the_folder_as_of_a_moment(run: Run, memory: Path) -> None:
    def texts() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in memory.glob("*.md")}

    before = texts()
    run("set", "testing", "description=One")
    rows = run("history", "--json").data
    run("rm", "checkout", "-y")
    run("set", "testing", "description=Two")
    now = texts()
    for words in ((), ("x@1234", "--as-of", "1d"), ("--as-of", "1d", "--before", "abcd")):
        assert run("restore", *words).code == 2
    assert run("restore", "--as-of", "yesterday").code == 2
    dry = run("restore", "--before", rows[0]["id"], "-n")
    assert (dry.code, "restore project_checkout.md" in dry.out) == (0, True)
    assert texts() == now
    ran = run("restore", "--before", rows[0]["id"], "--json")
    assert (ran.code, ran.data["done"], ran.data["left"]) == (0, True, [])
    assert texts() == before
    assert run("undo").code == 0
    assert texts() == now
    assert run("restore", "--as-of", "2037-01-01").out == "the folder is as it was\n"


def test_what_cannot_be_restored_is_asked_about(run: Run, memory: Path, tmp_path: Path) -> None:
    run("set", "testing", "description=One")
    first = run("history", "--json").data[0]["id"]
    run("set", "testing", "description=Two")
    (memory / "project_checkout.md").unlink()
    (memory / "project_checkout.md").symlink_to(tmp_path)
    now = (memory / "feedback_testing.md").read_bytes()
    assert run("restore", "--before", first).code == 5, "nobody is here to be asked"
    assert (memory / "feedback_testing.md").read_bytes() == now
    ran = run("restore", "--before", first, "-y", "--json")
    assert [one["name"] for one in ran.data["left"]] == ["project_checkout.md"]
    assert (memory / "feedback_testing.md").read_text(encoding="utf-8") == TOPICS["feedback_testing.md"]


def test_what_later_edits_overlap_is_left_and_can_be_taken_back_all_the_same(run: Run, memory: Path) -> None:
    run("mv", "testing", "tests_hit_a_database")  # the links in other files follow
    move = run("history", "--json").data[0]
    names = [change["name"] for change in move["files"]]
    assert len(names) > 1
    index = memory / "MEMORY.md"
    index.write_text("mine\n", encoding="utf-8")
    ran = run("undo", move["id"][:8], "--json")
    assert ran.code == 1
    assert [one["name"] for one in ran.data["left"]] == ["MEMORY.md"]
    assert index.read_text(encoding="utf-8") == "mine\n"
    assert run("undo", move["id"], "--over", "MEMORY.md").code == 0
    assert "mine" not in index.read_text(encoding="utf-8")


def test_a_pin_is_taken_back(run: Run, memory: Path) -> None:
    run("pin", "testing")
    assert run("undo").out == "undone: pin feedback_testing.md\n"
    assert run("pin", "--json").data["pinned"] == []
    assert run("redo").out == "done again: pin feedback_testing.md\n"
    assert run("pin", "--json").data["pinned"] == ["feedback_testing.md"]


@pytest.mark.skipif(which("git") is None, reason="no git")
def test_the_history_as_a_git_repository(run: Run, memory: Path, tmp_path: Path) -> None:
    run("set", "testing", "description=One")
    assert run("history", "--git", tmp_path / "repo", "-n").code == 0
    assert not (tmp_path / "repo").exists()
    ran = run("history", "--git", tmp_path / "repo", "--json")
    assert ran.data["commits"] >= 2
    assert "description: One" in (next((tmp_path / "repo").rglob("feedback_testing.md"))).read_text(encoding="utf-8")
    assert run("history", "--git", tmp_path / "repo").code == 5


@pytest.mark.parametrize("kind", ["memory", "agent"])
def test_all_files_that_went_away_come_back(run: Run, memory: Path, home: Path, kind: str) -> None:
    """One look that may write is enough, in every kind of folder: no write of ours has to come first."""
    agent = home.resolve() / ".claude" / "agent-memory" / "rev"
    agent.mkdir(parents=True)
    (agent / "MEMORY.md").write_text("# rev\n", encoding="utf-8")
    run("history")
    folder = memory if kind == "memory" else agent
    before = {path: path.read_bytes() for path in folder.rglob("*.md")}
    for path in before:
        path.unlink()
    gone = next(one for one in run("history", "-v", "--json").data if one["files"][0]["kind"] == "removed")
    words = ("restore", "--before", gone["id"][:8]) if kind == "memory" else ("undo", gone["id"][:8])
    assert run(*words).code == 0
    assert {path: path.read_bytes() for path in folder.rglob("*.md")} == before
    assert run("restore", "--before", "ffffffff").code == 3
