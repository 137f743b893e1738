"""What is looked up beside us is what would be looked up here."""

import os
from pathlib import Path

import pytest

from memtui.util.prefetch_fork import prefetch


def test_another_process_looks() -> None:
    found = prefetch(lambda: (os.getpid(), ["\udc80", 1.5] * 100_000))
    process, rest = found()
    assert process != os.getpid()
    assert rest == ["\udc80", 1.5] * 100_000


def test_a_look_that_fails_there_fails_here(tmp_path: Path) -> None:
    def look() -> bytes:
        return (tmp_path / "gone").read_bytes()

    found = prefetch(look)
    with pytest.raises(FileNotFoundError):
        found()


def test_without_a_second_process_the_look_is_taken_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def no() -> int:
        raise OSError("no process")

    monkeypatch.setattr("os.fork", no)
    assert prefetch(os.getpid)() == os.getpid()
    monkeypatch.delattr("os.fork")
    assert prefetch(os.getpid)() == os.getpid()
