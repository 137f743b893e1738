"""Run another program in the foreground, with this process's terminal: an editor, Claude Code."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType


def run_in_foreground(
    command: Sequence[str], *, cwd: Path | None = None, environ: Mapping[str, str] | None = None
) -> int:
    """Run a program, wait for its end and return its exit code: 128 and the signal's number if one ended it, as in
    shells.

    ^C on the terminal reaches both processes; here it is ignored meanwhile. The program starts with its signals at
    their defaults: a Python handler doesn't outlive exec, so nothing has to run between fork and exec. Raises `OSError`
    if it can't be started.
    """
    sys.stdout.flush()
    with _handling(signal.SIGINT, lambda *_: None):
        # Raised inside Popen, a SIGTERM could get lost between the start of the process and our knowing of it.
        with _deferring(signal.SIGTERM):
            process = subprocess.Popen(list(command), cwd=cwd, env=dict(os.environ if environ is None else environ))
        code = process.wait()
    return code if code >= 0 else 128 - code


@contextmanager
def _deferring(number: signal.Signals) -> Iterator[None]:
    received: list[int] = []
    try:
        with _handling(number, lambda number, _: received.append(number)):
            yield
    finally:
        if received:
            signal.raise_signal(number)


@contextmanager
def _handling(number: signal.Signals, handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    try:
        before = signal.signal(number, handler)
    except ValueError:  # not the main thread: signals don't arrive here
        yield
        return
    try:
        yield
    finally:
        signal.signal(number, before)
