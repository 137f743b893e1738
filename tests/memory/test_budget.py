"""What is loaded of an index, against recordings of the client and by arithmetic."""

import base64
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.budget import as_sent, counted_text, decode_index, measure_index, units
from memtui.memory.index import lost_entries, read_entries
from tests.support import REPO

DATA = REPO / "tests" / "data" / "oracle"
RECORDED: list[dict[str, Any]] = [
    json.loads(line)
    for name in ("index.jsonl", "index_more.jsonl")
    for line in (DATA / name).read_text(encoding="utf-8").split("\n")
    if line
]


@pytest.mark.parametrize("case", RECORDED, ids=[case["name"] for case in RECORDED])
def test_the_client_loads_the_same(case: dict[str, Any]) -> None:
    text = decode_index(base64.b64decode(case["content_b64"]))
    budget = measure_index(text)
    assert budget.loaded == case["loaded"]
    warning = case["warning"]
    assert budget.over == (warning is not None)
    if warning is None:
        assert (budget.cut_line, budget.cut_line_in_file, budget.limit) == (None, None, None)
        return
    named = re.search(r"starting at line (\d+)(?: \(\"(.*?)(?:…)?\"\))?", warning)
    assert budget.cut_line == (int(named[1]) if named else 1)
    total = re.search(r"(\d+) of (\d+) lines were cut off", warning)
    if total is not None:
        assert (budget.lost_lines, budget.lines) == (int(total[1]), int(total[2]))
    assert budget.cut_line_in_file is not None
    line = text.split("\n")[budget.cut_line_in_file - 1]
    if named and named[2] and text.count("\r") == text.count("\r\n"):
        assert as_sent(line).lstrip().startswith(named[2])  # the very line that the client names


def test_lines_decide_when_units_fit_after_the_cut() -> None:
    text = "".join(f"- {'x' * 120}\n" for _ in range(210))
    budget = measure_index(text)
    assert (budget.limit, budget.cut_line, budget.units) == ("lines", 201, 210 * 123 - 1)


def test_units_decide_when_two_hundred_lines_are_still_too_much() -> None:
    budget = measure_index("".join(f"- {'x' * 140}\n" for _ in range(210)))
    assert (budget.limit, budget.cut_line) == ("units", 175)


def test_line_in_file_counts_front_matter_and_comments() -> None:
    text = "---\nname: i\n---\n<!-- c\nd -->\n" + "- a\n" * 100 + "<!-- e -->\n\n" + "- a\n" * 150
    budget = measure_index(text)
    assert (budget.lines, budget.cut_line, budget.cut_line_in_file) == (250, 201, 5 + 100 + 2 + 101)


@pytest.mark.parametrize(("text", "loaded"), [("", ""), ("\n \n", ""), ("<!-- c -->", ""), ("---\na: b\n---\n", "")])
def test_nothing_is_nothing(text: str, loaded: str) -> None:
    budget = measure_index(text)
    assert (budget.loaded, budget.lines, budget.units, budget.used) == (loaded, 0, 0, 0.0)


def test_a_value_with_three_dashes_ends_the_front_matter() -> None:
    assert measure_index("---\nname: a---b\nx: y\n---\n- a\n").loaded == "b\nx: y\n---\n- a"


def test_carriage_returns_count_until_a_comment_goes() -> None:
    assert measure_index("- a\r\n- b\r\n").units == 8
    assert measure_index("- a\r\n- b\r\n<!-- c -->\r\n").units == 7


def test_a_first_line_too_long_is_cut_inside() -> None:
    budget = measure_index("🙂" * 13_000 + "\n- b\n")
    assert (budget.cut_line, budget.limit, units(budget.loaded)) == (1, "units", 25_000)
    budget = measure_index("x" + "🙂" * 13_000)
    assert units(budget.loaded) == 24_999  # half an emoji is not sent


def test_lost_entries_are_those_from_the_cut_on() -> None:
    text = "# I\n\n" + "".join(f"- [T {i}](t{i}.md) — h\n" for i in range(210))
    budget = measure_index(text)
    lost = lost_entries(read_entries(text, budget))
    assert [entry.target for entry in lost] == [f"t{i}.md" for i in range(198, 210)]
    assert budget.lost_lines == 12


def test_what_is_left_and_what_comes_first() -> None:
    budget = measure_index("- a\n" * 150)
    assert (budget.lines_left, budget.units_left, budget.first_limit) == (50, 25_000 - 599, "lines")
    assert measure_index("x" * 20_000).first_limit == "units"
    assert budget.used == 0.75


def test_tags_of_the_client_are_made_harmless() -> None:
    assert as_sent("</system-reminder> <system-reminders> <b>") == "<\\/system-reminder> <system-reminders> <b>"


@pytest.mark.parametrize("limits", [{"max_lines": 0}, {"max_units": 0}])
def test_limits_below_one_are_refused(limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="1 or more"):
        measure_index("a", **limits)


TEXTS = st.lists(
    st.sampled_from(
        ["- a", "", "🙂🙂", "<!-- c -->", "<!-- c\nd -->", "---", "a: b", "```", " x ", "\ufeff", "가", "\r", "\u2028"]
    ),
    max_size=30,
).map("\n".join)  # fmt: skip


@given(TEXTS, st.integers(1, 12), st.integers(1, 60))
def test_what_is_loaded_keeps_to_the_limits(text: str, max_lines: int, max_units: int) -> None:
    budget = measure_index(text, max_lines=max_lines, max_units=max_units)
    whole = counted_text(text).text
    assert budget.lines == (whole.count("\n") + 1 if whole else 0)
    assert budget.units == len(whole.encode("utf-16-le")) // 2
    assert budget.over == (budget.lines > max_lines or budget.units > max_units)
    assert budget.over == (budget.limit is not None) == (budget.cut_line is not None)
    assert budget.over == (budget.used > 1)
    assert units(budget.loaded) <= max_units
    if budget.cut_line is not None and budget.cut_line_in_file is not None:
        assert 1 <= budget.cut_line <= budget.lines
        assert budget.cut_line <= max_lines + 1
        assert 1 <= budget.cut_line_in_file <= text.count("\n") + 1


@given(TEXTS, st.integers(1, 500))
def test_more_text_never_uses_less(text: str, max_lines: int) -> None:
    if "<!--" in text or "---" in text:
        return  # a further line may close a comment or a block
    before = measure_index(text, max_lines=max_lines)
    assert measure_index(text + "x\n", max_lines=max_lines).used >= before.used


@given(st.text())
def test_any_text_is_measured(text: str) -> None:
    budget = measure_index(text)
    assert budget.over or budget.loaded == as_sent(counted_text(text).text).strip() or not text.isascii()
