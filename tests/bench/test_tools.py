"""The measuring tools measure what they say; no times are judged here."""

import subprocess
import sys
from pathlib import Path

import pytest

from memtui.memory.budget import measure_index
from tests.support import REPO, digest_tree

BENCH = REPO / "tests/bench"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_same_arguments_give_the_same_folder(tmp_path: Path) -> None:
    for name in ("a", "b"):
        done = run(str(BENCH / "gen_memory.py"), str(tmp_path / name), "--files", "60", "--seed", "3")
        assert done.returncode == 0, done.stderr
    first, second = digest_tree(tmp_path / "a"), digest_tree(tmp_path / "b")
    del first["."], second["."]
    assert first == second
    assert len(first) == 61
    assert (tmp_path / "a/project_long_0000.md").stat().st_size >= 25_000
    assert not measure_index((tmp_path / "a/MEMORY.md").read_text(encoding="utf-8")).over


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
@pytest.mark.parametrize(("until", "code"), [("painted", 7), ("never", 1)])
def test_a_program_is_seen_and_its_exit_code_kept(until: str, code: int) -> None:
    program = r"print('\x1b[31mpain\x1b[0mted', flush=True); raise SystemExit(7 if input() == 'q' else 8)"
    options = ("--until", until, "--seconds", "3", "--keys", "q\n")
    done = run(str(BENCH / "ptyapp.py"), *options, "--", sys.executable, "-c", program)
    assert done.returncode == code, done.stderr
