"""Run another program in the foreground, with this process's terminal: an editor, Claude Code."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType


def run_in_foreground(
    command: Sequence[str], *, cwd: Path | None = None, environ: Mapping[str, str] | None = None
) -> int:
    """Run a program, wait for its end and return its exit code: 128 and the signal's number if one ended it, as in
    shells.

    ^C and ^\\ on the terminal reach both processes; here they are ignored meanwhile. No event loop runs, so SIGTERM and
    SIGHUP raise SystemExit. The program starts with its signals at their defaults: a Python handler doesn't outlive
    exec, so nothing has to run between fork and exec. Raises `OSError` if it can't be started.
    """
    sys.stdout.flush()
    process: subprocess.Popen[bytes] | None = None
    received: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        if process is not None:
            raise SystemExit(128 + number)
        received.append(number)  # raised inside Popen, it could get lost between the start and our knowing of it

    with ExitStack() as handlers:
        for number in (signal.SIGINT, signal.SIGQUIT):
            handlers.enter_context(_handling(number, lambda *_: None))
        for number in (signal.SIGTERM, signal.SIGHUP):
            handlers.enter_context(_handling(number, end))
        process = subprocess.Popen(list(command), cwd=cwd, env=dict(os.environ if environ is None else environ))
        if received:
            raise SystemExit(128 + received[0])
        code = process.wait()
    return code if code >= 0 else 128 - code


@contextmanager
def _handling(number: signal.Signals, handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    ignored = signal.getsignal(number) is signal.SIG_IGN  # as under nohup: that stays
    if ignored or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)
