"""The three streams, whatever the shell made of them."""

import os
import sys

TYPE_CHECKING = False  # see base.record
if TYPE_CHECKING:
    from typing import TextIO


def drop_stdout() -> None:
    """Let the rest go nowhere, so that the interpreter doesn't complain about the closed pipe when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


def is_terminal(stream: "TextIO") -> bool:
    """Whether a person is at the other end; a stream that is closed or none has nobody."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def write(stream: "TextIO", text: str) -> None:
    """Write at once and flush; what the encoding lacks is shown as its number rather than failing."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        stream.write(text.encode(stream.encoding or "ascii", "backslashreplace").decode(stream.encoding or "ascii"))
    stream.flush()
