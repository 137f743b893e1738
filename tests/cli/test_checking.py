"""Problems, and mending them."""

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import INDEX, Run, Talk
from tests.cli.test_writing import SECRET


def test_problems_are_listed_with_place_and_remedy(run: Run, memory: Path) -> None:
    ran = run("check", "--json")
    assert ran.code == 1
    rows = ran.data["problems"]
    dead = next(row for row in rows if row["code"] == "dead-link")
    assert (dead["name"], dead["line"], dead["severity"]) == ("MEMORY.md", 5, "error")
    assert ran.data["count"] == sum(row["severity"] != "info" for row in rows)
    text = run("check").out
    assert "MEMORY.md:5:3" in text and "project_oncall.md" in text and "--fix fixes" in text
    assert run("check", "-q").out == ""
    assert [row["code"] for row in run("check", "--jsonl").lines] == [row["code"] for row in rows]
    assert len(run("check", "--plain").out.splitlines()[0].split("\t")) == 4


def test_only_some_files(run: Run, memory: Path) -> None:
    ran = run("check", "oncall", "--json")
    assert [row["name"] for row in ran.data["problems"]] == ["project_oncall.md"]
    assert run("check", "checkout").code == 0
    assert run("check", "absent").code == 3
    assert "no problems" in run("check", "checkout").out


def test_what_can_be_mended_is(run: Run, memory: Path) -> None:
    ran = run("check", "--fix", "--json")
    assert all(one["written"] for one in ran.data["fixed"])
    text = (memory / "MEMORY.md").read_text(encoding="utf-8")
    assert "[Gone](gone.md) — nowhere" in text and "project_oncall.md" in text
    assert "1 needs your decision" in run("check", "--fix", "-y").out
    assert (memory / "MEMORY.md").read_text(encoding="utf-8") == text
    for _ in ran.data["fixed"]:
        assert run("undo").code == 0
    assert (memory / "MEMORY.md").read_text(encoding="utf-8") == INDEX


def test_a_fix_that_needs_a_decision_is_offered_on_a_terminal(run: Run, talk: Talk, memory: Path) -> None:
    run("check", "--fix")
    asked = talk("check", "--fix", answers=["n"])
    assert "- [Gone](gone.md) — nowhere" in asked.screen and "drop this line" in asked.screen
    assert "gone.md" in (memory / "MEMORY.md").read_text(encoding="utf-8")
    assert talk("check", "--fix", answers=["y"]).code == 0
    assert "gone.md" not in (memory / "MEMORY.md").read_text(encoding="utf-8")


def test_what_changes_much_is_asked_for(run: Run, talk: Talk, memory: Path) -> None:
    (memory / "project_key.md").write_text(
        f"---\nname: Key\ndescription: d\ntype: project\n---\n\ntoken: {SECRET}\n", encoding="utf-8"
    )
    found = run("check", "--secrets", "--json")
    assert found.code == 1
    assert {row["code"] for row in found.data["problems"]} == {"secret"}
    assert SECRET not in found.out
    assert run("check", "--fix", "-y").code == 1
    assert SECRET in (memory / "project_key.md").read_text(encoding="utf-8")
    skipped = run("check", "--secrets", "--fix")
    assert skipped.code == 1
    assert "--yes gives it" in skipped.err
    assert talk("check", "--secrets", "--fix", answers=["n"]).code == 1
    assert SECRET in (memory / "project_key.md").read_text(encoding="utf-8")
    assert talk("check", "--secrets", "--fix", answers=["y"]).code == 0
    assert SECRET not in (memory / "project_key.md").read_text(encoding="utf-8")
    assert run("undo").code == 0
    assert run("check", "--secrets", "--fix", "-y").code == 0


def test_the_corpus_is_checked_and_mended_without_a_bug(
    run: Run, shop: Path, home: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = (["ls", "-v"], ["check"], ["check", "--fix", "-y"], ["index"], ["budget"], ["history"], ["undo"], [])
    for folder in sorted((shared / "corpus" / "memory").iterdir()):
        copy = home / "copies" / folder.name
        shutil.copytree(folder, copy)
        monkeypatch.setenv("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", str(copy))
        for words in commands:
            ran = run(*words)
            assert ran.code in (0, 1, 3), (folder.name, words, ran.err)
            assert "bug" not in ran.err, (folder.name, words, ran.err)
