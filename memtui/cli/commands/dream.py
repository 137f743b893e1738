"""Dreams: would one start, is one running; starting, watching and ending one; clearing a lock that nobody holds."""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain

import click

from memtui.cli import dream_data
from memtui.cli.asking import answered, may_write, settle
from memtui.cli.commands.dream_doctor import doctor
from memtui.cli.commands.dream_proposals import proposals
from memtui.cli.commands.dream_review import adopt, diff, discard, restore
from memtui.cli.commands.dream_schedule import schedule
from memtui.cli.context import CliContext
from memtui.cli.dashboard import gate_data, gate_lines
from memtui.cli.options import CliCommand, CliGroup, pass_context
from memtui.cli.output import Cell, Data, Line, StyledText, iso
from memtui.cli.table import columns, table, when
from memtui.dream.backends.registry import choose_backend
from memtui.dream.gates.base import lock_gate
from memtui.dream.gates.evaluate import evaluate_gates, failure_gate
from memtui.dream.gates.last_dream import last_dream
from memtui.dream.lock.lock import effective_lock, our_lock_holder
from memtui.dream.review.decisions import operations_since
from memtui.dream.review.review import review_policy
from memtui.dream.run.events import Ended, follow_events
from memtui.dream.run.run import run_dream
from memtui.dream.run.runs import Run, refusals, run_awaiting_review, run_state
from memtui.dream.run.spawn import RunRequest, record_start_fault
from memtui.presentation.dream_text import policy_text, ready_in
from memtui.services import dreams
from memtui.util.errors import MemtuiError, NotFound
from memtui.util.process import is_alive
from memtui.util.text import duration, pluralize

_TRIGGERS = ("hand", "hook", "schedule")
HELD_EXIT_CODE = 7  # a dream went well, and its changes wait for review
_MAX_REFUSALS = 3  # refusals that `why` shows, one of each kind


@click.group("dream", cls=CliGroup, short_help="Clean up memory in the background.")
def dream() -> None:
    """A dream is a background clean-up of memory: see why one would start, start, stop, review and undo it."""


for _command in (diff, adopt, discard, restore, schedule, doctor, proposals):
    dream.add_command(_command)


@dream.command("status")
@pass_context
def status(context: CliContext) -> None:
    """Whether a dream is running, what waits for review, when the last one was, and whether they fail."""
    settle(context)
    listed = dreams.runs(context.workspace)
    lock, last = effective_lock(context.location.folder, context.dirs), last_dream(context.workspace, context.now())
    newest = {run_state(run).word: run for run in reversed(listed)}
    going, died = newest.get("running"), newest.get("died")
    held = run_awaiting_review(listed, context.dirs)
    free = lock_gate(lock, context.now())
    failing = failure_gate(listed, context.now(), context.dirs)
    ours = our_lock_holder(context.location.folder, context.dirs)
    policy = review_policy(context.location.folder, context.dirs, context.workspace)
    data: Data = {
        "running": going and dream_data.run_data(context, going),
        "foreign": None if free.open or ours is not None else free.reason,
        "waiting": held and held.id,
        "died": died and died.id,
        "backs_off_until": iso(failing.opens_at),
        "last": iso(last),
        "review": dream_data.policy_data(policy),
        "newest": dream_data.run_data(context, listed[0]) if listed else None,
    }

    def text() -> Iterator[Line]:
        if going is not None:
            yield from dream_data.run_lines(context, data["running"])
            yield StyledText("  memtui dream watch follows it, memtui kill ends it", "dim")
        elif data["foreign"]:
            yield [StyledText("another program's dream is running: ", "warn"), data["foreign"]]
            yield StyledText("  memtui can't stop it: stop it where it runs", "dim")
        else:
            yield f"no dream is running; last dream {'never' if last is None else dream_data.since(context, last)}"
            if listed:
                yield from dream_data.run_lines(context, data["newest"])
        if held is not None and held is not listed[0]:
            yield StyledText(f"the dream {held.id} waits for review: memtui dream diff {held.id}", "warn")
        if failing.opens_at is not None:
            waits = f"the next one waits, {ready_in(failing.opens_at, context.now())}"
            yield [StyledText(f"{failing.reason}: ", "warn"), waits]
        yield StyledText(f"the next one: {policy_text(policy)}", "dim")
        if died is not None:
            yield StyledText(f"the dream {died.id} died; the next dream, or memtui kill, restores its lock", "warn")

    context.out.result("dream", data, text())


@dream.command("why")
@pass_context
def why(context: CliContext) -> int:
    """Would a dream start by itself now, and why not: every check with its reason. Ends with 1 if one waits.

    Also what would become of its changes: the setting dream_review, and how many of the first dreams are judged.
    """
    settle(context)
    now = context.now()
    gates = evaluate_gates(context.workspace, context.dirs, now)
    newest = {(one.name, one.trigger): one for one in reversed(refusals(context.dirs, context.location.folder))}
    stopped = sorted(newest.values(), key=lambda one: -one.at)[:_MAX_REFUSALS]
    policy = review_policy(context.location.folder, context.dirs, context.workspace)
    opens = [gate.opens_at for gate in gates if not gate.open]
    known = [at for at in opens if at is not None]
    data: Data = {
        "would_start": not opens,
        "next": iso(max(known)) if known and len(known) == len(opens) else None,
        "gates": [gate_data(gate) for gate in gates],
        "review": dream_data.policy_data(policy),
        "stopped": [dream_data.event_fields(one) for one in stopped],
    }

    lines = gate_lines(context.out, gates, now)
    next(lines)  # an empty line, which stands between the parts of a page
    text = chain(
        lines, [f"when it is done: {policy_text(policy)}"], (dream_data.refusal_line(context, one) for one in stopped)
    )
    context.out.result("gates", data, text, rows=data["gates"])
    return int(bool(opens))


def _run_options(command: "click.decorators.FC") -> "click.decorators.FC":
    for option in (
        click.option("--mode", default="reflect", show_default=True, help="reflect merges, prune removes."),
        click.option(
            "--backend", default=None, metavar="B", help="anthropic, client, or offline: a tidy by rules, no model."
        ),
        click.option("--force", is_flag=True, help="Skip the checks of time, sessions, failures and review."),
        click.option("--review", is_flag=True, help="Keep all changes as drafts for review."),
        click.option("--trigger", type=click.Choice(_TRIGGERS), default="hand", help="hook, schedule: print nothing."),
    ):
        command = option(command)
    return command


@dream.command("now", short_help="Dream now, in a process of its own.")
@_run_options
@click.option("--wait", is_flag=True, help="Wait for its end, and print what it does.")
@pass_context
def now(
    context: CliContext, mode: str, backend: str | None, force: bool, review: bool, trigger: str, wait: bool
) -> int:
    """Dream now, in a process of its own; with -n nothing of it is adopted, and all marks stay as they are.

    Ends with 1 if a check isn't ready; with --wait also if it failed, and with 7 if it waits for review.

    Started by a hook or a schedule it says nothing, waits for nothing unless --wait is given, and always ends with 0;
    what stopped it is in `dream log -v`.
    """
    request = RunRequest(mode, backend or "", trigger, force, context.options.dry_run, review)
    if trigger != "hand":
        try:
            stopped = dreams.trigger(context.workspace, request, wait=wait)
        except (MemtuiError, OSError) as error:  # there is no such project: a hook has no use for an exit code
            stopped = str(error)
        context.out.result("dream", {"trigger": trigger, "started": stopped is None, "reason": stopped}, [])
        return 0
    started = answered(context, lambda allow: dreams.start(context.workspace, request, allow))
    if started is None:
        context.out.result("dream", {"id": None, "state": None}, ["no dream was started"])
        return 1
    refused = dreams.wait_for_start(started)
    if refused is not None:
        forceable = dreams.is_forceable(refused)
        hint = "--force starts one all the same" if forceable else "memtui dream doctor tells what to do"
        lines: list[Line] = [[StyledText("no dream: ", "warn"), refused.reason], StyledText(f"  {hint}", "dim")]
        data = {"id": None, "state": "ended", "how": refused.how, "reason": refused.reason}
        context.out.result("dream", data, lines)
        return 1
    run = dreams.pick_run(context.workspace, started.id)
    if wait:
        return _watch(context, run, started.has_ended)
    lines = [f"dream {run.id} started (pid {run.process.pid}): memtui dream watch follows it"]
    context.out.result("dream", dream_data.run_data(context, run), lines)
    return 0


@dream.command("run", hidden=True)
@_run_options
@click.option("--run", "run_id", default=None, help="The reserved id.")
@click.option("--supersede", is_flag=True, help="Take the place of a dream that waits for review.")
@pass_context
def run(
    context: CliContext, mode: str, backend: str | None, force: bool, review: bool, trigger: str, run_id: str | None,
    supersede: bool,
) -> int:  # fmt: skip
    """The process of a dream itself; `dream now` starts it."""
    try:
        chosen = choose_backend(backend, mode, context.workspace, context.config)
    except MemtuiError as error:
        if run_id is None and trigger != "hand":  # nobody hears what is said here
            record_start_fault(context.workspace, context.dirs, trigger, error.message, context.now())
        raise
    end = run_dream(
        context.workspace, context.dirs, chosen.work, mode=mode, trigger=trigger, backend=chosen.name, why=chosen.why,
        force=force, dry_run=context.options.dry_run, adopt="review" if review else "auto", now=context.now,
        reads_sessions=chosen.reads_sessions, supersede=supersede, run_id=run_id,
    )  # fmt: skip
    return 128 + end.signal if end.signal else _exit_code(end.how, dry_run=context.options.dry_run)


def _exit_code(how: str, *, dry_run: bool) -> int:
    if how == "held":
        return 0 if dry_run else HELD_EXIT_CODE
    return int(how not in ("done", "nothing"))


@dream.command("watch", short_help="Follow a dream until it ends.")
@click.argument("run", required=False, metavar="[RUN]")
@pass_context
def watch(context: CliContext, run: str | None) -> int:
    """Follow a dream until it ends, the newest if none is named; --jsonl gives an event a line.

    ^C ends the watching, not the dream. Ends with 0 if the dream was adopted or had nothing to do, with 7 if it waits
    for review, else with 1.
    """
    return _watch(context, dreams.pick_run(context.workspace, run))


def _watch(context: CliContext, run: Run, gone: Callable[[], bool] | None = None) -> int:
    found: list[Data] = []
    end: Ended | None = None
    stream = context.options.jsonl or not context.out.structured
    for event in follow_events(run.events, gone or (lambda: not is_alive(run.process)), pause=time.sleep):
        data = dream_data.event_fields(event)
        found.append(data)
        if stream:
            context.out.result("dream-event", data, dream_data.event_lines(event))
            sys.stdout.flush()
        if isinstance(event, Ended):
            end = event
    if not stream:
        context.out.result("dream-events", {"run": dream_data.run_data(context, run), "events": found}, [])
    if end is None:
        context.out.status(f"the dream {run.id} died: memtui kill {run.id} restores its lock")
        return 1
    return _exit_code(end.how, dry_run=run.dry_run)


@dream.command("log", short_help="List past dreams, newest first.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many at most.")
@pass_context
def log(context: CliContext, limit: int) -> int:
    """List past dreams, newest first: how each ended, what it touched, what it cost. Ends with 1 if there is none.

    With -v also those that a check stopped.
    """
    settle(context)
    runs = dreams.runs(context.workspace)[:limit]
    operations = operations_since(runs, context.workspace)
    listed, at = [dream_data.run_data(context, run, operations) for run in runs], {run.id: run.at for run in runs}
    stopped = refusals(context.dirs, context.location.folder)[:limit] if context.out.verbose else ()
    data: Data = {"runs": listed, "stopped": [dream_data.event_fields(one) for one in stopped]}

    def text() -> Iterator[Line]:
        rows: list[list[Cell]] = []
        for one in listed:
            cost = f"${one['usd']:.2f}" if one["usd"] else ""
            by = f"{one['mode']} by {one['backend']}" + ("" if one["trigger"] == "hand" else f", {one['trigger']}")
            kept = "; drafts kept" if one["kept"] and one["state"] != "running" else ""
            words = "; ".join(filter(None, (dream_data.touched(one), one["reason"]))) + kept
            lasted = f"{duration(one['seconds'])} {cost}"
            rows.append([one["id"], when(context, at[one["id"]]), dream_data.how_part(one), by, words, lasted])
        yield from table(context.out, columns("", ">", "", "", "*", ">"), rows)
        for refused in stopped:
            yield dream_data.refusal_line(context, refused)

    context.out.result("dreams", data, text(), rows=listed)
    if not listed:
        context.out.status("no dream has run here yet: memtui dream why tells whether one would")
    return int(not listed)


@click.command("kill", cls=CliCommand, short_help="Stop a dream, and restore its lock.")
@click.argument("run", required=False, metavar="[RUN]")
@click.option("--clear-stale-lock", is_flag=True, help="Remove a lock that nobody holds any more.")
@pass_context
def kill(context: CliContext, run: str | None, clear_stale_lock: bool) -> None:
    """Stop a dream that memtui started: SIGTERM, after 5 seconds SIGKILL. Its lock is restored, its drafts are kept.

    Only a process that memtui recorded is signalled. --clear-stale-lock removes a lock whose process is
    gone, or that is no lock.
    """
    if clear_stale_lock or context.options.read_only:
        may_write(context)
    if clear_stale_lock:
        _clear(context)
        return
    found = dreams.current_run(context.workspace) if run is None else dreams.pick_run(context.workspace, run)
    if found is None:
        raise NotFound("no dream of ours is running", hint="memtui dream status tells who holds the lock")
    if context.options.dry_run:
        words = f"would end the dream {found.id} (pid {found.process.pid})"
        context.out.result("kill", dream_data.run_data(context, found), [words])
        return
    done = dreams.stop(context.workspace, found)
    data = {"by": done.by or None, "ended_in": round(done.seconds, 3), "run": dream_data.run_data(context, found)}

    def text() -> Iterator[Line]:
        how = f"{done.by}, {done.seconds:.1f} s" if done.by else "was gone already"
        yield f"process ended     {how}"
        yield f"last-dream time   {done.end.lock or 'as it was'}"
        if done.end.version:
            yield f"memory folder     adopted before it ended; memtui undo {done.end.version[:8]} takes it back"
        else:
            kept = f"{pluralize(done.end.drafted, 'drafted change')} kept for 14 days"
            yield f"memory folder     untouched; {kept if done.end.drafted else 'nothing was drafted'}"

    context.out.result("kill", data, text())


def _clear(context: CliContext) -> None:
    lock = effective_lock(context.location.folder, context.dirs)
    reason = lock_gate(lock, context.now()).reason
    done = None
    if not context.options.dry_run:
        done = answered(context, lambda allow: dreams.clear_lock(context.workspace, allow))
    elif lock.kind == "none":
        raise NotFound("there is no lock", hint="memtui dream status")
    if done is None:
        context.out.result("lock", {"removed": False, "reason": reason}, ["the lock stays"])
        return
    data = {"removed": True, "reason": done.reason, "pid": done.was.pid, "time": iso(done.was.at)}
    context.out.result("lock", data, [f"the lock is removed ({done.reason})"])
