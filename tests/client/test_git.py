"""Which repository a directory belongs to, on `.git` files written by hand; real ones are among the recordings."""

import os
from pathlib import Path

import pytest

from memtui.client.git import canonical_root, worktree_root


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A main repository and a worktree of it, as git leaves them."""
    top = tmp_path.resolve()
    private = top / "repo" / ".git" / "worktrees" / "wt"
    private.mkdir(parents=True)
    (private / "commondir").write_text("../..\n")
    (private / "gitdir").write_text(f"{top}/wt/.git\n")
    (top / "wt" / "sub").mkdir(parents=True)
    (top / "wt" / ".git").write_text(f"gitdir: {private}\n")
    return top


def test_subfolders_worktrees_and_links_share_the_repository(top: Path) -> None:
    (top / "repo" / "a" / "b").mkdir(parents=True)
    (top / "link").symlink_to("repo/a")
    for name in ("repo", "repo/a/b", "link", "wt", "wt/sub", "repo/.git", "repo/.git/worktrees/wt"):
        assert canonical_root(top / name) == top / "repo", name
    assert worktree_root(top / "wt" / "sub") == top / "wt"


def test_a_directory_without_repository_is_its_own(top: Path) -> None:
    (top / "plain" / "deep").mkdir(parents=True)
    assert canonical_root(top / "plain" / "deep") == top / "plain" / "deep"
    assert worktree_root(top / "plain" / "deep") is None
    assert canonical_root(top / "gone") == top / "gone"


@pytest.mark.parametrize(
    "text",
    [
        "gitdir: ../repo/.git/worktrees/wt",
        "gitdir:../repo/.git/worktrees/wt\r\n",
        "\ufeff\n gitdir: {top}/repo/.git/worktrees/wt \n",
    ],
)
def test_a_pointer_may_be_relative_and_loosely_written(text: str, top: Path) -> None:
    (top / "wt" / ".git").write_text(text.format(top=top), encoding="utf-8")
    assert canonical_root(top / "wt") == top / "repo"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rubbish",
        "gitdir:",
        "gitdir: .git",
        "gitdir: ../nowhere",
        "GITDIR: {private}",
        "gitdir: {private}\nmore",
        "\0",
        "gitdir: \0",
        "gitdir: " + "x" * 5000,
        "x" * 100_000,
    ],
)
def test_a_bad_pointer_leaves_the_tree_on_its_own(text: str, top: Path) -> None:
    (top / "wt" / ".git").write_text(text.format(private=top / "repo/.git/worktrees/wt"))
    assert canonical_root(top / "wt" / "sub") == top / "wt"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("commondir", None),
        ("commondir", ""),
        ("commondir", "/nowhere"),
        ("commondir", "."),
        ("commondir", "\0"),
        ("gitdir", None),
        ("gitdir", ""),
        ("gitdir", "{top}/elsewhere/.git"),
        ("gitdir", "{top}/repo/.git"),
    ],
)
def test_both_sides_have_to_agree(name: str, text: str | None, top: Path) -> None:
    path = top / "repo" / ".git" / "worktrees" / "wt" / name
    if text is None:
        path.unlink()
    else:
        path.write_text(text.format(top=top))
    assert canonical_root(top / "wt") == top / "wt"


def test_a_forged_pointer_gives_nobody_anothers_memory(top: Path) -> None:
    (top / "evil").mkdir()
    (top / "evil" / ".git").write_bytes((top / "wt" / ".git").read_bytes())
    assert canonical_root(top / "evil") == top / "evil"


def test_a_worktree_of_a_bare_repository_belongs_to_it(top: Path) -> None:
    (top / "repo" / ".git").rename(top / "repo.git")
    private = top / "repo.git" / "worktrees" / "wt"
    (top / "wt" / ".git").write_text(f"gitdir: {private}\n")
    assert canonical_root(top / "wt") == top / "repo.git"
    assert canonical_root(top / "repo.git" / "worktrees") == top / "repo.git" / "worktrees"


def test_a_submodule_is_its_own_and_its_worktrees_share_its_git_folder(top: Path) -> None:
    modules = top / "repo" / ".git" / "modules" / "lib"
    (modules / "worktrees" / "swt").mkdir(parents=True)
    (top / "repo" / "lib").mkdir()
    (top / "repo" / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n")
    (top / "swt").mkdir()
    (top / "swt" / ".git").write_text(f"gitdir: {modules}/worktrees/swt\n")
    (modules / "worktrees" / "swt" / "commondir").write_text("../..\n")
    (modules / "worktrees" / "swt" / "gitdir").write_text(f"{top}/swt/.git\n")
    assert canonical_root(top / "repo" / "lib") == top / "repo" / "lib"
    assert canonical_root(top / "swt") == modules


def test_what_is_no_file_and_no_folder_is_passed_over(top: Path) -> None:
    for name, make in (
        ("pipe", os.mkfifo),
        ("loop", lambda path: path.symlink_to(".git")),
        ("dangling", lambda path: path.symlink_to("nowhere")),
    ):
        (top / "repo" / name).mkdir()
        make(top / "repo" / name / ".git")
        assert canonical_root(top / "repo" / name) == top / "repo", name


def test_the_parts_of_a_worktree_may_be_pipes_without_stopping_us(top: Path) -> None:
    path = top / "repo" / ".git" / "worktrees" / "wt" / "commondir"
    path.unlink()
    os.mkfifo(path)
    assert canonical_root(top / "wt") == top / "wt"
