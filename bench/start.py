#!/usr/bin/env python3
"""How fast memtui starts and answers, next to a Textual app that holds nothing but one line.

    bench/start.py [--files 1200] [--pairs 7] [--json]

Both are started in turn in a pseudo terminal of 120x40, so that a busy machine slows both. Printed are medians, and the
ratio of the two start times, which is the number that counts: times of their own mean little on a shared machine.

    ready   process start until what the first screen needs is painted; for memtui ten rows of the list
    cpu     processor time used until then: says more where others use the machine
    key     key pressed until the first byte of the answer: at once after `ready`, in the list, in the editor with 25 KB
    idle    share of one core over five seconds in which nothing happens

Measures the checkout that it lies in; nothing in memtui knows that it is measured.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from gen_memory import generate
from ptyapp import PtyApp

REPO = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPO))

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("bare and ready")
Bare().run()
"""
ROW = re.compile(r"(?:feedback|project|reference|user)_[a-z]+_\d{4}")
KEYS = 30


def rows_painted(text: str) -> bool:
    """Whether the list stands: ten different generated names."""
    return len(set(ROW.findall(text))) >= 10


def make_home(folder: Path, files: int) -> dict[str, str]:
    """A home with one project and its memory; the environment that leads there."""
    from memtui.host.paths import project_name

    project = folder / "home/code/shop"
    (project / ".git").mkdir(parents=True)
    (project / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
    memory = folder / "home/.claude/projects" / project_name(os.path.realpath(project)) / "memory"
    memory.parent.mkdir(parents=True)
    generate(memory, files, 1)
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "VIRTUAL_ENV")}
    return kept | {"HOME": str(folder / "home"), "PYTHONPATH": str(REPO), "PYTHONUTF8": "1"}


def measure(
    command: list[str],
    env: dict[str, str],
    cwd: Path,
    seen: Callable[[str], bool],
    *,
    deep: bool = False,
    stay: bool = False,
) -> dict[str, float]:
    """One start; with `deep` also keys, idleness and the editor; with `stay` it is left when all has been read."""
    app = PtyApp(command, env=env, cwd=str(cwd))
    try:
        found = {"ready": app.wait_for(seen), "cpu": spent(app)}
        found["key at once"] = app.press("j")
        if stay:
            app.quiet(2.0)
        if deep:
            app.quiet(1.0)
            found |= keys(app, ["j", "k", "j", "j"], "list key")
            found["idle"] = idle(app)
            found |= editor(app)
        return found
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


def idle(app: PtyApp) -> float:
    """Share of a core over five seconds."""
    app.quiet(1.0)
    before, began = spent(app), time.perf_counter()
    app.quiet(5.0, most=5.0)
    return (spent(app) - before) / (time.perf_counter() - began)


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


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1_200)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    ours = [sys.executable, "-m", "memtui"]
    bare = [sys.executable, "-c", BARE]
    rounds: list[tuple[dict[str, float], dict[str, float]]] = []
    fresh: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        env = make_home(Path(folder), given.files)
        cwd = Path(folder, "home/code/shop")
        for number in range(-2, given.pairs):  # the first pair warms up the disk, the second keeps the first picture
            left = measure(bare, env, cwd, lambda text: "bare and ready" in text)
            right = measure(ours, env, cwd, rows_painted, deep=number == given.pairs - 1, stay=number == -1)
            if number >= 0:
                empty = env | {"XDG_CACHE_HOME": str(Path(folder, f"cache{number}"))}
                fresh.append(measure(ours, empty, cwd, rows_painted)["ready"] / left["ready"])
                rounds.append((left, right))
    result = {
        "files": given.files,
        "pairs": given.pairs,
        "bare ready": statistics.median(left["ready"] for left, _ in rounds),
        "memtui ready": statistics.median(right["ready"] for _, right in rounds),
        "ratio": statistics.median(right["ready"] / left["ready"] for left, right in rounds),
        "ratio, nothing cached": statistics.median(fresh),
        "ratio of cpu": statistics.median(right["cpu"] / left["cpu"] for left, right in rounds),
        "key at once": statistics.median(right["key at once"] for _, right in rounds),
    }
    result |= {name: value for name, value in rounds[-1][1].items() if name not in (*result, "ready", "cpu")}
    if given.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            unit = "" if name in ("files", "pairs") or name.startswith("ratio") else "%" if name == "idle" else "ms"
            print(f"{name:22} {value * {'%': 100, 'ms': 1000}.get(unit, 1):8.4g} {unit}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
