"""The branch in the first line of the screen."""

import subprocess
from pathlib import Path

import pytest

from memtui.client.git import branch_of


@pytest.mark.parametrize(
    ("head", "branch"), [("ref: refs/heads/feat/x\n", "feat/x"), ("0123456789abcdef\n", "01234567"), ("", "")]
)
def test_head_as_written(tmp_path: Path, head: str, branch: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text(head)
    (tmp_path / "sub").mkdir()
    assert branch_of(tmp_path / "sub") == branch


def test_a_worktree_has_its_own(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )

    git("init", "-q", "-b", "main", "repo")
    git("-C", "repo", "commit", "-q", "--allow-empty", "-m", "x")
    git("-C", "repo", "worktree", "add", "-q", "../wt")
    assert branch_of(tmp_path / "repo") == "main"
    assert branch_of(tmp_path / "wt") == "wt"


def test_outside_of_git(tmp_path: Path) -> None:
    assert branch_of(tmp_path) == ""
