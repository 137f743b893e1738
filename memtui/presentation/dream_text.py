"""How a run is told to people, in words that the command line and the screen share. Nothing is read here."""

import time
from collections.abc import Iterable

from memtui.dream.run import events
from memtui.dream.run.events import Event, File
from memtui.dream.run.runs import Run, RunProgress, RunState
from memtui.util.text import many

HOW_WORDS = {
    "done": "done", "nothing": "nothing to do", "held": "held for review", "failed": "failed", "killed": "killed",
    "over-budget": "over budget", "gate": "didn't run", "running": "running", "died": "died",
}  # fmt: skip
"""By how a run ended, or by its state."""


def starter(trigger: str) -> str:
    """Who started a run: "you", "hook" or "schedule"."""
    return "you" if trigger == "hand" else trigger


def started_words(event: events.Started) -> str:
    """The start of a run: "started by schedule: reflect by offline (as requested), 12 files copied"."""
    by = f" by {starter(event.trigger)}" if event.trigger not in ("", "hand") else ""
    left = f", {event.left_out} left out" if event.left_out else ""
    return f"started{by}: {event.mode} by {event.backend} ({event.why}), {many(event.files, 'file')} copied{left}"


def how_of(state: RunState) -> str:
    """How a run ended, or its state if it has no end: a key of `HOW_WORDS`."""
    return state.word if state.end is None else state.end.how


def seconds_of(run: Run, now: RunProgress, state: RunState, clock: float) -> float:
    """How long a run took, or takes; one that died counts until its last event.

    Args:
        clock: Seconds since 1970.
    """
    last = clock if state.word == "running" else now.last if state.end is None else state.end.at
    return max(last - run.at, 0.0)


def waiting_time(seconds: float) -> str:
    """A time to wait: "3h 12m", "5m"."""
    minutes = max(int(seconds // 60), 0)
    return f"{minutes // 60}h {minutes % 60}m" if minutes >= 60 else f"{minutes}m"


def opening(opens_at: float, now: float) -> str:
    """When a closed gate opens by itself, both in seconds since 1970: "opens in 3h 12m, Sun 12:26"."""
    return f"opens in {waiting_time(opens_at - now)}, {time.strftime('%a %H:%M', time.localtime(opens_at))}"


def touched_words(files: Iterable[File]) -> str:
    """What a run touched: "3 files, 1 deleted"; "" for nothing."""
    listed = list(files)
    if not listed:
        return ""
    gone, emptied = sum(file.kind == "removed" for file in listed), sum(file.emptied for file in listed)
    words = f"{len(listed)} file{'s' * (len(listed) != 1)}"
    return words + (f", {gone} deleted" if gone else "") + (f", {emptied} emptied" if emptied else "")


def file_words(file: File) -> str:
    """A touched file: "old.md > new.md  +3 -1 (emptied)"."""
    name = f"{file.old} > {file.name}" if file.old else file.name
    return f"{name}  +{file.added} -{file.removed}{' (emptied)' if file.emptied else ''}"


def event_words(event: Event) -> str:
    """An event in a line, "" for one that says nothing to a person; as raw as what it holds."""
    match event:
        case events.Started():
            return started_words(event)
        case events.Phase():
            return f"{event.name}{': ' + event.stage if event.stage else ''}"
        case events.Turn():
            tools = ", ".join(f"{tool} {count}" for tool, count in event.tools.items())
            return "  ".join(filter(None, (f"turn {event.number}", " ".join(event.text.split()), tools)))
        case events.File(kind="same"):
            return f"{event.name} is again as it was"
        case events.File():
            return f"{event.kind} {file_words(event)}"
        case events.Retry():
            return f"try {event.number} failed, again in {event.wait:g} s: {event.reason}"
        case events.Note():
            return event.words
        case events.Held():
            return f"held: {event.words}"
        case events.GateClosed():
            return f"gate closed: {event.name}: {event.reason}"
        case events.Decided():
            return f"{event.what}: {', '.join(event.names) or 'everything'}"
        case events.Ended():
            return f"ended: {HOW_WORDS.get(event.how, event.how)}  {event.reason}"
    return ""
