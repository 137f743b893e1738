"""When the agent client's own clean-up takes a session.

Source:
    Claude Code 2.1.332, recorded: a start sweeps the transcripts of every project whose mtime is older than the
    `cleanupPeriodDays` of the directory that it starts in (default 30, the usual precedence of layers, checked-in
    settings included); what the records say doesn't matter. It sweeps once a day at most, and not at all while one of
    the settings files is faulty. Memory stays.
"""

from collections.abc import Sequence

from memtui.client.settings_files import SettingsLayer
from memtui.client.switches import strongest_value
from memtui.util.text import age

DEFAULT_RETENTION_DAYS = 30

CLEANUP_WARNING_DAYS = 3.0
"""Days: a session that has fewer left is marked."""

_DAY = 86_400


def cleanup_days(layers: Sequence[SettingsLayer]) -> int | None:
    """After how many days the client takes a session; `None` while a faulty file keeps it from taking any.

    Args:
        layers: As `read_layers` gives them.
    """
    if any(layer.problem for layer in layers if layer.name != "policy"):
        return None
    found = strongest_value(layers, "cleanupPeriodDays")
    days = found[0] if found else DEFAULT_RETENTION_DAYS
    return int(days) if isinstance(days, int | float) else DEFAULT_RETENTION_DAYS


def days_left(modified: float, now: float, days: int) -> float:
    """The days until the clean-up may take a session; 0 or less: the client's next start may.

    Args:
        modified: The mtime of its file, in seconds since 1970.
        now: Seconds since 1970.
        days: As from `cleanup_days`.
    """
    return days - (now - modified) / _DAY


def cleanup_mark(left: float | None) -> str:
    """The mark of a session that goes soon: "goes in 2d", "due" at the client's next start; "" for one that stays."""
    if left is None or left >= CLEANUP_WARNING_DAYS:
        return ""
    return "due" if left <= 0 else f"goes in {age(max(left * _DAY, 60))}"
