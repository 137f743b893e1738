"""A relative date ("yesterday") in a file that is older than a day: it now means another day."""

from collections.abc import Iterator

from memtui.memory.checks.base import LISTED, Check, CheckedFile, Problem, Severity, TextHit
from memtui.memory.dates import relative_dates
from memtui.util.text import age

STALE_AFTER_S = 86_400.0
MAX_LISTED_DATES = 3  # relative dates of a file that are reported one by one; what follows is one problem
_OFTEN_NOW = frozenset({"today", "this sprint", "오늘"})
"""Words that mean "nowadays" more often than a day: in 234 real files, all 11 did."""


def find_in_text(text: str) -> tuple[TextHit, ...]:
    return tuple(
        TextHit(text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start), phrase)
        for start, _, phrase in relative_dates(text)
    )


def find(file: CheckedFile) -> Iterator[Problem]:
    """Report the dates, as a warning once they are stale and surely mean a day."""
    dates = file.hits("relative-date")
    is_stale = file.age_s > STALE_AFTER_S
    for number, hit in enumerate(dates):
        severity: Severity = "warning" if is_stale and hit.words.lower() not in _OFTEN_NOW else "info"
        if number == MAX_LISTED_DATES and len(dates) > MAX_LISTED_DATES + 1:
            message = f"{len(dates) - number} more relative dates"
            yield file.problem("relative-date", severity, message, hit.line, hit.column)
            return
        meaning = f"was written {age(file.age_s)} ago or earlier" if is_stale else "means another day tomorrow"
        message = f'"{hit.words}" {meaning}: write the date'
        yield file.problem("relative-date", severity, message, hit.line, hit.column, subject=hit.words)


# A daily log may speak of "yesterday": its name is its date.
CHECK = Check(("relative-date",), LISTED - {"log"}, find, find_in_text=find_in_text, order=140)
