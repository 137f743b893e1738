"""A project that moved, from the command line."""

import json
import os
from pathlib import Path

import pytest

from memtui.client.paths import project_name
from tests.cli.conftest import OLD, Run, Talk
from tests.cli.test_projects import session
from tests.support import digest_tree


@pytest.fixture
def old(home: Path, shop: Path) -> Path:
    """A directory that is gone and that left a session and memory; `shop` is where it is now."""
    gone = (home / "till").resolve() / "shop"
    session(home, gone, 1)
    memory = home / ".claude" / "projects" / project_name(str(gone)) / "memory"
    memory.mkdir()
    for name, text in {"a.md": "old\n", "MEMORY.md": "- [A](a.md)\n"}.items():
        (memory / name).write_text(text)
        os.utime(memory / name, (OLD, OLD))
    return gone


def folder(home: Path, directory: Path) -> Path:
    return home / ".claude" / "projects" / project_name(str(directory))


def test_what_would_move_is_shown_and_nothing_is_written(run: Run, old: Path, shop: Path, home: Path) -> None:
    before = digest_tree(home)
    ran = run("projects", "move", old, shop, "-n")
    assert ran.code == 0
    assert "session" in ran.out and "a.md" in ran.out and str(old) in ran.out
    assert "nothing was moved" in ran.err
    data = run("projects", "move", old, ".", "-n", "--json").data
    assert (data["old"], data["new"], data["move"]) == (str(old), str(shop), None)
    assert [row["name"] for row in data["memory"]] == ["a.md", "MEMORY.md"]
    assert [(row["title"], row["files"]) for row in data["sessions"]] == [("hi", 1)]
    assert run("projects", "move", old, shop).code == 5  # nobody is here to be asked
    assert run("--read-only", "projects", "move", old, shop, "-y").code == 5
    assert digest_tree(home) == before


def test_it_moves_and_is_taken_back(run: Run, old: Path, shop: Path, home: Path) -> None:
    had = {path.name: path.read_bytes() for path in folder(home, old).rglob("*") if path.is_file()}
    ran = run("projects", "move", old, shop, "-y")
    assert (ran.code, "moved 1 session and 2 memory files" in ran.out) == (0, True)
    assert not folder(home, old).exists()
    assert {path.name: path.read_bytes() for path in folder(home, shop).rglob("*") if path.is_file()} == had
    (row,) = run("projects", "ls", "--json").data
    assert (row["cwd"], row["gone"], row["sessions"], row["topics"]) == (str(shop), False, 1, 1)
    assert "would undo: move " in run("undo", "-n").out
    (past,) = run("projects", "undo-move", "--list", "--json").data
    assert (past["sessions"], past["memory"], past["ended"], past["undone"]) == (1, True, True, False)
    assert "would bring" in run("projects", "undo-move", "-n").out
    assert run("--read-only", "projects", "undo-move").code == 5
    assert "brought 1 session and the memory back" in run("projects", "undo-move", past["id"][:5]).out
    assert {path.name: path.read_bytes() for path in folder(home, old).rglob("*") if path.is_file()} == had
    assert run("projects", "undo-move").code == 3
    assert "done again: move " in run("redo").out
    assert {path.name: path.read_bytes() for path in folder(home, shop).rglob("*") if path.is_file()} == had
    assert "undone: move " in run("undo").out
    assert {path.name: path.read_bytes() for path in folder(home, old).rglob("*") if path.is_file()} == had
    assert run("undo").code == 3


def test_a_person_is_shown_the_plan_and_asked(talk: Talk, old: Path, shop: Path, home: Path) -> None:
    no = talk("projects", "move", old, shop, answers=["n"])
    assert (no.code, "a.md" in no.screen, folder(home, old).exists()) == (1, True, True)
    yes = talk("projects", "move", old, shop, answers=["y"])
    assert (yes.code, folder(home, old).exists()) == (0, False)


def test_memory_alone(run: Run, old: Path, shop: Path, home: Path) -> None:
    assert run("projects", "move", "--memory", folder(home, old), shop, "-y").code == 0
    assert (folder(home, shop) / "memory" / "a.md").read_text() == "old\n"
    assert len(list(folder(home, old).glob("*.jsonl"))) == 1


def test_a_running_session_stays(run: Run, old: Path, shop: Path, home: Path) -> None:
    live = home / ".claude" / "sessions" / f"{os.getpid()}.json"
    live.parent.mkdir()
    live.write_text(json.dumps({"pid": os.getpid(), "sessionId": "00000000-0000-4000-8000-000000000001"}))
    ran = run("projects", "move", old, shop, "-y", "--json")
    assert (ran.code, ran.data["sessions"]) == (0, [])
    assert "running" in ran.data["stays"][0]["why"]
    assert len(list(folder(home, old).glob("*.jsonl"))) == 1


def test_words_that_mean_nothing_or_too_much(run: Run, old: Path, shop: Path, home: Path) -> None:
    assert run("projects", "move", home / "nowhere", shop, "-y").code == 3
    assert run("projects", "move", old, home / "nowhere", "-y").code == 3
    session(home, home / "a.b", 2)
    session(home, home / "a-b", 3)
    ran = run("projects", "move", "-y", "--", project_name(str(home / "a.b")), shop)
    assert (ran.code, "two directories share" in ran.err) == (2, True)
    ran = run("projects", "move", (home / "a.b").resolve(), shop, "-y", "--json")
    assert [row["id"][-1] for row in ran.data["sessions"]] == ["2"]
    (shop / ".git").mkdir()
    (shop / "sub").mkdir()
    session(home, shop, 4)
    assert run("projects", "move", shop / "sub", home, "-y").code == 3  # not the repository around it
    assert run("projects", "--gone", "ls").code == 2


def test_doctor_tells_the_command(run: Run, old: Path, shop: Path, home: Path) -> None:
    session(home, shop, 5)
    findings = {row["name"]: row for row in run("doctor", "--json").data["findings"]}
    assert findings["gone project"]["message"] == f"{old} is gone, it left 1 session and 1 topic of memory"
    assert findings["gone project"]["hint"] == f"memtui projects move {old} {shop}  (it has the same name)"
    assert run("doctor").code == 0
    assert run("projects", "move", old, shop, "-y").code == 0
    assert "gone project" not in run("doctor").out


def test_doctor_tells_memory_that_nobody_loads(run: Run, shop: Path, home: Path) -> None:
    memory = home / ".claude" / "projects" / "-nobody-at-all" / "memory"
    memory.mkdir(parents=True)
    (memory / "a.md").write_text("a\n")
    (found,) = [row for row in run("doctor", "--json").data["findings"] if row["name"] == "left memory"]
    assert found["hint"] == f"memtui projects move --memory {memory.parent} NEW"
    assert run("projects", "move", "--memory", memory.parent, shop, "-y").code == 0
    assert "left memory" not in run("doctor").out


def test_doctor_tells_many_gone_projects_in_few_lines(run: Run, shop: Path, home: Path) -> None:
    for number in range(12):
        session(home, home / f"gone{number}", number)
    rows = [row for row in run("doctor", "--json").data["findings"] if row["name"] == "gone project"]
    assert len(rows) == 9
    assert rows[-1]["message"] == "and 4 more whose directory is gone"


def test_names_from_disk_do_nothing_to_the_terminal(run: Run, shop: Path, home: Path) -> None:
    session(home, home / "e\x1b[31mvil", 1)
    for words in (["doctor"], ["projects"], ["projects", "move", str(home / "e\x1b[31mvil"), str(shop), "-n"]):
        ran = run(*words)
        assert "\x1b" not in ran.out + ran.err
