"""When dreams start by themselves: a cron expression for each memory folder, kept in `<state>/schedules/<hash>.json`.

If nobody chose one, a time between 0:00 and 5:59 is drawn once and kept: a default that all had in common would make
everybody ask the model service at the same minute. Only what every cron understands is taken.
"""

import json
import os
import re
from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from memtui.base.dirs import Dirs
from memtui.base.errors import Usage
from memtui.base.files import digest, make_folders, replace_file
from memtui.host.place import Place

if TYPE_CHECKING:
    from random import Random

    from cronsim import CronSim

NIGHT = 6
"""Hours after midnight within which a default is drawn."""

_STEP_OF_ONE = re.compile(r"(?:^|[,\s])\w+/")
"""`5/15`: cron programs disagree about what it means."""


class Schedule(Struct, frozen=True):
    """When the dreams of a memory folder start.

    `cron` has five fields; `drawn`: nobody chose it. `installed` is what we put into the crontab, "" for nothing.
    """

    cron: str
    drawn: bool = False
    installed: str = ""


def schedule_id(place: Place) -> str:
    """A short name of the memory folder, for a file and for a line of the crontab."""
    return digest(os.fsencode(os.path.realpath(place.folder)))[:16]


def draw(random: "Random") -> str:
    """A time between 0:00 and 5:59, every day."""
    return f"{random.randrange(60)} {random.randrange(NIGHT)} * * *"


def read_schedule(dirs: Dirs, place: Place) -> Schedule | None:
    """What was kept; `None` if nothing was, or it can't be used."""
    try:
        data: dict[str, Any] = json.loads(_path(dirs, place).read_bytes())
        found = Schedule(str(data["cron"]), data["drawn"] is True, str(data["installed"]))
        parsed(found.cron, 0.0)
    except (OSError, ValueError, KeyError, TypeError, Usage):
        return None
    return found


def keep_schedule(dirs: Dirs, place: Place, schedule: Schedule) -> None:
    """Keep it, on the disk when this returns."""
    data = {
        "folder": os.fsencode(place.folder).decode("latin-1"), "cron": schedule.cron, "drawn": schedule.drawn,
        "installed": schedule.installed,
    }  # fmt: skip
    path = _path(dirs, place)
    make_folders(path.parent)
    replace_file(path, json.dumps(data).encode("ascii"))


def next_start(dirs: Dirs, place: Place, now: float) -> float | None:
    """When cron starts the next one, in seconds since 1970; `None` if nothing of ours is in the crontab."""
    found = read_schedule(dirs, place)
    return None if found is None or not found.installed else next(iter(starts(found.installed, now)), None)


def parsed(cron: str, now: float) -> "CronSim":
    """A cron expression, read by the rules of Debian's cron.

    Args:
        now: From when on it counts, in seconds since 1970.

    Raises:
        Usage: If it is none, if not every cron understands it, or if that time never comes.
    """
    from cronsim import CronSim, CronSimError

    hint = 'five fields: minute hour day month weekday, as in "30 3 * * 1-5"'
    if len(cron.split()) != 5:
        raise Usage(f"{cron!r} is no cron expression", hint=hint)
    try:
        found = CronSim(cron, datetime.fromtimestamp(now))
    except CronSimError as error:
        raise Usage(f"{cron!r} is no cron expression: {error}", hint=hint) from error
    plain: Iterable[object] = (*found.days, *found.weekdays)
    if not all(isinstance(item, int) and item >= 0 for item in plain):
        raise Usage(f"{cron!r} has L, W or #, which cron itself doesn't know", hint=hint)
    if _STEP_OF_ONE.search(cron):
        raise Usage(f"{cron!r} has steps without a range", hint="*/15 or 5-59/15 instead of 5/15")
    if next(CronSim(cron, datetime.fromtimestamp(now)), None) is None:
        raise Usage(f"{cron!r} names a day that never comes", hint=hint)
    return found


def starts(cron: str, now: float, count: int = 3) -> list[float]:
    """The next times, in seconds since 1970, by this machine's clock.

    Raises:
        Usage: As `parsed`.
    """
    return [moment.timestamp() for moment in islice(parsed(cron, now), count)]


def in_words(cron: str, now: float) -> str:
    """A cron expression in words: "At 03:17 every day".

    Raises:
        Usage: As `parsed`.
    """
    return parsed(cron, now).explain()


def _path(dirs: Dirs, place: Place) -> Path:
    return dirs.state / "schedules" / f"{schedule_id(place)}.json"
