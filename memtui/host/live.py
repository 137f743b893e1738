"""Which sessions are running: the agent client writes one small file for each of its processes.

Source:
    Claude Code 2.1.332, recorded: `<config>/sessions/<pid>.json` with `pid`, `sessionId`, `cwd`, `procStart`; it goes
    away when the process ends, and stays behind when it is killed.
"""

import json
import os
import sys
from pathlib import Path

from memtui.base.process import Identity, alive
from memtui.host.paths import read_small


def live_sessions(config: Path) -> frozenset[str]:
    """The ids of the sessions that a process has open now.

    Args:
        config: The client's configuration folder.
    """
    try:
        with os.scandir(config / "sessions") as entries:
            places = [entry.path for entry in entries if entry.name.endswith(".json")]
    except OSError:
        return frozenset()
    return frozenset(found for place in places if (found := _session(Path(place))))


def _session(path: Path) -> str:
    """The session of one process, "" if the file isn't one or the process is gone."""
    try:
        told = json.loads(read_small(path) or b"")
    except (ValueError, RecursionError):
        return ""
    if not isinstance(told, dict):
        return ""
    pid, session = told.get("pid"), told.get("sessionId")
    if not isinstance(pid, int) or not isinstance(session, str):
        return ""
    return session if alive(Identity(pid, _started(told.get("procStart")))) else ""


def _started(ticks: object) -> float | None:
    """When it started, as `Identity` counts; elsewhere than on Linux the client's word for it isn't known."""
    if not sys.platform.startswith("linux") or not isinstance(ticks, str) or not ticks.isdigit():
        return None
    return int(ticks) / os.sysconf("SC_CLK_TCK")
