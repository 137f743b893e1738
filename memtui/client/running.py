"""Which sessions are open in Claude Code now.

A running client keeps `<config>/sessions/<pid>.json`: it takes the file away when it ends, and leaves it behind when it
is killed. So a file counts only while its process is there and is the one that wrote it.

Source:
    Claude Code 2.1.332, recorded: interactive and headless clients write it alike; `sessionId` follows /clear and
    --resume at once; `procStart` is the process's start in clock ticks since the machine's (Linux; its form elsewhere
    is unknown); `startedAt` and `updatedAt` are milliseconds since 1970; after SIGKILL the file stays for good, also
    over later starts. Beside it lies a key for talking to the client, which we don't read.
"""

import os
import re
import sys
from pathlib import Path

from msgspec import Struct

from memtui.client.environment import Env
from memtui.client.paths import config_dir, read_small_file
from memtui.util.json_object import json_object
from memtui.util.process import ProcessIdentity, is_alive

_NAME = re.compile(r"([0-9]{1,10})\.json")
_START_TOLERANCE_S = 60.0  # how long after its file a process may seem to have started: clocks get set


class RunningSession(Struct, frozen=True):
    """A session that is open in Claude Code; `started` is 0 if it doesn't say, `status` "busy", "idle" or ""."""

    session: str
    pid: int
    cwd: str = ""
    started: float = 0.0
    status: str = ""
    version: str = ""


def running_sessions(env: Env) -> dict[str, RunningSession]:
    """The sessions that are open now, by their ids."""
    return running_sessions_in(config_dir(env))


def running_sessions_in(config: Path) -> dict[str, RunningSession]:
    """The sessions that clients with this configuration folder have open now, by their ids.

    A file that can't be read or isn't of the known form counts as none. A client in another container can't be told
    from a dead one. Of two clients on one session the later counts.
    """
    try:
        with os.scandir(config / "sessions") as entries:
            names = [(int(match[1]), entry.path) for entry in entries if (match := _NAME.fullmatch(entry.name))]
    except (OSError, ValueError):
        return {}
    read = ((pid, json_object(read_small_file(Path(place)))) for pid, place in names)
    found = [one for pid, data in read if (one := _read(pid, data)) and _there(one, data)]
    return {one.session: one for one in sorted(found, key=lambda one: one.started)}


def _read(pid: int, data: dict[str, object]) -> RunningSession | None:
    session, started = data.get("sessionId"), data.get("startedAt")
    if not isinstance(session, str) or not session or data.get("pid", pid) != pid:
        return None
    return RunningSession(
        session,
        pid,
        _text(data.get("cwd")),
        started / 1000 if isinstance(started, int) and 0 < started < 1 << 53 else 0.0,
        _text(data.get("status")),
        _text(data.get("version")),
    )


def _there(one: RunningSession, data: dict[str, object]) -> bool:
    ticks = _text(data.get("procStart"))
    if sys.platform.startswith("linux") and ticks.isdecimal() and len(ticks) < 20:
        return is_alive(ProcessIdentity(one.pid, int(ticks) / os.sysconf("SC_CLK_TCK")))
    return is_alive(ProcessIdentity(one.pid)) and (
        not one.started or _began(one.pid) <= one.started + _START_TOLERANCE_S
    )


def _began(pid: int) -> float:
    """When a process started, in seconds since 1970; 0 if that can't be found out."""
    import psutil  # only where the file doesn't say which process it was

    try:
        return float(psutil.Process(pid).create_time())
    except (psutil.Error, OverflowError, ValueError):
        return 0.0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
