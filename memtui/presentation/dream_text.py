"""Dreams: whether one would start, how a run stands, what it touched, what it tells while it goes on."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memtui.dream.gates.base import Gate
from memtui.dream.review.claim import CLAIM_KINDS, Claim
from memtui.dream.run import events
from memtui.dream.run.events import Event, File
from memtui.dream.run.runs import Run, RunProgress, RunState
from memtui.presentation import LabeledText, Tone
from memtui.presentation.secrets import mask_secrets
from memtui.util.text import duration, pluralize

if TYPE_CHECKING:
    from memtui.dream.review.review import ReviewPolicy

_OUTCOMES: dict[str, tuple[str, Tone]] = {
    "done": ("done", "good"),
    "nothing": ("nothing to do", "good"),
    "held": ("held for review", "warn"),
    "failed": ("failed", "problem"),
    "killed": ("killed", "warn"),
    "over-budget": ("over budget", "warn"),
    "gate": ("didn't run", "dim"),
    "running": ("running", "link"),
    "died": ("died", "problem"),
}
"""By how a run ended, or by its state if it has no end."""
_DECISION_TONES: dict[str, Tone] = {"adopted": "good", "partly adopted": "good"}
"""By what became of a run's changes; dim for the others."""
FILE_TONES: dict[str, Tone] = {"added": "added", "removed": "removed"}
"""By what happened to a file; other kinds are neither good nor bad."""


ABOUT = (
    LabeledText(
        "",
        "A dream is a background clean-up of memory: it merges, corrects and removes. It works on a copy; your files "
        "change only when its result is adopted.",
    ),
    LabeledText("", ""),
    LabeledText("D", "start one now: by a model, or by rules alone"),
    LabeledText("5", "settings: who works, what waits for you"),
    LabeledText("memtui dream doctor", "what it needs"),
    LabeledText("memtui dream schedule", "start at night"),
)
"""What a dream is, where none has run yet."""


# Whether one would start.


def waiting_time(seconds: float) -> str:
    """A time to wait: "3h 12m", "5m"."""
    minutes = max(int(seconds // 60), 0)
    return f"{minutes // 60}h {minutes % 60}m" if minutes >= 60 else f"{minutes}m"


def ready_in(ready_at: float, now: float, *, short: bool = False) -> str:
    """When a gate opens by itself: "ready in 3h 12m, Sun 12:26"; `short` leaves the day out."""
    words = f"ready in {waiting_time(ready_at - now)}"
    return words if short else f"{words}, {time.strftime('%a %H:%M', time.localtime(ready_at))}"


def gate_text(gate: Gate, now: float, *, short: bool = False) -> LabeledText:
    """Whether a gate lets a dream start ("ready" or "waiting"), why, and when that changes by itself."""
    words = gate.reason if gate.opens_at is None else f"{gate.reason}; {ready_in(gate.opens_at, now, short=short)}"
    return LabeledText("ready", words, "good") if gate.open else LabeledText("waiting", words, "warn")


def gates_summary(gates: Sequence[Gate], now: float, *, short: bool = False) -> str:
    """Whether a dream would start now; `short` leaves out when it could."""
    waiting = [gate for gate in gates if not gate.open]
    if not gates:
        return ""
    if not waiting:
        return "yes, all checks are ready"
    words = f"no, {len(waiting)} of {len(gates)} checks waiting"
    known = [gate.opens_at for gate in waiting if gate.opens_at is not None]
    if short or len(known) < len(waiting):
        return words
    at = max(known)
    return f"{words}, next chance {time.strftime('%a %H:%M', time.localtime(at))} (in {waiting_time(at - now)})"


def policy_text(policy: "ReviewPolicy") -> str:
    """What becomes of the next dream's changes, and which setting says so."""
    where = "by default" if policy.layer == "default" else f"in {policy.layer}"
    setting, clean = f"(dream_review is {policy.setting} {where})", "clean changes are adopted, others wait for review"
    if policy.setting == "always":
        return f"every dream waits for review {setting}"
    if policy.setting == "auto":
        return f"{clean} {setting}"
    judged = min(policy.judged, policy.first)
    if policy.waits:
        return f"a project's first {policy.first} dreams wait for review, {judged} of {policy.first} judged {setting}"
    return f"{clean}: {judged} of the first {policy.first} dreams are judged {setting}"


# How a run stands.


def starter(trigger: str) -> str:
    """Who started a run: "you", "hook" or "schedule"."""
    return "you" if trigger == "hand" else trigger


def run_outcome(state: RunState) -> str:
    """How a run ended, or its state if it has no end."""
    return state.word if state.end is None else state.end.how


def outcome_text(outcome: str) -> LabeledText:
    words, tone = _OUTCOMES.get(outcome, (outcome, ""))
    return LabeledText("", words, tone)


def run_status(outcome: str, *, dry_run: bool, decision: str = "") -> LabeledText:
    """How a run stands: what became of its changes once that is decided, else its `run_outcome`."""
    if decision:
        return LabeledText("", decision, _DECISION_TONES.get(decision, "dim"))
    if outcome == "held" and dry_run:
        return LabeledText("", "dry run", "warn")
    return outcome_text(outcome)


def run_seconds(run: Run, progress: RunProgress, state: RunState, now: float) -> float:
    """How long a run took, or takes; one that died counts until its last event."""
    last = now if state.word == "running" else progress.last if state.end is None else state.end.at
    return max(last - run.at, 0.0)


BY_RULES = "tidy by rules, no model"  # what a run of the backend `offline` is called


def engine_words(backend: str) -> str:
    """What does the work: the backend's name, the rules by what they are."""
    return BY_RULES if backend == "offline" else backend


def mode_text(mode: str, backend: str, why: str, *, dry_run: bool) -> str:
    """What kind of run it is: "reflect, dry run, engine client (as requested)"."""
    engine = BY_RULES if backend == "offline" else f"engine {backend or 'none'}"
    return f"{mode}{', dry run' if dry_run else ''}, {engine}{f' ({why})' if why else ''}"


def run_details(run: Run, progress: RunProgress, *, ended: bool) -> list[LabeledText]:
    """When and how a run was made, how far it came, and what it cost."""
    when = time.strftime("%a %Y-%m-%d %H:%M", time.localtime(run.at))
    found = [
        LabeledText("started", f"{when} by {starter(run.trigger)}, pid {run.process.pid}"),
        LabeledText("mode", mode_text(run.mode, run.backend, run.why, dry_run=run.dry_run)),
    ]
    if ended and (progress.stage or progress.turns):
        turns = f", {pluralize(progress.turns, 'turn')}" if progress.turns else ""
        found.append(LabeledText("last stage", f"{progress.stage or progress.phase}{turns}"))
    if progress.tools:
        found.append(LabeledText("tools", tools_text(progress.tools)))
    if cost := cost_text(progress):
        found.append(LabeledText("cost", cost))
    return found


def cost_text(progress: RunProgress) -> str:
    """What a run cost: "$0.12, 61,000 tokens in (50,000 from the cache, 8,000 written to it), 900 out"."""
    tokens = progress.tokens
    counts = ((tokens.cache_read, "from the cache"), (tokens.cache_write, "written to it"))
    cached = ", ".join(f"{count:,} {words}" for count, words in counts if count)
    sent = tokens.input + tokens.cache_read + tokens.cache_write
    if not (sent or tokens.output):
        return f"${progress.usd:.2f}" if progress.usd else ""
    money = f"${progress.usd:.2f}" if progress.usd else "price unknown"
    return f"{money}, {sent:,} tokens in{f' ({cached})' if cached else ''}, {tokens.output:,} out"


# What it touched.


def tools_text(tools: Mapping[str, int]) -> str:
    return ", ".join(f"{tool} {count:,}" for tool, count in tools.items())


def touched_words(files: Iterable[File]) -> str:
    """What a run touched: "3 files, 1 deleted"; "" for nothing."""
    listed = list(files)
    if not listed:
        return ""
    deleted, emptied = sum(file.kind == "removed" for file in listed), sum(file.emptied for file in listed)
    words = pluralize(len(listed), "file")
    return words + (f", {deleted} deleted" if deleted else "") + (f", {emptied} emptied" if emptied else "")


def renamed(old: str | None, name: str) -> str:
    """A file's name, after its old one if it was renamed: "old.md > new.md"."""
    return f"{old} > {name}" if old else name


def file_words(name: str, old: str | None, added: int, removed: int, *, emptied: bool) -> str:
    """A touched file and its lines: "old.md > new.md  +3 -1 (emptied)"."""
    return f"{renamed(old, name)}  +{added} -{removed}{' (emptied)' if emptied else ''}"


# What it says and no longer says.


def claims_summary(claims: Iterable[Claim]) -> str:
    """How many claims of each kind there are: "3 lost, 2 changed"; "" for none."""
    counts = Counter(claim.kind for claim in claims)
    return ", ".join(f"{counts[kind]:,} {kind}" for kind in CLAIM_KINDS if counts[kind])


def claim_place(claim: Claim) -> str:
    """The file of a claim, and the one where it went: "a.md", "a.md > b.md"."""
    return f"{claim.name} > {claim.to}" if claim.to else claim.name


def claim_text(claim: Claim) -> Iterator[LabeledText]:
    """What becomes of a claim: before, after, what is lost; the first line is labelled with its number in the file."""
    number = str(claim.line) if claim.line else ""
    if claim.kind == "merged":
        yield LabeledText(number, f"merged: {pluralize(claim.count, 'claim')} of it went there")
    elif claim.kind == "moved":
        yield LabeledText(number, f"= {mask_secrets(claim.old)}" if claim.old else "renamed")
    elif claim.old:
        yield LabeledText(number, f"- {mask_secrets(claim.old)}", "removed")
        number = ""
    if claim.kind in ("changed", "new"):
        yield LabeledText(number, f"+ {mask_secrets(claim.new)}", "added")
    if claim.terms:
        yield LabeledText("", mask_secrets(f"nowhere afterwards: {', '.join(claim.terms)}"), "dim")
    elif claim.kind == "lost":
        yield LabeledText("", "its words stand elsewhere, but no line says this", "dim")


# What it tells.


def event_text(event: Event) -> LabeledText | None:
    """An event in a line; `None` for one that is not shown."""
    match event:
        case events.Started():
            by = f" by {starter(event.trigger)}" if event.trigger not in ("", "hand") else ""
            left = f", {event.left_out:,} left out" if event.left_out else ""
            mode = mode_text(event.mode, event.backend, event.why, dry_run=False)
            return LabeledText(f"started{by}", f"{mode}, {pluralize(event.files, 'file')} copied{left}")
        case events.Phase():
            return LabeledText("", f"{event.name}: {event.stage}" if event.stage else event.name, "head")
        case events.Turn():
            parts = (" ".join(event.text.split()), tools_text(event.tools))
            return LabeledText(f"turn {event.number}", "  ".join(filter(None, parts)))
        case events.File(kind="same"):
            return LabeledText("unchanged", f"{event.name} is again as it was", "dim")
        case events.File():
            counts = file_words(event.name, event.old, event.added, event.removed, emptied=event.emptied)
            return LabeledText(event.kind, counts, FILE_TONES.get(event.kind, "dim"))
        case events.Retry():
            wait = f"in {duration(event.wait)}" if event.wait >= 1 else "at once"
            return LabeledText("", f"try {event.number} failed, again {wait}: {event.reason}", "warn")
        case events.Note():
            return LabeledText("", event.words, "dim")
        case events.Held():
            return LabeledText("held for review", event.words, "warn")
        case events.GateClosed():
            return LabeledText("waiting", f"{event.name}: {event.reason}", "warn")
        case events.Decided():
            names = (*event.names, *(f"{name} in part" for name in event.partly))
            return LabeledText(event.what, ", ".join(names) or "everything")
        case events.Ended():
            outcome = outcome_text(event.how)
            says_more = event.reason not in ("", outcome.text)
            words = f"{outcome.text}: {event.reason}" if says_more else outcome.text
            return LabeledText("ended", words, outcome.tone)
    return None


def duration_text(seconds: float, *, ended: bool) -> str:
    """How long a run took or takes: "after 2m14s", "for 8s"."""
    return f"{'after' if ended else 'for'} {duration(seconds)}"
