"""Runs of dreams as drawn rows: pure, so that every end and every width is tested without a screen."""

from __future__ import annotations

from textual.content import Content

from memtui.agent.task import Budget
from memtui.dream.backends.prompts import STAGES
from memtui.dream.backends.registry import MODEL_BACKENDS
from memtui.dream.gates.base import Gate
from memtui.dream.lock.external_run import ExternalRun
from memtui.presentation.dream_text import (
    gate_text,
    gates_summary,
    outcome_text,
    run_outcome,
    run_seconds,
    run_status,
    touched_words,
)
from memtui.tui.state import Dream, Pill, Starting
from memtui.tui.theme import TONE_STYLES, Glyphs
from memtui.util.text import cells, clip, duration, pad, time_ago, visible

STATE, WORDS = 10, 26
"""Cells of a gate's mark and word, and of what it asks for."""
SOURCE_FROM = 110
"""Cells from which a gate's row has room for where it was read."""
BY_FROM, COST_FROM = 44, 58
"""Cells from which a run's row has room for who worked, and for time and money."""
HINT_FROM = 100
"""Cells from which the pill says what its keys do."""


def word_of(dream: Dream) -> str:
    """How a run stands, in a word or three; one that was judged waits no more, a dry one waits for nobody."""
    decisions = [one.what for one in dream.progress.decided]
    return run_status(run_outcome(dream.state), dry_run=dream.run.dry_run, kept=dream.kept, decisions=decisions).text


def style_of(outcome: str) -> str:
    """The style of a run that ended, or stands, so."""
    return f"{TONE_STYLES[outcome_text(outcome).tone]}{' bold' if outcome == 'running' else ''}"


def discarded(dream: Dream) -> bool:
    """Whether a person discarded what it drafted, or what was left of it."""
    return any(one.what == "discarded" for one in dream.progress.decided)


def spinner(glyphs: Glyphs, now: float, *, still: bool) -> str:
    """The mark of what goes on; another one every second, unless motion is off."""
    return glyphs.spinner[0 if still else int(now) % len(glyphs.spinner)]


def gate_row(gate: Gate, now: float, width: int, glyphs: Glyphs) -> Content:
    """One gate: whether it is open, what it asks for, how it stands and when that changes."""
    room = width - STATE - WORDS - 1
    room = room if width < SOURCE_FROM else room * 3 // 5
    state = gate_text(gate, now)
    if cells(state.text) > room:
        state = gate_text(gate, now, short=True)
    told = pad(visible(state.text, keep=""), room, ellipsis=glyphs.ellipsis)
    where = f"  {visible(gate.source, keep='')}" if width >= SOURCE_FROM else ""
    where = clip(where, width - STATE - WORDS - 1 - room, ellipsis=glyphs.ellipsis)
    words = pad(visible(gate.words, keep=""), WORDS, ellipsis=glyphs.ellipsis)
    mark = glyphs.tick if gate.open else glyphs.cross
    return Content.assemble((f"{mark} {state.label:<7} ", TONE_STYLES[state.tone]), words, " ", told, (where, "$dim"))


def gates_title(gates: tuple[Gate, ...], now: float, *, short: bool) -> str:
    """Would a dream start now, in a line; `short` leaves the question out."""
    question = "" if short else "Would a dream start now?  "
    return (question + gates_summary(gates, now, short=short)).strip()


def run_row(dream: Dream, now: float, width: int, glyphs: Glyphs, *, judging: bool, still: bool) -> Content:
    """A run in the list: how it stands, what it was, what it touched, when."""
    run, how = dream.run, run_outcome(dream.state)
    mark = spinner(glyphs, now, still=still) if how == "running" else glyphs.changed if judging else " "
    tail = f"{len(dream.progress.files) or glyphs.dash:>4}{_age(now - run.at):>5}"
    if width >= COST_FROM:
        cost = f"${dream.progress.usd:.2f}" if dream.progress.usd else ""
        tail = f" {duration(run_seconds(run, dream.progress, dream.state, now)):>6} {cost:>7}{tail}"
    by = run.mode + (f" {run.backend}" if width >= BY_FROM else "")
    words = pad(visible(word_of(dream), keep=""), 15, ellipsis=glyphs.ellipsis)
    told = pad(visible(by, keep=""), max(1, width - 18 - cells(tail)), ellipsis=glyphs.ellipsis)
    style = style_of(how)
    return Content.assemble((f"{mark} ", style), (words, style), " ", told, (tail, "$dim"))


def _age(seconds: float) -> str:
    return time_ago(seconds).removesuffix(" ago").replace("just now", "now")


def turn_words(dream: Dream) -> str:
    """Which turn it is, and of how many at most while a model is at work; "" before the first."""
    most = f"/{Budget().turns}" if dream.state.word == "running" and dream.run.backend in MODEL_BACKENDS else ""
    return f"turn {dream.progress.turns}{most}" if dream.progress.turns else ""


def phase_words(dream: Dream) -> str:
    """How far it is: the stage with its number if the run goes through all four, else what it says."""
    told = dream.progress
    if told.stage in STAGES and told.stages[:1] == STAGES[:1]:
        return f"{STAGES.index(told.stage) + 1}/{len(STAGES)} {told.stage}"
    return told.stage or told.phase


def end_words(dream: Dream) -> str:
    """How a run ended, for somebody who was elsewhere."""
    touched = touched_words(dream.progress.files.values())
    how = run_outcome(dream.state)
    after = {"done": "2 shows it, z takes it back", "held": "w opens it"}.get(how, "2 tells more")
    word = "dry run done" if dream.run.dry_run and how == "held" else f"dream {word_of(dream)}"
    return f"{word}{': ' if touched else ''}{touched}; {after}"


def pill_row(pill: Pill, now: float, width: int, glyphs: Glyphs, *, still: bool) -> Content:
    """The run that is on, or that waits, in one line; the keys that open it at the right."""
    if isinstance(pill, Starting):
        mark, style = spinner(glyphs, now, still=still), "$link bold"
        words = ["dream starting", duration(max(now - pill.at, 0.0))]
    elif isinstance(pill, ExternalRun):
        mark, style = spinner(glyphs, now, still=still), "$warn bold"
        who = f"in Claude Code (pid {pill.pid})" if pill.session else f"of process {pill.pid}, not ours"
        words = [f"dream {who}", touched_words(pill.files) or "no file yet", duration(max(now - pill.since, 0.0))]
    else:
        mark, style, words = _run_words(pill, now, width, glyphs, still=still)
    hint = glyphs.spell("⇧↓/w details" if width >= HINT_FROM else "⇧↓/w")
    told = visible(f" {glyphs.separator} ".join(filter(None, words)), keep="")
    line = pad(told, max(1, width - 5 - cells(hint)), ellipsis=glyphs.ellipsis)
    return Content.assemble((f" {mark} ", style), line, (f" {hint} ", "$dim"))


def _run_words(dream: Dream, now: float, width: int, glyphs: Glyphs, *, still: bool) -> tuple[str, str, list[str]]:
    """Mark, its style, and the words about a run of ours."""
    told, end = dream.progress, dream.state.end
    touched = touched_words(told.files.values())
    if dream.state.word == "running":
        lasted = duration(run_seconds(dream.run, told, dream.state, now))
        words = [f"dream {phase_words(dream)}", touched or "no file yet", turn_words(dream), lasted]
        if width >= HINT_FROM:
            words.append(f"started by {'you' if dream.run.trigger == 'hand' else dream.run.trigger}")
        return spinner(glyphs, now, still=still), "$link bold", words
    if run_outcome(dream.state) == "held":
        return glyphs.changed, "$warn bold", ["dream waits for review", touched, *(one.words for one in told.held[:1])]
    words = [f"dream {word_of(dream)}", time_ago(now - (end.at if end else told.last)), end.reason if end else ""]
    return glyphs.cross, "$problem bold", words
