"""The benches of sessions check what they measure; no times are judged here."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import REPO

sys.path.append(str(REPO / "tests/bench"))

from pairs import Result, compare, timed
from truth import FACTS, read_set


@pytest.fixture(scope="module")
def data(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small set."""
    folder = tmp_path_factory.mktemp("bench") / "set"
    command = [
        str(shared / "bench/gen_sessions.py"),
        str(folder),
        "--size",
        "2M",
        "--sessions",
        "30",
        "--projects",
        "3",
    ]
    subprocess.run([sys.executable, *command], check=True, capture_output=True, timeout=60)
    return folder


def bench(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(REPO / "tests/bench/sessions.py"), *words, "--data", str(data), "--pairs", "1"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


def test_rows_are_measured_and_judged(data: Path) -> None:
    done = bench(data, "scan", "append", "--json")
    assert done.returncode in (0, 1), done.stderr
    results = json.loads(done.stdout)
    assert [result["row"] for result in results] == [1, 2, 15, 15]
    assert all(result["low"] <= result["ratio"] <= result["high"] for result in results)
    assert done.returncode == int(not all(result["holds"] for result in results))
    assert "json loop" in bench(data, "scan").stdout


@pytest.mark.parametrize("fact", FACTS)
def test_nothing_is_measured_if_a_fact_is_wrong(data: Path, tmp_path: Path, fact: str) -> None:
    manifest = json.loads((data / "manifest.json").read_text(encoding="utf-8"))
    one = next(one for one in manifest["sessions"] if one["title"] and not one["truncated"])
    one[fact] = one[fact] + 1 if isinstance(one[fact], int) else f"not {one[fact]}"
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (tmp_path / "projects").symlink_to(data / "projects")
    module = runpy.run_path(str(REPO / "tests/bench/sessions.py"))
    with pytest.raises(SystemExit, match=f"wrong by ours: {fact} of .*{one['session_id']}"):
        module["check"](read_set(tmp_path))


def test_no_set(tmp_path: Path) -> None:
    done = bench(tmp_path, "scan")
    assert done.returncode == 1
    assert "no set of sessions" in done.stderr


def test_a_ratio_is_the_median_of_rounds_without_the_first() -> None:
    upper, lower = iter([100.0, 2.0, 9.0, 4.0]), iter([1.0, 1.0, 3.0, 1.0])
    result = compare(2, "a / b", lambda: next(upper), lambda: next(lower), 3.0, 3)
    assert (result.ratio, result.low, result.high, result.holds) == (3.0, 2.0, 4.0, True)
    assert not Result(16, "", 0.7, 0.7, 0.7, 0.6, False).holds
    assert timed(lambda: None)() >= 0
