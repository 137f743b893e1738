"""Index budgets, problems, differences and sessions in words."""

from pathlib import Path

import pytest

from memtui.memory.budget import measure_index
from memtui.memory.checks.base import Problem
from memtui.presentation import LabeledText
from memtui.presentation.budget_text import amount_left, budget_verdict, index_details
from memtui.presentation.diff import diff_text, unified_diff
from memtui.presentation.problem_text import problem_counts, problem_place, problem_text, problems_in_files
from memtui.presentation.session_text import cleanup_text, local_time, work_details
from memtui.transcripts.lines import Record
from memtui.transcripts.stats import SessionTokens, collect_stats


def test_how_full_an_index_is() -> None:
    assert budget_verdict(0, 0.5) == LabeledText("fits", "fits", "good")
    assert budget_verdict(0, 0.8) == LabeledText("near limit", "near limit", "warn")
    assert budget_verdict(0, 0.8, near=0.9).tone == "good"
    assert budget_verdict(2, 1.1, lost_entries=1) == LabeledText("OVER", "OVER: 2 lines, 1 entry not loaded", "problem")
    assert (amount_left(152, 200), amount_left(212, 200)) == ("48 left", "12 over")


def test_an_index_in_a_list_of_properties() -> None:
    fits = index_details(measure_index("- a\n"), 1, 0)
    assert [one.text for one in fits] == ["1 line, 3 characters", "all", "1"]
    over = index_details(measure_index("- a\n" * 201), 201, 1)
    assert [one.text for one in over] == ["201 lines, 803 characters", "up to line 200", "201, 1 not loaded"]


def test_problems() -> None:
    problem = Problem("auto", "a.md", Path("/m/a.md"), 12, 3, "dead-link", "error", "link target missing: b.md")
    assert problem_text(problem) == LabeledText("line 12", "link target missing: b.md", "problem")
    assert problem_place("a.md", 12, 3) == "a.md:12:3"
    assert problem_place("a.md", None, None) == "a.md"
    assert problem_counts(["warning", "error", "info", "error"]) == "2 errors, 1 warning"
    assert problem_counts(["info"]) == ""


def test_lines_of_a_difference() -> None:
    lines = list(diff_text(unified_diff(b"-- a\nb", b"b", "a.md")))
    assert [(line.label, line.text, line.tone) for line in lines] == [
        ("", "--- a/a.md", "bold"),
        ("", "+++ b/a.md", "bold"),
        ("", "@@ -1,2 +1 @@", "head"),
        ("1", "--- a", "removed"),
        ("1", " b", ""),
        ("", "\\ No newline at end of file", "dim"),
    ]


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (None, "off: a settings file is faulty"),
        (12.9, "in 12 days"),
        (0.5, "today"),
        (0.0, "at Claude Code's next start"),
    ],
)
def test_when_a_session_is_deleted(days: float | None, words: str) -> None:
    assert cleanup_text(days) == words


def test_what_was_done_in_a_session() -> None:
    def answer(name: str, sent: int, received: int, **more: object) -> Record:
        usage = {"input_tokens": sent, "output_tokens": received}
        return {"type": "assistant", "message": {"id": name, "usage": usage}, **more}

    done = collect_stats([answer("a", 1500, 20), answer("b", 100, 1, forkedFrom={"sessionId": "p"})])
    assert [one.text for one in work_details(done, SessionTokens(sent=500, received=2))] == [
        "1.6k in, 21 out; of these 500 in, 2 out by sub-agents; of these 100 in, 1 out copied from its parent"
    ]
    assert work_details(collect_stats([]), SessionTokens()) == []
    assert local_time("no time") == ""


def test_problems_are_counted_with_their_files() -> None:
    assert [problems_in_files(*pair) for pair in ((1, 1), (3, 1), (15, 10))] == [
        "1 problem", "3 problems", "15 problems in 10 files",
    ]  # fmt: skip
