"""What a dream may cost: a limit for one, and one for all dreams of a day, of any project.

The cost of earlier runs is in their event files, so it counts over restarts, and for runs that failed.
"""

from memtui.dream.run.run import OverBudget
from memtui.dream.run.runs import events_of, list_runs, run_progress
from memtui.util.app_dirs import Dirs
from memtui.util.config import Config
from memtui.util.errors import UsageError

DAY_S = 86_400.0


def money_left(config: Config, dirs: Dirs, now: float) -> float | None:
    """US dollars that a dream starting now may cost, `None` for no limit; `OverBudget` if the day's is reached."""
    one, day = _amount(config, "dream_money"), _amount(config, "dream_day_money")
    if day is None:
        return one
    used = money_spent(dirs, now - DAY_S)
    if used >= day:
        raise OverBudget(f"the dreams of the last 24 hours cost ${used:.2f}, and ${day:.2f} is their limit")
    return day - used if one is None else min(one, day - used)


def money_spent(dirs: Dirs, since: float) -> float:
    """US dollars that the dreams started since then have cost so far."""
    return sum(run_progress(events_of(run)).usd for run in list_runs(dirs) if run.at > since)


def _amount(config: Config, key: str) -> float | None:
    word = config[key].strip().lower()
    if word == "none":
        return None
    try:
        amount = float(word)
    except ValueError:
        amount = -1.0
    if not 0 < amount < 1e6:
        raise UsageError(f"{key} is no amount of dollars: {config[key]!r}", hint=f"memtui config set {key} 2, or none")
    return amount
