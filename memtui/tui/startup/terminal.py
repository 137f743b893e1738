"""The terminal before Textual has it: a frame is drawn, then it is handed over, or given back if the start fails."""

import os
import sys
import termios
from collections.abc import Mapping

ALTERNATE_SCREEN = "\x1b[?1049h"  # switches to the alternate screen; Textual writes just this one, too
PLACEHOLDER = "\x1b[1;1H\x1b[1m memtui\x1b[0m"
"""What is drawn while there is no frame that is certainly true: the program's name where Textual will draw it."""

LEAVE = b"\x1b[?1049l\x1b[?25h"
_LOCAL_MODES, _CONTROL_CHARACTERS = 3, 6  # where they are in the attributes of a terminal


def terminal_size(environ: Mapping[str, str]) -> tuple[int, int]:
    """Columns and rows, asked for as Textual does: variables first, then the terminal; raises OSError, ValueError."""
    named = [environ.get(name, "") for name in ("COLUMNS", "LINES")]
    columns, rows = (int(word) if word.isascii() and word.isdecimal() else 0 for word in named)
    if columns > 0 and rows > 0:
        return columns, rows
    found = os.get_terminal_size(sys.__stdout__.fileno())  # type: ignore[union-attr]
    return columns or found.columns or 80, rows or found.lines or 24


class Terminal:
    """The stream that Textual draws on; as a context it is given back at the end, if it was not taken over."""

    def __init__(self) -> None:
        self._modes: list[int | list[bytes | int]] | None = None
        self.drawn = False  # whether a frame stands on the alternate screen that was not taken over

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *error: object) -> None:
        self.give_back()

    def draw(self, frame: str) -> None:
        """Show a frame on the alternate screen, if that is possible; Textual draws it a moment later in any case.

        What is typed meanwhile is neither shown nor lost.
        """
        stream = sys.__stdout__
        try:
            if stream is None:
                return
            data = f"{ALTERNATE_SCREEN}\x1b[?25l{frame}".encode(stream.encoding)
            modes = termios.tcgetattr(stream.fileno())
            quiet = [*modes[:_CONTROL_CHARACTERS], [*modes[_CONTROL_CHARACTERS]]]
            quiet[_LOCAL_MODES] &= ~termios.ECHO
            quiet[_CONTROL_CHARACTERS][termios.VSUSP] = b"\0"  # stopped here, the shell would stand on our screen
            termios.tcsetattr(stream.fileno(), termios.TCSANOW, quiet)
            self._modes, self.drawn = modes, True
            while data:
                data = data[os.write(stream.fileno(), data) :]
        except (OSError, ValueError, termios.error):
            return  # no terminal, one that is closed, or an encoding without these characters

    def hand_over(self) -> None:
        """Another owner takes the screen as it is, and finds the modes as they were."""
        self.drawn = False
        self._restore_modes()

    def give_back(self) -> None:
        """Leave the screen and the modes as they were, if they were not taken over."""
        if self.drawn:
            self.drawn = False
            try:
                os.write(sys.__stdout__.fileno(), LEAVE)  # type: ignore[union-attr]
            except OSError:
                return  # it was closed: there is nothing to give back
            self._restore_modes()

    def _restore_modes(self) -> None:
        if self._modes is not None:
            modes, self._modes = self._modes, None
            try:
                termios.tcsetattr(sys.__stdout__.fileno(), termios.TCSANOW, modes)  # type: ignore[union-attr]
            except termios.error:
                return  # closed meanwhile
