"""What a session did, collected in one walk through its records: no record is held longer than it is looked at."""

from collections.abc import Iterable

from msgspec import Struct, field

from memtui.sessions.lines import Record
from memtui.sessions.snapshots import Changes
from memtui.sessions.stats import StatsCount
from memtui.sessions.usage import UsageCount
from memtui.sessions.writes import Writes


class Tally(Struct):
    """Tools used, tokens, files that calls wrote, and files that the client kept versions of."""

    stats: StatsCount = field(default_factory=StatsCount)
    usage: UsageCount = field(default_factory=UsageCount)
    writes: Writes = field(default_factory=Writes)
    changes: Changes = field(default_factory=Changes)


def tally(records: Iterable[Record]) -> Tally:
    """Collect it from a session's records."""
    found = Tally()
    parts = (found.stats, found.usage, found.writes, found.changes)
    for data in records:
        for part in parts:
            part.take(data)
    return found
