"""A file that is listed twice."""

from pathlib import Path

from tests.memory.folders import FILES, GOOD, fixed, one, snapshot_of, text


def test_a_duplicate_entry(tmp_path: Path) -> None:
    index = GOOD["MEMORY.md"] + "- [Tests again](feedback_testing.md) — later\n"
    problem = one(snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index}), "duplicate-entry")
    assert (problem.line, problem.fix) == (5, "drop this line")
    assert problem.message == "feedback_testing.md is listed already in line 3"


def test_the_later_of_two_entries_goes(tmp_path: Path) -> None:
    index = FILES["MEMORY.md"] + "- [Again](feedback_testing.md) — x\n"
    fixed(tmp_path, {**FILES, "MEMORY.md": index}, "duplicate-entry")
    assert text(tmp_path, "MEMORY.md") == FILES["MEMORY.md"]


def test_letter_case_makes_no_other_file(tmp_path: Path) -> None:
    index = GOOD["MEMORY.md"] + "- [Again](Feedback_Testing.md)\n"
    problem = one(snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index}), "duplicate-entry")
    assert (problem.line, problem.subject) == (5, "Feedback_Testing.md")
    fixed(tmp_path, {**GOOD, "MEMORY.md": index}, "duplicate-entry")
    assert text(tmp_path, "MEMORY.md") == GOOD["MEMORY.md"]
