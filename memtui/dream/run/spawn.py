"""Start a run as a process of its own, which outlives whoever started it.

A hook or a schedule must not be held up: `start_if_ready` tests only the cheap gates and starts the process, which does
the rest. Whatever stops a dream is recorded among the refusals.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from memtui.dream.gates.base import Gate
from memtui.dream.gates.evaluate import blocking_gate_without_scan
from memtui.dream.run.events import Ended, GateClosed, Started, follow_events
from memtui.dream.run.runs import record_refusal, reserve_run
from memtui.fs.atomic import to_error
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Unsupported

PROGRAM = (sys.executable, "-P", "-m", "memtui")
"""-P: a file of the project must not be imported in place of our module."""


class RunRequest(Struct, frozen=True):
    """What kind of run to start, as for `run_dream`; with an empty backend the run chooses one."""

    mode: str = "reflect"
    backend: str = ""
    trigger: str = "hand"
    force: bool = False
    dry_run: bool = False
    review: bool = False
    supersede: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        flags = (
            ("--force", self.force), ("--dry-run", self.dry_run), ("--review", self.review),
            ("--supersede", self.supersede),
        )  # fmt: skip
        backend = ("--backend", self.backend) if self.backend else ()
        return ("--mode", self.mode, "--trigger", self.trigger, *backend, *(word for word, on in flags if on))


class StartedRun(Struct):
    id: str
    path: Path
    process: "subprocess.Popen[bytes]"

    def has_ended(self) -> bool:
        """Whether its process has ended. Call it now and then: it also reaps the process."""
        return self.process.poll() is not None

    def wait_until_started(self, pause: Callable[[float], object]) -> Started | Ended:
        """Wait for the first event; raises `Unsupported` with the first line of output if the run ended without one."""
        for event in follow_events(self.path / "events.jsonl", self.has_ended, pause=pause):
            if isinstance(event, Ended) and event.how == "gate":
                self.process.wait()
                shutil.rmtree(self.path, ignore_errors=True)
            if isinstance(event, Started | Ended):
                return event
        try:
            output = (self.path / "output").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            output = ""
        first = output.split("\n")[0].removeprefix("memtui: ")
        raise Unsupported(f"the dream didn't start: {first or 'it printed nothing'}")


def start_run(
    dirs: Dirs,
    cwd: Path,
    request: RunRequest,
    *,
    environ: Mapping[str, str],
    now: float,
    program: Sequence[str] | None = None,
) -> StartedRun:
    """Start a run for the project in `cwd`, its output kept in its folder; `MemtuiError` if it can't be started."""
    with _own_errors():
        id = reserve_run(dirs, now)
        path = dirs.state / "runs" / id
        with (path / "output").open("wb") as output:
            words = ("--run", id, *request.words)
            return StartedRun(id, path, _start(words, cwd, environ, output.fileno(), program))


def start_detached(
    cwd: Path, request: RunRequest, *, environ: Mapping[str, str], program: Sequence[str] | None = None
) -> None:
    """Start a run that nobody waits for: it has no folder until its gates are open, and its output is discarded."""
    with _own_errors():
        _start(request.words, cwd, environ, subprocess.DEVNULL, program)


@contextmanager
def _own_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise to_error(error, "the dream", outcome="it didn't start") from error


def _start(
    words: Sequence[str], cwd: Path, environ: Mapping[str, str], output: int, program: Sequence[str] | None
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*(program or PROGRAM), "dream", "run", *words],
        cwd=cwd,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )


def start_if_ready(
    workspace: Workspace, dirs: Dirs, request: RunRequest, *, environ: Mapping[str, str], now: float
) -> Gate | None:
    """Start a dream without waiting for it, or return the cheap gate that stops it. Raises as `start_run`."""
    closed = blocking_gate_without_scan(workspace, dirs, now, trigger=request.trigger, force=request.force)
    if closed is not None:
        event = GateClosed(closed.name, closed.reason, str(workspace.location.folder), request.trigger)
        record_refusal(dirs, event, lambda: now)
    else:
        start_detached(workspace.location.cwd, request, environ=environ)
    return closed


def record_start_fault(workspace: Workspace, dirs: Dirs, trigger: str, reason: str, now: float) -> None:
    record_refusal(dirs, GateClosed("start", reason, str(workspace.location.folder), trigger), lambda: now)
