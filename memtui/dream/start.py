"""Starting a run as a process of its own, which outlives whoever started it.

Source: DESIGN.md D3.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from memtui.base.dirs import Dirs
from memtui.base.errors import MemtuiError, Unsupported
from memtui.base.files import fault
from memtui.dream.events import Ended, Started, follow
from memtui.dream.runs import reserve

PROGRAM = (sys.executable, "-P", "-m", "memtui")
"""-P: a file of the project must not be taken for a module of ours."""


class Wish(Struct, frozen=True):
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
    wish: Wish,
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
        raise fault(error, "the dream", outcome="it didn't start") from error
    return StartedRun(id, path, process)


def start_unwatched(cwd: Path, wish: Wish, *, environ: Mapping[str, str], program: Sequence[str] | None = None) -> None:
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
        raise fault(error, "the dream", outcome="it didn't start") from error
