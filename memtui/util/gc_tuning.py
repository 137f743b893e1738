"""What a program that is open all day keeps of the memory that it once needed."""

import gc

_ARENAS, _TRIM, _MMAP = -8, -1, -3
"""`M_ARENA_MAX`, `M_TRIM_THRESHOLD` and `M_MMAP_THRESHOLD` of malloc.h."""

_LARGE = 128 << 10
"""Bytes: what glibc itself begins with, before it grows."""

_OFTEN = 2
"""Of so many looks through younger objects one is through the old: most of what drawing leaves is old by then."""


def limit_heaps() -> None:
    """One heap for all threads, and what is large goes back at once; nothing where the C library isn't glibc.

    Left alone, glibc makes a heap for each thread that reads, and lets all of them keep as much as the largest buffer
    that was ever asked for.
    """
    try:
        import ctypes

        mallopt = ctypes.CDLL(None).mallopt
    except (ImportError, OSError, AttributeError, TypeError):
        return
    mallopt(_ARENAS, 1)  # threads of ours hold the interpreter's lock when they ask for memory: no queue
    mallopt(_TRIM, _LARGE)
    mallopt(_MMAP, _LARGE)


def freeze_heap() -> None:
    """The start is over, which nothing was collected in: what is left of it stays, and is never looked through again.

    What the first screens left goes; what `freeze` was called for before isn't looked through for that.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], _OFTEN)
    gc.enable()
