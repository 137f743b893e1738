"""A topic past its `valid_until`: what it says may not hold any more. Whether it goes, a person decides."""

from collections.abc import Iterator
from datetime import date, datetime

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem

EXPIRY_FIELD = "valid_until"


def parse_day(text: str) -> date | None:
    """The day of a date or time stamp in ISO format; None for anything else."""
    try:
        return datetime.fromisoformat(text.strip()).date()
    except ValueError:
        return None


def find(file: CheckedFile) -> Iterator[Problem]:
    field, folder = file.field(EXPIRY_FIELD), file.folder
    if field is None or field.value is None or folder is None:
        return
    day = parse_day(field.value)
    if day is None:
        message = f"{EXPIRY_FIELD} is no date: {field.value}; write it as 2026-12-31"
        yield file.problem("expired", "warning", message, field.line, subject=field.value)
    elif folder.now and day < datetime.fromtimestamp(folder.now).date():
        message = f"valid until {day}, which is past: delete it, correct it, or set another date"
        yield file.problem("expired", "warning", message, field.line, subject=str(day))


CHECK = Check(("expired",), TOPICS, find, order=240)
