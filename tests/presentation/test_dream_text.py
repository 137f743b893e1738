"""Runs, gates and events in words."""

import pytest

from memtui.dream.gates.base import Gate
from memtui.dream.run.events import Ended, File, Held, Other, Phase, Retry, Started, Tokens, Turn
from memtui.dream.run.runs import RunProgress
from memtui.presentation import LabeledText
from memtui.presentation.dream_text import (
    cost_text,
    event_text,
    gate_text,
    gates_summary,
    mode_text,
    outcome_text,
    run_status,
    touched_words,
    waiting_time,
)

NOW = 1_790_000_000.0
READY = Gate("memory", True, "memory is on", "on by default", "default")
WAITING = Gate("time", False, "24 h since the last dream", "the last was 2 h ago", "lock", NOW + 3720)


@pytest.mark.parametrize(("seconds", "words"), [(-5, "0m"), (300, "5m"), (11_520, "3h 12m")])
def test_how_long_to_wait(seconds: float, words: str) -> None:
    assert waiting_time(seconds) == words


def test_gates() -> None:
    assert gate_text(READY, NOW) == LabeledText("ready", "on by default", "good")
    assert gate_text(WAITING, NOW, short=True) == LabeledText("waiting", "the last was 2 h ago; ready in 1h 2m", "warn")
    assert gates_summary([READY], NOW) == "yes, all checks are ready"
    assert gates_summary([READY, WAITING], NOW, short=True) == "no, 1 of 2 checks waiting"
    assert "next chance" in gates_summary([READY, WAITING], NOW)
    assert gates_summary([], NOW) == ""


def test_how_a_run_stands() -> None:
    assert run_status("held", dry_run=False).text == "held for review"
    assert run_status("held", dry_run=True).text == "dry run"
    assert run_status("held", dry_run=False, decision="partly adopted").text == "partly adopted"
    assert run_status("failed", dry_run=False) == LabeledText("", "failed", "problem")
    assert outcome_text("of a later version").text == "of a later version"


def test_what_kind_of_run_it_is() -> None:
    assert mode_text("reflect", "offline", "named", dry_run=False) == "reflect, tidy by rules, no model (named)"
    assert mode_text("reflect", "", "", dry_run=True) == "reflect, dry run, engine none"


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (RunProgress(), ""),
        (RunProgress(usd=0.074), "$0.07"),
        (RunProgress(tokens=Tokens(500, 90)), "price unknown, 500 tokens in, 90 out"),
        (
            RunProgress(usd=0.5, tokens=Tokens(500, 90, 8000, 2000)),
            "$0.50, 10,500 tokens in (8,000 from the cache, 2,000 written to it), 90 out",
        ),
    ],
)
def test_what_it_cost(progress: RunProgress, words: str) -> None:
    assert cost_text(progress) == words


def test_what_was_touched() -> None:
    assert touched_words([]) == ""
    assert touched_words([File("a.md")]) == "1 file"
    files = [File("a.md"), File("b.md", "removed"), File("c.md", emptied=True)]
    assert touched_words(files) == "3 files, 1 deleted, 1 emptied"


def test_events() -> None:
    started = Started("reflect", "schedule", "offline", "named", 12, 1)
    assert event_text(started) == LabeledText(
        "started by schedule", "reflect, tidy by rules, no model (named), 12 files copied, 1 left out"
    )
    assert event_text(Phase("updating", "merge")) == LabeledText("", "updating: merge", "head")
    assert event_text(Turn(3, "a\n  b", {"Read": 2})) == LabeledText("turn 3", "a b  Read 2")
    assert event_text(File("b.md", "renamed", 1, 2, "a.md")) == LabeledText("renamed", "a.md > b.md  +1 -2", "dim")
    assert event_text(File("a.md", "same")) == LabeledText("unchanged", "a.md is again as it was", "dim")
    assert event_text(Retry(2, 1.5, "busy")) == LabeledText("", "try 2 failed, again in 1s: busy", "warn")
    assert event_text(Retry(1, 0.25, "cut")) == LabeledText("", "try 1 failed, again at once: cut", "warn")
    assert event_text(Held("loses", "a.md loses 3 lines")) == LabeledText(
        "held for review", "a.md loses 3 lines", "warn"
    )
    assert event_text(Ended("over-budget", "too dear")) == LabeledText("ended", "over budget: too dear", "warn")
    assert event_text(Other("later")) is None
