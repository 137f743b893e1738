"""Which sessions a client has open at this moment.

Source:
    Claude Code 2.1.332, recorded: while it runs it keeps `sessions/<pid>.json` in its folder, with `pid`, `sessionId`
    and `procStart`, on Linux the start of the process in clock ticks since the start of the machine.
"""

import json
import os
import sys

from memtui.base.process import Identity, alive
from memtui.host.env import Env
from memtui.host.paths import config_dir, read_small


def live_sessions(env: Env) -> frozenset[str]:
    """The ids of sessions whose client runs. A file that a killed client left behind doesn't count."""
    found = set()
    for path in sorted(config_dir(env).joinpath("sessions").glob("*.json")):
        try:
            entry = json.loads(read_small(path) or b"")
            pid, session = int(entry["pid"]), str(entry["sessionId"])
            start = str(entry.get("procStart", ""))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        ticks = int(start) if start.isascii() and start.isdigit() and sys.platform.startswith("linux") else None
        if alive(Identity(pid, None if ticks is None else ticks / os.sysconf("SC_CLK_TCK"))):
            found.add(session)
    return frozenset(found)
