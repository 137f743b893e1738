"""Work of ours in a fresh interpreter: a fork of a process with threads isn't safe.

What is read there takes no turn from the thread that draws the screen, and its memory goes back when it ends.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

_START: Final = """
import sys
if sys.argv[1] not in sys.path:  # a checkout that isn't installed
    sys.path.insert(0, sys.argv[1])
from importlib import import_module
module, _, name = sys.argv[2].partition(":")
getattr(import_module(module), name)(*sys.argv[3:])
"""

_LOOK: Final = 0.1
"""Seconds between two questions whether the answer is still wanted."""


def worker_command(function: str, *words: str) -> list[str]:
    """The words of a process that calls one of our functions.

    Args:
        function: As "package.module:name". It is called with the words, and talks by its standard streams.
        words: Paths among them, whatever bytes these are of.
    """
    root = Path(__file__).resolve().parents[2]
    # -P: no module of the directory that we are in
    return [sys.executable, "-P", "-c", _START, str(root), function, *words]


def call_in_process(function: str, *words: str, stopped: Callable[[], bool]) -> bytes | None:
    """What a function writes to its standard output in a process of its own.

    Args:
        function: As for `worker_command`, with its words.
        stopped: Asked now and then; the process is ended once nobody wants the answer.

    Returns:
        None if there was no answer: it was stopped or killed, or the system gives no process.

    Raises:
        RuntimeError: If the function failed, with its traceback: that is our bug, there as here.
    """
    try:
        process = subprocess.Popen(
            worker_command(function, *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,  # Ctrl-C is for us, and we end it
        )
    except OSError:
        return None
    with process:
        while True:
            try:
                answer, told = process.communicate(timeout=_LOOK)
            except subprocess.TimeoutExpired:
                if stopped():
                    process.kill()
            else:
                break
    if process.returncode > 0:
        raise RuntimeError(told.decode("utf-8", "replace"))
    return None if process.returncode else answer
