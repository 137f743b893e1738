"""Runs and events for scripts and for people: what the commands of `dream` share."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memtui.cli.context import CliContext
from memtui.cli.output import Data, Line, StyledText, iso
from memtui.util.text import age, time_ago

if TYPE_CHECKING:
    from memtui.dream.review.adoption import Adoption
    from memtui.dream.run.events import Event, GateClosed
    from memtui.dream.run.runs import Run

_MARKS = {"added": "+", "changed": "~", "removed": "-", "renamed": ">"}


def runs(call: CliContext) -> "tuple[Run, ...]":
    """The runs of this project's memory, newest first."""
    from memtui.dream.run.runs import list_runs

    return list_runs(call.dirs, call.location.folder)


def pick(call: CliContext, word: str | None) -> "Run":
    """The run that a word means; the newest without one."""
    from memtui.dream.run.runs import find_run

    return find_run(runs(call), word)


def split_words(call: CliContext, words: tuple[str, ...]) -> "tuple[Run, list[str]]":
    """What `[RUN] [FILE]…` means: the first word is a run if one begins with it.

    Else the newest run of which something is kept aside is meant, or simply the newest.
    """
    from memtui.dream.run.runs import find_run
    from memtui.dream.run.stage import has_stage

    listed = runs(call)
    if words and any(run.id.startswith(words[0]) for run in listed):
        return find_run(listed, words[0]), list(words[1:])
    kept = [run for run in listed if has_stage(call.dirs, run.id)]
    return find_run(kept or listed, None), list(words)


def run_data(call: CliContext, run: "Run") -> Data:
    """A run for scripts, with what its events come to."""
    from memtui.dream.run.runs import events_of, run_progress, run_state
    from memtui.dream.run.stage import has_stage
    from memtui.presentation.dream_text import run_seconds

    events = events_of(run)
    now, state = run_progress(events), run_state(run, events)
    end = state.end
    return {
        "id": run.id,
        "state": state.word,
        "how": None if end is None else end.how,
        "reason": None if end is None else end.reason,
        "mode": run.mode,
        "trigger": run.trigger,
        "backend": run.backend,
        "why": run.why,
        "dry_run": run.dry_run,
        "pid": run.process.pid,
        "started": iso(run.at),
        "ended": None if end is None else iso(end.at),
        "seconds": round(run_seconds(run, now, state, call.now()), 3),
        "phase": now.phase,
        "stage": now.stage,
        "turns": now.turns,
        "tools": dict(now.tools),
        "tokens": {
            "input": now.tokens.input,
            "output": now.tokens.output,
            "cache_read": now.tokens.cache_read,
            "cache_write": now.tokens.cache_write,
        },
        "usd": now.usd,
        "files": [
            {"name": file.name, "kind": file.kind, "old": file.old or None, "added": file.added,
             "removed": file.removed, "emptied": file.emptied}
            for file in now.files.values()
        ],
        "held": [{"rule": hold.rule, "words": hold.words, "names": list(hold.names)} for hold in now.held],
        "version": (end.version or None) if end is not None else None,
        "adopted": list(end.adopted) if end is not None else [],
        "drafted": 0 if end is None else end.drafted,
        "kept": has_stage(call.dirs, run.id),
        "decided": [
            {"what": one.what, "names": list(one.names), "version": one.version or None} for one in now.decided
        ],
        "lock": None if end is None else end.lock,
        "signal": (end.signal or None) if end is not None else None,
    }  # fmt: skip


def how_part(data: Data) -> StyledText:
    """How a run stands, in a word and its colour."""
    from memtui.presentation.dream_text import run_status

    decisions = [one["what"] for one in data["decided"]]
    outcome = data["how"] or data["state"]
    status = run_status(outcome, dry_run=data["dry_run"], kept=data["kept"], decisions=decisions)
    return StyledText(status.text, status.tone)


def touched(data: Data) -> str:
    """What a run touched: "3 files, 1 deleted"."""
    from memtui.dream.run.events import File
    from memtui.presentation.dream_text import touched_words

    return touched_words(File(kind=file["kind"], emptied=file["emptied"]) for file in data["files"])


def run_lines(call: CliContext, data: Data) -> Iterator[Line]:
    """A run for people, all of it."""
    from memtui.presentation.dream_text import duration_text, mode_text, starter

    ended = data["ended"] is not None
    lasted = f" {duration_text(data['seconds'], ended=ended)}" if ended or data["state"] == "running" else ""
    yield [StyledText(f"dream {data['id']}  ", "bold"), how_part(data), lasted]
    if data["reason"]:
        yield f"  {data['reason']}"
    mode = mode_text(data["mode"], data["backend"], data["why"], dry_run=data["dry_run"])
    yield StyledText(f"  {mode}, started by {starter(data['trigger'])}, pid {data['pid']}", "dim")
    if data["state"] == "running":
        stage = f" · {data['stage']}" if data["stage"] else ""
        yield f"  {data['phase']}{stage} · turn {data['turns']} · {touched(data) or 'no file yet'}"
    for file in data["files"]:
        yield file_line(call, file)
    if data["lock"]:
        yield StyledText(f"  last-dream time  {data['lock']}", "dim")
    if data["kept"] and data["state"] != "running":
        yield f"  kept aside: memtui dream diff {data['id']}, adopt {data['id']}, discard {data['id']}"


def refusal_line(call: CliContext, event: "GateClosed") -> Line:
    """A dream that a gate stopped, for people."""
    from memtui.presentation.dream_text import starter

    return StyledText(
        f"stopped {since(call, event.at)}, started by {starter(event.trigger)}: {event.name}: {event.reason}", "dim"
    )


def file_line(call: CliContext, file: Data) -> list[str | StyledText]:
    """A touched file."""
    from memtui.presentation.dream_text import FILE_TONES, file_words

    word = file["kind"] if call.out.plain else _MARKS.get(file["kind"], "?")
    words = file_words(file["name"], file["old"], file["added"], file["removed"], emptied=file["emptied"])
    return [StyledText(f"  {word} ", FILE_TONES.get(file["kind"], "")), words]


def event_lines(event: "Event") -> Iterator[Line]:
    """An event for people: one line, or none."""
    from memtui.presentation.dream_text import event_text

    told = event_text(event)
    if told is not None:
        yield [StyledText(f"{told.label}  " if told.label else "", "bold"), StyledText(told.text, told.tone)]


def event_fields(event: "Event") -> dict[str, Any]:
    """An event for scripts, its time as everywhere."""
    from memtui.dream.run.events import event_data

    return {**event_data(event), "at": iso(event.at)}


def adoption_data(adoption: "Adoption") -> Data:
    """What adopting would mean, for scripts."""
    return {
        "run": adoption.stage.id,
        "holds": [
            {"rule": hold.rule, "words": hold.words, "names": list(hold.names)} for hold in adoption.review_reasons
        ],
        "left_out": dict(adoption.stage.left_out),
        "files": [
            {
                "name": item.touched.name,
                "old": item.touched.old,
                "kind": item.touched.kind,
                "added": item.touched.added,
                "removed": item.touched.removed,
                "emptied": item.touched.emptied,
                "state": item.state,
                "words": item.words,
            }
            for item in adoption.items
        ],
    }


def when(call: CliContext, seconds: float) -> str:
    """A moment of the past in a table."""
    return (iso(seconds) or "") if call.out.plain or call.out.verbose else age(call.now() - seconds)


def since(call: CliContext, seconds: float) -> str:
    """The same in a sentence."""
    return time_ago(call.now() - seconds)
