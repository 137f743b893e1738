"""Runs in words."""

import pytest

from memtui.dream.run.events import Ended, File, Other, Retry, Turn
from memtui.presentation.dream_text import event_words, touched_words, waiting_time


@pytest.mark.parametrize(("seconds", "words"), [(-5, "0m"), (300, "5m"), (11_520, "3h 12m")])
def test_how_long_to_wait(seconds: float, words: str) -> None:
    assert waiting_time(seconds) == words


def test_what_was_touched() -> None:
    assert touched_words([]) == ""
    assert touched_words([File("a.md")]) == "1 file"
    files = [File("a.md"), File("b.md", "removed"), File("c.md", emptied=True)]
    assert touched_words(files) == "3 files, 1 deleted, 1 emptied"


def test_events() -> None:
    assert event_words(Turn(3, "a\n  b", {"Read": 2})) == "turn 3  a b  Read 2"
    assert event_words(File("b.md", "renamed", 1, 2, "a.md")) == "renamed a.md > b.md  +1 -2"
    assert event_words(Retry(2, 1.5, "busy")) == "try 2 failed, again in 1.5 s: busy"
    assert event_words(Ended("over-budget", "too dear")) == "ended: over budget  too dear"
    assert event_words(Other("later")) == ""
