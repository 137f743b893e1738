"""Starting a run as a process of its own, which outlives whoever started it.

Source: DESIGN.md D3.

Starting a dream from something that nobody looks at: the end of a turn, or a schedule.

It takes no longer than a look at the cheap gates and the start of a process; what costs more, a scan of the sessions
above all, that process does. What stopped a dream is written down among the refusals, as everywhere.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from memtui.dream.gates.base import Gate
from memtui.dream.gates.evaluate import quick_refusal
from memtui.dream.run.events import Ended, GateClosed, Started, follow
from memtui.dream.run.runs import note_refusal, reserve
from memtui.fs.atomic import to_error
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError, Unsupported

PROGRAM = (sys.executable, "-P", "-m", "memtui")
"""-P: a file of the project must not be taken for a module of ours."""


class RunRequest(Struct, frozen=True):
    """What kind of run: as the arguments of `run.run_dream`; an empty backend lets the run choose."""

    mode: str = "reflect"
    backend: str = ""
    trigger: str = "hand"
    force: bool = False
    dry_run: bool = False
    review: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The same as options of `memtui dream run`."""
        flags = (("--force", self.force), ("--dry-run", self.dry_run), ("--review", self.review))
        backend = ("--backend", self.backend) if self.backend else ()
        return ("--mode", self.mode, "--trigger", self.trigger, *backend, *(word for word, on in flags if on))


class StartedRun:
    """A run that was just started.

    Args:
        id: Its id.
        path: Its folder.
        process: Its process.
    """

    def __init__(self, id: str, path: Path, process: "subprocess.Popen[bytes]") -> None:
        self.id = id
        self.path = path
        self._process = process

    def gone(self) -> bool:
        """Whether its process has ended; to be asked now and then, so that it doesn't stay a zombie."""
        return self._process.poll() is not None

    def first(self, pause: Callable[[float], object]) -> Started | Ended:
        """Wait until it has begun or ended: the event that says so.

        One that a gate stopped leaves no folder; it is among the refusals.

        Raises:
            MemtuiError: If it ended without a word; the message has its last line.
        """
        for event in follow(self.path / "events.jsonl", self.gone, pause=pause):
            if isinstance(event, Ended) and event.how == "gate":
                self._process.wait()
                shutil.rmtree(self.path, ignore_errors=True)
            if isinstance(event, Started | Ended):
                return event
        raise self._silent()

    def _silent(self) -> MemtuiError:
        try:
            said = (self.path / "output").read_text(encoding="utf-8", errors="replace").strip().split("\n")
        except OSError:
            said = []
        lines = [line.removeprefix("memtui: ") for line in said if line]
        return Unsupported(f"the dream didn't start: {lines[0] if lines else 'it said nothing'}")


def start_run(
    dirs: Dirs,
    cwd: Path,
    wish: RunRequest,
    *,
    environ: Mapping[str, str],
    now: float,
    program: Sequence[str] | None = None,
) -> StartedRun:
    """Start a run of the project in a directory; what it prints is kept in its folder.

    Args:
        cwd: The directory whose memory is meant.
        environ: The process's environment; it says where the client's and our own folders are.
        now: Seconds since 1970.
        program: The program's first words; this one if left out.

    Raises:
        MemtuiError: If it can't be started.
    """
    try:
        id = reserve(dirs, now)
        path = dirs.state / "runs" / id
        with (path / "output").open("wb") as output:
            process = subprocess.Popen(
                [*(program or PROGRAM), "dream", "run", "--run", id, *wish.words],
                cwd=cwd,
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        raise to_error(error, "the dream", outcome="it didn't start") from error
    return StartedRun(id, path, process)


def start_unwatched(
    cwd: Path, wish: RunRequest, *, environ: Mapping[str, str], program: Sequence[str] | None = None
) -> None:
    """Start a run for which nobody waits: it has no folder before its gates are open, and says nothing.

    Args:
        cwd: The directory whose memory is meant.
        environ: The process's environment.
        program: As in `start_run`.

    Raises:
        MemtuiError: If it can't be started.
    """
    try:
        subprocess.Popen(
            [*(program or PROGRAM), "dream", "run", *wish.words],
            cwd=cwd,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise to_error(error, "the dream", outcome="it didn't start") from error


def trigger_dream(
    workspace: Workspace,
    dirs: Dirs,
    wish: RunRequest,
    *,
    environ: Mapping[str, str],
    now: float,
    program: Sequence[str] | None = None,
) -> Gate | None:
    """Start a dream if nothing speaks against it, and don't wait for it.

    Args:
        wish: What kind of run; its trigger says who starts it.
        environ: The process's environment.
        now: Seconds since 1970.
        program: As in `start_run`.

    Returns:
        The gate that stopped it, or `None`: a process was started, which may still find a gate closed.

    Raises:
        MemtuiError: If it can't be started.
    """
    shut = quick_refusal(workspace, dirs, now, trigger=wish.trigger, force=wish.force)
    if shut is not None:
        _refuse(workspace, dirs, wish.trigger, shut.name, shut.reason, now)
    else:
        start_unwatched(workspace.location.cwd, wish, environ=environ, program=program)
    return shut


def note_fault(workspace: Workspace, dirs: Dirs, trigger: str, reason: str, now: float) -> None:
    """Write down why a dream that nobody waits for couldn't even begin."""
    _refuse(workspace, dirs, trigger, "start", reason, now)


def _refuse(workspace: Workspace, dirs: Dirs, trigger: str, name: str, reason: str, now: float) -> None:
    """Write down what stopped a dream."""
    event = GateClosed(name=name, reason=reason, folder=str(workspace.location.folder), trigger=trigger)
    note_refusal(dirs, event, lambda: now)
