"""The filter syntax."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.util.filter_query import matches_query, parse_query

NAME = "feedback_testing.md"


@pytest.mark.parametrize(
    ("query", "hit"),
    [
        ("", True),
        ("ftest", True),
        ("tset", False),
        ("'testing", True),
        ("'tsting", False),
        ("^feed", True),
        ("^test", False),
        (".md$", True),
        ("^feedback_testing.md$", True),
        ("!legacy", True),
        ("!testing", False),
        ("!^feed", False),
        ("feed !user", True),
        ("Feed", False),
        ("'database", True),
        ("database", True),
        ("dtbase", False),
        ("' ! ^", True),
    ],
)
def test_terms(query: str, hit: bool) -> None:
    assert matches_query(parse_query(query), NAME, "Integration tests must hit a real database") is hit


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_query_over_any_name_is_decided(query: str, name: str) -> None:
    assert matches_query(parse_query(query), name) in {True, False}


@given(st.text(alphabet="abc_", min_size=1, max_size=12))
def test_a_name_matches_itself(name: str) -> None:
    assert matches_query(parse_query(f"^{name}$"), name)
