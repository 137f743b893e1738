#!/usr/bin/env python3
"""A program in a pseudo terminal, seen from outside: what it paints and how long it takes, without any hook in it.

    tests/bench/ptyapp.py --until TEXT [--keys KEYS] [--size 120x40] [--seconds 30] -- COMMAND…

starts the command, waits until TEXT is painted, presses KEYS and waits for the end. Exits with the command's code, or
with 1 if TEXT never came. Standard library only; POSIX only.
"""

import argparse
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence

_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])")
NEW_SCREEN = b"\x1b[?1049h"
"""The program goes to the alternate screen."""
TEXTUAL = b"\x1b[?1004h"
"""Textual has taken the terminal (it asks to be told of the focus); what was drawn before is not its own."""


class PtyApp:
    """A running program. Times are seconds since just before it was started.

    Args:
        command: What to run.
        columns, rows: The terminal's size.
        env: Its whole environment, TERM aside.
        cwd: Where it runs.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 120,
        rows: int = 40,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
    ) -> None:
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        given = dict(os.environ if env is None else env)
        given |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.output = bytearray()
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            list(command),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=given,
            cwd=cwd,
            close_fds=True,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)

    def read(self, timeout: float) -> bytes:
        """What comes within the time, at once when something comes; nothing at the end of the program."""
        if not select.select([self.master], [], [], timeout)[0]:
            return b""
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:  # EIO: the program has gone and closed its side
            return b""
        self.output += data
        return data

    def text(self, since: bytes = NEW_SCREEN) -> str:
        """All that was painted since the last such sequence, escape sequences taken out.

        Before the first it is nothing; a program that never leaves the ordinary screen is seen from its start.
        """
        start = self.output.rfind(since)
        if start < 0 and since != NEW_SCREEN:
            return ""
        return _ESCAPES.sub(b"", bytes(self.output[max(start, 0) :])).decode("utf-8", "replace")

    def wait_for(self, seen: Callable[[str], bool], seconds: float = 30.0, *, since: bytes = NEW_SCREEN) -> float:
        """Wait until the text painted since a sequence satisfies `seen`; return when that was.

        Raises:
            TimeoutError: If it didn't, with the end of what was painted.
        """
        while True:
            data = self.read(0.5)
            now = time.perf_counter() - self.began
            if seen(self.text(since)):  # what a key press has read already counts, too
                return now
            if now > seconds or (not data and self.process.poll() is not None):
                raise TimeoutError(f"not painted after {now:.1f} s; the end was: {self.text()[-600:]!r}")

    def quiet(self, seconds: float = 0.3, *, most: float = 3.0) -> None:
        """Read until nothing has come for so long; not longer than `most`, because a cursor may blink for ever."""
        end = time.perf_counter() + most
        while self.read(seconds) and time.perf_counter() < end:
            pass

    def press(self, keys: str) -> float:
        """Press keys; return the seconds until the first byte of an answer, infinite if none comes within two."""
        while self.read(0):
            pass
        began = time.perf_counter()
        os.write(self.master, keys.encode())
        return time.perf_counter() - began if self.read(2.0) else float("inf")

    def answer(self, keys: str, words: str, seconds: float = 10.0) -> float:
        """Press keys; return the seconds until these words are painted, whatever else is painted meanwhile.

        Raises:
            TimeoutError: If they are not.
        """
        while self.read(0):
            pass
        self.output.clear()
        began = time.perf_counter()
        os.write(self.master, keys.encode())
        while words not in self.text():
            if time.perf_counter() - began > seconds:
                raise TimeoutError(f"{words!r} not painted; the end was: {self.text()[-600:]!r}")
            self.read(0.5)
        return time.perf_counter() - began

    def wait(self, seconds: float = 10.0) -> int:
        """Wait for the end, reading on; return the exit code.

        Raises:
            TimeoutError: If it is still running.
        """
        end = time.perf_counter() + seconds
        while self.process.poll() is None:
            if time.perf_counter() > end:
                raise TimeoutError("still running")
            self.read(0.1)
        return self.process.returncode

    def close(self) -> None:
        """End the program and its terminal."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.master)


def main() -> int:
    """Run one command as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--until", required=True)
    parser.add_argument("--keys", default="")
    parser.add_argument("--size", default="120x40")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    columns, rows = map(int, given.size.split("x"))
    app = PtyApp(given.command, columns=columns, rows=rows)
    try:
        when = app.wait_for(lambda text: given.until in text, given.seconds)
        print(f"painted {given.until!r} after {when * 1000:.0f} ms")
        app.quiet()
        for key in given.keys:
            app.press(key)
        return app.wait()
    except TimeoutError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        app.close()


if __name__ == "__main__":
    sys.exit(main())
