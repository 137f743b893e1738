"""Runs as drawn rows: every end and width, and no text of a run that a terminal would obey."""

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.dream.gates.base import Gate
from memtui.dream.run.events import Ended, Event, File, Held, Money, Note, Phase, RunOutcome, Tokens, Turn
from memtui.dream.run.runs import Run, RunState, run_progress
from memtui.tui.render.dream_rows import (
    LogRows,
    details,
    file_row,
    gate_row,
    gates_title,
    pill_row,
    run_row,
    standing,
    touched_files,
)
from memtui.tui.state import Dream, OpenDream
from memtui.tui.theme import PLAIN, UNICODE
from memtui.util.process import ProcessIdentity
from memtui.util.text import cells, visible

NOW = 1_796_000_000.0
TEXT = st.text(max_size=60) | st.just("\x1b[31mred\x9b2J\u202e\x00 한국어 [b]")


def made(words: str, how: str, ended: bool = True) -> tuple[Dream, OpenDream]:
    """A run all of whose words are these."""
    end = Ended(how=how, reason=words, drafted=2, lock=words, at=NOW)
    events: tuple[Event, ...] = (
        Phase(words, words), Turn(3, words, {words: 2}), File(words, words, 1, 2, words, True), Tokens(1, 2),
        Money(0.5), Note(words), Held(words, words), *([end] if ended else []),
    )  # fmt: skip
    process = ProcessIdentity(4411)
    run = Run("2026-11-30-0912", Path("/x"), Path("/m"), Path("/p"), words, words, words, words, True, "auto", process,
              NOW - 75)  # fmt: skip
    state = RunState("ended", end) if ended else RunState("running")
    return Dream(run, state, run_progress(events), kept=True), OpenDream(run.id, events)


@given(TEXT, st.sampled_from([*get_args(RunOutcome), ""]), st.integers(30, 140))
def test_no_row_is_wider_than_its_place_or_holds_a_control_character(words: str, how: str, width: int) -> None:
    dream, opened = made(words, how or "done", bool(how))
    for glyphs in (UNICODE, PLAIN):
        laid = [
            *standing(dream, opened, NOW, width, glyphs),
            *details(dream, width),
            *LogRows().lay(opened.events, width, 99),
        ]
        rows = [row.plain for row in laid]
        rows += [file_row(file, state, width, glyphs).plain for file, state in touched_files(dream, opened)]
        rows.append(pill_row(dream, NOW, width, glyphs, still=False).plain)
        rows.append(run_row(dream, NOW, width, glyphs, judging=True, still=False).plain)
        assert max(map(cells, rows)) <= width
        assert [row for row in rows if visible(row, keep="") != row] == []


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_gate_with_its_time_fits(width: int) -> None:
    gate = Gate("time", False, "24 h since the last dream", "last dream 2h ago", "/x/.lock", NOW + 79_200)
    row = gate_row(gate, NOW, width, UNICODE).plain
    assert cells(row) <= width
    assert row.startswith("✗ waiting 24 h since")


def test_the_title_answers_first() -> None:
    shut = Gate("time", False, "w", "r", "s", NOW + 79_200)
    never = Gate("memory", False, "w", "r", "s")
    free = Gate("lock", True, "w", "r", "s")
    assert gates_title((free,), NOW, short=True) == "yes, all checks are ready"
    assert "1 of 2 checks waiting, next chance" in gates_title((shut, free), NOW, short=False)
    assert "(in 22h 0m)" in gates_title((shut, free), NOW, short=False)
    assert "next chance" not in gates_title((shut, never), NOW, short=False)


def test_the_mark_turns_each_second_unless_motion_is_off() -> None:
    dream, _ = made("w", "done", ended=False)
    seen = {pill_row(dream, NOW + second, 80, UNICODE, still=False).plain[1] for second in range(4)}
    assert seen == set(UNICODE.spinner)
    assert {pill_row(dream, NOW + second, 80, UNICODE, still=True).plain[1] for second in range(4)} == {"◐"}
    assert "1m15s" in pill_row(dream, NOW, 200, UNICODE, still=False).plain
