"""Relative dates, once they are old."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.checks import registry, relative_date
from memtui.memory.dates import relative_dates
from tests.memory.folders import snapshot_of, topic

WORDS = st.sampled_from(
    [
        "yesterday",
        "Tomorrow",
        "next week",
        "in 3 days",
        "3 days ago",
        "this",
        "어제",
        "다음 주",
        "3일 전",
        "이틀 뒤",
        "오늘날",
        "`",
        "```\n",
        "\n",
        " ",
        "(2026-03-01)",
        "word",
        "일 전",
        "    ",
        "\t",
        "- ",
    ]
)


def test_relative_dates_are_a_problem_once_they_are_old(tmp_path: Path) -> None:
    files = {
        "MEMORY.md": "[a](project_a.md)\n",
        "project_a.md": topic("a", body="Release next week, see today's plan.\n어제 정함\n"),
    }
    fresh = snapshot_of(tmp_path, files)
    assert {(p.code, p.severity) for p in fresh.problems} == {("relative-date", "info")}
    old = snapshot_of(tmp_path, files, old=12 * 86_400)
    assert [(p.severity, p.subject) for p in old.problems] == [
        ("warning", "next week"),
        ("info", "today"),
        ("warning", "어제"),
    ]
    assert old.problems[0].message == '"next week" was written 12d ago or earlier: write the date'


def test_many_relative_dates_are_summed_up(tmp_path: Path) -> None:
    files = {"MEMORY.md": "[a](project_a.md)\n", "project_a.md": topic("a", body="yesterday\n\n" * 9)}
    snapshot = snapshot_of(tmp_path, files, old=12 * 86_400)
    assert [p.message for p in snapshot.problems][3:] == ["6 more relative dates"]


def test_places_count_from_one() -> None:
    hits = relative_date.find_in_text("x\n  done yesterday\n- 어제 했다\n")
    assert [(one.line, one.column, one.words) for one in hits] == [(2, 8, "yesterday"), (3, 3, "어제")]


def test_code_is_left_alone() -> None:
    assert relative_date.find_in_text("```\nyesterday\n```\n`tomorrow` <!-- next week -->\n") == ()


def test_logs_may_speak_of_yesterday() -> None:
    assert "relative-date" not in registry.scan_text("yesterday\n", "log").hits


def test_a_date_beside_the_phrase_makes_it_plain() -> None:
    assert relative_date.find_in_text("done yesterday (2026-03-01)\n") == ()
    assert relative_date.find_in_text("done yesterday\n  (2026-03-01)\n") == ()


@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_nothing_is_found_that_the_whole_text_does_not_have(text: str) -> None:
    whole = [words for _, _, words in relative_dates(text)]
    found = [one.words for one in relative_date.find_in_text(text)]
    assert all(words in whole for words in found) or "(" in text
    if "`" not in text and "    " not in text and "\t" not in text and "\n" not in text:
        assert found == whole
