"""Another program in the foreground, with this process's terminal: an editor, the agent client."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType


def run_in_foreground(
    words: Sequence[str], *, cwd: Path | None = None, environ: Mapping[str, str] | None = None
) -> int:
    """Run a program and wait for its end.

    ^C on the terminal reaches both; what it means meanwhile is the program's business. The program itself starts with
    its signals as usual: a handler of ours doesn't outlive the exec, so no hook has to run between fork and exec, where
    it could stumble over other threads.

    Args:
        words: The command.
        cwd: Where it runs; here if left out.
        environ: Its whole environment; this process's own if left out.

    Returns:
        Its exit code; 128 and the signal's number if one ended it, as shells count.

    Raises:
        OSError: If it can't be started.
    """
    sys.stdout.flush()
    with _kept_from_us(signal.SIGINT):
        # Raised inside Popen, a SIGTERM could get lost between the start and our knowing of it.
        with _put_off(signal.SIGTERM):
            run = subprocess.Popen(list(words), cwd=cwd, env=dict(os.environ if environ is None else environ))
        code = run.wait()
    return code if code >= 0 else 128 - code


@contextmanager
def _kept_from_us(number: signal.Signals) -> Iterator[None]:
    """Let a signal do nothing here."""
    with _handled(number, lambda *_: None):
        yield


@contextmanager
def _put_off(number: signal.Signals) -> Iterator[None]:
    """Let a signal that comes meanwhile come afterwards."""
    came: list[int] = []
    try:
        with _handled(number, lambda number, _: came.append(number)):
            yield
    finally:
        if came:
            signal.raise_signal(number)


@contextmanager
def _handled(number: signal.Signals, handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    try:
        before = signal.signal(number, handler)
    except ValueError:  # not the main thread: signals don't come here
        yield
        return
    try:
        yield
    finally:
        signal.signal(number, before)
