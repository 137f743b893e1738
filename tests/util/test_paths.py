"""Words that name a path: only a tilde that means a home is expanded."""

import os
import pwd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.util.paths import expand_tilde


@pytest.mark.parametrize(
    ("word", "expanded"),
    [("~", "/h"), ("~/", "/h/"), ("~/a b", "/h/a b"), ("~draft.md", "~draft.md"), ("a~/b", "a~/b"), ("", "")],
)
def test_the_home_alone_is_expanded(word: str, expanded: str) -> None:
    assert expand_tilde(word, "/h") == expanded


def test_a_user_counts_where_a_directory_is_wanted() -> None:
    me = pwd.getpwuid(os.getuid())
    assert expand_tilde(f"~{me.pw_name}/x") == f"~{me.pw_name}/x"
    assert expand_tilde(f"~{me.pw_name}/x", users=True) == f"{me.pw_dir}/x"


@given(st.text())
def test_it_never_raises(text: str) -> None:
    assert expand_tilde("~" + text, "/h", users=True).endswith(text.partition("/")[2])
    assert expand_tilde(text.lstrip("~"), users=True) == text.lstrip("~")
