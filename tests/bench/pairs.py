"""Two ways of doing something, measured in turn, because a busy machine slows both: what counts is their ratio."""

import argparse
import gc
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

Way = Callable[[], float]
"""Does the work once and returns the seconds that it took."""


@dataclass(frozen=True)
class Result:
    """A row of the table of targets. `ratio` is the median of the rounds, `low` and `high` their ends.

    `least` says on which side of the gate a good ratio lies. `note` has what else is worth knowing: times, sizes.
    """

    row: int
    what: str
    ratio: float
    low: float
    high: float
    gate: float
    least: bool
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the gate holds."""
        return self.ratio >= self.gate if self.least else self.ratio <= self.gate


def timed(work: Callable[[], object]) -> Way:
    """A way that does some work in this process."""

    def once() -> float:
        gc.collect()
        began = time.perf_counter()
        kept = work()  # let go of after the clock has stopped
        took = time.perf_counter() - began
        del kept
        return took

    return once


def compare(
    row: int, what: str, upper: Way, lower: Way, gate: float, pairs: int, *, least: bool = True, note: str = ""
) -> Result:
    """Measure `upper / lower` in alternating rounds; one before them warms up and isn't counted.

    Args:
        row: The target's number.
        what: What is compared, as "upper / lower".
        upper: What is divided.
        lower: What it is divided by.
        gate: The ratio to reach.
        pairs: Rounds.
        least: Whether the ratio should be at least the gate; else at most.
        note: Put before the median times.
    """
    rounds = [(upper(), lower()) for _ in range(pairs + 1)][1:]
    ratios = [left / right for left, right in rounds]
    middle = [statistics.median(side) * 1000 for side in zip(*rounds, strict=True)]
    times = f"{note}{', ' if note else ''}{middle[0]:.4g} / {middle[1]:.4g} ms"
    return Result(row, what, statistics.median(ratios), min(ratios), max(ratios), gate, least, times)


def show(results: Iterable[Result], *, as_json: bool) -> None:
    """Print results as a table, or as JSON."""
    results = list(results)
    if as_json:
        print(json.dumps([asdict(result) | {"holds": result.holds} for result in results]))
        return
    print(f"{'row':>3}  {'target':44} {'ratio':>8}  {'spread':15} {'gate':>9}  verdict  median times")
    for one in results:
        spread = f"{one.low:.3g} to {one.high:.3g}"
        gate = f"{'>=' if one.least else '<='} {one.gate:g}"
        verdict = "holds" if one.holds else "MISSED"
        print(f"{one.row:>3}  {one.what:44} {one.ratio:>8.3g}  {spread:15} {gate:>9}  {verdict:7}  {one.note}")


def measure(
    doc: str | None,
    rows: Mapping[str, Callable[[argparse.Namespace], list[Result]]],
    options: Callable[[argparse.ArgumentParser], object],
) -> int:
    """Measure what the command line names and print it; 1 if a gate is missed.

    Args:
        doc: The help.
        rows: What can be named, each with what measures it.
        options: Adds the options that the measurements know.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=rows, metavar="NAME")
    options(parser)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = [result for name in given.names for result in rows[name](given)]
    show(results, as_json=given.json)
    return int(not all(result.holds for result in results))


def over_data(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """The options of what measures over a set of data, next to other tools."""
    parser.add_argument("--data", type=Path, required=required)
    parser.add_argument("--prefix", type=Path, default=Path(tempfile.gettempdir(), "memtui-bench"))
    parser.add_argument("--pairs", type=int, default=7)
