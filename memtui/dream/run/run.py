"""One dream from its gates to its end: lock, stage, the work, what it changed, adopted or held.

Every way out leaves the memory folder as it was or wholly adopted, the lock given back or rolled back, and an end with
a reason in the run's file. While a run works, a signal ends it at once; from then on signals wait until all is done.

Source: DESIGN.md D1 to D3; SAFETY.md F20 to F22.
"""

import inspect
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from memtui.dream.gates.base import Gate
from memtui.dream.gates.evaluate import evaluate_gates, stopping
from memtui.dream.lock.lock import Lock
from memtui.dream.review import adoption
from memtui.dream.run import events
from memtui.dream.run.events import Ended, Event, EventLog, GateClosed, Held, How, Note, Phase, Started, Turn
from memtui.dream.run.recovery import lock_words, recover
from memtui.dream.run.runs import Run, note_refusal, reserve, write_run
from memtui.dream.run.signals import OutOfTime, Signals, Stopped
from memtui.dream.run.stage import Stage, discard_stage, has_stage, make_stage, open_stage
from memtui.dream.run.stage_changes import ChangedFile, read_stage_changes
from memtui.fs.atomic import to_error
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, MemtuiError, Refused
from memtui.util.process import current_process

WALL = 45 * 60.0
"""Seconds that a run may take: well below the hour after which its lock no longer counts."""

LOOK = 0.25
"""Seconds between two looks at the stage of a run that tells something but takes no turns."""

Emit = Callable[[Event], None]
Work = Callable[[Stage, Emit], Awaitable[object] | object]
"""A backend: it changes files below `stage.root` and tells what it does. What it raises ends the run."""


class OverBudget(MemtuiError):
    """A backend stops because a limit of turns, tokens or money is reached."""

    code = "over_budget"


class RunEnd(Struct, frozen=True):
    """How a run ended; as `Ended`, with the run's id, "" if a gate stopped it before it had one."""

    run: str
    how: How
    reason: str
    version: str | None = None
    adopted: tuple[str, ...] = ()
    held: tuple[Held, ...] = ()
    drafted: int = 0
    signal: int = 0


def run_dream(
    workspace: Workspace,
    dirs: Dirs,
    work: Work,
    *,
    mode: str = "reflect",
    trigger: str = "hand",
    backend: str = "",
    why: str = "",
    force: bool = False,
    dry_run: bool = False,
    adopt: Literal["auto", "review"] = "auto",
    now: Callable[[], float] = time.time,
    wall: float = WALL,
    clock: Callable[[], float] = time.monotonic,
    run_id: str | None = None,
    told: Emit | None = None,
) -> RunEnd:
    """Run a dream in this process, which should be one of its own.

    Args:
        workspace: Whose memory folder is consolidated.
        dirs: Ours.
        work: The backend.
        mode: "reflect" or "prune".
        trigger: "hand", "hook" or "schedule".
        backend: The backend's name, and `why` it was chosen.
        force: Skip time, sessions, failures and a held run; never the lock.
        dry_run: Keep what it changed aside, adopt nothing; the lock is rolled back.
        adopt: "auto" adopts a run that no rule holds, "review" always waits.
        now: The clock, in seconds since 1970.
        wall: Seconds that the work may take, by `clock`.
        run_id: A reserved id (`runs.reserve`), if the caller wants to follow from the start.
        told: Given every event as it is written.

    Returns:
        How it ended. An error of ours, the system's refusals, signals and ^C are ends; anything else is raised once the
        folder and the lock are right and the end is written down.

    Raises:
        Refused: If memtui is read only.
    """
    if workspace.read_only:
        raise Refused("memtui was started with --read-only", hint="start it without --read-only to dream")
    signals = Signals()
    with signals.heard():
        recover(dirs, workspace, now())
        found = evaluate_gates(workspace, dirs, now(), trigger=trigger, keep=True)
        shut = stopping(found, force=force)
        if shut is not None and run_id is None:
            note_refusal(dirs, _closed(shut.name, shut.reason, workspace, trigger), now)
            return RunEnd("", "gate", f"{shut.name}: {shut.reason}")
        id = run_id or reserve(dirs, now())
        run = Run(
            id, dirs.state / "runs" / id, workspace.location.folder, workspace.location.cwd, mode, trigger,
            backend, why,
            dry_run, adopt, current_process(), now(), found,
        )  # fmt: skip
        write_run(run)
        return _Dream(workspace, dirs, run, signals, now, clock, told).dream(work, shut, wall)


class _Dream:
    """One run under way."""

    def __init__(
        self,
        workspace: Workspace,
        dirs: Dirs,
        run: Run,
        signals: Signals,
        now: Callable[[], float],
        clock: Callable[[], float],
        told: Emit | None,
    ) -> None:
        self._workspace = workspace
        self._dirs = dirs
        self._run = run
        self._signals = signals
        self._clock = clock
        self._told = told
        self._log = EventLog(run.events, now=now)
        self._lock = Lock(run.folder, dirs, run=run.id, now=now)
        self._now = now
        self._deadline = 0.0
        self._next_look = 0.0
        self._seen: dict[str, ChangedFile] = {}
        self._stage = ""
        self._phase: Phase | None = None

    def dream(self, work: Work, shut: Gate | None, wall: float) -> RunEnd:
        """The run from the lock on."""
        if shut is not None:
            return self._closed(shut.name, shut.reason)
        try:
            self._lock.take()
        except (Conflict, Refused) as error:
            return self._closed("lock", error.message)
        except OSError as error:
            end = self._ended("failed", to_error(error, "the lock").message)
            self._tell(Ended(how=end.how, reason=end.reason), sync=True)
            return end
        end = RunEnd(self._run.id, "failed", "it ended in an unknown way")
        try:
            end = self._within(work, wall)
        except BaseException as error:
            end = self._broken(error)
            raise
        finally:
            self._end(end)
        return end

    def _closed(self, name: str, reason: str) -> RunEnd:
        """A run that has a folder already, since somebody waits for what becomes of it."""
        event = _closed(name, reason, self._workspace, self._run.trigger)
        note_refusal(self._dirs, event, self._now)
        self._tell(event)
        end = RunEnd(self._run.id, "gate", f"{name}: {reason}")
        self._tell(Ended(how="gate", reason=end.reason), sync=True)
        return end

    def _within(self, work: Work, wall: float) -> RunEnd:
        """Work and judge; what is foreseen becomes an end."""
        try:
            with self._signals.at_once(wall):
                stage = self._begin(wall)
                self._work(stage, work, wall)
            return self._judge(stage)
        except OutOfTime:
            return self._ended("over-budget", f"{wall / 60:g} minutes are up")
        except OverBudget as error:
            return self._ended("over-budget", error.message)
        except MemtuiError as error:
            return self._ended("failed", error.message)
        except OSError as error:
            return self._ended("failed", to_error(error, error.filename or "the dream").message)
        except Stopped as stop:
            return replace(self._ended("killed", _signal_words(stop.number)), signal=stop.number)
        except KeyboardInterrupt:
            return replace(self._ended("killed", _signal_words(2)), signal=2)

    def _broken(self, error: BaseException) -> RunEnd:
        """The end of a run that met something we did not foresee."""
        return self._ended("failed", f"a fault of the program: {type(error).__name__}: {error}")

    def _begin(self, wall: float) -> Stage:
        self._deadline = self._clock() + wall
        self._next_look = self._clock() + LOOK
        stage = make_stage(self._dirs, self._run.id, self._run.folder, self._now())
        run = self._run
        self._tell(
            Started(
                mode=run.mode, trigger=run.trigger, backend=run.backend, why=run.why, files=len(stage.files),
                left_out=len(stage.left_out),
            )
        )  # fmt: skip
        for name, reason in sorted(stage.left_out.items()):
            self._tell(Note(f"{name} is left out: {reason}"))
        self._tell_phase("starting")
        return stage

    def _work(self, stage: Stage, work: Work, wall: float) -> None:
        def emit(event: Event) -> None:
            if self._clock() > self._deadline:
                raise OutOfTime
            began = self._clock()
            if isinstance(event, Phase):
                self._stage = event.stage or self._stage
                self._look(stage, quick=True)
                self._tell_phase("updating" if self._seen else "starting")
            else:
                self._tell(event)
            if isinstance(event, Turn) or began >= self._next_look:
                self._look(stage, quick=True)
                self._next_look = self._clock() + LOOK + 10 * (self._clock() - began)

        result = work(stage, emit)
        if inspect.isawaitable(result):
            import asyncio

            asyncio.run(_awaited(result, wall))

    def _tell_phase(self, name: str) -> None:
        """Tell the phase, if it is another one than was told last."""
        phase = Phase(name, self._stage)
        if phase != self._phase:
            self._phase = phase
            self._tell(phase)

    def _look(self, stage: Stage, *, quick: bool) -> None:
        """Tell which files differ since the last look."""
        now = {one.name: one for one in read_stage_changes(stage, quick=quick).touched}
        if now and not self._seen:
            self._tell_phase("updating")
        for name in self._seen.keys() - now.keys():
            self._tell(events.File(name, "same"))
        for name, one in now.items():
            if self._seen.get(name) != one:
                self._tell(events.File(name, one.kind, one.added, one.removed, one.old or "", one.emptied))
        self._seen = now

    def _judge(self, stage: Stage) -> RunEnd:
        """Adopt, or hold for review."""
        self._look(stage, quick=False)
        found = adoption.plan(stage, self._workspace)
        if not found.items and not found.review_reasons:
            return self._ended("nothing", "nothing to do")
        held = tuple(Held(rule=hold.rule, words=hold.words, names=hold.names) for hold in found.review_reasons)
        if self._run.dry_run:
            held = (Held(rule="dry-run", words="a dry run adopts nothing"), *held)
        elif self._run.adopt != "auto":
            held = (Held(rule="review", words="every dream waits for review by your settings"), *held)
        if held:
            return self._waits(held)
        try:
            done = adoption.adopt(stage, self._workspace, before_write=self._before_write)
        except Conflict as error:
            return self._waits((Held(rule="conflict", words=error.message),))
        reason = f"{len(done.names)} file{'s' * (len(done.names) != 1)} adopted"
        return replace(self._ended("done", reason), version=done.version, adopted=done.names)

    def _before_write(self) -> None:
        """The last look: the lock still ours, and nobody asked for the end meanwhile."""
        self._lock.check()
        if self._signals.came is not None:
            raise Stopped(self._signals.came)

    def _waits(self, held: tuple[Held, ...]) -> RunEnd:
        for one in held:
            self._tell(one)
        return replace(self._ended("held", "; ".join(one.words for one in held)), held=held)

    def _ended(self, how: How, reason: str) -> RunEnd:
        return RunEnd(self._run.id, how, reason)

    def _end(self, end: RunEnd) -> None:
        """Give the lock back, keep or throw away the stage, write down the end."""
        words = self._unlock(end)
        drafted = 0 if end.how in ("done", "nothing") else self._drafted()
        if not drafted:
            discard_stage(self._dirs, self._run.id)
        self._tell(
            Ended(
                how=end.how, reason=end.reason, version=end.version or "", adopted=end.adopted, drafted=drafted,
                lock=words, signal=end.signal,
            ),
            sync=True,
        )  # fmt: skip

    def _unlock(self, end: RunEnd) -> str:
        """Give the lock back; what became of it, for people."""
        try:
            if end.how in ("done", "nothing"):
                self._lock.release()
                return "now: the last dream is this one"
            return lock_words(self._lock.roll_back(), self._now())
        except (OSError, MemtuiError) as error:
            return f"not given back, the next start tries again: {error}"

    def _drafted(self) -> int:
        """How many changes are kept aside."""
        if not has_stage(self._dirs, self._run.id):
            return 0
        ledger = read_stage_changes(open_stage(self._dirs, self._run.id))
        return len(ledger.touched) + len(ledger.odd)

    def _tell(self, event: Event, *, sync: bool = False) -> None:
        """Write an event down. A full disk must not keep the lock from being given back."""
        with suppress(OSError):
            event = self._log.add(event, sync=sync)
        if self._told is not None:
            self._told(event)


def _closed(name: str, reason: str, workspace: Workspace, trigger: str) -> GateClosed:
    return GateClosed(name=name, reason=reason, folder=str(workspace.location.folder), trigger=trigger)


async def _awaited(result: Awaitable[object], wall: float) -> None:
    import asyncio

    try:
        async with asyncio.timeout(wall) as limit:
            await result
    except TimeoutError:
        if limit.expired():
            raise OutOfTime from None
        raise


def _signal_words(number: int) -> str:
    return {1: "the terminal was closed (SIGHUP)", 2: "interrupted (^C)", 15: "stopped (SIGTERM)"}.get(
        number, f"stopped by signal {number}"
    )
