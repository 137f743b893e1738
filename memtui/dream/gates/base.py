"""The gates of a dream that need nothing but the place and the lock; `ready` puts all of them in their order.

The agent client's own protocol is read, nothing is written: `.consolidate-lock` in the memory folder holds the process
that consolidates, or did last, and its mtime is when the last consolidation succeeded (DESIGN.md D2). What stands in a
lock is somebody else's word: it is never followed, and no process is signalled because of it.

Source: DESIGN.md D2; SAFETY.md F13 to F17; UX.md 5.8.
"""

import os
import re
import stat
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memtui.client.memory_location import MemoryLocation
from memtui.client.paths import LOCK_NAME
from memtui.history.snapshot import scan
from memtui.util.process import ProcessIdentity, is_alive
from memtui.util.text import age, pluralize, size

BETWEEN = 24 * 3600
"""Seconds between two consolidations."""
SLACK = 3600
"""Seconds that a scheduled one may come sooner: it starts at the same time each day, and the last one ended later."""
HELD = 3600
"""Seconds after which a lock counts as left behind, whoever holds it."""

_PID = re.compile(rb"[1-9][0-9]{0,9}")
_LONGEST = 64
"""Bytes of a lock that are looked at; a process number has at most ten digits."""


class Gate(Struct, frozen=True):
    """One condition.

    `name` is "auto-dream", "memory", "time", "sessions", "failures", "review", "lock" or "folder". `words` says what
    it asks for, `reason` how it stands, `source` where that was read. `opens_at` is when a closed gate opens by itself,
    in seconds since 1970, or `None` if that isn't known.
    """

    name: str
    open: bool
    words: str
    reason: str
    source: str
    opens_at: float | None = None


class LockState(Struct, frozen=True):
    """What a lock says, from one look.

    `kind` is "none" (no lock), "pid", "odd" (a file whose text is no process number), "foreign" (a folder, a link, a
    pipe) or "unreadable". `at` is its mtime in seconds; `None` for "none" and "unreadable". `link` is a foreign one
    that could be taken over. `gone` is set by who knows that its holder is done with it, whatever process has the
    number by now.
    """

    path: Path
    kind: Literal["none", "pid", "odd", "foreign", "unreadable"]
    at: float | None = None
    pid: int | None = None
    link: bool = False
    gone: bool = False

    def since(self, now: float) -> float | None:
        """Seconds since the last consolidation; a time in the future counts as now."""
        return None if self.at is None else max(now - self.at, 0.0)

    @property
    def held_by_life(self) -> bool:
        """Whether the process that it names still runs; asked of the system's tables, nothing is sent to it."""
        return self.pid is not None and not self.gone and is_alive(ProcessIdentity(self.pid))


def read_lock(folder: Path) -> LockState:
    """Look at the lock of a memory folder, once: time and content are of the same open file."""
    path = folder / LOCK_NAME
    try:
        # Without O_NONBLOCK a pipe in its place would hold us for ever.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return LockState(path, "none")
    except NotADirectoryError:
        return LockState(path, "none")
    except OSError:
        return _from_outside(path)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            return LockState(path, "foreign", info.st_mtime)
        text = os.read(fd, _LONGEST + 1).strip()
    except OSError:
        return LockState(path, "unreadable")
    finally:
        os.close(fd)
    pid = lock_pid(text)
    return LockState(path, "odd" if pid is None else "pid", info.st_mtime, pid)


def lock_pid(text: bytes) -> int | None:
    """The process that a lock's text names; `None` if it names none."""
    return int(text) if _PID.fullmatch(text) is not None else None


def _from_outside(path: Path) -> LockState:
    """A lock that can't be opened: a link, or no permission. Only its time is known."""
    try:
        info = path.lstat()
    except OSError:
        return LockState(path, "unreadable")
    kind: Literal["odd", "foreign"] = "odd" if stat.S_ISREG(info.st_mode) else "foreign"
    return LockState(path, kind, info.st_mtime, link=stat.S_ISLNK(info.st_mode))


def dream_gate(location: MemoryLocation, *, assistant: bool, trigger: str, next_at: float | None = None) -> Gate:
    """Whether dreams are wanted here at all.

    Args:
        assistant: Whether assistant mode is on: dreams then start by schedule alone.
        trigger: Who would start it: "hand", "hook" or "schedule".
        next_at: When the schedule starts the next one, in seconds since 1970.
    """
    words = "auto-dream is on"
    switch, remote = location.switch("autoDreamEnabled"), location.switch("CLAUDE_CODE_REMOTE")
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
    """Whether the agent client keeps memory here at all."""
    switch = location.switch("autoMemoryEnabled")
    said = "on" if location.enabled else "off"
    reason = f"{said} by default" if switch.layer == "default" else f"turned {said} by {switch.layer}"
    return Gate("memory", location.enabled, "auto memory is on", reason, switch.source)


def time_gate(lock: LockState, now: float, *, trigger: str = "hand") -> Gate:
    """Whether the last dream is long enough ago.

    Args:
        now: Seconds since 1970.
        trigger: A scheduled dream may come sooner by `SLACK`.
    """
    words = f"{BETWEEN // 3600} h since the last dream"
    since = lock.since(now)
    if since is None or lock.at is None:
        reason = "there was none yet" if lock.kind == "none" else "nobody can tell when it was: the lock can't be read"
        return Gate("time", True, words, reason, str(lock.path))
    last = "last dream just now" if age(since) == "now" else f"last dream {age(since)} ago"
    if lock.at > now:
        last = "its time lies in the future, which counts as now"
    between = BETWEEN - SLACK if trigger == "schedule" else BETWEEN
    opens_at = min(lock.at, now) + between
    return Gate("time", since >= between, words, last, str(lock.path), opens_at if since < between else None)


def folder_gate(folder: Path) -> Gate:
    """Whether the memory folder can be written, or made."""
    words = "memory folder writable"
    there = folder
    while not os.path.lexists(there) and there != there.parent:
        there = there.parent
    if not there.is_dir():
        return Gate("folder", False, words, f"{there} is no folder", str(folder))
    if not os.access(there, os.W_OK | os.X_OK):
        return Gate("folder", False, words, f"{there} can't be written", str(folder))
    if there != folder:
        return Gate("folder", True, words, "it is made when it is needed", str(folder))
    found = scan(Path(os.path.realpath(folder)), None).values()
    reason = f"{pluralize(len(found), 'file')}, {size(sum(one.size for one in found))}B"
    return Gate("folder", True, words, reason, str(folder))


def lock_gate(lock: LockState, now: float) -> Gate:
    """Whether the lock may be taken, and why not."""
    since = lock.since(now)
    source = str(lock.path)
    words = "nobody is dreaming"
    if lock.kind == "none":
        return Gate("lock", True, words, "no lock", source)
    if lock.kind == "unreadable" or since is None or lock.at is None:
        return Gate("lock", False, words, "the lock can't be read", source)
    old = since >= HELD
    opens_at = None if old else min(lock.at, now) + HELD
    if lock.kind == "pid":
        if not lock.held_by_life:
            gone = "is done with it" if lock.gone else "is gone"
            return Gate("lock", True, words, f"process {lock.pid} {gone}", source)
        if old:
            reason = f"process {lock.pid} took it {age(since)} ago, which no longer counts"
            return Gate("lock", True, words, reason, source)
        return Gate("lock", False, words, f"held by process {lock.pid}", source, opens_at)
    what = "holds no process number" if lock.kind == "odd" else "is no file"
    if lock.kind == "foreign" and not lock.link:
        return Gate("lock", False, words, f"the lock {what}: memtui kill --clear-stale-lock removes it", source)
    if old:
        return Gate("lock", True, words, f"the lock {what} and is {age(since)} old: it counts as left behind", source)
    return Gate("lock", False, words, f"the lock {what}: it counts as somebody's for an hour", source, opens_at)
