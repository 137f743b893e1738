"""The history as a git repository: what plain git reads in it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from memtui.fs.atomic import digest
from memtui.history.export_git import old_histories, write_git
from memtui.history.store import Change, Store
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError, Refused, Unsupported

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="no git")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "memory").mkdir()
    return Store(
        tmp_path / "memory",
        Dirs(tmp_path / "c", tmp_path / "s", tmp_path / "k"),
        trash=None,
        now=lambda: 1_700_000_000.5,
    )


def git(folder: Path, *args: str) -> str:
    run = subprocess.run(["git", *args], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@needs_git
def test_plain_git_reads_every_version(store: Store, tmp_path: Path, home: Path) -> None:
    odd = "sub/한글 café.md"
    store.apply([Change("a.md", b"1\n", None), Change(odd, b"\xff\x00no end", None)], why="first", who="you <x>")
    store.apply([Change("a.md", b"2\n", digest(b"1\n"))], why="둘째\nline")
    store.keep("a.md", b"mine\n", why="kept")
    (store.root / os.fsdecode(b'caf\xe9 "q" \\.md')).write_bytes(b"latin\n")
    store.note_outside()
    store.apply([Change("a.md", None, digest(b"2\n"))], why="gone")
    target = tmp_path / "repo"
    assert write_git(store.history, target) == len(store.log())
    git(target, "fsck", "--strict")
    subjects = git(target, "log", "--format=%s|%an|%ae|%at").splitlines()
    assert subjects[0] == "gone|you|memtui@localhost|1700000000"
    assert subjects[-2:] == [
        "둘째 line|you|memtui@localhost|1700000000", "first|you x|memtui@localhost|1700000000",
    ]  # fmt: skip
    assert git(target, "show", "HEAD~2:a.md") == "2\n"
    shown = subprocess.run(["git", "show", f"HEAD:{odd}"], cwd=target, capture_output=True, check=True)
    assert shown.stdout == b"\xff\x00no end"
    assert (target / os.fsdecode(b'caf\xe9 "q" \\.md')).read_bytes() == b"latin\n"
    [kept] = git(target, "for-each-ref", "--format=%(refname)", "refs/heads/kept").split()
    assert git(target, "show", f"{kept}:a.md") == "mine\n"
    assert git(target, "status", "--porcelain") == ""


@needs_git
def test_folders_stand_below_what_they_share(store: Store, tmp_path: Path, home: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Store(tmp_path / "other", Dirs(tmp_path / "c", tmp_path / "s", tmp_path / "k"), trash=None)
    store.apply([Change("a.md", b"1\n", None)], why="x")
    other.apply([Change("a.md", b"2\n", None)], why="x")
    assert write_git(store.history, tmp_path / "both") == 2
    assert git(tmp_path / "both", "ls-files").split() == ["memory/a.md", "other/a.md"]
    assert write_git(store.history, tmp_path / "one", [other.scope]) == 1
    assert git(tmp_path / "one", "ls-files").split() == ["a.md"]


@needs_git
def test_an_empty_history_is_an_empty_repository(store: Store, tmp_path: Path, home: Path) -> None:
    assert write_git(store.history, tmp_path / "repo") == 0
    assert git(tmp_path / "repo", "status", "--porcelain") == ""


def test_a_folder_that_holds_something_is_left_alone(store: Store, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "x").write_bytes(b"x")
    for name in ("mine", "mine/x"):
        with pytest.raises((Refused, Unsupported)):
            write_git(store.history, tmp_path / name)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["x"]


def test_without_git_it_says_so(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unsupported, match="git was not found"):
        write_git(store.history, tmp_path / "repo")
    assert not (tmp_path / "repo").exists()


def test_a_git_that_fails_leaves_nothing(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_text("#!/bin/sh\necho 'fatal: no' >&2\nexit 128\n")
    (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    with pytest.raises(MemtuiError, match="git failed: fatal: no"):
        write_git(store.history, tmp_path / "repo")
    assert not (tmp_path / "repo").exists()


def test_a_history_of_the_first_version_is_found_by_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "history" / digest(b"/some/memory")[:16]
    path.mkdir(parents=True)
    assert old_histories(tmp_path, ["/some/memory"]) == {}
    (path / "HEAD").write_text("ref: refs/heads/main\n")
    assert old_histories(tmp_path, ["/some/memory", "/another"]) == {"/some/memory": path}
