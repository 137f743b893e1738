"""Runs of dreams as drawn rows: pure, so that every end and every width is tested without a screen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from textual.content import Content

from memtui.base.text import ago, cells, clip, many, pad, visible
from memtui.dream.events import Ended, Event, File, Held, Phase, Turn
from memtui.dream.gates import Gate
from memtui.dream.words import (
    HOW_WORDS,
    event_words,
    file_words,
    how_of,
    opening,
    seconds_of,
    span,
    touched_words,
    waiting_time,
)
from memtui.tui.glyphs import Glyphs
from memtui.tui.state import Dream, OpenDream

STYLES = {
    "done": "$good", "nothing": "$good", "held": "$warn", "failed": "$problem", "died": "$problem", "killed": "$warn",
    "over-budget": "$warn", "gate": "$dim", "running": "$link bold",
}  # fmt: skip
STATES = {"merged": "merges", "conflict": "conflict", "same": "there already", "refused": "never adopted"}
MOST_EVENTS = 200
"""Events that the log shows; the oldest beyond are left to `memtui dream watch`."""

SOURCE_FROM = 110
"""Cells from which a gate's row has room for where it was read."""
BY_FROM, COST_FROM = 44, 58
"""Cells from which a run's row has room for who worked, and for time and money."""
HINT_FROM = 100
"""Cells from which the pill says what its keys do."""


@dataclass(frozen=True, slots=True)
class Detail:
    """A row about a run; `name` is the touched file that it stands for, "" for none."""

    content: Content
    name: str = ""


def word_of(dream: Dream) -> str:
    """How a run stands, in a word or three; a dry one that did what it should have waits for nobody."""
    how = how_of(dream.state)
    return "dry run" if dream.run.dry_run and how == "held" else HOW_WORDS.get(how, how)


def spinner(glyphs: Glyphs, now: float, *, still: bool) -> str:
    """The mark of what goes on; another one every second, unless motion is off."""
    return glyphs.spinner[0 if still else int(now) % len(glyphs.spinner)]


def gate_row(gate: Gate, now: float, width: int, glyphs: Glyphs) -> Content:
    """One gate: whether it is open, what it asks for, how it stands and when that changes."""
    style = "$good" if gate.open else "$warn"
    mark = glyphs.tick if gate.open else glyphs.cross
    opens = f"; {opening(gate.opens_at, now)}" if gate.opens_at is not None else ""
    reason = visible(gate.reason, keep="") + opens
    source = width - 46 if width < SOURCE_FROM else (width - 46) // 2
    told = pad(reason, source, ellipsis=glyphs.ellipsis)
    where = clip(visible(gate.source, keep=""), width - 48 - source) if width >= SOURCE_FROM else ""
    words = pad(visible(gate.words, keep=""), 32, ellipsis=glyphs.ellipsis)
    return Content.assemble((f"{mark} {'open' if gate.open else 'closed':<7} ", style), words, " ", told, "  ",
                            (where, "$dim"))  # fmt: skip


def gates_title(gates: tuple[Gate, ...], now: float, *, short: bool) -> str:
    """Would a dream start now, in a line; `short` leaves the question out."""
    closed = [gate for gate in gates if not gate.open]
    question = "" if short else "Would a dream start now?  "
    if not gates:
        return question.strip()
    if not closed:
        return f"{question}yes, all gates are open"
    told = f"{question}no, {len(closed)} of {len(gates)} gates closed"
    known = [gate.opens_at for gate in closed if gate.opens_at is not None]
    if short or len(known) < len(closed):
        return told
    at = max(known)
    return f"{told}, next chance {time.strftime('%a %H:%M', time.localtime(at))} (in {waiting_time(at - now)})"


def run_row(dream: Dream, now: float, width: int, glyphs: Glyphs, *, judging: bool, still: bool) -> Content:
    """A run in the list: how it stands, what it was, what it touched, when."""
    run, how = dream.run, how_of(dream.state)
    mark = spinner(glyphs, now, still=still) if how == "running" else glyphs.changed if judging else " "
    tail = f"{len(dream.progress.files) or glyphs.dash:>4}{_age(now - run.at):>5}"
    if width >= COST_FROM:
        cost = f"${dream.progress.usd:.2f}" if dream.progress.usd else ""
        tail = f" {span(seconds_of(run, dream.progress, dream.state, now)):>6} {cost:>7}{tail}"
    by = run.mode + (f" {run.backend}" if width >= BY_FROM else "")
    words = pad(visible(word_of(dream), keep=""), 15, ellipsis=glyphs.ellipsis)
    told = pad(visible(by, keep=""), max(1, width - 18 - cells(tail)), ellipsis=glyphs.ellipsis)
    style = STYLES.get(how, "")
    return Content.assemble((f"{mark} ", style), (words, style), " ", told, (tail, "$dim"))


def _age(seconds: float) -> str:
    return ago(seconds).removesuffix(" ago").replace("just now", "now")


def details(dream: Dream, opened: OpenDream | None, now: float, width: int, glyphs: Glyphs) -> list[Detail]:
    """All that is known of a run: how it stands, why it waits, what it touched, how it was made, what it told."""
    rows = [Detail(row) for row in _stands(dream, now, width)]
    rows += [Detail(row) for held in dream.progress.held for row in _wrapped(f"waits: {held.words}", "$warn", width)]
    rows += _files(dream, opened, width, glyphs)
    rows += [Detail(Content("")), *(Detail(row) for row in _facts(dream, width))]
    events = opened.events[-MOST_EVENTS:] if opened is not None else ()
    log = [row for event in reversed(events) for row in _event(event, width)]
    if log:
        rows += [Detail(Content("")), Detail(Content.styled("log, newest first", "bold"))]
        rows += [Detail(row) for row in log]
    return rows


def _stands(dream: Dream, now: float, width: int) -> Iterator[Content]:
    told, end, how = dream.progress, dream.state.end, how_of(dream.state)
    words = f"{word_of(dream)}, {span(seconds_of(dream.run, told, dream.state, now))}"
    yield from _wrapped(words, f"{STYLES.get(how, '')} bold".strip(), width)
    if end is not None and end.reason and not told.held:
        yield from _wrapped(end.reason, "", width)
    if end is None:
        yield from _wrapped(", ".join(filter(None, (_phase(dream), _turn(dream)))), "", width)
    if dream.kept and end is not None:
        yield from _wrapped(f"{many(end.drafted, 'change')} kept aside: a one file, Y all, X throw away", "", width)


def _phase(dream: Dream) -> str:
    told = dream.progress
    return told.phase + (f": {told.stage}" if told.stage else "")


def _turn(dream: Dream) -> str:
    return f"turn {dream.progress.turns}" if dream.progress.turns else ""


def _facts(dream: Dream, width: int) -> Iterator[Content]:
    run, told, end = dream.run, dream.progress, dream.state.end
    by = "you" if run.trigger == "hand" else run.trigger
    pairs = [
        ("started", f"{time.strftime('%a %Y-%m-%d %H:%M', time.localtime(run.at))} by {by}, pid {run.process.pid}"),
        ("works", f"{run.mode}{', dry run' if run.dry_run else ''} by {run.backend or 'nobody'} ({run.why})"),
    ]
    if end is not None:
        pairs.append(("got to", ", ".join(filter(None, (_phase(dream), _turn(dream))))))
    if told.tools:
        pairs.append(("tools", ", ".join(f"{name} {count}" for name, count in told.tools.items())))
    tokens = [f"{told.tokens.input:,} tokens in, {told.tokens.output:,} out"] if told.tokens.output else []
    if told.usd or tokens:
        pairs.append(("cost", ", ".join([f"${told.usd:.2f}", *tokens])))
    if end is not None and end.lock:
        pairs.append(("last dream", end.lock))
    for name, value in pairs:
        first, *more = Content(visible(value, keep="")).wrap(max(8, width - 12)) or [Content("")]
        yield Content.styled(f"{name:<12}", "$dim") + first
        yield from (Content(" " * 12) + part for part in more)


def _files(dream: Dream, opened: OpenDream | None, width: int, glyphs: Glyphs) -> list[Detail]:
    listed = list(_states(dream, opened))
    if not listed:
        return []
    words = touched_words(file for file, _ in listed)
    rows = [Detail(Content("")), Detail(Content.styled(words, "bold"))]
    marks = {"added": "+", "changed": glyphs.changed, "removed": glyphs.cross, "renamed": glyphs.arrow}
    for file, state in listed:
        word = f" {state}" if state else ""
        style = "$problem" if file.kind == "removed" or file.emptied else "$good" if file.kind == "added" else "$mark"
        told = pad(visible(file_words(file), keep=""), max(8, width - 2 - cells(word)), ellipsis=glyphs.ellipsis)
        content = Content.assemble((f"{marks.get(file.kind, '?')} ", style), told, (word, "$dim"))
        rows.append(Detail(content, file.name))
    return rows


def _states(dream: Dream, opened: OpenDream | None) -> Iterator[tuple[File, str]]:
    """The touched files with what became, or would become, of each."""
    taken = opened.taken if opened is not None else {}
    items = opened.items if opened is not None else ()
    for item in items:
        one = item.touched
        file = File(name=one.name, kind=one.kind, added=one.added, removed=one.removed, old=one.old or "",
                    emptied=one.emptied)  # fmt: skip
        drafted = "would delete" if one.kind == "removed" else "drafted"
        yield file, taken.get(one.name, "") or STATES.get(item.state, drafted)
    planned = {item.touched.name for item in items}
    for file in dream.progress.files.values():
        if file.name not in planned:
            yield file, taken.get(file.name, "")


def _event(event: Event, width: int) -> Iterator[Content]:
    words = event_words(event)
    if not words:
        return
    at = time.strftime("%H:%M:%S", time.localtime(event.at))
    style = {Turn: "", Phase: "$link", Held: "$warn", Ended: "bold"}.get(type(event), "$dim")
    first, *more = Content.styled(visible(words, keep=""), style).wrap(max(8, width - 10)) or [Content("")]
    yield Content.styled(f"{at}  ", "$dim") + first
    yield from (Content(" " * 10) + part for part in more)


def _wrapped(words: str, style: str, width: int) -> list[Content]:
    return list(Content.styled(visible(words, keep=""), style).wrap(max(8, width)))


def pill_row(dream: Dream, now: float, width: int, glyphs: Glyphs, *, still: bool) -> Content:
    """The run that is on, or that waits, in one line; the keys that open it at the right."""
    told = dream.progress
    touched = touched_words(told.files.values())
    sep = f" {glyphs.separator} "
    hint = glyphs.spell("⇧↓/w details" if width >= HINT_FROM else "⇧↓/w")
    if dream.state.word == "running":
        mark, style = spinner(glyphs, now, still=still), "$link bold"
        lasted = span(seconds_of(dream.run, told, dream.state, now))
        words = [f"dream {_phase(dream)}", touched or "no file yet", _turn(dream), lasted]
    elif how_of(dream.state) != "held":
        mark, style = glyphs.cross, "$problem bold"
        end = dream.state.end
        words = [
            f"dream {word_of(dream)}",
            ago(now - (end.at if end else told.last)),
            end.reason if end else "",
        ]
    else:
        mark, style = glyphs.changed, "$warn bold"
        words = ["dream waits for review", touched, *(held.words for held in told.held[:1])]
    line = pad(
        visible(sep.join(filter(None, words)), keep=""), max(1, width - 5 - cells(hint)), ellipsis=glyphs.ellipsis
    )
    return Content.assemble((f" {mark} ", style), line, (f" {hint} ", "$dim"))
