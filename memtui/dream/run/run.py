"""One dream from its gates to its end: lock, stage, the backend's work, then adopted or held for review.

Every way out leaves the memory folder as it was or wholly adopted, the lock released or rolled back, and an `Ended`
event with a reason. While the backend works, a signal ends the run at once; after that signals wait for the end.
"""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from memtui.dream.gates.base import Gate
from memtui.dream.gates.evaluate import blocking_gate, evaluate_gates
from memtui.dream.gates.session_mark import mark_sessions_read
from memtui.dream.lock.lock import DreamLock
from memtui.dream.review.adoption import adopt_stage, plan_adoption
from memtui.dream.review.review import policy_reason
from memtui.dream.run.events import (
    Ended,
    Event,
    EventLog,
    File,
    GateClosed,
    Held,
    Note,
    Phase,
    RunOutcome,
    Started,
    Turn,
)
from memtui.dream.run.recovery import count_drafted, lock_words, recover
from memtui.dream.run.runs import Run, record_refusal, reserve_run, write_run
from memtui.dream.run.signals import OutOfTime, Signals, Stopped
from memtui.dream.run.stage import Stage, discard_stage, make_stage
from memtui.dream.run.stage_changes import StagedChange, read_stage_changes
from memtui.fs.atomic import to_error
from memtui.memory.index import INDEX_NAME
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, MemtuiError, Refused
from memtui.util.process import current_process
from memtui.util.text import pluralize

MAX_RUN_S = 45 * 60.0  # well below the hour after which the run's lock no longer counts
STAGE_POLL_INTERVAL_S = 0.25  # time between two looks at the stage of a run that reports something but takes no turns

Emit = Callable[[Event], None]
BackendWork = Callable[[Stage, Emit], Awaitable[object] | object]
"""A backend's work: it changes files below `stage.root` and emits what it does. What it raises ends the run."""

_SIGNAL_REASONS = {1: "the terminal was closed (SIGHUP)", 2: "interrupted (^C)", 15: "stopped (SIGTERM)"}


class OverBudget(MemtuiError):
    """A backend stops because a limit of turns, tokens or money is reached."""

    code = "over_budget"


class RunEnd(Struct, frozen=True):
    """How a run ended, as `Ended` has it; `run` is its id, "" if a gate stopped it before it had one."""

    run: str
    how: RunOutcome
    reason: str
    version: str | None = None
    adopted: tuple[str, ...] = ()
    held: tuple[Held, ...] = ()
    signal: int = 0


def run_dream(
    workspace: Workspace,
    dirs: Dirs,
    work: BackendWork,
    *,
    mode: str = "reflect",
    trigger: str = "hand",
    backend: str = "",
    why: str = "",
    force: bool = False,
    dry_run: bool = False,
    adopt: Literal["auto", "review"] = "auto",
    now: Callable[[], float] = time.time,
    wall: float = MAX_RUN_S,
    clock: Callable[[], float] = time.monotonic,
    reads_sessions: bool = True,
    supersede: bool = False,
    run_id: str | None = None,
    on_event: Emit | None = None,
) -> RunEnd:
    """Run a dream in this process, which should be one of its own. Raises `Refused` if memtui is read-only.

    Our own errors, the system's refusals, signals and ^C are ends; anything else is raised once the folder and the lock
    are right and the end is written.

    Args:
        force: Override the gates that a person may override; never the lock.
        dry_run: Keep the changes in the stage, adopt nothing, roll the lock back however it ends.
        adopt: "auto" adopts a run that has no reason to wait, "review" always waits.
        wall: Seconds that the work may take, by `clock`.
        reads_sessions: A run that doesn't leaves the lock's time, which says when sessions were last consolidated.
        supersede: Take the place of a run that waits for review; a dry run takes nothing's place and needn't wait.
        run_id: A reserved id, if the caller follows the run from the start.
    """
    workspace.check_writable(to="dream")
    signals = Signals()
    with signals.handling():
        recover(dirs, workspace, now())
        gates = evaluate_gates(workspace, dirs, now(), trigger=trigger, keep=not dry_run)
        closed = blocking_gate(gates, force=force, skipped=("review",) if supersede or dry_run else ())
        if closed is not None and run_id is None:
            if not dry_run:
                event = GateClosed(closed.name, closed.reason, str(workspace.location.folder), trigger)
                record_refusal(dirs, event, now)
            return RunEnd("", "gate", f"{closed.name}: {closed.reason}")
        id = run_id or reserve_run(dirs, now())
        run = Run(
            id, dirs.state / "runs" / id, workspace.location.folder, workspace.location.cwd, mode, trigger, backend,
            why, dry_run, adopt, current_process(), now(), gates, reads_sessions,
        )  # fmt: skip
        write_run(run)
        log, lock = EventLog(run.events, now=now), DreamLock(run.folder, dirs, run=id, now=now)
        return _DreamRun(workspace, dirs, run, signals, now, clock, on_event, log, lock).run(work, closed, wall)


class _DreamRun(Struct):
    workspace: Workspace
    dirs: Dirs
    info: Run
    signals: Signals
    now: Callable[[], float]
    clock: Callable[[], float]
    on_event: Emit | None
    log: EventLog
    lock: DreamLock
    changes: dict[str, StagedChange] = field(default_factory=dict)
    stage_name: str = ""
    phase: Phase | None = None

    def run(self, work: BackendWork, closed: Gate | None, wall: float) -> RunEnd:
        if closed is not None:
            return self._end_at_gate(closed.name, closed.reason)
        try:
            self.lock.take()
        except (Conflict, Refused) as error:
            return self._end_at_gate("lock", error.message)
        except OSError as error:
            return self._end_without_lock("failed", to_error(error, "the lock").message)
        end = self._ended("failed", "it ended in an unknown way")
        try:
            end = self._work_and_judge(work, wall)
        except BaseException as error:
            end = self._ended("failed", f"a fault of the program: {type(error).__name__}: {error}")
            raise
        finally:
            self._finish(end)
        return end

    def _end_at_gate(self, name: str, reason: str) -> RunEnd:
        """End a run that has a folder already, because somebody follows it."""
        event = GateClosed(name, reason, str(self.info.folder), self.info.trigger)
        if not self.info.dry_run:
            record_refusal(self.dirs, event, self.now)
        self._emit(event)
        return self._end_without_lock("gate", f"{name}: {reason}")

    def _end_without_lock(self, how: RunOutcome, reason: str) -> RunEnd:
        self._emit(Ended(how=how, reason=reason), sync=True)
        return self._ended(how, reason)

    def _work_and_judge(self, work: BackendWork, wall: float) -> RunEnd:
        """Let the backend work and judge the result; an expected error becomes an end."""
        try:
            with self.signals.at_once(wall):
                deadline = self.clock() + wall
                stage = self._make_stage()
                self._let_work(stage, work, wall, deadline)
            return self._judge(stage)
        except OutOfTime:
            return self._ended("over-budget", f"{wall / 60:g} minutes are up")
        except OverBudget as error:
            return self._ended("over-budget", error.message)
        except MemtuiError as error:
            return self._ended("failed", error.message)
        except OSError as error:
            return self._ended("failed", to_error(error, error.filename or "the dream").message)
        except (Stopped, KeyboardInterrupt) as stop:
            number = stop.number if isinstance(stop, Stopped) else 2
            reason = _SIGNAL_REASONS.get(number, f"stopped by signal {number}")
            return replace(self._ended("killed", reason), signal=number)

    def _make_stage(self) -> Stage:
        run = self.info
        stage = make_stage(self.dirs, run.id, run.folder, self.now(), self.workspace.own)
        counts = {"files": len(stage.files), "left_out": len(stage.left_out)}
        self._emit(Started(mode=run.mode, trigger=run.trigger, backend=run.backend, why=run.why, **counts))
        for name, reason in sorted(stage.left_out.items()):
            no_index = ": the index can't be changed" if name == INDEX_NAME else ""
            self._emit(Note(f"{name} is left out: {reason}{no_index}"))
        self._emit_phase("starting")
        return stage

    def _let_work(self, stage: Stage, work: BackendWork, wall: float, deadline: float) -> None:
        next_look = self.clock() + STAGE_POLL_INTERVAL_S

        def emit(event: Event) -> None:
            nonlocal next_look
            began = self.clock()
            if began > deadline:
                raise OutOfTime
            if isinstance(event, Phase):
                self.stage_name = event.stage or self.stage_name
                self._compare(stage, quick=True)
                self._emit_phase("updating" if self.changes else "starting")
            else:
                self._emit(event)
            if isinstance(event, Turn) or began >= next_look:
                self._compare(stage, quick=True)
                # A large stage is compared less often: looking takes a tenth of the time at most.
                next_look = self.clock() + STAGE_POLL_INTERVAL_S + 10 * (self.clock() - began)

        result = work(stage, emit)
        if inspect.isawaitable(result):
            asyncio.run(_within(result, wall))

    def _emit_phase(self, name: str) -> None:
        phase = Phase(name, self.stage_name)
        if phase != self.phase:
            self.phase = phase
            self._emit(phase)

    def _compare(self, stage: Stage, *, quick: bool) -> None:
        now = {one.name: one for one in read_stage_changes(stage, quick=quick).touched}
        if now and not self.changes:
            self._emit_phase("updating")
        for name in self.changes.keys() - now.keys():
            self._emit(File(name, "same"))
        for name, one in now.items():
            if self.changes.get(name) != one:
                self._emit(File(name, one.kind, one.added, one.removed, one.old or "", one.emptied))
        self.changes = now

    def _judge(self, stage: Stage) -> RunEnd:
        self._compare(stage, quick=False)
        adoption = plan_adoption(stage, self.workspace)
        if not adoption.items and not adoption.review_reasons:
            return self._ended("nothing", "nothing to do")
        held = list(adoption.review_reasons)
        if self.info.dry_run:
            held.insert(0, Held("dry-run", "a dry run adopts nothing"))
        elif (policy := policy_reason(self.info, self.dirs, self.workspace)) is not None:
            held.insert(0, policy)
        if not held:
            try:
                done = adopt_stage(stage, self.workspace, before_write=self._before_write)
            except Conflict as error:
                held = [Held("conflict", error.message)]
            else:
                reason = f"{pluralize(len(done.names), 'file')} adopted"
                return replace(self._ended("done", reason), version=done.version, adopted=done.names)
        for one in held:
            self._emit(one)
        return replace(self._ended("held", "; ".join(one.words for one in held)), held=tuple(held))

    def _before_write(self) -> None:
        """The last check before memory is written: the lock is still ours, and no signal came."""
        self.lock.check()
        if self.signals.came is not None:
            raise Stopped(self.signals.came)

    def _ended(self, how: RunOutcome, reason: str) -> RunEnd:
        return RunEnd(self.info.id, how, reason)

    def _finish(self, end: RunEnd) -> None:
        lock = self._unlock(end)
        drafted = 0 if end.how in ("done", "nothing") else count_drafted(self.dirs, self.info.id)
        if not drafted:
            discard_stage(self.dirs, self.info.id)
        event = Ended(end.how, end.reason, end.version or "", end.adopted, drafted, lock, end.signal)
        self._emit(event, sync=True)

    def _unlock(self, end: RunEnd) -> str:
        """Give the lock back; what became of it, for people."""
        run, is_success = self.info, end.how in ("done", "nothing")
        try:
            if is_success and run.reads_sessions and not run.dry_run:
                self.lock.release()
                mark_sessions_read(self.workspace, run.at, self.now())
                return "now: the last dream is this one"
            words = lock_words(self.lock.roll_back(), self.now())
            return f"{words}; it read no session" if is_success and not run.dry_run else words
        except (OSError, MemtuiError) as error:
            return f"not given back, the next start tries again: {error}"

    def _emit(self, event: Event, *, sync: bool = False) -> None:
        """Write an event. A full disk must not keep the lock from being given back."""
        with suppress(OSError):
            event = self.log.add(event, sync=sync)
        if self.on_event is not None:
            self.on_event(event)


async def _within(result: Awaitable[object], wall: float) -> None:
    try:
        async with asyncio.timeout(wall) as limit:
            await result
    except TimeoutError:
        if limit.expired():
            raise OutOfTime from None
        raise
