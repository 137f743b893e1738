"""Dreams: whether one would start, starting and stopping one, its lock, and what becomes of what it changed."""

import time
from collections.abc import Collection
from contextlib import suppress
from random import SystemRandom
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from memtui.dream.backends.credentials import find_key, variables
from memtui.dream.backends.registry import choose_backend
from memtui.dream.gates.base import lock_gate
from memtui.dream.gates.evaluate import FORCEABLE_GATES, blocking_gate, evaluate_gates
from memtui.dream.lock.lock import clear_stale_lock, effective_lock, our_lock_holder
from memtui.dream.lock.lock_file import LockState
from memtui.dream.proposals import Proposal
from memtui.dream.review.adoption import Adopted, Adoption, plan_adoption
from memtui.dream.review.claim import Claim
from memtui.dream.review.decisions import adopted_operations
from memtui.dream.review.review import SomeHunks, adopt_run, claims_of_run, discard_run, restore_run, stage_for_review
from memtui.dream.run.events import Ended
from memtui.dream.run.recovery import lock_words
from memtui.dream.run.runs import (
    Run,
    events_of,
    find_run,
    is_expired,
    list_runs,
    run_awaiting_review,
    run_progress,
    run_state,
)
from memtui.dream.run.spawn import RunRequest, StartedRun, record_start_fault, start_if_ready, start_run
from memtui.dream.run.stage import STAGE_RETENTION_S, has_stage
from memtui.dream.run.stop import KILL_GRACE_S, StopResult, stop_run
from memtui.dream.schedule import cron as crons
from memtui.dream.schedule.cron import Crontab, Schedule, read_schedule, save_schedule, schedule_id
from memtui.dream.schedule.units import Job, make_job
from memtui.history.store import Change
from memtui.history.versions import Saved
from memtui.memory.snapshot import Snapshot
from memtui.memory.sync_copies import original_of
from memtui.memory.workspace import Workspace
from memtui.services.access import require_writable
from memtui.services.memory import PreparedChange, merge_topics, split_index, text_on_disk, tidy_index
from memtui.services.proposals import digests_of
from memtui.services.questions import NOTHING_YET, Allow, NeedsConfirmation
from memtui.util.config import read_config
from memtui.util.diff import unified_diff
from memtui.util.errors import Conflict, MemtuiError, NotFound, UsageError
from memtui.util.text import nfc, pluralize

LOOK_S = 0.2  # seconds between two looks at a process that is waited for


def proposal_evidence(workspace: Workspace, snapshot: Snapshot, proposal: Proposal) -> str:
    """Why something is proposed: the line that is contradicted, or the difference of the two files."""
    folder, names = workspace.location.folder, proposal.names
    known = {nfc(file.name): file for file in snapshot.auto.files} if snapshot.auto is not None else {}
    if proposal.kind == "copy" and names[0] in known and (original := original_of(known[names[0]], known)) is not None:
        names = (original.name, names[0])
    texts = [text_on_disk(workspace, folder / name) for name in names]
    if proposal.line is not None and texts[0] is not None:
        lines = texts[0].decode("utf-8", "replace").split("\n")[proposal.line - 1 :]
        return f"{names[0]} line {proposal.line} says:\n  {lines[0].strip() if lines else ''}\n{proposal.words}"
    if len(names) == 2:
        return unified_diff(texts[0], texts[1], names[1], old_name=names[0], moved=False)
    return proposal.words


def proposal_changes(workspace: Workspace, snapshot: Snapshot, proposal: Proposal) -> tuple[PreparedChange, ...]:
    """What could be done for a proposal, as changes that ask before they are made; () where a text has to be edited."""
    scope = snapshot.auto
    if scope is None:
        return ()
    if proposal.kind == "index":
        changes = (split_index(snapshot), tidy_index(workspace, snapshot))
        return tuple(one for one in changes if one.plan.changes)
    files = [scope.find(name) for name in proposal.names]
    if proposal.kind == "merge" and len(files) == 2 and files[0] is not None and files[1] is not None:
        return (merge_topics(snapshot, files[1], files[0]),)
    return ()


def dismiss_proposals(workspace: Workspace, snapshot: Snapshot, chosen: Collection[Proposal]) -> None:
    """Don't propose these again, to a person or a model, while their files are as they are; undo brings them back."""
    require_writable(workspace)
    for one in chosen:
        workspace.dismissals.dismiss(workspace.location.folder, one.dismissal(digests_of(snapshot)))


def runs(workspace: Workspace) -> tuple[Run, ...]:
    """The runs of this project's memory, newest first."""
    return list_runs(workspace.dirs, workspace.location.folder)


def pick_run(workspace: Workspace, word: str | None) -> Run:
    """The run that a word means; the newest without one."""
    return find_run(runs(workspace), word)


def current_run(workspace: Workspace) -> Run | None:
    """The run of ours that is under way, or died without an end."""
    return next((run for run in runs(workspace) if run_state(run).word != "ended"), None)


def split_words(workspace: Workspace, words: Collection[str]) -> tuple[Run, list[str]]:
    """What `[RUN] [FILE]…` means: without a run in front, the newest with drafts, or simply the newest."""
    listed, rest = runs(workspace), list(words)
    if rest and any(run.id.startswith(rest[0]) for run in listed):
        return find_run(listed, rest[0]), rest[1:]
    kept = [run for run in listed if has_stage(workspace.dirs, run.id)]
    return find_run(kept or listed, None), rest


def last_adopted(workspace: Workspace) -> Run:
    """The newest run of which something is in the memory folder; `NotFound` if there is none."""
    for run in runs(workspace):
        if any(not version.undone for version in adopted_operations(run, workspace)):
            return run
    raise NotFound("no dream changed anything here", hint="memtui dream log lists them")


def match_files(words: Collection[str], known: Collection[str]) -> list[str] | None:
    """The files of a run that words mean, by name or stem, `None` for no words; `NotFound`, `UsageError` if several."""
    found = []
    for word in words:
        fits = [name for name in known if word in (name, name.removesuffix(".md"), name.rpartition("/")[2])]
        fits = fits or [name for name in known if name.removesuffix(".md").rpartition("/")[2] == word]
        fits = fits or [name for name in known if name.startswith(word)]
        if not fits:
            raise NotFound(f"the dream didn't change {word}", hint="memtui dream diff lists what it did")
        if len(set(fits)) > 1:
            raise UsageError(f"{word} fits {', '.join(sorted(set(fits)))}", hint="give more of the name")
        found.append(fits[0])
    return found or None


class StartCheck(Struct, frozen=True):
    """What stands between a person and a dream by hand."""

    blocked: str  # the check that no force skips, with its reason ("" if none)
    skipped: tuple[str, ...]  # the checks that a dream by hand skips
    replaces: str  # what becomes of a dream that waits for review ("" if none does)
    backend: str  # who would work, and why that one
    why: str


def check_start(workspace: Workspace) -> StartCheck:
    """Look whether a dream by hand could start now; `Unsupported` if no backend can work here."""
    require_writable(workspace)
    gates = evaluate_gates(workspace, workspace.dirs, workspace.now(), trigger="hand")
    shut = [gate for gate in gates if not gate.open]
    blocked = next((f"{gate.name}: {gate.reason}" for gate in shut if gate.name not in FORCEABLE_GATES), "")
    backend = choose_backend(None, "reflect", workspace, read_config(workspace.dirs.config))
    skipped = tuple(gate.name for gate in shut if gate.name in FORCEABLE_GATES)
    held = run_awaiting_review(runs(workspace), workspace.dirs)
    replaces = f"the dream {held.id} waits for review: {_replaced(held)}" if held is not None else ""
    return StartCheck(blocked, skipped, replaces, backend.name, backend.why)


def _replaced(held: Run) -> str:
    until = time.strftime("%Y-%m-%d", time.localtime(held.at + STAGE_RETENTION_S))
    return f"a new one takes its place; its drafts are kept until {until}"


def start(workspace: Workspace, request: RunRequest, allow: Allow = NOTHING_YET) -> StartedRun | NeedsConfirmation:
    """Start the process of a dream; asked about if another one waits for review. `Unsupported` or `MemtuiError`."""
    require_writable(workspace)
    choose_backend(request.backend or None, request.mode, workspace, read_config(workspace.dirs.config))
    held = run_awaiting_review(runs(workspace), workspace.dirs)
    if held is None or request.force or request.dry_run:
        return _start(workspace, request)
    gates = evaluate_gates(workspace, workspace.dirs, workspace.now(), trigger=request.trigger)
    if blocking_gate(gates, force=False, skipped=("review",)) is not None:
        return _start(workspace, request)  # which says what stops it
    if not allow.confirmed:
        lines = (f"{_replaced(held).capitalize()}: memtui dream adopt {held.id} still takes them.",)
        return NeedsConfirmation(f"The dream {held.id} waits for review. Start another one?", lines, yes="Start")
    return _start(workspace, replace(request, supersede=True))


def _start(workspace: Workspace, request: RunRequest) -> StartedRun:
    environ, now = workspace.env.environ, workspace.now()
    return start_run(workspace.dirs, workspace.location.cwd, request, environ=environ, now=now)


def wait_for_start(started: StartedRun) -> Ended | None:
    """Wait until a run has begun; its end if a check stopped it before. `MemtuiError` if it ended without a word."""
    first = started.wait_until_started(time.sleep)
    return first if isinstance(first, Ended) else None


def is_forceable(stopped: Ended) -> bool:
    return stopped.reason.partition(":")[0] in FORCEABLE_GATES


def trigger(workspace: Workspace, request: RunRequest, *, wait: bool = False) -> str | None:
    """Start a dream for a hook or a schedule; what stopped it is written down, and returned (`None` if started)."""
    try:
        return _triggered(workspace, request, wait)
    except (MemtuiError, OSError) as error:
        with suppress(MemtuiError, OSError):
            record_start_fault(workspace, workspace.dirs, request.trigger, str(error), workspace.now())
        return str(error)


def _triggered(workspace: Workspace, request: RunRequest, wait: bool) -> str | None:
    if workspace.read_only:
        return "memtui was started with --read-only"
    if not wait:
        shut = start_if_ready(workspace, workspace.dirs, request, environ=workspace.env.environ, now=workspace.now())
        return None if shut is None else f"{shut.name}: {shut.reason}"
    started = _start(workspace, request)
    stopped = wait_for_start(started)
    while not started.has_ended():
        time.sleep(LOOK_S)
    return stopped.reason if stopped is not None else None


def describe_stop(workspace: Workspace, run: Run) -> NeedsConfirmation:
    """What stopping a run means, for a caller that asks before it does; a key does, a typed command doesn't."""
    drafted = len(run_progress(events_of(run)).files)
    entry = our_lock_holder(run.folder, workspace.dirs)
    back = lock_words(entry.before, workspace.now()) if entry is not None and entry.run == run.id else ""
    alive = run_state(run).word == "running"
    ends = f": SIGTERM, then SIGKILL after {KILL_GRACE_S:g} s" if alive else " is gone already"
    verb = "is" if drafted == 1 else "are"
    kept = f"the {pluralize(drafted, 'file')} it drafted {verb} kept as drafts" if drafted else "nothing is drafted yet"
    lines = (
        f"process {run.process.pid}{ends}",
        f"the memory folder stays as it is; {kept}",
        f'"last dream": {back or "back to what it was"}',
    )
    return NeedsConfirmation("Stop this dream?", lines, yes="Stop it")


def stop(workspace: Workspace, run: Run) -> StopResult:
    """End a run: SIGTERM, after 5 seconds SIGKILL; its lock is put back, its drafts are kept. As `stop_run`."""
    require_writable(workspace)
    return stop_run(run, workspace.dirs, workspace)


def stop_if_running(workspace: Workspace, run: Run) -> None:
    """End a run; one that has ended by itself meanwhile needs no end."""
    with suppress(Conflict):
        stop(workspace, run)


class LockCleared(Struct, frozen=True):
    """A lock that was removed: what it was, and why it counted as stale."""

    was: LockState
    reason: str


def clear_lock(workspace: Workspace, allow: Allow = NOTHING_YET) -> LockCleared | NeedsConfirmation:
    """Remove a lock that nobody holds; asked about. `NotFound` if no dream runs, `Conflict` if somebody holds it."""
    require_writable(workspace)
    folder, now = workspace.location.folder, workspace.now()
    lock = effective_lock(folder, workspace.dirs)
    gate = lock_gate(lock, now)
    if lock.kind == "none":
        raise NotFound("no dream is running, and there is no lock", hint="memtui dream status")
    if lock.gone:
        raise NotFound("no dream is running", hint="the lock that is there says when the last one succeeded")
    if not gate.open and lock.pid is not None:
        raise Conflict(f"no dream of ours is running: {gate.reason}", hint="stop it where it runs")
    if not allow.confirmed:
        then = "After that nothing says when the last dream was, and the time check is ready."
        return NeedsConfirmation(f"Remove the lock ({gate.reason})?", (then,), yes="Remove")
    return LockCleared(clear_stale_lock(folder, workspace.dirs, now), gate.reason)


def adoption_plan(workspace: Workspace, run: Run) -> Adoption:
    """What adopting a run's drafts would mean; `Conflict` if it still runs, `NotFound` if nothing is kept."""
    return plan_adoption(stage_for_review(run, workspace.dirs), workspace)


def adopt(
    workspace: Workspace,
    run: Run,
    names: Collection[str] | None = None,
    *,
    over: bool = False,
    hunks: SomeHunks | None = None,
) -> Adopted:
    """Put what an ended run drafted into the memory folder, as one operation: all, the named files, or some hunks.

    With `over` the dream's side is taken in a conflict, and the other stays in the history. Raises as `adopt_run`.
    """
    require_writable(workspace)
    return adopt_run(run, workspace.dirs, workspace, names, over=over, hunks=hunks)


def claims(workspace: Workspace, run: Run) -> tuple[Claim, ...]:
    """What a run does, or did, to the memory claim by claim; `Conflict` if it still runs."""
    if run_state(run).word == "running":
        raise Conflict(f"the dream {run.id} still runs", hint="memtui dream watch follows it")
    return claims_of_run(run, workspace.dirs, workspace)


def discard(workspace: Workspace, run: Run, allow: Allow = NOTHING_YET) -> Literal[True] | NeedsConfirmation:
    """Discard what a run drafted; asked about unless it is gone already. `Conflict` if it runs, `NotFound`."""
    require_writable(workspace)
    if not (expired := is_expired(run, workspace.dirs)):
        stage_for_review(run, workspace.dirs)
    if not allow.confirmed and not expired:
        lines = ("The memory folder is not touched.", "What it drafted is gone then; nothing brings it back.")
        return NeedsConfirmation(f"Discard what the dream {run.id} drafted?", lines, yes="Discard")
    discard_run(run, workspace.dirs, workspace)
    return True


def restore(workspace: Workspace, run: Run, changes: Collection[Change], *, over: Collection[str] = ()) -> Saved:
    """Carry out a `restore_plan` as one operation; what later edits overlap is in `left`, unless it is in `over`."""
    require_writable(workspace)
    return restore_run(run, workspace, tuple(changes), over=over)


def schedule_of(workspace: Workspace, cron: str | None = None, *, keep: bool = True) -> Schedule:
    """When dreams of this project start: as given in `cron` (kept from now on), as kept, or drawn by lot once.

    Nothing is kept without `keep` or in read-only mode: `Refused` if a time was given. `UsageError` if that is none.
    """
    before = read_schedule(workspace.dirs, workspace.location)
    found = before or Schedule(crons.draw_cron(SystemRandom()), drawn=True)
    if cron is not None:
        crons.parse_cron(cron, workspace.now())
        found = replace(found, cron=" ".join(cron.split()), drawn=False)
    crons.parse_cron(found.cron, workspace.now())
    if found != before and keep:
        if cron is not None:
            require_writable(workspace)
        if not workspace.read_only:
            save_schedule(workspace.dirs, workspace.location, found)
    return found


def schedule_job(workspace: Workspace) -> Job:
    return make_job(workspace.location.cwd, workspace.env.environ, workspace.env.home)


def scheduled_line(workspace: Workspace) -> str | None:
    """The line of this project in the person's crontab; `MemtuiError` if that can't be read."""
    return Crontab(workspace.env.environ).line(schedule_id(workspace.location))


def crontab_line(workspace: Workspace, schedule: Schedule) -> str:
    return crons.cron_line(schedule_id(workspace.location), schedule.cron, schedule_job(workspace).command)


def key_warning(workspace: Workspace) -> str:
    """A warning where the only key is in the shell, since it is never written down; "" otherwise."""
    found = variables(workspace.env, workspace.location)
    key = find_key(found)
    if key is None or found[key.name].layer != "env":
        return ""
    return f"{key.name} of this shell is not written down: a scheduled dream takes the next backend that can work"


def install_schedule(
    workspace: Workspace, schedule: Schedule, allow: Allow = NOTHING_YET
) -> Schedule | NeedsConfirmation:
    """Put this project's line into the person's crontab; asked about. `MemtuiError` if it can't be read or written."""
    require_writable(workspace)
    crontab, id = Crontab(workspace.env.environ), schedule_id(workspace.location)
    crontab.line(id)  # one that can't be read is told before anything is asked
    if not allow.confirmed:
        lines = (crontab_line(workspace, schedule), key_warning(workspace))
        return NeedsConfirmation("Put this line into your crontab? Nothing else in it changes.", lines, yes="Install")
    crontab.put(id, schedule.cron, schedule_job(workspace).command)
    kept = replace(schedule, installed=schedule.cron)
    save_schedule(workspace.dirs, workspace.location, kept)
    return kept


def remove_schedule(workspace: Workspace, allow: Allow = NOTHING_YET) -> bool | NeedsConfirmation:
    """Take this project's line out of the crontab; asked about. Whether there was one. Raises as `install_schedule`."""
    line = scheduled_line(workspace)
    if line is not None:
        require_writable(workspace)
        if not allow.confirmed:
            return NeedsConfirmation(f"Take this line out of your crontab? {line}", yes="Remove")
        Crontab(workspace.env.environ).remove(schedule_id(workspace.location))
    kept = read_schedule(workspace.dirs, workspace.location)
    if kept is not None and kept.installed and not workspace.read_only:
        save_schedule(workspace.dirs, workspace.location, replace(kept, installed=""))
    return line is not None
