"""Dreams as drawn rows: checks, the list of runs, one run in full, its log, and the line above the hints."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby, takewhile, zip_longest

from msgspec import Struct
from textual.content import Content

from memtui.agent.task import Budget
from memtui.dream.backends.names import MODEL_BACKENDS, STAGES
from memtui.dream.gates.base import Gate
from memtui.dream.lock.external_run import ExternalRun
from memtui.dream.review.claim import Claim
from memtui.dream.run.events import Ended, Event, File, Held
from memtui.dream.run.stage import STAGE_RETENTION_S
from memtui.presentation import LabeledText, dream_text
from memtui.presentation.secrets import mask_secrets
from memtui.tui.state import Dream, OpenDream, Pill, Starting
from memtui.tui.theme import TONE_STYLES, Glyphs
from memtui.util.text import cells, clip, duration, pad, pluralize, time_ago, visible

MAX_CLAIMS = 100  # claims of one kind that are listed

# Cells of a gate's mark and word, of what it asks for, and of what a line of the head is about.
STATE, WORDS, LABEL = 10, 26, 13
# Cells from which there is room for: where a gate was read, who worked in a run, its time and money, what the pill's
# keys do, all four stages, when a file changed.
SOURCE_FROM, BY_FROM, COST_FROM, HINT_FROM, STAGES_FROM, TIME_FROM = 110, 44, 58, 100, 66, 56
# Cells of a claim's line number; cells from which its old and new wording stand side by side.
NUMBER, SIDE_FROM = 5, 60
STATES = {"merged": "merges", "conflict": "conflict", "same": "there already", "refused": "never adopted"}


def status_of(dream: Dream) -> LabeledText:
    """How a run stands; one that was reviewed does not wait any more, a dry run never does."""
    return dream_text.run_status(
        dream_text.run_outcome(dream.state), dry_run=dream.run.dry_run, decision=dream.decision
    )


def word_of(dream: Dream) -> str:
    return status_of(dream).text


def style_of(outcome: str) -> str:
    return f"{TONE_STYLES[dream_text.outcome_text(outcome).tone]}{' bold' if outcome == 'running' else ''}"


def discarded(dream: Dream) -> bool:
    return any(one.what == "discarded" for one in dream.progress.decided)


def spinner(glyphs: Glyphs, now: float, *, still: bool) -> str:
    """The mark of what goes on; another one every second, unless motion is off."""
    return glyphs.spinner[0 if still else int(now) % len(glyphs.spinner)]


def gate_row(gate: Gate, now: float, width: int, glyphs: Glyphs) -> Content:
    whole = width - STATE - WORDS - 1
    room = whole if width < SOURCE_FROM else whole * 3 // 5
    state = dream_text.gate_text(gate, now)
    if cells(state.text) > room:
        state = dream_text.gate_text(gate, now, short=True)
    reason = pad(visible(state.text, keep=""), room, ellipsis=glyphs.ellipsis)
    where = clip(f"  {visible(gate.source, keep='')}", whole - room, ellipsis=glyphs.ellipsis)
    words = pad(visible(gate.words, keep=""), WORDS, ellipsis=glyphs.ellipsis)
    mark = glyphs.tick if gate.open else glyphs.cross
    return Content.assemble((f"{mark} {state.label:<7} ", TONE_STYLES[state.tone]), words, " ", reason, (where, "$dim"))


def gates_title(gates: tuple[Gate, ...], now: float, *, short: bool) -> str:
    """Would a dream start now, in a line; `short` leaves the question out."""
    question = "" if short else "Would a dream start now?  "
    return (question + dream_text.gates_summary(gates, now, short=short)).strip()


def run_row(dream: Dream, now: float, width: int, glyphs: Glyphs, *, judging: bool, still: bool) -> Content:
    run, status = dream.run, status_of(dream)
    running = dream.state.word == "running"
    mark = spinner(glyphs, now, still=still) if running else glyphs.changed if judging else " "
    age = time_ago(now - run.at).removesuffix(" ago").replace("just now", "now")
    tail = f"{len(dream.progress.files) or glyphs.dash:>4}{age:>5}"
    if width >= COST_FROM:
        cost = f"${dream.progress.usd:.2f}" if dream.progress.usd else ""
        tail = f" {duration(dream_text.run_seconds(run, dream.progress, dream.state, now)):>6} {cost:>7}{tail}"
    by = run.mode + (f" {run.backend}" if width >= BY_FROM else "")
    words = pad(visible(status.text, keep=""), 15, ellipsis=glyphs.ellipsis)
    made_by = pad(visible(by, keep=""), max(1, width - 18 - cells(tail)), ellipsis=glyphs.ellipsis)
    style = f"{TONE_STYLES[status.tone]}{' bold' if running else ''}"
    return Content.assemble((f"{mark} ", style), (words, style), " ", made_by, (tail, "$dim"))


def turn_words(dream: Dream) -> str:
    """Which turn it is, and of how many at most while a model is at work; "" before the first."""
    most = f"/{Budget().turns}" if dream.state.word == "running" and dream.run.backend in MODEL_BACKENDS else ""
    return f"turn {dream.progress.turns}{most}" if dream.progress.turns else ""


def phase_words(dream: Dream) -> str:
    """How far it is: the stage with its number if the run goes through all four, else what it says."""
    progress = dream.progress
    if progress.stage in STAGES and progress.stages[:1] == STAGES[:1]:
        return f"{STAGES.index(progress.stage) + 1}/{len(STAGES)} {progress.stage}"
    return progress.stage or progress.phase


def end_words(dream: Dream) -> str:
    touched = dream_text.touched_words(dream.progress.files.values())
    how = dream_text.run_outcome(dream.state)
    after = {"done": "2 shows it, z undoes it", "held": "w opens it"}.get(how, "2 shows more")
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
        touched = dream_text.touched_words(pill.files) or "no file yet"
        words = [f"dream {who}", touched, duration(max(now - pill.since, 0.0))]
    else:
        mark, style, words = _run_words(pill, now, width, glyphs, still=still)
    hint = glyphs.spell("⇧↓/w details" if width >= HINT_FROM else "⇧↓/w")
    shown = visible(f" {glyphs.separator} ".join(filter(None, words)), keep="")
    line = pad(shown, max(1, width - 5 - cells(hint)), ellipsis=glyphs.ellipsis)
    return Content.assemble((f" {mark} ", style), line, (f" {hint} ", "$dim"))


def _run_words(dream: Dream, now: float, width: int, glyphs: Glyphs, *, still: bool) -> tuple[str, str, list[str]]:
    progress, end = dream.progress, dream.state.end
    touched = dream_text.touched_words(progress.files.values())
    if dream.state.word == "running":
        lasted = duration(dream_text.run_seconds(dream.run, progress, dream.state, now))
        words = [f"dream {phase_words(dream)}", touched or "no file yet", turn_words(dream), lasted]
        if width >= HINT_FROM:
            words.append(f"started by {dream_text.starter(dream.run.trigger)}")
        return spinner(glyphs, now, still=still), "$link bold", words
    if dream_text.run_outcome(dream.state) == "held":
        words = ["dream waits for review", touched, *(one.words for one in progress.held[:1])]
        return glyphs.changed, "$warn bold", words
    words = [f"dream {word_of(dream)}", time_ago(now - (end.at if end else progress.last)), end.reason if end else ""]
    return glyphs.cross, "$problem bold", words


def title_of(dream: Dream, now: float, glyphs: Glyphs) -> str:
    kind = "dry run" if dream.run.dry_run else "dream"
    lasted = duration(dream_text.run_seconds(dream.run, dream.progress, dream.state, now))
    joints = {"running": " ", "died": " after ", "killed": " after ", "failed": " after "}
    joint = joints.get(dream_text.run_outcome(dream.state), ", took ")
    word = "done" if word_of(dream) == kind else word_of(dream)
    return f"{kind} {word}{joint}{lasted} {glyphs.separator} {dream.run.id}"


def standing(dream: Dream, opened: OpenDream | None, now: float, width: int, glyphs: Glyphs) -> list[Content]:
    """What matters first: how far one is that is on, what became of one that has ended, why one waits."""
    rows = list(_stages(dream, width, glyphs)) if dream.state.word == "running" else []
    held = [row for one in dream.progress.held for row in _held(dream, one, width)]
    outcome = list(_outcome(dream, opened, now, width, glyphs))
    return [*rows, *held, *outcome] if dream.kept else [*rows, *outcome, *held]


def _held(dream: Dream, held: Held, width: int) -> Iterator[Content]:
    return _labelled("waits" if dream.kept else "was held", held.words, width, "$warn" if dream.kept else "")


def _stages(dream: Dream, width: int, glyphs: Glyphs) -> Iterator[Content]:
    """The phase, and the four stages as far as the run announced them."""
    progress, turn = dream.progress, turn_words(dream)
    if width < STAGES_FROM or progress.stage not in STAGES:
        words = ", ".join(filter(None, (progress.phase, phase_words(dream) if progress.stage else "", turn)))
        yield from _labelled("phase", words, width, "$link")
        return
    parts: list[tuple[str, str]] = [(f"{'phase':<{LABEL}}", "$dim")]
    for stage in STAGES:
        here, seen = stage == progress.stage, stage in progress.stages
        mark = glyphs.closed if here else glyphs.tick if seen else glyphs.separator
        parts.append((f"{mark} {stage}  ", "$link bold" if here else "$good" if seen else "$dim"))
    room = width - sum(cells(part) for part, _ in parts)
    words = visible(", ".join(filter(None, (progress.phase, turn))), keep="")
    yield Content.assemble(*parts, (clip(words, room, ellipsis=glyphs.ellipsis), ""))


def _outcome(dream: Dream, opened: OpenDream | None, now: float, width: int, glyphs: Glyphs) -> Iterator[Content]:
    """What remained of a run that has ended; for one that died, what the next start will do."""
    end = dream.state.end
    if end is None:
        if dream.state.word == "died":
            yield from _labelled("ended", "its process ended without a report; x releases its lock", width, "$warn")
        return
    if end.reason and not dream.progress.held and not end.adopted:
        mark = glyphs.cross if end.how in ("failed", "over-budget") else glyphs.tick
        yield from _labelled("ended", end.reason, width, style_of(end.how), mark=mark)
    if end.lock:
        yield from _labelled("last dream", end.lock, width, "", mark=glyphs.tick)
    yield from _labelled("memory", _folder_words(dream, opened, end, now), width, "", mark=glyphs.tick)


def _folder_words(dream: Dream, opened: OpenDream | None, end: Ended, now: float) -> str:
    taken = opened.taken if opened is not None else {}
    backs = Counter(word for word in taken.values() if word != "adopted")
    if backs and not dream.kept:
        since = ", ".join(f"{count} {word}" for word, count in backs.items())
        return f"{pluralize(len(taken), 'file')} adopted, {since} since"
    by_hand = {name for one in dream.progress.decided if one.what == "adopted" for name in one.names}
    if end.adopted:
        return f"{pluralize(len(end.adopted), 'file')} adopted; u brings one back, U all"
    partly = {name for one in dream.progress.decided for name in one.partly} - by_hand
    counts = (by_hand, "adopted by you"), (partly, "adopted in part")
    folder = ", ".join(f"{pluralize(len(names), 'file')} {what}" for names, what in counts if names) or "untouched"
    if dream.kept and end.drafted:
        left = f"{end.drafted - len(by_hand)} of {end.drafted}" if by_hand else str(end.drafted)
        days = max(1, round((dream.run.at + STAGE_RETENTION_S - now) / 86_400))
        changes = f"{left} drafted change{'s' * (end.drafted != 1)}"
        return f"{folder}; {changes} stored for {pluralize(days, 'day')}"
    return folder + ("; what it drafted was discarded" if discarded(dream) else "")


def about(width: int) -> Iterator[Content]:
    """What a dream is, where none has run yet."""
    room = max(cells(one.label) for one in dream_text.ABOUT) + 2
    for one in dream_text.ABOUT:
        indent = (room if width >= 2 * room else cells(one.label) + 2) if one.label else 0
        wrapped = Content(one.text).wrap(max(8, width - indent)) or [Content("")]
        yield Content.styled(f"{one.label:<{indent}}", "$link") + wrapped[0]
        yield from (Content(" " * indent) + part for part in wrapped[1:])


def details(dream: Dream, width: int) -> Iterator[Content]:
    for one in dream_text.run_details(dream.run, dream.progress, ended=dream.state.end is not None):
        yield from _labelled(one.label, one.text, width, TONE_STYLES[one.tone])


def _labelled(name: str, words: str, width: int, style: str, *, mark: str = "") -> Iterator[Content]:
    label = f"{mark} {name}" if mark else name
    wrapped = Content.styled(visible(words, keep=""), style).wrap(max(8, width - LABEL)) or [Content("")]
    yield Content.styled(f"{label:<{LABEL}}", "$dim") + wrapped[0]
    yield from (Content(" " * LABEL) + part for part in wrapped[1:])


def foreign_head(foreign: ExternalRun, title: str, width: int, *, on: bool) -> list[Content]:
    """A dream of another program: who holds the lock (or did, `on` being false), and why nothing here ends it.

    `title` is what its session is called, "" if that is not known.
    """
    since = time.strftime("%a %H:%M", time.localtime(foreign.since))
    if foreign.session:
        who = f"inside Claude Code (pid {foreign.pid}, session {title or foreign.session[:8]})"
        end = "stop it there with /tasks"
    else:
        who, end = f"process {foreign.pid}, none of ours", "end it where it was started"
    verb, lock = ("runs", f"taken {since}") if on else ("ran", f"taken {since}, released")
    rows = [*_labelled(verb, f"{who}: {end}" if on else who, width, "$warn"), *_labelled("lock", lock, width, "")]
    return [*rows, *_labelled("memory", "changed by others while the lock was held:", width, "")]


def touched_files(dream: Dream, opened: OpenDream | None) -> list[tuple[File, str]]:
    """The touched files with what became, or would become, of each."""
    taken, items = (opened.taken, opened.items) if opened is not None else ({}, ())
    known, listed = dream.progress.files, list[tuple[File, str]]()
    for item in items:
        one = item.touched
        file = File(name=one.name, kind=one.kind, added=one.added, removed=one.removed, old=one.old or "",
                    emptied=one.emptied, at=known[one.name].at if one.name in known else 0.0)  # fmt: skip
        drafted = "would delete" if one.kind == "removed" else "drafted"
        drafted = "partly adopted" if taken.get(one.name) == "adopted" else drafted
        done = taken.get(one.name, "") if item.state == "same" else ""
        listed.append((file, done or STATES.get(item.state, drafted)))
    planned = {file.name for file, _ in listed}
    adopted = dict.fromkeys(dream.state.end.adopted if dream.state.end is not None else (), "adopted")
    words = {**adopted, **taken}
    left = [file for file in known.values() if file.name not in planned]
    return listed + [(file, words.get(file.name) or ("discarded" if discarded(dream) else "")) for file in left]


def file_row(file: File, state: str, width: int, glyphs: Glyphs) -> Content:
    """A touched file: what was done to it, its lines, what became of it, and when it changed last."""
    marks = {"added": "+", "changed": glyphs.changed, "removed": glyphs.cross, "renamed": glyphs.arrow}
    style = "$problem" if file.kind == "removed" or file.emptied else "$good" if file.kind == "added" else "$mark"
    counts = f" +{file.added} -{file.removed}" if file.added or file.removed else ""
    word = state or {"removed": "deleted", "added": "new"}.get(file.kind, "emptied" if file.emptied else "")
    tail = f"{counts:>9}  {word:<13}" if width >= TIME_FROM else counts + (f" {word}" if word else "")
    if width >= TIME_FROM:
        tail += time.strftime(" %H:%M", time.localtime(file.at)) if file.at else " " * 6
    name = mask_secrets(dream_text.renamed(file.old, file.name))
    shown = pad(visible(name, keep=""), max(8, width - 2 - cells(tail)), ellipsis=glyphs.ellipsis)
    return Content.assemble((f"{marks.get(file.kind, '?')} ", style), shown, (clip(tail, width - 10), "$dim"))


class ClaimRow(Struct, frozen=True):
    """A drawn row of the claims: which claim it belongs to ("" for a heading), the file, and what it shows."""

    key: Hashable
    file: str
    content: Content


class ClaimRows:
    """The claims as rows; the layout for a width is reused."""

    def __init__(self) -> None:
        self._of: tuple[Sequence[Claim], int, Glyphs] | None = None
        self._laid: list[ClaimRow] = []

    def lay(self, claims: Sequence[Claim], width: int, glyphs: Glyphs) -> list[ClaimRow]:
        of = claims, width, glyphs
        if self._of is None or self._of[0] is not claims or self._of[1:] != of[1:]:
            self._of, self._laid = of, list(_claim_rows(claims, width, glyphs))
        return self._laid


def _claim_rows(claims: Sequence[Claim], width: int, glyphs: Glyphs) -> Iterator[ClaimRow]:
    """What a run loses, changes, moves, merges and adds: below a heading for each kind and each file."""
    for kind, group in groupby(claims, key=lambda one: one.kind):
        listed = list(group)
        style = "$problem bold" if kind == "lost" else "bold"
        yield ClaimRow(("kind", kind), "", Content.styled(f"{kind} {glyphs.separator} {len(listed):,}", style))
        shown = listed[:MAX_CLAIMS]
        for place, told in groupby(shown, key=dream_text.claim_place):
            heading = Content.styled(visible(mask_secrets(place.replace(" > ", f" {glyphs.arrow} ")), keep=""), "$link")
            for number, claim in enumerate(told):
                if not number:
                    yield ClaimRow((kind, place), claim.name, clipped(heading, width, glyphs))
                for at, row in enumerate(_claim(claim, width)):
                    yield ClaimRow((claim, at), claim.name, row)
        if len(listed) > len(shown):
            words = f"{len(listed) - len(shown):,} more: memtui dream diff --claims lists all"
            yield ClaimRow(("more", kind), "", Content.styled(clip(words, width, ellipsis=glyphs.ellipsis), "$dim"))


def _claim(claim: Claim, width: int) -> Iterator[Content]:
    """A claim's lines; where there is room, the old wording stands beside the new one."""
    lines = list(dream_text.claim_text(claim))
    if claim.kind == "changed" and width >= SIDE_FROM:
        half = (width - NUMBER - 2) // 2
        old, new = (_signed(line.text, TONE_STYLES[line.tone], half - 1) for line in lines[:2])
        for at, (left, right) in enumerate(zip_longest(old, new, fillvalue=Content(""))):
            number = Content.styled(f"{lines[0].label if at == 0 else '':>{NUMBER - 1}} ", "$dim")
            yield number + left.pad_right(max(0, half - left.cell_length)) + right
        lines = lines[2:]
    for line in lines:
        for at, part in enumerate(_signed(line.text, TONE_STYLES[line.tone], width - NUMBER)):
            yield Content.styled(f"{line.label if at == 0 else '':>{NUMBER - 1}} ", "$dim") + part


def _signed(text: str, style: str, width: int) -> list[Content]:
    """A text wrapped; the rows after the first are set in, so that a sign is always a sign."""
    words = visible(text, keep="")
    if cells(words) <= width:
        return [Content.styled(words, style)]
    first, *rest = Content.styled(words[2:], style).wrap(max(6, width - 2))
    return [Content.styled(words[:2], style) + first, *(Content("  ") + part for part in rest)]


def clipped(content: Content, width: int, glyphs: Glyphs) -> Content:
    if content.cell_length <= width:
        return content
    return content.truncate(max(1, width - cells(glyphs.ellipsis))) + Content(glyphs.ellipsis)


class LogRows:
    """The log as rows, newest first; the layout for a width is reused while events are only added."""

    def __init__(self) -> None:
        self._width = 0
        self._laid: list[tuple[Event, list[Content]]] = []

    def lay(self, events: Sequence[Event], width: int, most: int) -> list[Content]:
        if width != self._width:
            self._width, self._laid = width, []
        pairs = zip(self._laid, events, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0][0] is pair[1] or pair[0][0] == pair[1], pairs))
        del self._laid[same:]
        first = max(same, len(events) - most)
        self._laid += [(event, []) for event in events[same:first]]
        self._laid += [(event, list(_event(event, width))) for event in events[first:]]
        return [row for _, rows in reversed(self._laid[-most:]) for row in rows]


def _event(event: Event, width: int) -> Iterator[Content]:
    line = dream_text.event_text(event)
    if line is None:
        return
    at = time.strftime("%H:%M:%S", time.localtime(event.at))
    words = visible(mask_secrets("  ".join(filter(None, (line.label, line.text)))), keep="")
    first, *more = Content.styled(words, TONE_STYLES[line.tone]).wrap(max(8, width - 10)) or [Content("")]
    yield Content.styled(f"{at}  ", "$dim") + first
    yield from (Content(" " * 10) + part for part in more)
