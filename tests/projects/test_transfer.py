"""Files from one folder to another, whatever goes wrong."""

import errno
import os
from pathlib import Path

import pytest

from memtui.fs.copy import copy_file, read_file_state, remove_file
from memtui.projects.relocate_sessions import FileMove, transfer
from memtui.util.errors import Conflict, Refused
from tests.fs.faults import Crash, FaultFS, ShortFS, Snapshot, upward

FILES = {"s/subagents/agent-1.jsonl": b"sub\n" * 40, "s.jsonl": b"main\n" * 40}
MOVES = [FileMove(name, name, len(data)) for name, data in FILES.items()]


@pytest.fixture
def two(ram_path: Path) -> tuple[Path, Path]:
    source, target = ram_path / "old", ram_path / "new"
    for name, data in FILES.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o600)
        os.utime(path, ns=(5, 1_234_567_891_234_567_891))
    target.mkdir()
    return source, target


def whole(source: Path, target: Path) -> bool:
    """Whether each file is whole in one of the folders, and no part of one has its name."""
    for name, data in FILES.items():
        found = [path.read_bytes() for path in (source / name, target / name) if path.exists()]
        if not found or any(one != data for one in found):
            return False
    return True


def test_what_is_moved_keeps_bytes_time_and_mode(two: tuple[Path, Path]) -> None:
    source, target = two
    assert transfer("s", MOVES, source, target, fs=ShortFS()) == (True, [])
    for name, data in FILES.items():
        info = (target / name).stat()
        assert (target / name).read_bytes() == data
        assert (info.st_mtime_ns, info.st_mode & 0o777) == (1_234_567_891_234_567_891, 0o600)
    assert not [path for path in source.rglob("*") if path.is_file()]


@pytest.mark.parametrize("after", [False, True])
def test_a_crash_at_each_call_leaves_every_file_whole(two: tuple[Path, Path], ram_path: Path, after: bool) -> None:
    source, target = two
    snapshot = Snapshot(ram_path)

    def crashing(number: int) -> FaultFS:
        fs = FaultFS()
        fs.crash_at(number, after=after)
        return fs

    for fs in upward(crashing):
        snapshot.put_back()
        try:
            transfer("s", MOVES, source, target, fs=fs)
        except Crash:
            pass
        assert whole(source, target), fs.where
        left = [move for move in MOVES if (source / move.source).exists()]
        again = [FileMove(m.source, m.target, m.size, _digest(target, m.target)) for m in left]
        assert transfer("s", again, source, target) == (True, []), fs.where
        assert {name: (target / name).read_bytes() for name in FILES} == FILES, fs.where


def _digest(root: Path, name: str) -> str:
    seen = read_file_state(root, name)
    return "" if seen is None else seen.digest


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_an_error_at_each_call_loses_nothing(two: tuple[Path, Path], ram_path: Path, code: int) -> None:
    source, target = two
    snapshot = Snapshot(ram_path)

    def failing(number: int) -> FaultFS:
        fs = FaultFS()
        fs.fail_at(number, code)
        return fs

    for fs in upward(failing):
        snapshot.put_back()
        try:
            transfer("s", MOVES, source, target, fs=fs)
        except OSError as error:
            assert error.errno == code
        assert whole(source, target), fs.where


def test_one_that_grows_meanwhile_stays_and_leaves_no_copy(two: tuple[Path, Path]) -> None:
    source, target = two

    def grow() -> None:
        with (source / "s.jsonl").open("ab") as file:
            file.write(b"more\n")

    for number in range(1, 200):
        fs = FaultFS()
        fs.do_at(number, grow)
        moved, stays = transfer("s", [MOVES[1]], source, target, fs=fs)
        if not fs.fired:
            break
        if moved:  # it grew before it was read, or after all was done
            data = (target / "s.jsonl").read_bytes()
            rest = (source / "s.jsonl").read_bytes() if (source / "s.jsonl").exists() else b""
            # Between the last look and the call that removes it nobody can look: what is live is refused before.
            assert b"more\n" in data + rest or fs.log[number - 1] == "unlink"
            (target / "s.jsonl").unlink()
        else:
            assert [stay.why for stay in stays] == ["s.jsonl is being written by another program"]
            assert not (target / "s.jsonl").exists()
            assert (source / "s.jsonl").read_bytes().endswith(b"more\n")
        (source / "s.jsonl").write_bytes(FILES["s.jsonl"])


def test_nothing_is_overwritten(two: tuple[Path, Path]) -> None:
    source, target = two
    (target / "s.jsonl").write_bytes(b"theirs\n")
    moved, stays = transfer("s", MOVES, source, target)
    assert (moved, len(stays)) == (False, 1)
    assert (target / "s.jsonl").read_bytes() == b"theirs\n"
    assert {name: (source / name).read_bytes() for name in FILES} == FILES
    assert not (target / "s/subagents/agent-1.jsonl").exists()


def test_no_link_is_followed(two: tuple[Path, Path], ram_path: Path) -> None:
    source, target = two
    (source / "link.jsonl").symlink_to(source / "s.jsonl")
    with pytest.raises(Refused):
        copy_file((source, "link.jsonl"), (target, "link.jsonl"))
    (ram_path / "elsewhere").mkdir()
    (target / "s").symlink_to(ram_path / "elsewhere")
    assert not transfer("s", MOVES, source, target)[0]
    assert list((ram_path / "elsewhere").iterdir()) == []
    assert whole(source, target)


def test_what_is_another_one_by_now_is_not_removed(two: tuple[Path, Path]) -> None:
    source, target = two
    copied = copy_file((source, "s.jsonl"), (target, "s.jsonl"))
    (source / "s.jsonl").write_bytes(b"new")
    with pytest.raises(Conflict):
        remove_file(source, "s.jsonl", copied.source)
    assert (source / "s.jsonl").read_bytes() == b"new"
    remove_file(source, "gone.jsonl", copied.source)
    remove_file(source, "no/such/folder.jsonl", copied.source)
