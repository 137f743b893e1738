"""Which sessions have lost something, for a list: worked out once for each state of a file, and kept in the cache.

They are read in a process apart: what reading takes up would stay with a program that is open all day.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from memtui.sessions.catalog import Catalogue
from memtui.sessions.listing import Session
from memtui.util import worker_process
from memtui.util.errors import MemtuiError

BIG = 64 << 20
"""Bytes of a session above which it is read whole only when somebody asks for it."""


def judge(
    cache: Path, sessions: Iterable[Session], *, read: bool = True, stopped: Callable[[], bool] = lambda: False
) -> Iterator[tuple[str, str]]:
    """Say of sessions what is lost of them.

    Args:
        cache: Our cache folder.
        sessions: As many as may be read in one go.
        read: Whether those of which nothing is known are read.
        stopped: Asked now and then while they are.

    Yields:
        A session's place, and what is wrong in one line ("" for nothing): those that are known first.
    """
    with Catalogue(cache) as catalogue:
        rest = []
        for one in sessions:
            words = catalogue.health(one)
            if words is not None:
                yield one.place, words
            elif read and one.size <= BIG:
                rest.append(one)
        told = _read_apart([one.place for one in rest], stopped)
        for one, words in zip(rest, told, strict=False):
            if words is not None:
                catalogue.keep_health(one, words)
                yield one.place, words


def _read_apart(places: Sequence[str], stopped: Callable[[], bool]) -> list[str | None]:
    """What is lost of each; None of one that can't be read, and nothing at all where nobody read to the end."""
    if not places or stopped():
        return []
    told = worker_process.call_in_process("memtui.sessions.health_cache:answer", *places, stopped=stopped)
    return [] if told is None else json.loads(told)


def answer(*places: str) -> None:
    """Be the process that reads: a list of what is lost of each session, as JSON."""
    sys.stdout.write(json.dumps([_words_of(Path(place)) for place in places]))


def _words_of(path: Path) -> str | None:
    from memtui.resume.health import health_of
    from memtui.resume.resume import plan_resume  # who asks needs none of this
    from memtui.transcripts.transcript import read_transcript

    try:
        transcript = read_transcript(path)
        health = health_of(transcript, plan_resume(transcript, brief=True))
    except MemtuiError:
        return None  # gone meanwhile: the next list knows
    return "" if health.ok else health.words
