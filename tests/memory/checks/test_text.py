"""Facts of a text are those of the whole text, found by looking at few lines."""

from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.checks import registry, relative_date, secret
from memtui.memory.dates import relative_dates

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


def test_places_count_from_one() -> None:
    hits = relative_date.find_in_text("x\n  done yesterday\n- 어제 했다\n")
    assert [(one.line, one.column, one.words) for one in hits] == [(2, 8, "yesterday"), (3, 3, "어제")]


def test_code_is_left_alone() -> None:
    assert relative_date.find_in_text("```\nyesterday\n```\n`tomorrow` <!-- next week -->\n") == ()


def test_logs_may_speak_of_yesterday() -> None:
    assert "relative-date" not in registry.find_in_text("yesterday\n", "log").hits


def test_secrets_come_masked() -> None:
    value = "ghp_" + "aB3dE5fG7h" * 4
    (hit,) = secret.find_in_text(f"a\nuse {value}\n")
    assert (hit.line, hit.column) == (2, 5) and value not in hit.words


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
