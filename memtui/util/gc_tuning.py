"""Less memory and fewer collections for a program that stays open all day."""

import gc

_M_ARENA_MAX, _M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -8, -1, -3  # parameters of mallopt, from malloc.h
_LARGE_BUFFER_BYTES = 128 << 10  # glibc's own initial threshold, which it would raise with each larger buffer
_YOUNG_PER_OLD_COLLECTION = 2  # most of what drawing leaves behind is old after two collections


def limit_heaps() -> None:
    """Use one heap for all threads and return large buffers to the system at once; does nothing without glibc.

    By default glibc makes a heap for each thread that reads, and lets each keep as much as its largest buffer.
    """
    try:
        import ctypes  # some builds of Python lack it

        mallopt = ctypes.CDLL(None).mallopt
    except (ImportError, OSError, AttributeError, TypeError):
        return
    mallopt(_M_ARENA_MAX, 1)  # our threads hold the interpreter's lock when they allocate: no contention
    mallopt(_M_TRIM_THRESHOLD, _LARGE_BUFFER_BYTES)
    mallopt(_M_MMAP_THRESHOLD, _LARGE_BUFFER_BYTES)


def release_memory() -> None:
    """Return to the system what a large reading left free between other things; does nothing without glibc."""
    try:
        import ctypes  # some builds of Python lack it

        ctypes.CDLL(None).malloc_trim(0)
    except (ImportError, OSError, AttributeError, TypeError):
        return


def freeze_heap() -> None:
    """End the start, during which collection was off: what it left behind is never looked through again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], _YOUNG_PER_OLD_COLLECTION)
    gc.enable()
