"""What the C library's heap may keep of memory that was given back.

Left alone, glibc makes a heap for each thread that reads and lets all of them grow to the largest buffer that was ever
asked for. A program that is open all day and reads a large file now and then keeps that for good.
"""

_ARENAS, _TRIM, _MMAP = -8, -1, -3
"""`M_ARENA_MAX`, `M_TRIM_THRESHOLD` and `M_MMAP_THRESHOLD` of malloc.h."""

_LARGE = 128 << 10
"""Bytes: what glibc itself begins with, before it grows."""


def give_back() -> None:
    """One heap for all threads, and what is large goes back at once; nothing where the C library is another one."""
    try:
        import ctypes

        mallopt = ctypes.CDLL(None).mallopt
    except (ImportError, OSError, AttributeError, TypeError):
        return
    mallopt(_ARENAS, 1)  # threads of ours hold the interpreter's lock when they ask for memory: no queue
    mallopt(_TRIM, _LARGE)
    mallopt(_MMAP, _LARGE)
