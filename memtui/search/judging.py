"""Which sessions have lost something, for a list: worked out once for each state of a file, and kept in the cache."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from memtui.base.errors import MemtuiError
from memtui.search.catalogue import Catalogue
from memtui.sessions.chain import resume
from memtui.sessions.health import health_of
from memtui.sessions.listing import Session
from memtui.sessions.transcript import read_transcript

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
            try:
                transcript = read_transcript(one.path)
                health = health_of(transcript, resume(transcript))
            except MemtuiError:
                continue  # gone meanwhile: the next list knows
            words = "" if health.ok else health.words
            catalogue.keep_health(one, words)
            yield one.place, words
