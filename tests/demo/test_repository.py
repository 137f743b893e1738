"""The repository written by hand is one that git accepts."""

import shutil
import subprocess
from pathlib import Path

import pytest

from memtui.demo.repository import make_repository

NAMES = ("README.md", "docs/a.md", "docs/deep/b.md", "docs.md")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    (tmp_path / "docs/deep").mkdir(parents=True)
    for name in NAMES:
        (tmp_path / name).write_text(name, encoding="utf-8")
    make_repository(tmp_path, NAMES, 1_796_000_000.0, branches=("feat/x",))
    return tmp_path


def test_git_accepts_it(made: Path, home: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("no git")
    done = subprocess.run(["git", "fsck", "--strict"], cwd=made, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = subprocess.run(["git", "show", "main:docs/deep/b.md"], cwd=made, capture_output=True, text=True, check=True)
    assert shown.stdout == "docs/deep/b.md"
    tree = subprocess.run(["git", "ls-tree", "feat/x"], cwd=made, capture_output=True, text=True, check=True).stdout
    assert [line.split("\t")[1] for line in tree.splitlines()] == ["README.md", "docs.md", "docs"]
    clean = subprocess.run(["git", "status", "--porcelain"], cwd=made, capture_output=True, text=True, check=True)
    assert set(clean.stdout.split()) <= {"??", "home/"}
