"""Runs and events for scripts and for people: what the commands of `dream` share."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from memtui.cli.context import CliContext
from memtui.cli.output import Cell, Data, Line, StyledText, fields, iso
from memtui.dream.review.adoption import Adoption
from memtui.dream.review.claim import Claim
from memtui.dream.review.decisions import decision_on, operations_since
from memtui.dream.review.review import ReviewPolicy
from memtui.dream.run.events import Event, File, GateClosed, Held, event_data
from memtui.dream.run.runs import Run, events_of, run_progress, run_state
from memtui.dream.run.stage import has_stage
from memtui.history.versions import Operation
from memtui.presentation import dream_text as words
from memtui.util.text import time_ago

_MARKS = {"added": "+", "changed": "~", "removed": "-", "renamed": ">"}


def run_data(context: CliContext, run: Run, operations: Sequence[Operation] | None = None) -> Data:
    """A run for scripts, with what its events come to; `operations` are those since, if they were read."""
    listed = events_of(run)
    kept = has_stage(context.dirs, run.id)
    if operations is None:
        operations = operations_since([run], context.workspace)
    now, state = run_progress(listed), run_state(run, listed)
    end = state.end
    return {
        **fields(run, "id mode trigger backend why dry_run"), **fields(now, "phase stage turns usd"),
        **(dict.fromkeys(("how", "reason", "lock")) if end is None else fields(end, "how reason lock")),
        "state": state.word, "pid": run.process.pid, "started": iso(run.at),
        "ended": None if end is None else iso(end.at),
        "seconds": round(words.run_seconds(run, now, state, context.now()), 3),
        "tools": dict(now.tools),
        "tokens": fields(now.tokens, "input output cache_read cache_write"),
        "files": [
            {**fields(file, "name kind added removed emptied"), "old": file.old or None} for file in now.files.values()
        ],
        "held": held_data(now.held), "kept": kept, "decision": decision_on(run, now, operations, kept=kept) or None,
        "version": (end and end.version) or None, "signal": (end and end.signal) or None,
        "adopted": list(end.adopted) if end else [], "drafted": end.drafted if end else 0,
        "decided": [
            {"what": one.what, "names": list(one.names), "partly": list(one.partly), "version": one.version or None}
            for one in now.decided
        ],
    }  # fmt: skip


def held_data(held: Iterable[Held]) -> list[Data]:
    return [{**fields(one, "rule words"), "names": list(one.names)} for one in held]


def how_part(data: Data) -> StyledText:
    status = words.run_status(data["how"] or data["state"], dry_run=data["dry_run"], decision=data["decision"] or "")
    return StyledText(status.text, status.tone)


def touched(data: Data) -> str:
    return words.touched_words(File(kind=file["kind"], emptied=file["emptied"]) for file in data["files"])


def run_lines(context: CliContext, data: Data) -> Iterator[Line]:
    ended = data["ended"] is not None
    lasted = f" {words.duration_text(data['seconds'], ended=ended)}" if ended or data["state"] == "running" else ""
    yield [StyledText(f"dream {data['id']}  ", "bold"), how_part(data), lasted]
    if data["reason"]:
        yield f"  {data['reason']}"
    mode = words.mode_text(data["mode"], data["backend"], data["why"], dry_run=data["dry_run"])
    yield StyledText(f"  {mode}, started by {words.starter(data['trigger'])}, pid {data['pid']}", "dim")
    if data["state"] == "running":
        stage = f" · {data['stage']}" if data["stage"] else ""
        yield f"  {data['phase']}{stage} · turn {data['turns']} · {touched(data) or 'no file yet'}"
    for file in data["files"]:
        yield file_line(context, file)
    if data["lock"]:
        yield StyledText(f"  last-dream time  {data['lock']}", "dim")
    if data["kept"] and data["state"] != "running":
        yield f"  drafts kept: memtui dream diff {data['id']}, adopt {data['id']}, discard {data['id']}"


def refusal_line(context: CliContext, event: GateClosed) -> Line:
    by = f"started by {words.starter(event.trigger)}"
    return StyledText(f"stopped {since(context, event.at)}, {by}: {event.name}: {event.reason}", "dim")


def file_line(call: CliContext, file: Data) -> list[Cell]:
    mark = file["kind"] if call.out.plain else _MARKS.get(file["kind"], "?")
    what = words.file_words(file["name"], file["old"], file["added"], file["removed"], emptied=file["emptied"])
    return [StyledText(f"  {mark} ", words.FILE_TONES.get(file["kind"], "")), what]


def event_lines(event: Event) -> Iterator[Line]:
    told = words.event_text(event)
    if told is not None:
        yield [StyledText(f"{told.label}  " if told.label else "", "bold"), StyledText(told.text, told.tone)]


def event_fields(event: Event) -> Data:
    return {**event_data(event), "at": iso(event.at)}


def adoption_data(adoption: Adoption) -> Data:
    files = [
        {**fields(item.touched, "name old kind added removed emptied"), **fields(item, "state words")}
        for item in adoption.items
    ]
    holds, left_out = held_data(adoption.review_reasons), dict(adoption.stage.left_out)
    return {"run": adoption.stage.id, "holds": holds, "left_out": left_out, "files": files}


def claim_data(claim: Claim) -> Data:
    texts = {key: value or None for key, value in fields(claim, "line old new to").items()}
    return {**fields(claim, "kind name"), **texts, "terms": list(claim.terms), "count": claim.count}


def claim_lines(claims: Sequence[Claim]) -> Iterator[Line]:
    for kind, group in groupby(claims, key=lambda claim: claim.kind):
        listed = list(group)
        yield ""
        yield StyledText(f"{kind} ({len(listed):,})", "bold")
        for place, told in groupby(listed, key=words.claim_place):
            yield StyledText(f"  {place}", "head")
            lines = (line for claim in told for line in words.claim_text(claim))
            yield from ([StyledText(f"  {line.label:>4}  ", "dim"), StyledText(line.text, line.tone)] for line in lines)


def since(context: CliContext, seconds: float) -> str:
    return time_ago(context.now() - seconds)


def policy_data(policy: ReviewPolicy) -> Data:
    return {**fields(policy, "setting layer judged first waits"), "words": words.policy_text(policy)}
