"""Which file a word means."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run


def shown(run: Run, word: str) -> str:
    ran = run("show", word, "--json")
    assert ran.code == 0, ran.err
    return str(ran.data["name"])


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("feedback_testing.md", "feedback_testing.md"),
        ("feedback_testing", "feedback_testing.md"),
        ("Feedback_Testing", "feedback_testing.md"),
        ("feed", "feedback_testing.md"),
        ("testing", "feedback_testing.md"),
        ("test", "feedback_testing.md"),
        ("On call", "project_oncall.md"),
        ("project_o", "project_oncall.md"),
        ("MEMORY", "MEMORY.md"),
        ("team/build", "team/build.md"),
        ("build", "team/build.md"),
        ("CLAUDE.md", "CLAUDE.md"),
        ("./CLAUDE.md", "CLAUDE.md"),
    ],
)
def test_a_file_is_found_by(run: Run, memory: Path, word: str, name: str) -> None:
    assert shown(run, word) == name


def test_a_path_is_a_name(run: Run, memory: Path) -> None:
    assert shown(run, str(memory / "project_oncall.md")) == "project_oncall.md"
    assert shown(run, "~/.claude/projects/" + memory.parent.name + "/memory/project_oncall.md") == "project_oncall.md"


def test_several_that_fit_are_listed(run: Run, memory: Path) -> None:
    ran = run("show", "project", "--json")
    assert ran.code == 2
    assert "project_checkout.md, project_oncall.md" in ran.error["message"]


def test_what_nothing_fits_gets_a_hint(run: Run, memory: Path) -> None:
    ran = run("show", "feedback_tesing", "--json")
    assert ran.code == 3
    assert "feedback_testing.md" in ran.error["hint"]
    assert run("show", "").code == 2
    assert "\x1b" not in run("show", "\x1b[31m").err


def test_composed_and_decomposed_names_are_one(run: Run, memory: Path) -> None:
    (memory / "cafe\u0301.md").write_text("decomposed\n", encoding="utf-8")
    assert shown(run, "caf\u00e9") == "cafe\u0301.md"
    (memory / "결제.md").write_text("x\n", encoding="utf-8")
    assert shown(run, "결제") == "결제.md"
