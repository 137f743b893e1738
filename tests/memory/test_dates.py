"""Relative dates, English and Korean, outside code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.dates import relative_dates


@pytest.mark.parametrize(
    "phrase",
    ["yesterday", "Today", "tomorrow", "the day before yesterday", "last week", "next Monday", "last year",
     "3 days ago", "a week ago", "this month", "two weeks ago", "a couple of days ago", "in 2 weeks", "last night",
     "next sprint", "earlier this week", "5 minutes from now", "this  quarter",
     "어제", "오늘", "내일", "모레", "그저께", "지난주", "지난 주", "다음 주", "이번주", "다음 주 월요일",
     "지난달", "다음 달", "작년", "내년", "올해", "3일 전", "2주 전", "3주 뒤", "한 달 전", "6개월 전",
     "이틀 전", "며칠 전", "일주일 전", "10분 전", "2년 후", "방금"],
)  # fmt: skip
def test_found(phrase: str) -> None:
    text = f"We did ({phrase}) so."
    assert relative_dates(text) == [(8, 8 + len(phrase), phrase)]
    assert relative_dates(f"`{phrase}`\n\n```\n{phrase}\n```\n") == []


@pytest.mark.parametrize("phrase", ["어제부터", "오늘은", "지난주에", "3일 전에", "다음 주까지"])
def test_found_with_a_particle(phrase: str) -> None:
    assert len(relative_dates(f"{phrase} 바꿨다")) == 1


def test_a_number_is_no_date() -> None:
    assert len(relative_dates("on port 8080 (yesterday), 12025 (last year)")) == 2


@pytest.mark.parametrize(
    "text",
    ["takes 3 days", "every week", "recently", "a daily log", "the last line", "next step", "this file", "yesterdays",
     "in 5 minutes", "오늘날", "3일 동안", "매주", "주간 보고", "전체 2주", "5년 전체", "매일",
     "yesterday (2026-03-01)", "2026-03-01 (yesterday)", "last week (on 2026-02-20)", "어제(2026-03-01)",
     "어제 2026년", "2025 (last year)", "2025년(작년)", "2026-03-02 주(지난주)", "the week of 2026-03-02 (last week)"],
)  # fmt: skip
def test_not_found(text: str) -> None:
    assert relative_dates(text) == []


def test_all_in_order() -> None:
    text = "어제 and yesterday, 3일 전; next week"
    assert [phrase for _, _, phrase in relative_dates(text)] == ["어제", "yesterday", "3일 전", "next week"]


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    for start, end, phrase in relative_dates(text + " yesterday"):
        assert (text + " yesterday")[start:end] == phrase
