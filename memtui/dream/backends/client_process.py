"""One run of the agent client as a child: fed, read line by line, and gone when the run is, whatever ends it.

Stops a run of the agent client that leads nowhere or has used up its tokens, as our own loop does with its own.

The client itself keeps to turns and money; what it prints says the rest.

Source: SAFETY.md F48, F49.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from memtui.agent.budget import IDLE, SAME, ProgressGuard
from memtui.agent.events import shown_line
from memtui.agent.response import ToolCall
from memtui.agent.task import Budget
from memtui.agent.tools.outcome import ToolResult
from memtui.agent.tools.toolbox import telling
from memtui.agent.usage import TokenUsage
from memtui.dream.run.run import OverBudget
from memtui.fs.atomic import digest, to_error
from memtui.util.errors import MemtuiError, Unsupported
from memtui.util.text import size

_WRITING = ("Edit", "Write")


class Guard:
    """Watches one run.

    Args:
        budget: The limits; those of turns, money and time are kept by others.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._progress = ProgressGuard()

    def called(self, id: str, name: str, given: object) -> None:
        """The model wants a tool.

        Raises:
            MemtuiError: If it wanted just that too often.
        """
        if self._progress.repeats(ToolCall(id, name, given)):
            raise MemtuiError(f"the same call {SAME} times: {shown_line(f'{name} {telling(name, given)}')}")

    def answered(self, name: str, text: str, *, ok: bool) -> None:
        """A tool came to that."""
        fresh = digest(f"{name} {text}".encode("utf-8", "surrogatepass")) if ok else ""
        self._progress.saw(ToolResult(text, ok, fresh=fresh, wrote=ok and name in _WRITING))

    def turn_over(self) -> None:
        """All results of an answer are in.

        Raises:
            MemtuiError: If nothing new came of too many answers in a row.
        """
        self._progress.turn_over()
        if self._progress.idle >= IDLE:
            raise MemtuiError(f"{IDLE} turns in a row read and wrote nothing new")

    def spent(self, usage: TokenUsage) -> None:
        """So many tokens were used so far.

        Raises:
            OverBudget: If that is too many.
        """
        for used, most, what in (
            (usage.prompt, self._budget.input_tokens, "input"),
            (usage.output, self._budget.output_tokens, "output"),
        ):
            if most is not None and used > most:
                raise OverBudget(f"{size(most)} {what} tokens are used up")


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
def running_child(words: Sequence[str], cwd: Path, environ: Mapping[str, str], text: str) -> Iterator[Child]:
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
            raise Unsupported(to_error(error, words[0], outcome="the agent client didn't start").message) from error
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
