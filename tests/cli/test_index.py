"""The meter, the entries, a shorter index."""

from pathlib import Path

import pytest

from memtui.cli.commands.budget import bar
from memtui.cli.output import ASCII, UNICODE
from tests.cli.conftest import INDEX, Run, Talk


def fill(memory: Path, lines: int) -> None:
    text = INDEX + "".join(f"- fact number {number}\n" for number in range(lines - INDEX.count("\n")))
    (memory / "MEMORY.md").write_text(text, encoding="utf-8")


def test_an_index_that_fits(run: Run, memory: Path) -> None:
    ran = run("budget", "--json")
    assert ran.code == 0
    data = ran.data
    assert (data["lines"], data["max_lines"], data["lines_left"]) == (5, 200, 195)
    assert (data["over"], data["cut_line"], data["lost"], data["first_limit"]) == (False, None, [], "lines")
    text = run("budget").out
    assert "fits" in text and "5/200 (195 left)" in text
    assert run("budget", "--check").out.startswith("MEMORY.md  fits")


def test_an_index_that_is_cut(run: Run, memory: Path) -> None:
    fill(memory, 210)
    with (memory / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.write("- [On call](project_oncall.md)\n")
    ran = run("budget", "--json")
    assert ran.code == 1
    assert (ran.data["over"], ran.data["limit"], ran.data["cut_line_in_file"]) == (True, "lines", 201)
    assert [entry["target"] for entry in ran.data["lost"]] == ["project_oncall.md"]
    text = run("budget")
    assert text.code == 1
    assert "OVER: 11 lines not loaded" in text.out and "project_oncall.md" in text.out
    assert run("budget", "--check", "-q").out == ""
    assert run("budget", "--check", "-q").code == 1
    assert "[####################]" in run("budget", "--ascii").out
    assert run("budget", "--plain").out.splitlines()[1] == "lines\t211\t200\t11 over"


@pytest.mark.parametrize(
    ("words", "code"), [([], 0), (["--warn", "70"], 0), (["--check"], 0), (["--check", "--warn", "70"], 1)]
)
def test_near_the_limit_is_an_answer_only_if_asked(run: Run, memory: Path, words: list[str], code: int) -> None:
    fill(memory, 150)
    ran = run("budget", *words)
    assert ran.code == code
    assert ("near limit" in ran.out) == ("--warn" in words)


def test_other_indexes_are_named_by_their_scope(run: Run, memory: Path) -> None:
    assert run("budget", "--scope", "team", "--json").data["lines"] == 1
    missing = run("budget", "--scope", "nobody")
    assert missing.code == 3
    assert "auto" in missing.err
    (memory / "MEMORY.md").unlink()
    assert run("budget").code == 3
    assert "--rebuild" in run("index").err


def test_the_entries(run: Run, memory: Path) -> None:
    data = run("index", "--json").data
    assert [(row["line"], row["target"], row["exists"]) for row in data["entries"]] == [
        (3, "feedback_testing.md", True),
        (4, "project_checkout.md", True),
        (5, "gone.md", False),
    ]
    assert data["budget"]["entries"] == 3
    assert "missing: gone.md" in run("index").out
    assert [row["target"] for row in run("index", "--jsonl").lines] == [row["target"] for row in data["entries"]]


def test_a_topic_is_added(run: Run, memory: Path) -> None:
    assert run("index", "--add", "oncall").code == 0
    assert (memory / "MEMORY.md").read_text(encoding="utf-8").startswith(INDEX)
    assert run("ls", "--orphans").code == 1
    again = run("index", "--add", "oncall")
    assert again.code == 0
    assert "nothing to change" in again.err


def test_a_shorter_index_is_shown_and_asked_for(run: Run, talk: Talk, memory: Path) -> None:
    fill(memory, 250)
    assert run("index", "--tidy").code == 5
    no = talk("index", "--tidy", answers=["n"], env={"NO_COLOR": "1"})
    assert no.code == 1
    assert "-- [Gone](gone.md)" in no.screen
    before = (memory / "MEMORY.md").read_bytes()
    ran = run("index", "--tidy", "-y", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["written"] is True
    assert run("budget", "--json").data["used"] <= 0.7
    assert run("undo").code == 0
    assert (memory / "MEMORY.md").read_bytes() == before
    assert run("index", "--rebuild", "-y").code == 0
    made = [row["target"] for row in run("index", "--json").data["entries"]]
    assert made[:3] == ["feedback_testing.md", "project_checkout.md", "project_oncall.md"]
    assert run("index", "--rebuild", "--tidy").code == 2


def test_bars() -> None:
    assert bar(0, UNICODE) == "▐░░░░░░░░░░░░░░░░░░░░▌"
    assert bar(0.5, ASCII) == "[##########----------]"
    assert bar(3, ASCII) == "[####################]"


def test_sections_become_topics(run: Run, memory: Path) -> None:
    rules = "".join(f"Rule {n} of the house.\n" for n in range(210))
    path = memory / "MEMORY.md"
    path.write_text(path.read_text(encoding="utf-8") + f"\n## House rules\n\n{rules}", encoding="utf-8")
    assert run("dream", "proposals").code == 1
    assert "memtui index --split" in run("dream", "proposals").out
    assert run("index", "--split").code == 5
    assert run("index", "--split", "-y").code == 0
    assert "[House rules](reference_house_rules.md) — Rule 0 of the house." in path.read_text(encoding="utf-8")
    assert rules in (memory / "reference_house_rules.md").read_text(encoding="utf-8")
    assert "(gone.md) — nowhere" in path.read_text(encoding="utf-8")
    assert run("undo").code == 0
    assert rules in path.read_text(encoding="utf-8")
