"""The terminal while Textual is not there yet: taken, then handed over, or given back if the start fails."""

import os
import sys
import termios
from collections.abc import Mapping

TYPE_CHECKING = False  # as in typing
if TYPE_CHECKING:
    from typing import Any

ALTERNATE = "\x1b[?1049h"
"""Switches to the alternate screen; Textual writes just this one, too."""
_BACK = "\x1b[?1049l\x1b[?25h"
_LOCAL, _CHARACTERS = 3, 6
"""Where the attributes of a terminal have its local modes and its control characters."""


def size(environ: Mapping[str, str]) -> tuple[int, int]:
    """Columns and rows, asked for as Textual does: variables first, then the terminal."""
    named = [environ.get(name, "") for name in ("COLUMNS", "LINES")]
    columns, rows = (int(word) if word.isascii() and word.isdecimal() else 0 for word in named)
    if columns > 0 and rows > 0:
        return columns, rows
    found = os.get_terminal_size(sys.__stdout__.fileno())  # type: ignore[union-attr]
    return columns or found.columns or 80, rows or found.lines or 24


class Terminal:
    """The stream that Textual draws on, and what it was like before."""

    def __init__(self) -> None:
        self._before: list[Any] | None = None
        self._drawn = False

    @property
    def drawn(self) -> bool:
        """Whether something stands on the alternate screen that nobody has taken over."""
        return self._drawn

    def draw(self, sequences: str) -> None:
        """Show it on the alternate screen; what is typed meanwhile is neither shown nor lost.

        Raises:
            OSError, termios.error, UnicodeEncodeError: If the terminal is none, or can't show it; nothing was drawn.
        """
        stream = sys.__stderr__
        if stream is None:
            raise OSError("there is no such stream")
        data = f"{ALTERNATE}\x1b[?25l{sequences}".encode(stream.encoding)
        before = termios.tcgetattr(stream.fileno())
        quiet = [*before[:_CHARACTERS], [*before[_CHARACTERS]]]
        quiet[_LOCAL] &= ~termios.ECHO
        quiet[_CHARACTERS][termios.VSUSP] = b"\0"  # stopped here, the shell would stand on our screen
        termios.tcsetattr(stream.fileno(), termios.TCSANOW, quiet)
        self._before, self._drawn = before, True
        while data:
            data = data[os.write(stream.fileno(), data) :]

    def hand_over(self) -> None:
        """Somebody else takes the screen as it is, and finds the modes as they were."""
        self._drawn = False
        self._restore_modes()

    def give_back(self) -> None:
        """Leave the screen and the modes as they were, if nobody has taken them over."""
        if self._drawn:
            self._drawn = False
            try:
                os.write(sys.__stderr__.fileno(), _BACK.encode("ascii"))  # type: ignore[union-attr]
            except OSError:
                return  # it was closed: there is nothing to give back
            self._restore_modes()

    def _restore_modes(self) -> None:
        if self._before is not None:
            before, self._before = self._before, None
            try:
                termios.tcsetattr(sys.__stderr__.fileno(), termios.TCSANOW, before)  # type: ignore[union-attr]
            except termios.error:
                return  # closed meanwhile
