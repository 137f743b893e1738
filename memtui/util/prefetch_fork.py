"""Run a read-only lookup in a forked child, on another core, while this process continues."""

from __future__ import annotations

import fcntl
import marshal
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

Found = TypeVar("Found")

PIPE_SIZE_BYTES = 1 << 20  # the largest buffer that any user may give a pipe on Linux


def prefetch(lookup: Callable[[], Found]) -> Callable[[], Found]:
    """Start a lookup and return at once; what is returned gives the result.

    The lookup only reads, what it changes is lost, and returns what `marshal` can hold. Where no child could be forked,
    or it failed, it runs here and now.
    """
    if not hasattr(os, "fork"):
        return lookup
    try:
        reading, writing = os.pipe()
    except OSError:
        return lookup
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):  # the child then has to wait until we read
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_SIZE_BYTES)
    try:
        child = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return lookup
    if not child:
        _run_in_child(lookup, writing)
    os.close(writing)

    def found() -> Found:
        with open(reading, "rb") as pipe:  # noqa: PTH123 - a descriptor
            result = pipe.read()
        _, status = os.waitpid(child, 0)
        return lookup() if status else marshal.loads(result)

    return found


def _run_in_child(lookup: Callable[[], Any], writing: int) -> None:
    """Write the result and exit, whatever happens, without running anything that the parent will run."""
    status = 1
    try:
        with open(writing, "wb") as pipe:
            pipe.write(marshal.dumps(lookup()))
        status = 0
    finally:
        os._exit(status)
