"""A function of ours in a process of its own."""

import os
import signal
import sys
import time

import pytest

from memtui.util import worker_process

ECHO = "tests.util.test_worker_process:echo"


def echo(word: str, times: str) -> None:
    sys.stdout.buffer.write(os.fsencode(word) * int(times))


class NotTrue(Exception):
    pass


def fail() -> None:
    raise NotTrue


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hang() -> None:
    time.sleep(1000)


@pytest.mark.parametrize("look", [0.001, 60.0])
def test_it_answers_however_often_somebody_looks(monkeypatch: pytest.MonkeyPatch, look: float) -> None:
    monkeypatch.setattr(worker_process, "STOP_CHECK_INTERVAL_S", look)
    answer = worker_process.call_in_process(ECHO, "한\udcff", "100000", stopped=lambda: False)
    assert answer == os.fsencode("한\udcff") * 100_000


@pytest.mark.parametrize(
    "function", ["tests.util.test_worker_process:fail", "tests.util.test_worker_process:none", "no.such:thing"]
)
def test_one_that_fails_is_heard_of(function: str) -> None:
    with pytest.raises(RuntimeError, match=r"NotTrue|has no attribute|No module named"):
        worker_process.call_in_process(function, stopped=lambda: False)


def test_one_that_somebody_kills_gives_no_answer() -> None:
    assert worker_process.call_in_process("tests.util.test_worker_process:die", stopped=lambda: False) is None


def test_one_that_nobody_waits_for_is_ended() -> None:
    assert worker_process.call_in_process("tests.util.test_worker_process:hang", stopped=lambda: True) is None


def test_without_another_process_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/python")
    assert worker_process.call_in_process(ECHO, "a", "1", stopped=lambda: False) is None
