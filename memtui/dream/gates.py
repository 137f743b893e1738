"""Would a dream start now: one gate for each condition, in the order in which they are tested.

The agent client's own protocol is read, nothing is written: `.consolidate-lock` in the memory folder holds the process
that consolidates, or did last, and its mtime is when the last consolidation succeeded (DESIGN.md D2). What stands in a
lock is somebody else's word: it is never followed, and no process is signalled because of it.

Source: DESIGN.md D2; SAFETY.md F13 to F17; UX.md 5.8.
"""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtui.base.process import Identity, alive
from memtui.base.text import age
from memtui.host.env import Env
from memtui.host.heads import SessionFile, session_files
from memtui.host.paths import LOCK, project_name
from memtui.host.place import Place

BETWEEN = 24 * 3600
"""Seconds between two consolidations."""
SESSIONS = 5
"""Sessions touched since the last one."""
HELD = 3600
"""Seconds after which a lock counts as left behind, whoever holds it."""

_PID = re.compile(rb"[1-9][0-9]{0,9}")
_LONGEST = 64
"""Bytes of a lock that are looked at; a process number has at most ten digits."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition.

    `name` is "memory", "auto-dream", "time", "sessions" or "lock"; `words` says what it asks for, `reason` how it
    stands, `source` where that was read. `opens_at` is when a closed gate opens by itself, in seconds since 1970, or
    `None` if that isn't known.
    """

    name: str
    open: bool
    words: str
    reason: str
    source: str
    opens_at: float | None = None


@dataclass(frozen=True, slots=True)
class LockState:
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
        return self.pid is not None and not self.gone and alive(Identity(self.pid))


def read_lock(folder: Path) -> LockState:
    """Look at the lock of a memory folder, once: time and content are of the same open file."""
    path = folder / LOCK
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


def gates(place: Place, env: Env, now: float, lock: LockState | None = None) -> tuple[Gate, ...]:
    """Every gate of a directory.

    Args:
        place: The decided place.
        env: The surroundings: a session that we run in is not counted.
        now: Seconds since 1970.
        lock: The lock, if somebody knows more of it than the disk tells (`lock.seen_lock`).

    Returns:
        The gates in the order in which they are tested. A dream would start if all are open.
    """
    lock = lock or read_lock(place.folder)
    return (
        _switch(place, "memory", "auto memory is on", "autoMemoryEnabled"),
        _switch(place, "auto-dream", "auto-dream is on", "autoDreamEnabled"),
        _time(lock, now),
        _sessions(place, env, lock),
        lock_gate(lock, now),
    )


def _switch(place: Place, name: str, words: str, key: str) -> Gate:
    switch = place.switch(key)
    on = place.enabled if key == "autoMemoryEnabled" else switch.value is not False
    said = "on" if on else "off"
    reason = f"{said} by default" if switch.layer == "default" else f"turned {said} by {switch.layer}"
    return Gate(name, on, words, reason, switch.source)


def _time(lock: LockState, now: float) -> Gate:
    words = f"{BETWEEN // 3600} h since the last dream"
    since = lock.since(now)
    if since is None or lock.at is None:
        reason = "there was none yet" if lock.kind == "none" else "nobody can tell when it was: the lock can't be read"
        return Gate("time", True, words, reason, str(lock.path))
    last = "last dream just now" if age(since) == "now" else f"last dream {age(since)} ago"
    if lock.at > now:
        last = "its time lies in the future, which counts as now"
    opens_at = min(lock.at, now) + BETWEEN
    return Gate("time", since >= BETWEEN, words, last, str(lock.path), opens_at if since < BETWEEN else None)


def sessions_since(place: Place, env: Env, after: float) -> list[SessionFile]:
    """The sessions that fill a memory and were touched after a time, newest first.

    Those of the directory and of its repository's root: both fill the same memory. One that we run in is left out.

    Args:
        after: Seconds since 1970.
    """
    folders = [place.transcripts]
    if place.project_dir == project_name(str(place.cwd)) and place.root != place.cwd:
        folders.append(place.transcripts.with_name(project_name(str(place.root))))
    own = env.get("CLAUDE_CODE_SESSION_ID")
    found = [file for folder in folders for file in session_files(folder) if file.modified > after and file.id != own]
    return sorted(found, key=lambda file: -file.modified)


def _sessions(place: Place, env: Env, lock: LockState) -> Gate:
    count = len(sessions_since(place, env, lock.at or 0.0))
    reason = f"{count} of {SESSIONS}" + (" (this one not counted)" if env.get("CLAUDE_CODE_SESSION_ID") else "")
    words = f"{SESSIONS} sessions since then"
    return Gate("sessions", count >= SESSIONS, words, reason, str(place.transcripts))


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
