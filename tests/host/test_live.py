"""Which sessions are running."""

import json
import os
import subprocess
import sys
from pathlib import Path

from memtui.base.process import current
from memtui.host.live import live_sessions


def test_only_those_whose_process_is_the_same_one(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    started = current().started
    ticks = str(int((started or 0) * os.sysconf("SC_CLK_TCK")))
    folder = tmp_path / "sessions"
    folder.mkdir()
    for name, told in {
        "1": {"pid": os.getpid(), "sessionId": "a", "procStart": ticks},
        "2": {"pid": os.getpid(), "sessionId": "b"},
        "3": {"pid": child.pid, "sessionId": "dead"},
        "4": {"pid": "x", "sessionId": "c"},
        "5": ["no object"],
    }.items():
        (folder / f"{name}.json").write_text(json.dumps(told))
    (folder / "6.json").write_text("{torn")
    (folder / "7.txt").write_text(json.dumps({"pid": os.getpid(), "sessionId": "d"}))
    assert live_sessions(tmp_path) == {"a", "b"}
    if sys.platform.startswith("linux"):
        (folder / "1.json").write_text(json.dumps({"pid": os.getpid(), "sessionId": "a", "procStart": "17"}))
        assert live_sessions(tmp_path) == {"b"}


def test_without_the_folder_none_run(tmp_path: Path) -> None:
    assert live_sessions(tmp_path) == frozenset()
