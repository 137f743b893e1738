"""When Claude Code's own clean-up deletes a session.

Source:
    Claude Code 2.1.332, recorded: a start sweeps the transcripts of every project whose mtime is older than the
    `cleanupPeriodDays` of the directory that it starts in (default 30, the usual precedence of layers, checked-in
    settings included); the records don't matter. It sweeps once a day at most, and not at all while one of the
    settings files is faulty. Memory stays.
"""

from collections.abc import Sequence

from memtui.client.settings_files import SettingsLayer
from memtui.client.switches import strongest_value
from memtui.util.text import age

DEFAULT_RETENTION_DAYS = 30

CLEANUP_WARNING_DAYS = 3.0

_SECONDS_PER_DAY = 86_400


def cleanup_days(layers: Sequence[SettingsLayer]) -> int | None:
    """After how many days a session is deleted; `None` while a faulty settings file keeps the clean-up from running."""
    if any(layer.problem for layer in layers if layer.name != "policy"):
        return None
    found = strongest_value(layers, "cleanupPeriodDays")
    days = found[0] if found else DEFAULT_RETENTION_DAYS
    return int(days) if isinstance(days, int | float) else DEFAULT_RETENTION_DAYS


def days_left(modified: float, now: float, days: int) -> float:
    """The days until the clean-up may delete a session of that mtime; 0 or less: at the next start."""
    return days - (now - modified) / _SECONDS_PER_DAY


def cleanup_mark(left: float | None) -> str:
    """The mark of a session that is deleted soon: "goes in 2d", "due" at the next start; else ""."""
    if left is None or left >= CLEANUP_WARNING_DAYS:
        return ""
    return "due" if left <= 0 else f"goes in {age(max(left * _SECONDS_PER_DAY, 60))}"
