"""Textual's driver, for a terminal that may go away at any moment, and for a screen that may be drawn on already.

The program ends within two seconds of a signal (HUP, INT, QUIT, TERM) and of the terminal's end, whatever it is doing:
the app is asked to leave in its own loop, and a thread that waits for nothing leaves where the loop is stuck. Typed
text is a draft by then.
"""

import os
import select
import signal
import sys
import termios
import time
from codecs import getincrementaldecoder
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any, TextIO

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from memtui.tui.startup.terminal import ALTERNATE_SCREEN, LEAVE

if TYPE_CHECKING:
    from memtui.tui.app_base import AppBase

ENDING_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
LOOP_S = 0.7  # seconds that the event loop has for keeping drafts
LEAVE_S = 0.7  # seconds more for closing the screen
_UNDO = b"\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?2048l\x1b[?2004l\x1b[?1004l\x1b[?7h\x1b[<u" + LEAVE
"""Ends all that Textual asks of a terminal."""


class _Stream:
    """What Textual's writer thread writes to: it drops what can't be written, and says so once.

    An error would end that thread; its queue fills then, and blocks the event loop for good.
    """

    def __init__(self, stream: TextIO, driver: "MemtuiDriver") -> None:
        self._encoding, self._driver, self._dead = stream.encoding, driver, False
        self.fileno = stream.fileno

    def write(self, text: str) -> None:
        data = text.encode(self._encoding, "backslashreplace")
        while data and not self._dead:
            try:
                data = data[os.write(self.fileno(), data) :]
            except BlockingIOError:  # another program has made the terminal non-blocking
                select.select([], [self.fileno()], [])
            except (OSError, ValueError):
                self._dead = True
                self._driver.end(signal.SIGHUP)

    def flush(self) -> None:
        """Nothing is held back."""


class MemtuiDriver(LinuxDriver):
    """Draws for an app of ours, which is told of the end.

    Textual's own handlers stop and start the terminal wherever the program stands, be it in the midst of a write, and
    start it twice after a SIGCONT that nothing went before. Here the loop does that, and only what is to be done.
    """

    def __init__(self, app: "AppBase", **options: Any) -> None:
        super().__init__(app, **options)
        self._memtui, self._stream = app, _Stream(sys.__stdout__, self)  # type: ignore[arg-type]
        self._file = self._stream  # type: ignore[assignment]  # of which only these three methods are used
        self._entered = not app.terminal.drawn  # some terminals would clear the screen if it was entered twice
        self._left = self._stopping = False
        self._signals, self._wakeup = os.pipe()
        os.set_blocking(self._wakeup, False)
        signal.set_wakeup_fd(self._wakeup, warn_on_full_buffer=False)
        Thread(target=self._watch_the_end, name="end", daemon=True).start()
        for number in ENDING_SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup: that stays
                signal.signal(number, lambda *_: None)  # `_watch_the_end` reads of it

    @property
    def _drawing(self) -> bool:
        return self._writer_thread is not None and self._writer_thread.is_alive()

    def start_application_mode(self) -> None:
        self._memtui.terminal.hand_over()
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def stop_application_mode(self) -> None:
        self._left = True
        super().stop_application_mode()

    def suspend_application_mode(self) -> None:
        super().suspend_application_mode()
        self._left = False

    def _sigtstp_application(self, *_: object) -> None:
        if self._auto_restart:
            self._stopping = True
            self._in_loop(self._stop)
        else:  # the terminal is another program's
            os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *_: object) -> None:
        self._stopping = False  # as the system does with a stop that is still to come
        self._in_loop(self._go_on)

    def _stop(self) -> None:
        if self._stopping and not self._left:
            self.suspend_application_mode()
            if self._stopping:
                os.kill(os.getpid(), signal.SIGSTOP)

    def _go_on(self) -> None:
        """Take the terminal again; also after a SIGSTOP, since the shell has set and drawn what it likes."""
        if self._auto_restart and not self._left:
            if self._drawing:
                self.suspend_application_mode()
            self._must_signal_resume = True
            self.resume_application_mode()

    # The end.

    def end(self, number: int) -> None:
        """Leave as after a signal; from any thread."""
        with suppress(BlockingIOError):  # full of signals
            os.write(self._wakeup, bytes([number]))

    def _in_loop(self, run: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed: the program ends already
            self._loop.call_soon_threadsafe(run)

    def _watch_the_end(self) -> None:
        """Wait for a signal that ends us. The main thread may hang, or not wake up as another one was interrupted."""
        while not self._ends(number := os.read(self._signals, 1)[0]):
            self._in_loop(lambda: None)  # wakes the main thread, which calls the handler
        self._in_loop(lambda: self._memtui.end_by(number))
        time.sleep(LOOP_S)
        for last in (self._memtui.keep_drafts, self._give_back):  # each may hang, at a disk or at the terminal
            thread = Thread(target=last, daemon=True)
            thread.start()
            thread.join(LEAVE_S / 2)
        time.sleep(LEAVE_S / 2)
        os._exit(128 + number)

    def _ends(self, number: int) -> bool:
        """Whether a signal ends us: ^C and ^\\ are another program's while that has the terminal."""
        return number in ENDING_SIGNALS and (self._auto_restart or number not in (signal.SIGINT, signal.SIGQUIT))

    def _give_back(self) -> None:
        with suppress(OSError, termios.error):
            if self._drawing and self.attrs_before is not None:
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
                os.write(self._stream.fileno(), _UNDO)

    # Input and output.

    def write(self, data: str) -> None:
        if data == ALTERNATE_SCREEN and not self._entered:
            self._entered = True
        elif self._drawing:  # otherwise the terminal is another program's
            super().write(data)

    def run_input_thread(self) -> None:
        """As Textual's; but the end of the input is a hang-up, and bytes that mean nothing are no error."""
        parser, decode = XTermParser(self._debug), getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            if select.select([self.fileno], [], [], 0.1)[0]:
                try:
                    data = os.read(self.fileno, 4096)
                except OSError:
                    data = b""
                if not data:
                    return self.end(signal.SIGHUP)
                try:
                    for event in parser.feed(text) if (text := decode(data)) else ():
                        self.process_message(event)
                except (ValueError, OverflowError):  # a sequence with a number that means nothing
                    parser = XTermParser(self._debug)
            for event in parser.tick():
                self.process_message(event)
        return None
