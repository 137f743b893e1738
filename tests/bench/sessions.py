#!/usr/bin/env python3
"""How fast sessions are listed and opened: the targets by their row numbers.

    tests/bench/sessions.py NAME… --data DIR [--prefix DIR] [--pairs 7] [--json]

    scan    1, 2   every session's facts, next to `cat` and to a plain loop over `json.loads`
    peers   3      `memtui sessions ls --all` with nothing cached, next to other tools on a copy of the same files
    append  15     a line is added to the longest transcript: reading on, next to reading it again
    open    16     the longest transcript as a tree of offsets, next to all of it as objects by orjson

DIR for --data is what `gen_sessions.py DIR` wrote (set A: 193 MB; rows 1, 2), or `gen_sessions.py DIR --size 2G
--sessions 5000 --projects 200 --seed 2` (set B; rows 3, 15, 16, because it has a transcript of 33 MB). All facts are
compared with its manifest first, and nothing is measured if one is wrong. `peers` and `open` install what they measure
against below --prefix. Both sides are measured in turn; times of their own mean little on a shared machine.

Measures the checkout that it lies in, warm: the first round is thrown away. Ends with 1 if a gate is missed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import peers
from pairs import Result, Way, compare, measure, over_data, timed
from truth import FACTS, Set, plain_facts, read_set, typed_elsewhere, wrong

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO))

LAST = 256 << 10
"""Bytes of a transcript's last page."""

OBJECTS = """
import sys, time, orjson
began = time.perf_counter()
with open(sys.argv[1], "rb") as file:
    kept = [orjson.loads(line) for line in file]
print(time.perf_counter() - began)
"""
TREE = """
import sys, time
from pathlib import Path
from memtui.transcripts.transcript import read_transcript
from memtui.transcripts.tree import build_tree
began = time.perf_counter()
kept = build_tree(read_transcript(Path(sys.argv[1])).entries)
print(time.perf_counter() - began)
"""


def check(data: Set) -> None:
    """Compare our facts and the plain loop's with what is true.

    Raises:
        SystemExit: If a fact is wrong.
    """
    from memtui.transcripts.summary import SummaryScanner

    for path, truth in data.sessions:
        if truth["truncated"]:  # its manifest tells of the line that was cut off, too
            continue
        lines = (json.loads(line) for line in path.read_bytes().splitlines())
        more = sum(typed_elsewhere(one) for one in lines if one.get("isSidechain") is False)
        truth = {**truth, "prompts": truth["prompts"] + more}
        facts = SummaryScanner().file(path)
        for who, found in (("ours", {name: getattr(facts, name) for name in FACTS}), ("json", plain_facts(path))):
            if missed := wrong(truth, found):
                raise SystemExit(f"wrong by {who}: {', '.join(missed)} of {path}")


def scan_rows(data: Set, given: argparse.Namespace) -> list[Result]:
    """Rows 1 and 2."""
    from memtui.transcripts.summary import SummaryScanner

    check(data)
    ours = timed(lambda: [SummaryScanner().file(path) for path in data.paths])
    cat = command(["cat", *map(str, data.paths)])
    plain = timed(lambda: [plain_facts(path) for path in data.paths])
    size = f"{data.size / 1e6:.0f} MB"
    return [
        compare(1, "cat / exact listing", cat, ours, 0.12, given.pairs, note=size),
        compare(2, "json loop / exact listing", plain, ours, 4.0, given.pairs, note=size),
    ]


def peer_rows(data: Set, given: argparse.Namespace) -> list[Result]:
    """Row 3. The peers also count tokens: read it as "until the list is there", not as "the same work"."""
    check(data)
    logbook, ccusage = peers.python(given.prefix, peers.LOGBOOK), peers.node(given.prefix, peers.CCUSAGE)
    env = peers.make_home(given.prefix, data.folder)

    def cold() -> float:
        with tempfile.TemporaryDirectory() as cache:
            home = env | {"XDG_CACHE_HOME": cache, "PYTHONPATH": str(REPO)}
            return command([sys.executable, "-m", "memtui", "sessions", "ls", "--all", "--json"], home)()

    note = f"{data.size / 1e6:.0f} MB"
    theirs = command([str(logbook / "claude-logbook"), "--no-cache", "--no-pager"], env)
    found = [compare(3, "claude-logbook / sessions ls, cold", theirs, cold, 4.0, given.pairs, note=note)]
    if ccusage is None:
        print("no npm here: not measured against ccusage", file=sys.stderr)
        return found
    theirs = command([str(ccusage / "ccusage"), "claude", "session", "--offline"], env)
    return [*found, compare(3, "ccusage / sessions ls, cold", theirs, cold, 1.3, given.pairs, note=note)]


def append_rows(data: Set, given: argparse.Namespace) -> list[Result]:
    """Row 15, for a list's facts and for an open transcript."""
    from memtui.transcripts.summary import SummaryScanner
    from memtui.transcripts.transcript import read_transcript

    with tempfile.TemporaryDirectory() as folder:
        path = Path(shutil.copy(data.largest, folder))
        line = next(line for line in path.read_bytes().splitlines() if b'"type":"assistant"' in line) + b"\n"
        scanner, transcript = SummaryScanner(), read_transcript(path)
        scanner.file(path)

        def grown(work: Callable[[], object]) -> Way:
            once = timed(work)

            def way() -> float:
                with path.open("ab") as file:
                    file.write(line)
                return once()

            return way

        note, gate = f"{path.stat().st_size / 1e6:.0f} MB", 0.05
        results = [
            compare(15, "a line more / all again", grown(lambda: scanner.file(path)),
                    timed(lambda: SummaryScanner().file(path)), gate, given.pairs, least=False, note=note),
            compare(15, "transcript: a line more / all again", grown(transcript.refresh),
                    timed(lambda: read_transcript(path)), gate, given.pairs, least=False, note=note),
        ]  # fmt: skip
        scanner.file(path)
        transcript.refresh()
        again = SummaryScanner().file(path)
        if scanner.summary != again or len(transcript.entries) != len(read_transcript(path).entries):
            raise SystemExit("wrong: what was read on is not what is read again")
        return results


def open_rows(data: Set, given: argparse.Namespace) -> list[Result]:
    """Row 16. Each time in a fresh process, as when somebody opens it; the start and the imports aren't counted."""
    from memtui.client.session_files import read_part
    from memtui.transcripts.lines import parse_line

    path = data.largest
    size = path.stat().st_size
    python = peers.python(given.prefix, peers.ORJSON) / "python"
    env = dict(os.environ) | {"PYTHONPATH": str(REPO)}

    def told(interpreter: str, program: str) -> Way:
        return lambda: float(
            subprocess.run([interpreter, "-c", program, str(path)], env=env, check=True, capture_output=True).stdout
        )

    def last_page() -> list[object]:
        lines = read_part(str(path), size - LAST, LAST).splitlines()[1:]
        return [record for line in lines for record in parse_line(line).objects]

    note = f"{size / 1e6:.0f} MB"
    whole = compare(
        16, "tree of offsets / objects by orjson", told(sys.executable, TREE), told(str(python), OBJECTS), 0.6,
        given.pairs, least=False, note=note,
    )  # fmt: skip
    pages = sorted(timed(last_page)() * 1000 for _ in range(given.pairs))
    note = f"{len(last_page())} records of the last {LAST >> 10} KB"
    middle = pages[len(pages) // 2]
    return [whole, Result(16, "the last page, ms", middle, pages[0], pages[-1], 50.0, False, note)]


def command(words: list[str], env: dict[str, str] | None = None) -> Way:
    """A way that runs a program to its end, its start included; it has to end well."""

    def once() -> float:
        began = time.perf_counter()
        done = subprocess.run(words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
        took = time.perf_counter() - began
        if done.returncode:
            raise SystemExit(f"{words[0]} ended with {done.returncode}")
        return took

    return once


ROWS: dict[str, Callable[[Set, argparse.Namespace], list[Result]]] = {
    "scan": scan_rows,
    "peers": peer_rows,
    "append": append_rows,
    "open": open_rows,
}


def main() -> int:
    """Measure what was asked for."""

    def over(row: Callable[[Set, argparse.Namespace], list[Result]]) -> Callable[[argparse.Namespace], list[Result]]:
        return lambda given: row(read_set(given.data), given)

    return measure(__doc__, {name: over(row) for name, row in ROWS.items()}, over_data)


if __name__ == "__main__":
    sys.exit(main())
