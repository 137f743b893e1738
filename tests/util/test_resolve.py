"""A word means the only one that it fits, and says what it fits if there are more."""

import pytest

from memtui.util.errors import NotFound, UsageError
from memtui.util.resolve import matches_prefix, resolve_one


def test_the_only_one() -> None:
    assert resolve_one([7], "x", "version", lists="") == 7
    assert matches_prefix("abcdef", "ABCD")
    assert not matches_prefix("abcdef", "abc")
    assert not matches_prefix("abcdef", "bcde")


def test_none_and_several() -> None:
    with pytest.raises(NotFound, match="no version 'a␛'") as none:
        resolve_one([], "a\x1b", "version", lists="memtui history lists them")
    assert none.value.hint == "memtui history lists them"
    with pytest.raises(UsageError, match="'ab' matches 5 dreams") as several:
        resolve_one(["ab1", "ab2", "ab3", "ab\x1b", "ab5"], "ab", "dream", lists="", name=str)
    assert several.value.hint == "ab1, ab2, ab3, ab␛"
    with pytest.raises(UsageError) as nameless:
        resolve_one([1, 2], "ab", "dream", lists="")
    assert nameless.value.hint == "give more of the id"
