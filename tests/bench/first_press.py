#!/usr/bin/env python3
"""How long the first press of each key keeps the screen's thread busy.

    tests/bench/first_press.py [--size 120x40] [--json]

Each key is pressed in a process of its own, once the app over the sample home has come to rest: what views and dialogs
need was imported in a thread meanwhile. Printed is the longest that the event loop did nothing else, from the press
until everything is drawn, in processor time of its thread, so that a busy machine changes little; the gate is 50 ms for
each. Imports that are left then are printed too.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPO = Path(__file__).parent.parent.parent
sys.path.insert(0, str(REPO))

GATE_MS = 50.0
KEYS = {
    "2": "Dream", "3": "Sessions", "4": "Search", "5": "Settings", ":": "palette", "?": "help", "n": "new topic",
    "d": "delete", "r": "rename", "t": "type", "c": "compare", "u": "restore", "T": "tidy", "/": "filter",
    "enter": "editor", "@": "activity", "ctrl+r": "projects", "b": "links", "z": "undo", "w": "dream", "q": "quit",
}  # fmt: skip
NAMES = {":": "colon", "?": "question_mark", "/": "slash", "@": "at"}
BEAT_S = 0.001


async def measure(key: str, size: tuple[int, int]) -> dict[str, object]:
    """Press one key over the sample home; the longest block of the loop in ms, and what was imported by it."""
    from memtui.client.environment import Env
    from memtui.client.memory_location import locate_memory
    from memtui.demo import build_demo
    from memtui.memory.workspace import Workspace
    from memtui.tui.app import MemtuiApp
    from memtui.tui.startup.start import StartContext
    from memtui.util.app_dirs import Dirs
    from memtui.util.config import read_config
    from tests.tui.driving import settle

    with tempfile.TemporaryDirectory() as folder:
        demo = build_demo(Path(folder) / "home", time.time())
        env = Env(demo.home, demo.environ, ())
        dirs = Dirs.from_env(demo.environ, demo.home)
        workspace = Workspace(env, dirs, locate_memory(env, demo.cwd))
        app = MemtuiApp(StartContext.over(workspace), read_config(dirs.config), watch=False)
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            app.memory_view.go_to(str(next(iter(workspace.location.folder.glob("*_*.md")))))
            await settle(pilot)
            before, longest, done = set(sys.modules), 0.0, asyncio.Event()

            async def beat() -> None:
                nonlocal longest
                last = time.thread_time()
                while not done.is_set():
                    await asyncio.sleep(BEAT_S)
                    now = time.thread_time()
                    longest, last = max(longest, now - last), now

            beating = asyncio.ensure_future(beat())
            await asyncio.sleep(0.05)
            longest = 0.0
            await pilot.press(NAMES.get(key, key))
            await settle(pilot)
            done.set()
            await beating
            late = sorted(name for name in set(sys.modules) - before if not name.startswith("encodings"))
            app.workers.cancel_all()
            return {"key": key, "ms": round(longest * 1000, 1), "imported": late}


def main() -> int:
    """Measure all keys, or one in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="120x40")
    parser.add_argument("--key", help="measure this one here, and print it as JSON")
    parser.add_argument("--runs", type=int, default=3, help="processes a key; the best counts")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    width, height = map(int, given.size.split("x"))
    if given.key:
        print(json.dumps(asyncio.run(measure(given.key, (width, height)))))
        return 0
    found = []
    for key in KEYS:
        command = [sys.executable, __file__, "--key", key, "--size", given.size]
        runs = [
            json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            for _ in range(given.runs)
        ]
        found.append(min(runs, key=lambda run: run["ms"]))
        if not given.json:
            best = found[-1]
            print(f"{key:<8} {KEYS[key]:<10} {best['ms']:>7} ms  {' '.join(best['imported'][:6])}", flush=True)
    if given.json:
        print(json.dumps(found))
    return int(any(one["ms"] > GATE_MS for one in found))


if __name__ == "__main__":
    sys.exit(main())
