"""One run of the agent client as a child: fed, read line by line, and gone when the run is, whatever ends it."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from memtui.base.errors import Unsupported
from memtui.base.files import fault

PATIENCE = 2.0
"""Seconds that the client has to end by itself: less than a run has."""
LONGEST = 32 << 20
"""Bytes of a line that are read at once; a longer one comes in pieces, which are no JSON."""

_PR_SET_PDEATHSIG = 1


class Child:
    """The client under way."""

    def __init__(self, process: "subprocess.Popen[bytes]", errors: IO[bytes]) -> None:
        self._process = process
        self._errors = errors

    def lines(self) -> Iterator[bytes]:
        """What it prints, until it closes its output."""
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(LONGEST):
            yield line

    def complaint(self) -> str:
        """The last line of its error output, and how it ended."""
        code = self._process.wait()
        self._errors.seek(0)
        said = self._errors.read(1 << 16).decode("utf-8", "replace").strip().split("\n")[-1]
        return f"{said} (exit code {code})" if said else f"exit code {code}"


@contextmanager
def running(words: Sequence[str], cwd: Path, environ: Mapping[str, str], text: str) -> Iterator[Child]:
    """Start the client, hand it the text, and end it when the block is left.

    Raises:
        Unsupported: If it can't be started.
    """
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                words,
                cwd=cwd,
                env=dict(environ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                preexec_fn=_end_with_parent(),
            )
        except OSError as error:
            raise Unsupported(fault(error, words[0], outcome="the agent client didn't start").message) from error
        try:
            assert process.stdin is not None
            with suppress(BrokenPipeError), process.stdin:
                process.stdin.write(text.encode("utf-8", "replace"))
            yield Child(process, errors)
        finally:
            _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ask it to end, with everything that it started; then make it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
    if process.stdout is not None:
        process.stdout.close()


def _end_with_parent() -> Callable[[], None] | None:
    """What the child calls before it becomes the client: the system ends it with us, even if we are killed."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
