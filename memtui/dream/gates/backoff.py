"""The gate that keeps dreams which fail again and again from being tried at every turn's end.

Two failures in a row make the next one wait an hour, each further one twice as long, a day at most. What counts is in
the files of the runs. A run that a person or the machine killed says nothing about the next one: it neither counts nor
ends the row.

Source: SAFETY.md F49; DESIGN.md, sentence 3.
"""

from collections.abc import Iterable

from memtui.dream.gates.base import Gate
from memtui.dream.run.events import Ended
from memtui.dream.run.runs import Run, state_of
from memtui.util.app_dirs import Dirs
from memtui.util.text import pluralize, time_ago

FREE = 1
"""Failures after which the next dream may start at once."""
FIRST = 3600
"""Seconds to wait after one more; each further failure doubles it."""
LONGEST = 86_400
"""Seconds to wait at most."""

_FAILED = ("failed", "over-budget")
_WELL = ("done", "nothing", "held")


def failures(runs: Iterable[Run]) -> tuple[Ended, ...]:
    """The ends of the runs that failed since the last one that went well, newest first.

    Args:
        runs: Newest first.
    """
    found = []
    for run in runs:
        end = state_of(run).end
        if end is not None and end.how in _WELL:
            break
        if end is not None and end.how in _FAILED:
            found.append(end)
    return tuple(found)


def waiting_after(count: int) -> int:
    """Seconds that a dream waits after so many failures in a row."""
    return 0 if count <= FREE else min(FIRST << min(count - FREE - 1, 16), LONGEST)


def failure_gate(runs: Iterable[Run], now: float, dirs: Dirs) -> Gate:
    """Whether dreams failed so often in a row that the next one waits.

    Args:
        runs: Those of this memory folder, newest first.
        now: Seconds since 1970.
    """
    ends = failures(runs)
    words, source = "no failures in a row", str(dirs.state / "runs")
    if not ends:
        return Gate("failures", True, words, "none failed", source)
    last = min(ends[0].at, now)
    said = "the last one failed" if len(ends) == 1 else f"{pluralize(len(ends), 'dream')} failed in a row, the last"
    reason = f"{said} {time_ago(now - last)}: {ends[0].reason}"
    opens_at = last + waiting_after(len(ends))
    return Gate("failures", now >= opens_at, words, reason, source, opens_at if now < opens_at else None)
