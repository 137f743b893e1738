"""Which sessions have lost something, for a list: worked out once for each state of a file, and kept in the cache."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from memtui.base import apart
from memtui.base.errors import MemtuiError
from memtui.search.catalogue import Catalogue
from memtui.sessions.chain import resume
from memtui.sessions.health import health_of
from memtui.sessions.listing import Session
from memtui.sessions.transcript import read_transcript

APART = 8 << 20
"""Bytes from which on a session is read in a process of its own: what reading it takes up would stay with us."""

BIG = 64 << 20
"""Bytes of a session above which it is read whole only when somebody asks for it."""


def judge(
    cache: Path, sessions: Sequence[Session], *, stopped: Callable[[], bool] = lambda: False
) -> Iterator[tuple[str, str]]:
    """Say of sessions what is lost of them.

    Args:
        cache: Our cache folder.
        sessions: In the order in which they are to be judged.
        stopped: Asked before each file.

    Yields:
        A session's place, and what is wrong in one line ("" for nothing): those that are known first.
    """
    with Catalogue(cache) as catalogue:
        rest = []
        for one in sessions:
            words = catalogue.health(one)
            if words is not None:
                yield one.place, words
            elif one.size <= BIG:
                rest.append(one)
        for one in rest:
            if stopped():
                return
            words = _words_of(one.place) if one.size < APART else _words_apart(one.place, stopped)
            if words is not None:
                catalogue.keep_health(one, words)
                yield one.place, words


def _words_of(place: str) -> str | None:
    """What is lost of a session; None if it can't be read: gone meanwhile, the next list knows."""
    try:
        transcript = read_transcript(Path(place))
        health = health_of(transcript, resume(transcript))
    except MemtuiError:
        return None
    return "" if health.ok else health.words


def _words_apart(place: str, stopped: Callable[[], bool]) -> str | None:
    told = apart.ask("memtui.search.judging:answer", place, stopped=stopped)
    return None if told is None else told.decode("utf-8", "surrogatepass")


def answer(place: str) -> None:
    """Be the process that reads one session."""
    words = _words_of(place)
    if words is None:
        sys.exit(1)
    sys.stdout.buffer.write(words.encode("utf-8", "surrogatepass"))
