"""What a dream needs, what stands in its way, and what to do about it."""

import shutil
from collections.abc import Iterator
from contextlib import suppress

import click

from memtui.cli.asking import settle
from memtui.cli.context import CliContext
from memtui.cli.findings import DoctorResult, State, note, ok, print_results, problem, writable_place
from memtui.cli.options import CliCommand, pass_context
from memtui.client.executable import find_client
from memtui.dream.backends.credentials import find_key, login_of, variables
from memtui.dream.backends.names import OFFLINE
from memtui.dream.backends.registry import choose_backend
from memtui.dream.gates.base import Gate, dream_gate, folder_gate, lock_gate, memory_gate
from memtui.dream.gates.evaluate import failure_gate, failures_in_a_row
from memtui.dream.gates.sessions import assistant_mode
from memtui.dream.lock.journal import lock_entries
from memtui.dream.lock.lock import effective_lock, our_lock_holder
from memtui.dream.run.run import OverBudget
from memtui.dream.run.runs import run_awaiting_review, run_state
from memtui.dream.run.spending import DAY_S, money_left, money_spent
from memtui.dream.run.stage import has_stage
from memtui.dream.schedule.cron import Crontab, cron_of, describe_cron, next_start, read_schedule, schedule_id
from memtui.history.versions import Operation
from memtui.presentation.dream_text import engine_words
from memtui.services import dreams
from memtui.util.errors import MemtuiError
from memtui.util.process import is_alive
from memtui.util.text import pluralize, size, time_ago

ROOM = 50_000_000  # bytes of free disk below which a dream may not find the room for its copy and its history


@click.command("doctor", cls=CliCommand, short_help="What a dream needs, and whether it is there.")
@pass_context
def doctor(context: CliContext) -> int:
    """Look at all that a dream needs: switches, folder, lock, leftovers, backend, money, schedule, disk.

    Only what was stopped half-way is finished first. Ends with 1 if something keeps dreams from starting.
    """
    settle(context)
    parts = (_wanted, _folder, _lock, _leftovers, _backend, _money, _past, _schedule, _disk)
    return print_results(context, "dream-doctor", [one for part in parts for one in part(context)])


def _of_gate(gate: Gate, name: str, hint: str) -> DoctorResult:
    return ok(name, gate.reason) if gate.open else problem(name, gate.reason, hint)


def _wanted(context: CliContext) -> Iterator[DoctorResult]:
    for gate, name, key in (
        (memory_gate(context.location), "auto memory", "autoMemoryEnabled"),
        (dream_gate(context.location, assistant=False, trigger="hook"), "auto-dream", "autoDreamEnabled"),
    ):
        by_hand = "; memtui dream now starts one by hand all the same" if key == "autoDreamEnabled" else ""
        yield _of_gate(gate, name, f"{gate.source or 'the default'} decides that: memtui config get {key} -v{by_hand}")
    if assistant_mode(context.config):
        planned = next_start(context.dirs, context.location, context.now())
        words = "on: dreams are made from daily logs, and start by schedule alone"
        hint = "memtui dream now starts one at once"
        if planned is None:
            yield problem("assistant mode", words, f"memtui dream schedule --install; {hint}")
        else:
            yield ok("assistant mode", words, hint)


def _folder(context: CliContext) -> Iterator[DoctorResult]:
    gate = folder_gate(context.location.folder)
    yield _of_gate(gate, "memory folder", f"check who owns {context.location.folder}")


def _lock(context: CliContext) -> Iterator[DoctorResult]:
    lock = effective_lock(context.location.folder, context.dirs)
    gate = lock_gate(lock, context.now())
    ours = our_lock_holder(context.location.folder, context.dirs)
    if gate.open:
        stale = lock.kind in ("odd", "foreign")
        hint = "memtui kill --clear-stale-lock removes it" if stale else ""
        yield DoctorResult("lock", "note" if stale else "ok", gate.reason, hint)
    elif ours is not None:
        yield note("lock", f"held by our dream {ours.run}", "memtui dream watch follows it")
    elif gate.opens_at is not None:
        yield note("lock", gate.reason, "memtui dream why tells when it no longer counts")
    else:
        yield problem("lock", gate.reason, "memtui kill --clear-stale-lock")


def _leftovers(context: CliContext) -> Iterator[DoctorResult]:
    """What runs that died left: the next start of anything that writes ends it."""
    listed = dreams.runs(context.workspace)
    dead = [run.id for run in listed if run_state(run).word == "died"]
    locks = [entry for entry in lock_entries(context.dirs) if not entry.done and not is_alive(entry.holder)]
    for id in dead:
        yield note("dead dream", f"the dream {id} died", "memtui kill ends it; so does the next dream")
    for entry in locks:
        words = f"the lock of {entry.folder} is to be put back"
        yield note("dead lock", words, "memtui kill does it; so does the next dream")
    interrupted: tuple[Operation, ...] = ()
    with suppress(MemtuiError):  # memtui doctor tells what is wrong with the history
        interrupted = context.workspace.history.interrupted()
    for one in interrupted:
        yield note("half adoption", f"{one.folder}: {one.why}", "memtui doctor --fix ends it; so does the next write")
    if not dead and not locks:
        yield ok("leftovers", "no dream died")
    kept = [run.id for run in listed if has_stage(context.dirs, run.id) and run_state(run).word == "ended"]
    if kept:
        words = f"{pluralize(len(kept), 'dream')} with drafts: {', '.join(kept[:3])}{', …' if len(kept) > 3 else ''}"
        yield ok("drafts", words, "memtui dream diff RUN shows one, adopt and discard decide")


def _backend(context: CliContext) -> Iterator[DoctorResult]:
    try:
        chosen = choose_backend(None, "reflect", context.workspace, context.config)
    except MemtuiError as error:
        yield problem("backend", error.message, error.hint)
    else:
        is_model = chosen.name != OFFLINE
        hint = "" if is_model else "it only does what is certain; a key, or Claude Code, lets a model do more"
        yield ok("backend", f"{engine_words(chosen.name)}: {chosen.why}", hint)
    found = variables(context.env, context.location)
    key = find_key(found)
    yield ok("key", "none is set" if key is None else f"{key.name}, set in {key.source}")
    try:
        client = find_client(context.env)
    except MemtuiError as error:
        yield ok("Claude Code", error.message)
    else:
        login = login_of(found, context.env, context.location)
        yield ok("Claude Code", f"{client}, {login or 'no sign of a login'}")


def _money(context: CliContext) -> Iterator[DoctorResult]:
    try:
        left = money_left(context.config, context.dirs, context.now())
    except OverBudget as error:
        yield problem("money", error.message, "it is free again after 24 hours; memtui config set dream_day_money")
    except MemtuiError as error:
        yield problem("money", error.message, error.hint)
    else:
        used = money_spent(context.dirs, context.now() - DAY_S)
        words = "no limit" if left is None else f"the next dream may cost ${left:.2f}"
        yield ok("money", f"{words}; ${used:.2f} in the last 24 hours")


def _past(context: CliContext) -> Iterator[DoctorResult]:
    listed = dreams.runs(context.workspace)
    gate = failure_gate(listed, context.now(), context.dirs)
    hint = "memtui dream log tells of each; --force starts one all the same"
    state: State = "problem" if not gate.open else "note" if failures_in_a_row(listed) else "ok"
    yield DoctorResult("failures", state, gate.reason, hint if state != "ok" else "")
    held = run_awaiting_review(listed, context.dirs)
    if held is not None:
        since = time_ago(context.now() - held.at)
        words = f"the dream {held.id} waits since {since}; none starts by itself before it is reviewed"
        yield note("review", words, "memtui dream diff, adopt or discard")


def _schedule(context: CliContext) -> Iterator[DoctorResult]:
    kept = read_schedule(context.dirs, context.location)
    wanted = kept is not None and bool(kept.installed)
    try:
        line = Crontab(context.env.environ).line(schedule_id(context.location))
    except MemtuiError as error:
        yield DoctorResult("schedule", "problem" if wanted else "note", error.message, error.hint)
        return
    if line is not None:
        cron = cron_of(line)
        same = kept is not None and kept.cron == cron
        hint = "" if same else "memtui dream schedule --install takes the time over that you chose since"
        try:
            words = describe_cron(cron, context.now())
        except MemtuiError as error:
            yield problem("schedule", error.message, "memtui dream schedule --install writes it anew")
        else:
            yield DoctorResult("schedule", "ok" if same else "note", f"in your crontab: {words}", hint)
    elif wanted:
        hint = "memtui dream schedule --install puts it back, --remove deletes it"
        yield problem("schedule", "our line is gone from your crontab", hint)
    else:
        yield ok("schedule", "not in your crontab", "memtui dream schedule tells more")


def _disk(context: CliContext) -> Iterator[DoctorResult]:
    there, is_writable = writable_place(context.dirs.state)
    if not is_writable:
        yield problem("disk", f"{context.dirs.state} can't be written", f"check who owns {there}")
        return
    free = shutil.disk_usage(there).free
    words = f"{size(free)}B free for {context.dirs.state}"
    yield problem("disk", words, "a dream copies the memory folder first") if free < ROOM else ok("disk", words)
