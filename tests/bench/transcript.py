#!/usr/bin/env python3
"""How fast the transcript reader opens a huge file and answers keys in it, next to one of a hundred records.

    tests/bench/transcript.py [--megabytes 1000] [--pairs 5] [--json]

Files of a hundred records and of so many megabytes are opened in turn in a pseudo terminal of 120x40, so that a busy
machine slows both. Printed are medians of the huge one, and its ratio to the small one.

    open    the screen is pushed until the frame with its last records stands
    key     key pressed until the first byte of the answer: a row, a page, the previous prompt, first and last record
    find    a word that stands at the other end of the file, until it is on the screen; not paired
    rss     bytes by which the process grew while all that was done

Measures the checkout that it lies in.
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
from ptyapp import PtyApp

REPO = Path(__file__).resolve().parents[2]
FIRST, LAST = "zanzibar harbour", "quixotic lighthouse"
WORDS = "the retry of the checkout counts twice when a reply comes late so the test in CI fails now and then "

APP = """
import sys, time
from pathlib import Path
from msgspec.structs import asdict
from textual.app import App
from memtui.tui import styles
from memtui.tui.screens.transcript import TranscriptScreen
from memtui.tui.theme import ANSI, THEMES, UNICODE
class Reading(App):
    CSS_PATH = styles.sheets("app")
    glyphs = UNICODE
    def get_theme_variable_defaults(self):
        return asdict(ANSI)
    def on_mount(self):
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = "memtui-dark"
        self.set_timer(0.3, self.go)
    def go(self):
        began, screen = time.perf_counter(), TranscriptScreen(Path(sys.argv[1]), "bench")
        def stands():
            if screen.lines.window.rows:
                spent = (time.perf_counter() - began) * 1000
                self.set_timer(0.7, lambda: self.notify(f"opened in {spent:.1f} ms", timeout=1))
            else:
                screen.call_after_refresh(stands)
        screen.call_later(screen.call_after_refresh, stands)
        self.push_screen(screen)
Reading().run()
"""


def generate(path: Path, size: int, records: int) -> None:
    """Write a transcript of at least so many bytes and records: prompts, calls, results, answers."""
    row, written = 0, 0
    with path.open("w", encoding="utf-8") as file:
        written += file.write(record("user", row, f"first {FIRST}") + "\n")
        while written < size or row < records:
            row += 1
            kind = row % 8
            if kind == 0:
                line = record("user", row, WORDS[row % 7 :] * 3)
            elif kind % 2:
                call = {"type": "tool_use", "id": f"t{row}", "name": "Bash", "input": {"command": f"pytest -k {row}"}}
                line = record("assistant", row, [call])
            else:
                output = "".join(f"tests/test_{row}_{n}.py {WORDS}\n" for n in range(row % 50))
                line = record("user", row, [{"type": "tool_result", "tool_use_id": f"t{row - 1}", "content": output}])
            written += file.write(line + "\n")
        file.write(record("user", row + 1, f"last {LAST}") + "\n")


def record(kind: str, row: int, content: object) -> str:
    """One line."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_790_000_000 + row))
    envelope = {"parentUuid": f"u{row - 1}" if row else None, "uuid": f"u{row}", "timestamp": stamp, "type": kind}
    return json.dumps({**envelope, "message": {"role": kind, "content": content}})


def measure(path: Path, env: dict[str, str], *, deep: bool = False) -> dict[str, float]:
    """One run; with `deep` also a search from end to end and the growth of memory."""
    app = PtyApp([sys.executable, "-c", APP, str(path)], env=env)
    try:
        app.wait_for(lambda text: "opened in" in text)
        opened = re.search(r"opened in (\d+\.\d)", app.text())
        before = psutil.Process(app.process.pid).memory_info().rss
        app.quiet(1.5)
        found = {"open": float(opened[1]) / 1000 if opened else float("nan")}
        for word, keys in (("row", "kkkj"), ("page", ["\x1b[5~", "\x1b[6~"]), ("prompt", "{{}}"), ("end", "gG")):
            found[f"key, {word}"] = pressed(app, list(keys))
        if deep:
            found |= search(app)
            found["rss"] = psutil.Process(app.process.pid).memory_info().rss - before
        return found
    finally:
        app.close()


def pressed(app: PtyApp, keys: list[str], times: int = 16) -> float:
    """Median of key presses, each answered in full before the next."""
    found = []
    for number in range(times):
        found.append(app.press(keys[number % len(keys)]))
        app.quiet(0.06, most=0.4)
    return statistics.median(found)


def search(app: PtyApp) -> dict[str, float]:
    """Look from the first record for a word in the last one."""
    until(app, "g", lambda text: FIRST in text)
    for key in "/quixotic":
        app.press(key)
        app.quiet(0.1, most=0.4)
    return {"find": until(app, "\r", lambda text: "last" in text and "lighthouse" in text)}


def until(app: PtyApp, key: str, seen: Callable[[str], bool]) -> float:
    """Press a key; the seconds until what is painted from then on has what is waited for."""
    start, began = len(app.output), time.perf_counter()
    os.write(app.master, key.encode())
    while not seen(re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", bytes(app.output[start:])).decode("utf-8", "replace")):
        app.read(0.5)
        if time.perf_counter() - began > 60:
            raise TimeoutError(f"no answer to {key!r}")
    return time.perf_counter() - began


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1_000)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    env = dict(os.environ) | {"PYTHONPATH": str(REPO), "PYTHONUTF8": "1"}
    with tempfile.TemporaryDirectory() as folder:
        small, huge = Path(folder, "small.jsonl"), Path(folder, "huge.jsonl")
        generate(small, 0, 100)
        generate(huge, given.megabytes * 1_000_000, 100)
        rounds = [
            (measure(small, env), measure(huge, env, deep=number == given.pairs - 1)) for number in range(given.pairs)
        ]
    result: dict[str, float] = {"megabytes": given.megabytes, "pairs": given.pairs}
    for name in rounds[0][0]:
        result[name] = statistics.median(right[name] for _, right in rounds)
        result[f"{name}, ratio"] = statistics.median(right[name] / left[name] for left, right in rounds)
    result |= {name: rounds[-1][1][name] for name in ("find", "rss")}
    if given.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            plain = name in ("megabytes", "pairs") or name.endswith("ratio")
            print(f"{name:20} {value if plain else value / 1e6 if name == 'rss' else value * 1000:8.4g} "
                  f"{'' if plain else 'MB' if name == 'rss' else 'ms'}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
