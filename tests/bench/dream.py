#!/usr/bin/env python3
"""A dream on the screen: how soon its line is there, how soon an event is seen, whether a long run slows the keys.

    tests/bench/dream.py NAME… [--rounds 15] [--json]

    pill    8a      from the key that starts a dream to the line above the hints: below 300 ms
    event   8b      from an event in the run's file to the screen, in the line and in the dialog: below 250 ms
    keys    8c      a key while a run of 200 turns and 500 files goes on, in the view and in the dialog: below 50 ms

Milliseconds in a pseudo terminal of 120x40, medians, because the tail is the machine's where others work on it; the
95th percentile is in the note, for keys also the one of a dashboard at rest. The run is a file of events that this
program writes, with a sleeping process. Ends with 1 if a gate is missed.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from homes import REPO, make_home
from pairs import Result, measure
from ptyapp import PtyApp

sys.path.insert(0, str(REPO))

TURNS, FILES = 200, 500
PILL = "⇧↓/w details"
"""Words that only the line of a dream has."""
READY = "2-5 views"
"""Words of the last line once the first view is drawn."""


def spread(name: str, what: str, seconds: list[float], gate: float) -> Result:
    """A row of the table."""
    ms = [1000 * each for each in seconds]
    note = f"p95 {statistics.quantiles(ms, n=20)[-1]:.0f} ms of {len(ms)}"
    return Result(8, f"{name} {what}, ms", statistics.median(ms), min(ms), max(ms), gate, False, note)


@contextmanager
def dashboard(env: dict[str, str], cwd: Path) -> Iterator[PtyApp]:
    """The app over a project, at rest."""
    app = PtyApp([sys.executable, "-m", "memtui"], env=env, cwd=str(cwd))
    try:
        app.wait_for(lambda text: READY in text)
        app.quiet(1.0, most=6.0)
        yield app
    finally:
        app.close()


class FakeRun:
    """A run that this program writes; its process sleeps.

    Args:
        env, cwd: As `make_home` gives them.
    """

    def __init__(self, env: dict[str, str], cwd: Path) -> None:
        from memtui.client.environment import Env
        from memtui.client.memory_location import locate_memory
        from memtui.dream.run.events import EventLog, Phase, Started
        from memtui.dream.run.runs import Run, reserve_run, write_run
        from memtui.util.app_dirs import Dirs
        from memtui.util.process import identify_process

        self.process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        dirs = Dirs.from_env(env, Path(env["HOME"]))
        location = locate_memory(Env(Path(env["HOME"]), env, ()), cwd)
        id = reserve_run(dirs, time.time())
        path = dirs.state / "runs" / id
        run = Run(
            id, path, location.folder, cwd, "reflect", "hand", "offline", "measured", False, "auto",
            identify_process(self.process.pid), time.time(),
        )  # fmt: skip
        self.log = EventLog(path / "events.jsonl", now=time.time)
        self.log.add(Started(mode="reflect", trigger="hand", backend="offline", why="measured", files=FILES))
        self.log.add(Phase("updating", "consolidate"))
        write_run(run)
        self.turn = 0

    def step(self, files: int = 2) -> int:
        """One more turn that touches some files; its number."""
        from memtui.dream.run.events import File, Turn

        self.turn += 1
        for number in range(files):
            name = f"topic_{(self.turn * files + number) % FILES:03}.md"
            self.log.add(File(name=name, kind="changed", added=self.turn, removed=number))
        text = "Two notes on retries disagree; keeping the newer one, with its date."
        self.log.add(Turn(self.turn, text, {"Edit": 2}))
        return self.turn

    def end(self) -> None:
        """End its process."""
        self.process.kill()
        self.process.wait()


@contextmanager
def fake_run(turns: int, files: int) -> Iterator[tuple[FakeRun, dict[str, str], Path]]:
    """A home with a run that has come so far."""
    with tempfile.TemporaryDirectory() as folder:
        env, cwd = make_home(Path(folder), 100)
        run = FakeRun(env, cwd)
        try:
            for _ in range(turns):
                run.step(files)
            yield run, env, cwd
        finally:
            run.end()


def pill_rows(given: argparse.Namespace) -> list[Result]:
    """Row 8a: D and the digit of a dry run; between two rounds the run ends."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        env, cwd = make_home(Path(folder), 100)
        with dashboard(env, cwd) as app:
            app.press("2")
            app.quiet(1.0, most=5.0)
            for _ in range(given.rounds):
                app.answer("D", "Dry run")
                app.quiet(0.3)
                found.append(app.answer("3", PILL))
                app.quiet(1.5, most=20.0)
                app.answer("X", "Throw away")
                app.answer("y", "thrown away")
                app.quiet(1.0, most=5.0)
    return [spread("8a", "key to pill", found, 300.0)]


def event_rows(given: argparse.Namespace) -> list[Result]:
    """Row 8b."""
    results = []
    for where, keys in (("pill", ""), ("dialog", "w")):
        with fake_run(5, 2) as (run, env, cwd), dashboard(env, cwd) as app:
            if keys:
                app.press(keys)
                app.quiet(0.5, most=3.0)
            found = []
            for number in range(given.rounds * 2):
                words = f"turn {run.turn + 1} "
                app.output.clear()
                began = time.perf_counter()
                run.step()
                while words not in app.text():
                    if time.perf_counter() - began > 10:
                        raise TimeoutError(f"{words!r} not painted: {app.text()[-600:]!r}")
                    app.read(0.5)
                found.append(time.perf_counter() - began)
                time.sleep(0.3 + number % 7 * 0.05)
            results.append(spread("8b", f"event to {where}", found, 250.0))
    return results


def keys_rows(given: argparse.Namespace) -> list[Result]:
    """Row 8c: while it goes on growing, ten turns a second; before that, for comparison, while nothing happens."""
    places = (
        ("dialog", "w", (("f", "stands still"), ("f", "following"))),
        ("view", "2\t", (("G", "Two notes"), ("g", "updating,"))),
    )
    results = []
    for where, keys, pairs in places:
        with fake_run(TURNS, 3) as (run, env, cwd), dashboard(env, cwd) as app:
            for key in keys:
                app.press(key)
                app.quiet(0.5, most=3.0)
            still = _press(app, pairs, given.rounds * 2)
            stop = threading.Event()
            writer = threading.Thread(target=_grow, args=(run, stop))
            writer.start()
            try:
                found = _press(app, pairs, given.rounds * 2)
            finally:
                stop.set()
                writer.join()
            row = spread("8c", f"key in the {where}, {TURNS} turns, {FILES} files", found, 50.0)
            quiet = spread("", "", still, 50.0)
            results.append(replace(row, note=f"{row.note}; at rest {quiet.ratio:.0f}, {quiet.note}"))
    return results


def _press(app: PtyApp, pairs: tuple[tuple[str, str], ...], rounds: int) -> list[float]:
    """Press keys in turn, at odd intervals; the seconds until each was answered."""
    found = []
    for number in range(rounds):
        found.append(app.answer(*pairs[number % len(pairs)]))
        time.sleep(0.08 + number % 5 * 0.03)
    return found


def _grow(run: FakeRun, stop: threading.Event) -> None:
    while not stop.wait(0.1):
        run.step(3)


ROWS: dict[str, Callable[[argparse.Namespace], list[Result]]] = {
    "pill": pill_rows,
    "event": event_rows,
    "keys": keys_rows,
}


def main() -> int:
    """Measure what was asked for."""
    return measure(__doc__, ROWS, lambda parser: parser.add_argument("--rounds", type=int, default=15))


if __name__ == "__main__":
    sys.exit(main())
