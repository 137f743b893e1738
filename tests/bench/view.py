#!/usr/bin/env python3
"""The list of sessions: how fast it answers, follows the disk, and what it holds in memory.

    tests/bench/view.py NAME… --data DIR [--prefix DIR] [--pairs 7] [--json]

    list    7, 8    `memtui sessions ls --all`, all cached, next to another tool's cached list and to three imports
    keys    9       a key in the list of 100,000 sessions, next to one of 100
    follow  14      a record is appended until it is on the screen, next to the same app with the watcher's own defaults
    memory  17      resident memory with the list of 5,000 sessions, over a Textual app that holds nothing

DIR is what `gen_sessions.py DIR --size 2G --sessions 5000 --projects 200 --seed 2` wrote; `keys` makes its own. Both
sides are measured in turn in a pseudo terminal of 120x40. Ends with 1 if a gate is missed.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import peers
import psutil
from pairs import Result, compare, measure, over_data
from ptyapp import PtyApp
from sessions import command
from start import BARE
from truth import read_set

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO))

DEFAULTS = """
import sys, watchfiles
ours = watchfiles.watch
def watch(*paths, debounce=None, step=None, **more):
    return ours(*paths, **more)
watchfiles.watch = watch
from memtui.__main__ import main
sys.exit(main([]))
"""
"""memtui with the watcher's own waiting times."""


def make_project(home: Path) -> tuple[dict[str, str], Path]:
    """A project with a memory of one line in a home; the environment that leads there, and its folder.

    Everything in this home is memtui's to write: its cache too.
    """
    from memtui.client.paths import project_name

    cwd = home / "code/shop"
    cwd.mkdir(parents=True, exist_ok=True)
    memory = home / ".claude/projects" / project_name(os.path.realpath(cwd)) / "memory"
    memory.mkdir(parents=True, exist_ok=True)
    (memory / "MEMORY.md").write_text("# Memory\n\nnothing to tell\n", encoding="ascii")
    env = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
    return env | {"HOME": str(home), "PYTHONPATH": str(REPO), "PYTHONUTF8": "1"}, cwd


def session(number: int, text: str) -> str:
    """The one line of a small session."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_790_000_000 + number * 60))
    record = {"parentUuid": None, "isSidechain": False, "cwd": "/home/dev/shop", "sessionId": "s", "uuid": f"u{number}"}
    message = {"role": "user", "content": text}
    return json.dumps({**record, "timestamp": stamp, "type": "user", "message": message}) + "\n"


@contextmanager
def sessions_view(env: dict[str, str], cwd: Path, program: list[str], keys: str = "") -> Iterator[PtyApp]:
    """The app with its Sessions view open, at rest."""
    app = PtyApp([sys.executable, *program], env=env, cwd=str(cwd))
    try:
        app.wait_for(lambda text: "nothing to tell" in text)
        app.quiet(1.0)
        for key in f"3{keys}":
            app.press(key)
            app.quiet(1.5, most=20.0)
        yield app
    finally:
        app.close()


def list_rows(given: argparse.Namespace) -> list[Result]:
    """Rows 7 and 8."""
    env = peers.make_home(given.prefix, read_set(given.data).folder)
    logbook = peers.python(given.prefix, peers.LOGBOOK) / "claude-logbook"
    installed = Path(sys.executable).with_name("memtui")
    program = [str(installed)] if installed.exists() else [sys.executable, "-m", "memtui"]
    ours = command([*program, "sessions", "ls", "--all"], env | {"PYTHONPATH": str(REPO)})
    theirs = command([str(logbook), "--no-pager"], env)
    imports = command([sys.executable, "-c", "import sqlite3, os, json"], env)
    return [
        compare(7, "claude-logbook / sessions ls, both cached", theirs, ours, 8.0, given.pairs),
        compare(8, "sessions ls / three imports", ours, imports, 4.0, given.pairs, least=False),
    ]


def keys_row(given: argparse.Namespace) -> list[Result]:
    """Row 9."""
    with tempfile.TemporaryDirectory() as folder:
        homes = []
        for count in (100_000, 100):
            env, cwd = make_project(Path(folder, str(count)))
            place = next(Path(env["HOME"], ".claude/projects").iterdir())
            for number in range(count):
                (place / f"{uuid.UUID(int=number)}.jsonl").write_text(session(number, f"ask {number}"))
            command([sys.executable, "-m", "memtui", "sessions", "ls", "--all"], env | {"PWD": str(cwd)})()
            homes.append((env, cwd))

        def key(env: dict[str, str], cwd: Path) -> Callable[[], float]:
            def once() -> float:
                with sessions_view(env, cwd, ["-m", "memtui"]) as app:
                    found = []
                    for number in range(40):
                        found.append(app.press("jjk"[number % 3]))
                        app.quiet(0.1, most=0.5)
                return statistics.median(found)

            return once

        many, few = (key(*home) for home in homes)
        return [compare(9, "key, 100,000 rows / 100 rows", many, few, 1.5, given.pairs, least=False)]


def follow_row(given: argparse.Namespace) -> list[Result]:
    """Row 14."""
    with tempfile.TemporaryDirectory() as folder:
        env, cwd = make_project(Path(folder))
        place = next(Path(env["HOME"], ".claude/projects").iterdir())
        for number in range(20):
            (place / f"{uuid.UUID(int=number)}.jsonl").write_text(session(number, f"ask {number}"))
        path = place / f"{uuid.UUID(int=19)}.jsonl"

        def latency(program: list[str]) -> Callable[[], float]:
            def once() -> float:
                found = []
                with sessions_view(env, cwd, program) as app:
                    for number in range(30):
                        words = f"probe {time.monotonic_ns() % 10**9}"
                        title = {"type": "custom-title", "customTitle": words, "sessionId": "s"}
                        began = time.perf_counter()
                        with path.open("a", encoding="ascii") as file:
                            file.write(json.dumps(title) + "\n")
                        app.wait_for(lambda text, words=words: words in text, 60.0)
                        found.append(time.perf_counter() - began)
                        app.quiet(0.1 + number % 5 * 0.03, most=1.0)
                return statistics.quantiles(found, n=20)[-1]

            return once

        ours, defaults = latency(["-m", "memtui"]), latency(["-c", DEFAULTS])
        what = "append to visible, p95 / watcher's defaults"
        return [compare(14, what, ours, defaults, 0.6, given.pairs, least=False)]


def some_projects(home: Path, share: float) -> tuple[dict[str, str], Path, int]:
    """A configuration folder beside a home's own in which there are only some of its projects, listed once.

    Returns:
        The environment that leads there, the folder of a project with a memory, and how many sessions there are.
    """
    env, cwd = make_project(home)
    config = home.with_name(f"some-{share}")
    shutil.rmtree(config, ignore_errors=True)
    (config / "projects").mkdir(parents=True)
    folders = sorted((home / ".claude/projects").iterdir())
    own = next(folder for folder in folders if (folder / "memory/MEMORY.md").exists() and "code-shop" in folder.name)
    kept = {own, *folders[: round(len(folders) * share)]}
    for folder in kept:
        (config / "projects" / folder.name).symlink_to(folder)
    env |= {"CLAUDE_CONFIG_DIR": str(config), "XDG_CACHE_HOME": str(config / "cache")}
    command([sys.executable, "-m", "memtui", "sessions", "ls", "--all"], env)()
    return env, cwd, sum(len(list(folder.glob("????????-*.jsonl"))) for folder in kept)


def resident(app: PtyApp) -> float:
    """Megabytes."""
    return float(psutil.Process(app.process.pid).memory_info().rss / 1e6)


def bare(env: dict[str, str], cwd: Path) -> float:
    """What a Textual app that holds nothing takes."""
    app = PtyApp([sys.executable, "-c", BARE], env=env, cwd=str(cwd))
    try:
        app.wait_for(lambda text: "bare and ready" in text)
        app.quiet(1.0)
        return resident(app)
    finally:
        app.close()


def listed(env: dict[str, str], cwd: Path) -> float:
    """What memtui takes with the sessions of all projects listed."""
    with sessions_view(env, cwd, ["-m", "memtui"]) as app:
        app.press("A")
        app.wait_for(lambda text: "all ·" in text)
        app.quiet(2.0, most=20.0)
        return resident(app)


def memory_rows(given: argparse.Namespace) -> list[Result]:
    """Row 17."""
    home = given.prefix / "home"
    peers.make_home(given.prefix, read_set(given.data).folder)
    whole, fifth = some_projects(home, 1.0), some_projects(home, 0.2)

    rounds = []
    for _ in range(max(3, given.pairs // 2)):
        many, few, none = listed(*whole[:2]), listed(*fifth[:2]), bare(*whole[:2])
        rounds.append((many - none, (many - few) / (whole[2] - fifth[2]) * 1000, none))
    found = []
    for what, at, gate in (
        (f"MB over bare Textual, {whole[2]:,} sessions", 0, 20.0),
        (f"MB for each 1,000 more than {fifth[2]:,}", 1, 2.0),
    ):
        values = [each[at] for each in rounds]
        note = f"bare {statistics.median(each[2] for each in rounds):.0f} MB"
        found.append(Result(17, what, statistics.median(values), min(values), max(values), gate, False, note))
    return found


ROWS: dict[str, Callable[[argparse.Namespace], list[Result]]] = {
    "list": list_rows,
    "keys": keys_row,
    "follow": follow_row,
    "memory": memory_rows,
}


def main() -> int:
    """Measure what was asked for; `keys` and `follow` make their own data."""
    return measure(__doc__, ROWS, lambda parser: over_data(parser, required=False))


if __name__ == "__main__":
    sys.exit(main())
