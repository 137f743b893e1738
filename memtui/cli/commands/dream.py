"""Dreams: would one start, is one under way, starting, watching and ending one.

Ending a dream from outside, and clearing a lock that nobody holds.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from memtui.cli.commands.dream_doctor import doctor
from memtui.cli.commands.dream_review import adopt, diff, discard, restore
from memtui.cli.commands.dream_schedule import schedule
from memtui.cli.context import CliContext
from memtui.cli.dashboard import gate_data, gate_lines
from memtui.cli.dream_data import (
    event_fields,
    event_lines,
    how_part,
    pick,
    refusal_line,
    run_data,
    run_lines,
    runs,
    since,
    touched,
    when,
)
from memtui.cli.options import CliCommand, CliGroup, pass_context
from memtui.cli.output import Data, Line, StyledText, iso
from memtui.cli.table import Column, table
from memtui.util.errors import MemtuiError, NotFound
from memtui.util.text import duration

if TYPE_CHECKING:
    from memtui.dream.run.events import Ended
    from memtui.dream.run.run import RunEnd
    from memtui.dream.run.runs import Run
    from memtui.dream.run.spawn import RunRequest


_TRIGGERS = ("hand", "hook", "schedule")
_STOPPED = 3
"""Refusals that `why` shows, one of each kind."""
_LOOK = 0.2
"""Seconds between two looks at a process that is waited for."""


@click.group("dream", cls=CliGroup, short_help="Consolidate memory, under your eyes.")
def dream() -> None:
    """Consolidate memory in the background: see why and how, stop it, judge it, undo it."""


for _command in (diff, adopt, discard, restore, schedule, doctor):
    dream.add_command(_command)


@dream.command("status")
@pass_context
def status(call: CliContext) -> None:
    """Whether somebody dreams, what waits for review, when the last one was, and whether they fail."""
    from memtui.dream.gates.base import lock_gate
    from memtui.dream.gates.evaluate import failure_gate
    from memtui.dream.lock.lock import effective_lock, our_lock_holder
    from memtui.dream.run.runs import run_awaiting_review, run_state
    from memtui.presentation.dream_text import ready_in

    listed = runs(call)
    lock = effective_lock(call.location.folder, call.dirs)
    going = next((run for run in listed if run_state(run).word == "running"), None)
    died = next((run for run in listed if run_state(run).word == "died"), None)
    held = run_awaiting_review(listed)
    free = lock_gate(lock, call.now())
    failing = failure_gate(listed, call.now(), call.dirs)
    ours = our_lock_holder(call.location.folder, call.dirs)
    data: Data = {
        "running": None if going is None else run_data(call, going),
        "foreign": None if free.open or ours is not None else free.reason,
        "waiting": None if held is None else held.id,
        "died": None if died is None else died.id,
        "backs_off_until": iso(failing.opens_at),
        "last": None if not free.open else iso(lock.at),
        "newest": run_data(call, listed[0]) if listed else None,
    }

    def text() -> Iterator[Line]:
        if going is not None:
            yield from run_lines(call, data["running"])
            yield StyledText("  memtui dream watch follows it, memtui kill ends it", "dim")
        elif data["foreign"]:
            yield [StyledText("somebody else dreams: ", "warn"), data["foreign"]]
            yield StyledText("  it is not ours to end: end it where it runs", "dim")
        else:
            last = "never" if lock.at is None else since(call, lock.at)
            yield f"nobody dreams; last dream {last}"
            if listed:
                yield from run_lines(call, data["newest"])
        if held is not None and held is not listed[0]:
            yield StyledText(f"the dream {held.id} waits for review: memtui dream diff {held.id}", "warn")
        if failing.opens_at is not None:
            yield [
                StyledText(f"{failing.reason}: ", "warn"),
                f"the next one waits, {ready_in(failing.opens_at, call.now())}",
            ]
        if died is not None:
            yield StyledText(f"the dream {died.id} died; the next dream, or memtui kill, puts its lock back", "warn")

    call.out.answer("dream", data, text())


@dream.command("why")
@pass_context
def why(call: CliContext) -> int:
    """Would a dream start now, and why not: every gate with its reason. Ends with 1 if one is closed."""
    from memtui.dream.gates.evaluate import evaluate_gates
    from memtui.dream.run.runs import refusals

    now = call.now()
    gates = evaluate_gates(call.workspace, call.dirs, now)
    newest = {(one.name, one.trigger): one for one in reversed(refusals(call.dirs, call.location.folder))}
    stopped = sorted(newest.values(), key=lambda one: -one.at)[:_STOPPED]
    opens = [gate.opens_at for gate in gates if not gate.open]
    known = [at for at in opens if at is not None]
    data: Data = {
        "would_start": not opens,
        "next": iso(max(known)) if known and len(known) == len(opens) else None,
        "gates": [gate_data(gate) for gate in gates],
        "stopped": [event_fields(one) for one in stopped],
    }

    def text() -> Iterator[Line]:
        lines = gate_lines(call.out, gates, now)
        next(lines)  # an empty line, which stands between the parts of a page
        yield from lines
        for one in stopped:
            yield refusal_line(call, one)

    call.out.answer("gates", data, text(), rows=data["gates"])
    return int(bool(opens))


def _wishes(command: "click.decorators.FC") -> "click.decorators.FC":
    for option in (
        click.option("--mode", default="reflect", show_default=True, help="reflect merges, prune removes."),
        click.option("--backend", default=None, metavar="B", help="Who works: offline, anthropic, client."),
        click.option("--force", is_flag=True, help="Skip time, sessions, failures and a held dream; never the lock."),
        click.option("--review", is_flag=True, help="Adopt nothing by itself."),
        click.option(
            "--trigger",
            type=click.Choice(_TRIGGERS),
            default="hand",
            help="Who starts it; hook and schedule are quiet.",
        ),
    ):
        command = option(command)
    return command


@dream.command("now", short_help="Dream now, in a process of its own.")
@_wishes
@click.option("--wait", is_flag=True, help="Wait for its end, and tell what it does.")
@pass_context
def now(call: CliContext, mode: str, backend: str | None, force: bool, review: bool, trigger: str, wait: bool) -> int:
    """Dream now, in a process of its own; with -n nothing of it is adopted. Ends with 1 if a gate is closed.

    Started by a hook or a schedule it says nothing, waits for nothing unless --wait is given, and always ends with 0;
    what stopped it is in `dream log -v`.
    """
    from memtui.dream.run.spawn import RunRequest, start_run

    wish = RunRequest(mode, backend or "", trigger, force, call.asked.dry_run, review)
    if trigger != "hand":
        return _quietly(call, wish, wait=wait)  # before what takes its time to import
    from memtui.dream.backends.registry import choose_backend
    from memtui.dream.run.events import Ended

    if call.asked.read_only:
        call.may_write()
    choose_backend(backend, mode, call.workspace, call.config)  # what can't work is said here, not in a file
    started = start_run(call.dirs, call.directory, wish, environ=call.env.environ, now=call.now())
    first = started.wait_until_started(time.sleep)
    if isinstance(first, Ended):
        refused = {"id": None, "state": "ended", "how": first.how, "reason": first.reason}
        call.out.answer("dream", refused, _refused(first.reason))
        return 1
    run = pick(call, started.id)
    if wait:
        return _watch(call, run, started.has_ended)
    lines: list[Line] = [f"dream {run.id} started (pid {run.process.pid}): memtui dream watch follows it"]
    call.out.answer("dream", run_data(call, run), lines)
    return 0


def _quietly(call: CliContext, wish: "RunRequest", *, wait: bool) -> int:
    """Start a dream for a hook or a schedule, which have no use for words and for no code but 0."""
    from memtui.dream.run.spawn import record_start_fault

    reason: str | None
    try:
        reason = _triggered(call, wish, wait=wait)
    except (MemtuiError, OSError) as error:
        reason = str(error)
        with suppress(MemtuiError, OSError):
            record_start_fault(call.workspace, call.dirs, wish.trigger, reason, call.now())
    call.out.answer("dream", {"trigger": wish.trigger, "started": reason is None, "reason": reason}, [])
    return 0


def _triggered(call: CliContext, wish: "RunRequest", *, wait: bool) -> str | None:
    """Start it; what stopped it, if anything did."""
    from memtui.dream.run.events import Ended
    from memtui.dream.run.spawn import start_if_ready, start_run

    if call.asked.read_only:
        return "memtui was started with --read-only"
    if not wait:
        shut = start_if_ready(call.workspace, call.dirs, wish, environ=call.env.environ, now=call.now())
        return None if shut is None else f"{shut.name}: {shut.reason}"
    started = start_run(call.dirs, call.directory, wish, environ=call.env.environ, now=call.now())
    first = started.wait_until_started(time.sleep)
    while not started.has_ended():
        time.sleep(_LOOK)
    return first.reason if isinstance(first, Ended) else None


def _refused(reason: str) -> Iterator[Line]:
    from memtui.dream.gates.evaluate import FORCEABLE_GATES

    yield [StyledText("no dream: ", "warn"), reason]
    forced = reason.partition(":")[0] in FORCEABLE_GATES
    yield StyledText("  --force dreams all the same" if forced else "  memtui dream doctor tells what to do", "dim")


@dream.command("run", hidden=True)
@_wishes
@click.option("--run", "run_id", default=None, help="The reserved id.")
@pass_context
def run(
    call: CliContext, mode: str, backend: str | None, force: bool, review: bool, trigger: str, run_id: str | None
) -> int:
    """The process of a dream itself; `dream now` starts it."""
    from memtui.dream.backends.registry import choose_backend
    from memtui.dream.run.run import run_dream
    from memtui.dream.run.spawn import record_start_fault

    try:
        chosen = choose_backend(backend, mode, call.workspace, call.config)
    except MemtuiError as error:
        if run_id is None and trigger != "hand":  # nobody hears what is said here
            record_start_fault(call.workspace, call.dirs, trigger, error.message, call.now())
        raise
    end = run_dream(
        call.workspace,
        call.dirs,
        chosen.work,
        mode=mode,
        trigger=trigger,
        backend=chosen.name,
        why=chosen.why,
        force=force,
        dry_run=call.asked.dry_run,
        adopt="review" if review else "auto",
        now=call.now,
        run_id=run_id,
    )
    return 128 + end.signal if end.signal else _code(end)


def _code(end: "RunEnd | Ended") -> int:
    return int(end.how not in ("done", "nothing"))


@dream.command("watch", short_help="Follow a dream until it ends.")
@click.argument("run", required=False, metavar="[RUN]")
@pass_context
def watch(call: CliContext, run: str | None) -> int:
    """Follow a dream until it ends, the newest if none is named; --jsonl gives an event a line.

    ^C ends the watching, not the dream. Ends with 0 if the dream was adopted or had nothing to do, else with 1.
    """
    return _watch(call, pick(call, run))


def _watch(call: CliContext, run: "Run", gone: Callable[[], bool] | None = None) -> int:
    from memtui.dream.run.events import Ended, follow_events
    from memtui.util.process import is_alive

    found: list[Data] = []
    end: Ended | None = None
    stream = call.asked.jsonl or not call.out.structured
    for event in follow_events(run.events, gone or (lambda: not is_alive(run.process)), pause=time.sleep):
        fields = event_fields(event)
        found.append(fields)
        if stream:
            call.out.answer("dream-event", fields, event_lines(event))
            sys.stdout.flush()
        if isinstance(event, Ended):
            end = event
    if not stream:
        call.out.answer("dream-events", {"run": run_data(call, run), "events": found}, [])
    if end is None:
        call.out.note(f"the dream {run.id} died without an end: memtui kill {run.id} puts its lock back")
        return 1
    return 0 if run.dry_run and end.how == "held" else _code(end)


@dream.command("log", short_help="List past dreams, newest first.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many at most.")
@pass_context
def log(call: CliContext, limit: int) -> int:
    """List past dreams, newest first: how each ended, what it touched, what it cost. Ends with 1 if there is none.

    With -v also those that a gate stopped.
    """
    from memtui.dream.run.runs import refusals

    listed = [run_data(call, run) for run in runs(call)[:limit]]
    at = {run.id: run.at for run in runs(call)[:limit]}
    stopped = refusals(call.dirs, call.location.folder)[:limit] if call.out.verbose else ()
    data: Data = {"runs": listed, "stopped": [event_fields(one) for one in stopped]}

    def text() -> Iterator[Line]:
        columns = [
            Column(""),
            Column("", right=True),
            Column(""),
            Column(""),
            Column("", rest=1),
            Column("", right=True),
        ]
        rows: list[list[str | StyledText]] = []
        for one in listed:
            cost = f"${one['usd']:.2f}" if one["usd"] else ""
            by = f"{one['mode']} by {one['backend']}" + ("" if one["trigger"] == "hand" else f", {one['trigger']}")
            kept = "; kept aside" if one["kept"] and one["state"] != "running" else ""
            words = "; ".join(filter(None, (touched(one), one["reason"]))) + kept
            rows.append(
                [one["id"], when(call, at[one["id"]]), how_part(one), by, words, f"{duration(one['seconds'])} {cost}"]
            )
        yield from table(call.out, columns, rows)
        for refused in stopped:
            yield refusal_line(call, refused)

    call.out.answer("dreams", data, text(), rows=listed)
    if not listed:
        call.out.note("no dream has run here yet: memtui dream why tells whether one would")
    return int(not listed)


@click.command("kill", cls=CliCommand, short_help="End a dream, and put back what it held.")
@click.argument("run", required=False, metavar="[RUN]")
@click.option("--clear-stale-lock", is_flag=True, help="Remove a lock that nobody holds any more.")
@pass_context
def kill(call: CliContext, run: str | None, clear_stale_lock: bool) -> None:
    """End a dream of ours: asked first, killed after 5 seconds; then its lock is put back. What it drafted is kept.

    Only a process that a dream of ours wrote down is signalled. --clear-stale-lock removes a lock whose process is
    gone, or that is no lock.
    """
    if clear_stale_lock or call.asked.read_only:
        call.may_write()
    if clear_stale_lock:
        _clear(call)
        return
    from memtui.dream.run.runs import run_state
    from memtui.dream.run.stop import stop_run as end_run

    if run is None:
        found = next((one for one in runs(call) if run_state(one).word != "ended"), None)
        if found is None:
            raise NotFound("no dream of ours is under way", hint="memtui dream status tells who holds the lock")
    else:
        found = pick(call, run)
    if call.asked.dry_run:
        call.out.answer("kill", run_data(call, found), [f"would end the dream {found.id} (pid {found.process.pid})"])
        return
    done = end_run(found, call.dirs, call.workspace)
    data = {"by": done.by or None, "ended_in": round(done.seconds, 3), "run": run_data(call, found)}

    def text() -> Iterator[Line]:
        how = f"{done.by}, {done.seconds:.1f} s" if done.by else "was gone already"
        yield f"process ended     {how}"
        yield f"last-dream time   {done.end.lock or 'as it was'}"
        if done.end.version:
            yield f"memory folder     adopted before it ended; memtui undo {done.end.version[:8]} takes it back"
        else:
            kept = f"{done.end.drafted} drafted change{'s' * (done.end.drafted != 1)} kept aside for 14 days"
            yield f"memory folder     untouched; {kept if done.end.drafted else 'nothing was drafted'}"

    call.out.answer("kill", data, text())


def _clear(call: CliContext) -> None:
    from memtui.dream.gates.base import lock_gate
    from memtui.dream.lock.lock import clear_stale_lock as clear
    from memtui.dream.lock.lock import effective_lock

    lock = effective_lock(call.location.folder, call.dirs)
    gate = lock_gate(lock, call.now())
    if lock.kind == "none":
        raise NotFound("there is no lock", hint="memtui dream status")
    then = "after that nothing says when the last dream was, and the time gate is open"
    if call.asked.dry_run or not call.out.ask(f"Remove the lock ({gate.reason})? {then}."):
        call.out.answer("lock", {"removed": False, "reason": gate.reason}, ["the lock stays"])
        return
    was = clear(call.location.folder, call.dirs, call.now())
    data = {"removed": True, "reason": gate.reason, "pid": was.pid, "time": iso(was.at)}
    call.out.answer("lock", data, [f"the lock is removed ({gate.reason})"])
