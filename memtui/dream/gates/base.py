"""One gate, and those that need nothing but the settings, the lock and the folder."""

import os
import time
from pathlib import Path

from msgspec import Struct

from memtui.client.memory_location import MemoryLocation
from memtui.dream.lock.lock_file import LOCK_EXPIRY_S, MAX_CLOCK_SKEW_S, LockState
from memtui.history.snapshot import scan
from memtui.util.text import age, pluralize, size

_CLEAR = "memtui kill --clear-stale-lock removes it"

DREAM_INTERVAL_S = 24 * 3600
SCHEDULE_TOLERANCE_S = 3600
"""How much sooner a scheduled dream may come: it starts at the same time each day, but the last one ended later."""


class Gate(Struct, frozen=True):
    """One condition: what it requires, how it stands, where that was read, and when it opens by itself, if known."""

    name: str
    open: bool
    words: str
    reason: str
    source: str
    opens_at: float | None = None


def dream_gate(location: MemoryLocation, *, assistant: bool, trigger: str, next_at: float | None = None) -> Gate:
    """Whether dreams start by themselves here, in assistant mode by schedule alone; one by hand needs no switch."""
    words = "auto-dream is on"
    switch, remote = location.switch("autoDreamEnabled"), location.switch("CLAUDE_CODE_REMOTE")
    if trigger == "hand":
        return Gate("auto-dream", True, words, "not asked: it starts by hand", switch.source)
    if switch.value is False:
        return Gate("auto-dream", False, words, f"turned off by {switch.layer}", switch.source)
    if remote.value is True:
        return Gate("auto-dream", False, words, "off in remote mode", remote.source)
    if assistant and trigger != "schedule":
        reason = "in assistant mode dreams start by schedule"
        return Gate("auto-dream", False, words, reason, "config.toml: assistant_mode", next_at)
    reason = "on by default" if switch.layer == "default" else f"turned on by {switch.layer}"
    return Gate("auto-dream", True, words, reason, switch.source)


def memory_gate(location: MemoryLocation) -> Gate:
    switch = location.switch("autoMemoryEnabled")
    state = "on" if location.enabled else "off"
    reason = f"{state} by default" if switch.layer == "default" else f"turned {state} by {switch.layer}"
    return Gate("memory", location.enabled, "auto memory is on", reason, switch.source)


def time_gate(lock: LockState, now: float, *, own: float | None = None, trigger: str = "hook") -> Gate:
    """Whether the last dream is long enough ago: the lock tells of those that read sessions, `own` is our newest."""
    words = f"{DREAM_INTERVAL_S // 3600} h since the last dream"
    future = f"the lock's time {_in_future(lock)}, which counts as never" if lock.is_in_future(now) else ""
    last = last_success(lock, now, own)
    if last is None:
        unknown = "there was none yet" if lock.kind == "none" else "unknown when it was: the lock can't be read"
        return Gate("time", True, words, future or unknown, str(lock.path))
    since = now - last
    reason = "last dream just now" if age(since) == "now" else f"last dream {age(since)} ago"
    interval = DREAM_INTERVAL_S - SCHEDULE_TOLERANCE_S if trigger == "schedule" else DREAM_INTERVAL_S
    opens_at = last + interval if since < interval else None
    return Gate("time", since >= interval, words, f"{reason}; {future}" if future else reason, str(lock.path), opens_at)


def last_success(lock: LockState, now: float, own: float | None) -> float | None:
    """When the last dream succeeded, by the lock and by our newest run; a time in the future counts as never."""
    ours = None if own is None or own > now + MAX_CLOCK_SKEW_S else min(own, now)
    return max((at for at in (lock.last(now), ours) if at is not None), default=None)


def _in_future(lock: LockState) -> str:
    try:
        return f"lies in the future ({time.strftime('%Y-%m-%d %H:%M', time.localtime(lock.at))})"
    except (OverflowError, OSError, ValueError):  # some file systems hold years that calendars don't
        return "lies far in the future"


def folder_gate(folder: Path) -> Gate:
    words = "memory folder writable"
    existing = folder
    while not os.path.lexists(existing) and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir():
        return Gate("folder", False, words, f"{existing} is no folder", str(folder))
    if not os.access(existing, os.W_OK | os.X_OK):
        return Gate("folder", False, words, f"{existing} can't be written", str(folder))
    if existing != folder:
        return Gate("folder", True, words, "it is created when needed", str(folder))
    files = scan(Path(os.path.realpath(folder)), None).values()
    reason = f"{pluralize(len(files), 'file')}, {size(sum(file.size for file in files))}B"
    return Gate("folder", True, words, reason, str(folder))


def lock_gate(lock: LockState, now: float) -> Gate:
    source, words, last = str(lock.path), "no dream running", lock.last(now)
    if lock.kind == "none":
        return Gate("lock", True, words, "no lock", source)
    if lock.kind == "unreadable" or lock.at is None:
        return Gate("lock", False, words, f"the lock can't be read: {_CLEAR}", source)
    expired = last is None or now - last >= LOCK_EXPIRY_S
    opens_at = None if last is None or expired else last + LOCK_EXPIRY_S
    when = f"{age(now - last)} ago" if last is not None else f"at a time that {_in_future(lock)}"
    if lock.kind == "pid":
        if not lock.holder_is_alive:
            ended = "is done with it" if lock.gone else "is gone"
            return Gate("lock", True, words, f"process {lock.pid} {ended}", source)
        if expired:
            reason = f"process {lock.pid} took it {when}, which no longer counts"
            return Gate("lock", True, words, reason, source)
        return Gate("lock", False, words, f"held by process {lock.pid}", source, opens_at)
    what = "holds no process number" if lock.kind == "odd" else "is a link" if lock.link else "is no lock file"
    if lock.kind == "foreign" and not lock.link:
        return Gate("lock", False, words, f"the lock {what}: {_CLEAR}", source)
    if expired:
        return Gate("lock", True, words, f"the lock {what} and was made {when}: it counts as left behind", source)
    reason = f"the lock {what}: it counts as held until it is an hour old; {_CLEAR}"
    return Gate("lock", False, words, reason, source, opens_at)
