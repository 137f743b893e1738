"""What ends a run early: a signal, or its time is up.

While the backend works either ends the run at once. Afterwards, while changes are judged and adopted, a signal is only
remembered (`came`), so that no step is left half done.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Stopped(SystemExit):
    """A signal came. A `SystemExit`, because asyncio lets only that and ^C out of any task at once."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


class OutOfTime(Exception):
    """The run took too long."""


class Signals:
    """Handles signals while `handling` is entered; outside the main thread it handles none."""

    def __init__(self) -> None:
        self.came: int | None = None
        self._at_once = False

    @contextmanager
    def handling(self) -> Iterator[None]:
        """Install our handlers, and the earlier ones again at the end."""
        before: dict[signal.Signals, object] = {}
        try:
            for number in ENDING_SIGNALS:
                before[number] = signal.signal(number, self._on_signal)
            before[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._on_alarm)
        except ValueError:  # not the main thread
            before.clear()
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal gave

    @contextmanager
    def at_once(self, seconds: float) -> Iterator[None]:
        """Let a signal raise `Stopped`, and the end of so many seconds `OutOfTime`, wherever the program is."""
        try:
            self._at_once = True
            if self.came is not None:
                raise Stopped(self.came)
            rings = signal.getsignal(signal.SIGALRM) == self._on_alarm
            before = signal.setitimer(signal.ITIMER_REAL, seconds) if rings else None
            try:
                yield
            finally:
                if before is not None:
                    signal.setitimer(signal.ITIMER_REAL, *before)
        finally:
            self._at_once = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        first, self.came = self.came is None, self.came or number
        if first and self._at_once:
            self._at_once = False
            raise Stopped(number)

    def _on_alarm(self, number: int, frame: FrameType | None) -> None:
        if self._at_once:
            self._at_once = False
            raise OutOfTime
