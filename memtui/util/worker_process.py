"""Run one of our functions in a fresh interpreter, because forking a process that has threads isn't safe.

Its work takes no time from the thread that draws the screen, and its memory is returned when it ends.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

_BOOTSTRAP: Final = """
import sys
if sys.argv[1] not in sys.path:  # a checkout that isn't installed
    sys.path.insert(0, sys.argv[1])
from importlib import import_module
module, _, name = sys.argv[2].partition(":")
getattr(import_module(module), name)(*sys.argv[3:])
"""

STOP_CHECK_INTERVAL_S: Final = 0.1  # time between two checks whether the answer is still wanted


def worker_command(function: str, *args: str) -> list[str]:
    """Return the command of a process that calls a function, "package.module:name", with these arguments.

    It talks by its standard streams; paths among the arguments may consist of any bytes.
    """
    root = Path(__file__).resolve().parents[2]
    # -P: no module of the working directory
    return [sys.executable, "-P", "-c", _BOOTSTRAP, str(root), function, *args]


def call_in_process(function: str, *args: str, stopped: Callable[[], bool]) -> bytes | None:
    """Return what a function, as for `worker_command`, writes to its standard output in a process of its own.

    The process is killed once `stopped` returns true. None if it was stopped or killed, or could not be started;
    `RuntimeError` with its traceback if the function raised.
    """
    try:
        process = subprocess.Popen(
            worker_command(function, *args),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,  # ^C is for us, and we end it
        )
    except OSError:
        return None
    with process:
        while True:
            try:
                output, errors = process.communicate(timeout=STOP_CHECK_INTERVAL_S)
            except subprocess.TimeoutExpired:
                if stopped():
                    process.kill()
            else:
                break
    if process.returncode > 0:
        raise RuntimeError(errors.decode("utf-8", "replace"))
    return None if process.returncode else output
