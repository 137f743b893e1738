"""A real terminal for tests: the program runs on a pty, keys go in, and every byte that comes out is kept."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

_SEQUENCE = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_].*?\x1b\\|[@-Z\\-_])", re.DOTALL
)
PATIENCE = 90.0
"""Seconds after which a text that was to appear is given up; reached only when the test fails."""
QUIET = 0.1 if Path("/proc/self/task").is_dir() else 0.3
"""Seconds without a byte after which a screen counts as drawn, if the program sleeps; longer where nobody can tell."""
ESCAPE = 20
"""Milliseconds that the program waits behind Esc for the rest of a sequence: less than `QUIET`."""


def _own() -> None:
    """Make the pty the controlling terminal, so that closing it hangs the program up."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """`python -m memtui ARGS` on a pty of its own.

    Args:
        args: Words behind `memtui`.
        env: The whole environment.
        cwd: Where it is started.
        size: Columns and rows.
        program: What the interpreter runs.
    """

    def __init__(
        self,
        args: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        size: tuple[int, int] = (100, 30),
        *,
        program: Sequence[str] = ("-m", "memtui"),
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, *program, *args],
            stdin=slave, stdout=slave, stderr=slave, env={"ESCDELAY": str(ESCAPE), **env}, cwd=cwd,
            start_new_session=True, preexec_fn=_own,
        )  # fmt: skip
        os.close(slave)
        self.output = b""
        self._seen = 0

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        if self._master >= 0:
            os.close(self._master)

    def press(self, keys: str) -> None:
        """Send keys as a terminal would."""
        self.press_bytes(keys.encode())

    def press_bytes(self, data: bytes) -> None:
        self._seen = len(self.output)
        os.write(self._master, data)

    def wait(self, text: str) -> None:
        """Read until the text was drawn since the last key.

        Raises:
            AssertionError: If it was not, in `PATIENCE` seconds; what was drawn is in the message.
        """
        until = time.monotonic() + PATIENCE
        while text.encode() not in self.drawn():
            if not self._read(until):
                raise AssertionError(f"{text!r} never came; drawn: {self.drawn()[-3000:].decode('utf-8', 'replace')}")

    def rest(self) -> None:
        """Read until nothing has been drawn for a moment and nothing runs: the screen is what it will stay."""
        while self._read(time.monotonic() + QUIET) or self._running():
            pass

    def _running(self) -> bool:
        """Whether a thread of the program runs, or would if there were a processor for it."""
        for stat in Path(f"/proc/{self.process.pid}/task").glob("*/stat"):
            try:
                state = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
            except OSError:  # it has just ended
                continue
            if state in "RD":
                return True
        return False

    def drawn(self) -> bytes:
        """What was drawn since the last key, without the terminal's own sequences."""
        return _SEQUENCE.sub(b"", self.output[self._seen :])

    def hang_up(self) -> None:
        """Close the terminal, as a person closes its window."""
        os.close(self._master)
        self._master = -1

    def echoes(self) -> bool:
        """Whether the terminal shows by itself what is typed."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def end(self) -> int:
        """Read until the program has ended; its exit code."""
        until = time.monotonic() + PATIENCE
        while self._master >= 0 and self._read(until):
            pass
        return self.process.wait(PATIENCE)

    def _read(self, until: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # the other side is closed
            return False
        self.output += data
        return bool(data)
