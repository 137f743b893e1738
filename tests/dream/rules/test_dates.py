"""Relative dates turned absolute: what is certain is turned, what isn't stays."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.dream.rules.dates import depends_on_its_day, make_dates_absolute, meaning
from memtui.memory.dates import relative_dates

THURSDAY = date(2026, 12, 3)
SUNDAY = date(2026, 12, 6)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We shipped it yesterday.", "We shipped it 2026-12-02 (yesterday)."),
        ("Broken since yesterday.", "Broken since 2026-12-02."),
        ("Yesterday's build is red.", "2026-12-02's build is red."),
        ("The build is red (yesterday).", "The build is red (2026-12-02)."),
        ("The freeze starts next week.", "The freeze starts the week of 2026-12-07 (next week)."),
        ("Wait until next week.", "Wait until the week of 2026-12-07."),
        ("Last week it broke.", "The week of 2026-11-23 (Last week) it broke."),
        ("Due next month, again next year.", "Due 2027-01 (next month), again 2027 (next year)."),
        ("Found three days ago.", "Found 2026-11-30 (three days ago)."),
        ("Found 2 weeks ago.", "Found the week of 2026-11-16 (2 weeks ago)."),
        ("Done this morning.", "Done 2026-12-03 (this morning)."),
        ("It is due the day after tomorrow.", "It is due 2026-12-05 (the day after tomorrow)."),
        ("어제 배포했다.", "2026-12-02(어제) 배포했다."),
        ("어제부터 안 된다.", "2026-12-02부터 안 된다."),
        ("다음 주에 출시한다.", "2026-12-07 주에 출시한다."),
        ("지난주 금요일 회의.", "2026-11-27(지난주 금요일) 회의."),
        ("다음 달까지, 그리고 내년 목표.", "2027-01까지, 그리고 2027년(내년) 목표."),
        ("작년에 정했다.", "2025년에 정했다."),
        ("내일모레 마감.", "2026-12-05(내일모레) 마감."),
    ],
)
def test_what_is_certain(before: str, after: str) -> None:
    assert make_dates_absolute(before, THURSDAY)[0] == after
    assert make_dates_absolute(after, SUNDAY)[0] == after
    assert relative_dates(after) == []


@pytest.mark.parametrize(
    "text",
    [
        "It works today.",
        "오늘은 된다.",
        "We met last Friday.",
        "It ends in 3 days.",
        "배포 3일 전에 알린다.",
        "It broke a month ago, 20 days ago, several weeks ago.",
        "This morning's build, tonight's build.",
        "Frozen for this sprint and next quarter.",
        "# Plan for next week",
        "- 2026-11-01: it broke, fixed it yesterday",
        "## 2026-11-01\n\nFixed it yesterday.",
        "**11월 1일**\n\n- 어제 고쳤다",
        "**Nov 1**\n\n- fixed it yesterday",
        '"We ship tomorrow," she said.',
        "> We ship tomorrow.",
        "See [tomorrow](tomorrow.md), [[next week]] and notes/yesterday.txt.",
        "Run `deploy --when tomorrow`.",
        "```\ntomorrow\n```",
        "Shipped yesterday (2026-12-02).",
        "---\nname: x\ndescription: due tomorrow\n---\nBody.",
    ],
)
def test_what_is_not(text: str) -> None:
    assert make_dates_absolute(text, THURSDAY)[0] == text


def test_weeks_are_not_certain_on_a_sunday() -> None:
    assert meaning("next week", SUNDAY) is None
    assert meaning("next month", SUNDAY) is not None


def test_it_says_what_it_turned() -> None:
    assert make_dates_absolute("Since yesterday, until tomorrow.", THURSDAY)[1] == [
        ("yesterday", "2026-12-02"),
        ("tomorrow", "2026-12-04"),
    ]


def test_a_text_rests_on_its_day() -> None:
    assert depends_on_its_day("Due tomorrow.")
    assert not depends_on_its_day("Works today, since 2026-12-02 (yesterday).")


WORDS = st.sampled_from(
    [
        "yesterday", "next week", "since", "last year", "어제", "다음 주", "작년", "에", "(", ")", "'s", '"', "\n",
        "\n\n", "- ", "# ", "[a](b.md)", "2026-01-02", ">", "`", "3 days ago", "tonight", ".", "this month", "올해",
    ]
)  # fmt: skip
DAYS = st.dates(date(2001, 1, 1), date(2098, 1, 1))


@given(st.lists(WORDS, max_size=30).map(" ".join), DAYS, DAYS)
def test_turning_again_changes_nothing(text: str, day: date, other: date) -> None:
    once, _ = make_dates_absolute(text, day)
    assert make_dates_absolute(once, day)[0] == once
    if 6 not in (day.weekday(), other.weekday()):
        assert make_dates_absolute(once, other)[0] == once
