"""Something that is looked up while we go on: the disk is asked by a copy of this process on another core."""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

Found = TypeVar("Found")

PIPE_SIZE_BYTES = 1 << 20
"""Bytes of what is found that have room at once; anybody may have so many."""


def prefetch(look: Callable[[], Found]) -> Callable[[], Found]:
    """Begin to look, and return at once.

    Args:
        look: Only looks: what it changes is lost. What it returns is made of what `marshal` can hold.

    Returns:
        Gives what `look` returned. Where there can be no second process, or it ended badly, it looks here and now.
    """
    if not hasattr(os, "fork"):
        return look
    try:
        reading, writing = os.pipe()
    except OSError:
        return look
    _widen(writing)
    try:
        child = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return look
    if not child:
        _tell(look, writing)
    os.close(writing)

    def found() -> Found:
        with open(reading, "rb") as pipe:  # noqa: PTH123 - a descriptor
            told = pipe.read()
        _, status = os.waitpid(child, 0)
        return look() if status else marshal.loads(told)

    return found


def _widen(pipe: int) -> None:
    """Let the other process put all that it found into the pipe, and not wait for us, where the system can."""
    import fcntl

    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_SIZE_BYTES)


def _tell(look: Callable[[], Any], writing: int) -> None:
    """The other process: nothing that this one was about to do is done twice, whatever happens."""
    status = 1
    try:
        with open(writing, "wb") as pipe:
            pipe.write(marshal.dumps(look()))
        status = 0
    finally:
        os._exit(status)
