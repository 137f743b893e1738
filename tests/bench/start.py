#!/usr/bin/env python3
"""How fast memtui starts and answers, next to a Textual app that holds nothing but one line.

    tests/bench/start.py [--files 1200] [--sessions TREE] [--pairs 7] [--idle 30] [--json]

Both are started in turn in a pseudo terminal of 120x40, so that a busy machine slows both. Printed are medians, and the
ratios to the bare app's start, which are the numbers that count: times of their own mean little on a shared machine.

    name    process start until the program's name stands: without a cache all that is drawn before Textual draws, and
            what gate 4 is about (the rows come with Textual's own first frame: there is no second renderer)
    paint   process start until ten rows of the list stand, whoever drew them
    ready   process start until Textual has painted them; for the bare app its one line
    cpu     processor time used until then: says more where others use the machine
    cold    the same without any cache of ours; TREE (made by a generator of sessions) is there both times
    key     key pressed until the first byte of the answer: at once after `ready`, in the list, in the editor with 25 KB
    idle    share of one core in three windows of so many seconds in which nothing happens

Measures the checkout that it lies in; nothing in memtui knows that it is measured. Ends with 1 if a gate is missed.
"""

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import psutil
from gates import Gate, missed, table
from homes import REPO, make_home
from ptyapp import TEXTUAL, PtyApp

sys.path.insert(0, str(REPO))

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("bare and ready")
Bare().run()
"""
LOGGED = """
import os, sys, time
log = open(sys.argv[1], "w", buffering=1)
class Log:
    def find_spec(self, name, path=None, target=None):
        log.write(f"{time.perf_counter()} {name}\\n")
def write(file, data):
    if b"[?1049h" in data:
        log.write(f"{time.perf_counter()} {sys.argv[1]}\\n")
    return real(file, data)
real, os.write = os.write, write
sys.meta_path.insert(0, Log())
from memtui.__main__ import main
sys.exit(main([]))
"""
"""Starts memtui and writes down when each module is asked for, and its own name when the first screen is drawn."""

HEAVY = {"textual", "rich", "click", "msgspec", "sqlite3", "dataclasses"}
"""What the first paint does without."""
FORBIDDEN = {"anthropic", "pydantic", "httpx", "httpcore", "yaml", "watchfiles"}
"""What is not there at Textual's first frame."""

ROW = re.compile(r"[a-z]+_\d{4}")
KEYS = 30
WINDOWS = 3

COLD = Gate(4, "cold first paint / bare ready", 0.4)
WARM = Gate(5, "warm first paint / bare ready", 0.2)
READY = Gate(6, "warm ready / bare ready", 1.4)
IDLE = Gate(19, "idle cpu, watching, worst window", 1.0, "%")
AT_PAINT = Gate(20, "heavy modules at the first paint", 0)
AT_FRAME = Gate(20, "forbidden modules at Textual's first frame", 0)


def rows_painted(text: str) -> bool:
    """Whether the list stands: ten different generated names."""
    return len(set(ROW.findall(text))) >= 10


def bare(env: dict[str, str], cwd: Path) -> dict[str, float]:
    """One start of the app that holds nothing."""
    app = PtyApp([sys.executable, "-c", BARE], env=env, cwd=str(cwd))
    try:
        return {"ready": app.wait_for(lambda text: "bare and ready" in text), "cpu": spent(app)}
    finally:
        app.close()


def name_painted(text: str) -> bool:
    """Whether anything of ours stands: the name in the first line."""
    return "memtui" in text


def memtui(env: dict[str, str], cwd: Path, *, stay: bool = False) -> dict[str, float]:
    """One start; with `stay` it is left untouched until all has been read, so that the next has a first frame."""
    app = PtyApp([sys.executable, "-m", "memtui"], env=env, cwd=str(cwd))
    try:
        found = {"name": app.wait_for(name_painted), "paint": app.wait_for(rows_painted)}
        found["ready"] = app.wait_for(rows_painted, since=TEXTUAL)
        found["cpu"] = spent(app)
        if stay:
            app.quiet(2.0, most=10.0)
        else:
            found["key at once"] = app.press("j")
        return found
    finally:
        app.close()


def deep(env: dict[str, str], cwd: Path, seconds: float) -> dict[str, float]:
    """One start with keys in the list, idleness, and keys in the editor."""
    app = PtyApp([sys.executable, "-m", "memtui"], env=env, cwd=str(cwd))
    try:
        app.wait_for(rows_painted, since=TEXTUAL)
        app.quiet(1.0)
        found = keys(app, ["j", "k", "j", "j"], "list key")
        app.quiet(1.0)
        found |= {f"idle, window {number + 1}": idle(app, seconds) for number in range(WINDOWS)}
        return found | editor(app)
    finally:
        app.close()


def keys(app: PtyApp, pressed: list[str], word: str) -> dict[str, float]:
    """Median and slowest of many key presses, each answered in full before the next."""
    times = []
    for number in range(KEYS):
        times.append(app.press(pressed[number % len(pressed)]))
        app.quiet(0.08, most=0.4)
    return {word: statistics.median(times), f"{word}, slowest": max(times)}


def spent(app: PtyApp) -> float:
    """Seconds of processor time that the program has used."""
    times = psutil.Process(app.process.pid).cpu_times()
    return times.user + times.system


def idle(app: PtyApp, seconds: float) -> float:
    """Share of a core, in percent, over so many seconds."""
    before, began = spent(app), time.perf_counter()
    while (left := began + seconds - time.perf_counter()) > 0:
        app.read(left)
    return 100 * (spent(app) - before) / (time.perf_counter() - began)


def editor(app: PtyApp) -> dict[str, float]:
    """Open the topic of 25 KB and type into it."""
    app.press("/")
    for letter in "long_0000":
        app.press(letter)
    app.quiet(0.5)
    app.press("\r")
    app.quiet(0.5)
    app.press("\r")
    app.wait_for(lambda text: "Ln " in text, 10.0)
    app.quiet(1.0)
    return keys(app, list("memtui "), "editor key")


def modules(env: dict[str, str], cwd: Path, log: Path) -> dict[str, float]:
    """How many of the modules that can wait were asked for before the first paint, and before Textual's first frame."""
    app = PtyApp([sys.executable, "-c", LOGGED, str(log)], env=env, cwd=str(cwd))
    try:
        app.wait_for(rows_painted, since=TEXTUAL)
        ready = time.perf_counter()  # the same clock in both processes
    finally:
        app.close()
    asked = [line.split(" ", 1) for line in log.read_text(encoding="utf-8").splitlines()]
    painted = next((float(when) for when, name in asked if name == str(log)), ready)
    found = {
        f"{word} modules": {name for when, name in asked if float(when) < until and name.partition(".")[0] in unwanted}
        for word, until, unwanted in (("heavy", painted, HEAVY), ("forbidden", ready, FORBIDDEN))
    }
    for word, names in found.items():
        if names:
            print(f"{word}: {', '.join(sorted(names))}", file=sys.stderr)
    return {word: float(len(names)) for word, names in found.items()}


def measure(files: int, sessions: Path | None, pairs: int, seconds: float) -> dict[str, float]:
    """All figures: times in seconds, ratios, percents."""
    rounds: list[tuple[dict[str, float], dict[str, float], dict[str, float]]] = []
    with tempfile.TemporaryDirectory() as folder:
        env, cwd = make_home(Path(folder), files, sessions)
        for number in range(-2, pairs):  # the first pair warms up the disk, the second saves the first frame
            empty = env | {"XDG_CACHE_HOME": str(Path(folder, f"cache{number}"))}
            turns = {
                "bare": partial(bare, env, cwd),
                "warm": partial(memtui, env, cwd, stay=number == -1),
                "cold": partial(memtui, empty, cwd),
            }
            # Every other round backwards: who follows a program that was just killed pays for its end.
            found = {name: turns[name]() for name in (reversed(turns) if number % 2 else turns)}
            if number >= 0:
                rounds.append((found["bare"], found["warm"], found["cold"]))
        last = modules(env, cwd, Path(folder, "log"))  # before a draft is left, for which there is no frame
        last |= deep(env, cwd, seconds)

    def ratio(of: str, to: str, which: int) -> float:
        return statistics.median(each[which][of] / each[0][to] for each in rounds)

    return {
        "bare ready": statistics.median(each[0]["ready"] for each in rounds),
        "warm paint": statistics.median(each[1]["paint"] for each in rounds),
        "cold name": statistics.median(each[2]["name"] for each in rounds),
        "cold paint": statistics.median(each[2]["paint"] for each in rounds),
        "warm ready": statistics.median(each[1]["ready"] for each in rounds),
        "cold ready": statistics.median(each[2]["ready"] for each in rounds),
        "key at once": statistics.median(each[1]["key at once"] for each in rounds),
        "ratio of warm paint": ratio("paint", "ready", 1),
        "ratio of cold name": ratio("name", "ready", 2),
        "ratio of cold paint": ratio("paint", "ready", 2),
        "ratio of warm ready": ratio("ready", "ready", 1),
        "ratio of cold ready": ratio("ready", "ready", 2),
        "ratio of warm cpu": ratio("cpu", "cpu", 1),
        **last,
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1_200)
    parser.add_argument("--sessions", type=Path, help="a tree with projects/, to lie beside the memory")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--idle", type=float, default=30.0, help="seconds of a window")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measure(given.files, given.sessions, given.pairs, given.idle)
    gates = [
        (COLD, found["ratio of cold name"]),
        (WARM, found["ratio of warm paint"]),
        (READY, found["ratio of warm ready"]),
        (IDLE, max(value for name, value in found.items() if name.startswith("idle"))),
        (AT_PAINT, found["heavy modules"]),
        (AT_FRAME, found["forbidden modules"]),
    ]
    if given.json:
        print(json.dumps(found | {"gates": [[gate.row, gate.most, value] for gate, value in gates]}))
        return missed(gates)
    for name, value in found.items():
        plain = name.startswith(("ratio", "idle")) or name.endswith("modules")
        print(f"{name:22} {value if plain else value * 1000:8.4g} {'' if plain else 'ms'}")
    print(f"\n{table(gates)}")
    return missed(gates)


if __name__ == "__main__":
    sys.exit(main())
