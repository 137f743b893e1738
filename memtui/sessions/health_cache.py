"""What a resume would lose of the sessions in a list: worked out once for each state of a file, and cached.

Sessions are read in a process of their own: what reading takes of memory would stay with a program open all day.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from memtui.sessions.catalog import Catalogue
from memtui.sessions.listing import Session
from memtui.util import worker_process
from memtui.util.errors import MemtuiError

MAX_CHECKED_BYTES = 64 << 20  # a larger session is read whole only when a person opens it


def load_health(
    cache: Path, sessions: Iterable[Session], *, read: bool = True, stopped: Callable[[], bool] = lambda: False
) -> Iterator[tuple[str, str]]:
    """Yield the path of each session, and in one line what a resume would lose of it, "" for nothing; cached ones
    first.

    `read` says whether those of which nothing is cached are read; `stopped` is asked now and then while they are.
    """
    with Catalogue(cache) as catalogue:
        unknown = []
        for session in sessions:
            problem = catalogue.health(session)
            if problem is not None:
                yield session.file_path, problem
            elif read and session.size <= MAX_CHECKED_BYTES:
                unknown.append(session)
        problems = _check_in_process([session.file_path for session in unknown], stopped)
        for session, problem in zip(unknown, problems, strict=False):
            if problem is not None:
                catalogue.store_health(session, problem)
                yield session.file_path, problem


def _check_in_process(paths: Sequence[str], stopped: Callable[[], bool]) -> list[str | None]:
    """The problem of each session; None for one that can't be read, no list at all if the process was stopped."""
    if not paths or stopped():
        return []
    output = worker_process.call_in_process("memtui.sessions.health_cache:print_health", *paths, stopped=stopped)
    return [] if output is None else json.loads(output)


def print_health(*paths: str) -> None:
    """Print what a resume would lose of each session, as JSON; the main function of the process that reads."""
    sys.stdout.write(json.dumps([_check(Path(path)) for path in paths]))


def _check(path: Path) -> str | None:
    from memtui.resume.health import check_health  # 20 ms, needed by the process that reads only
    from memtui.resume.resume import plan_resume
    from memtui.transcripts.transcript import read_transcript

    try:
        transcript = read_transcript(path)
        health = check_health(transcript, plan_resume(transcript, brief=True))
    except MemtuiError:
        return None  # gone meanwhile
    return "" if health.ok else health.words
