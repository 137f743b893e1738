"""Runs a plan: no shell, a clean environment, a limit in time and output, a sandbox as far as the system has one.

Source: SAFETY.md 3.2 (runner), section 6 (sandboxes).
"""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memtui.agent.shell.plan import ShellPlan
from memtui.util.text import visible

SHELL_TIMEOUT_S = 10.0
"""How long a line may run."""
MAX_OUTPUT_BYTES = 256 * 1024
"""Bytes of output that are kept."""

PATH = "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin:/run/current-system/sw/bin"
ENVIRONMENT = {"PATH": PATH, "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "TERM": "dumb"}
"""All that a program sees: no key, no name, no configuration of the user's."""

_SANDBOX_PROGRAM = Path(__file__).with_name("sandbox.py")
_SANDBOX_EXEC = Path("/usr/bin/sandbox-exec")
_PROFILE = '(version 1)(allow default)(deny network*)(deny file-write*)(allow file-write-data (literal "/dev/null"))'
_READ_BYTES = 65_536


class ShellResult(Struct, frozen=True):
    """What a line printed, both outputs as they came, made visible; and how it ended.

    `code` is the last program's exit code, or `None` if it was stopped; `stopped` says by what: "" (it ended by
    itself), "time" or "output". `sandbox` names the layers that held (see `confine`; "sandbox-exec" on a Mac); it is
    empty where the system has none.
    """

    output: str
    code: int | None
    stopped: Literal["", "time", "output"]
    sandbox: tuple[str, ...]


def run_plan(plan: ShellPlan, *, seconds: float = SHELL_TIMEOUT_S, most: int = MAX_OUTPUT_BYTES) -> ShellResult:
    """Run what was allowed.

    What was started ends with the thread that called, too: on Linux the system sees to it.

    Args:
        seconds: After which everything it started is killed.
        most: Bytes of output after which it is.

    Raises:
        OSError: If the program that runs it can't be started.
    """
    report, told = os.pipe()
    try:
        child = subprocess.Popen(
            [*_sandbox_exec_words(), sys.executable, "-I", "-S", str(_SANDBOX_PROGRAM), str(told)],
            env=ENVIRONMENT,
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(told,),
            start_new_session=True,
        )
    except BaseException:
        os.close(report)
        raise
    finally:
        os.close(told)
    try:
        output, stopped = _exchange(child, _job(plan, seconds), time.monotonic() + seconds, most)
    finally:
        _kill(child)
        layers = os.read(report, _READ_BYTES)
        os.close(report)
    sandbox = (*(("sandbox-exec",) if _sandbox_exec_words() else ()), *json.loads(layers or b"[]"))
    text = visible(output[:most].decode("utf-8", "replace"))
    return ShellResult(text, None if stopped else child.returncode, stopped, sandbox)


def _sandbox_exec_words() -> list[str]:
    if sys.platform == "darwin" and _SANDBOX_EXEC.exists():
        return [str(_SANDBOX_EXEC), "-p", _PROFILE]
    return []


def _job(plan: ShellPlan, seconds: float) -> bytes:
    job = {
        "cwd": str(plan.cwd),
        "readable": [str(folder) for folder in plan.readable],
        "env": ENVIRONMENT,
        "seconds": int(seconds) + 1,
        "steps": [
            {
                "after": step.after,
                "stages": [
                    {"argv": stage.argv, "redirects": [(redirect.fd, redirect.target) for redirect in stage.redirects]}
                    for stage in step.stages
                ],
            }
            for step in plan.steps
        ],
    }
    return json.dumps(job).encode()


def _exchange(
    child: "subprocess.Popen[bytes]", job: bytes, deadline: float, most: int
) -> tuple[bytes, Literal["", "time", "output"]]:
    """Hand the job over and take what comes back, until it ends or a limit is reached."""
    assert child.stdin is not None and child.stdout is not None
    with child.stdin, contextlib.suppress(BrokenPipeError):
        child.stdin.write(job)  # it reads all of it before it does anything else
    parts: list[bytes] = []
    size = 0
    with child.stdout, selectors.DefaultSelector() as ready:
        ready.register(child.stdout, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not ready.select(left):
                return b"".join(parts), "time"
            part = os.read(child.stdout.fileno(), _READ_BYTES)
            if not part:
                break
            parts.append(part)
            size += len(part)
            if size > most:
                return b"".join(parts), "output"
    try:
        child.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return b"".join(parts), "time"
    return b"".join(parts), ""


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """End it and everything that it started, and wait for it."""
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.wait()
