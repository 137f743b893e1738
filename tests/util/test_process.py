"""Is that process still the same one?"""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memtui.util.process import ProcessIdentity, boot_id, current_process, identify_process, is_alive
from tests.support import run_python

WAIT = "import sys; print('up', flush=True); sys.stdin.read()"


@pytest.fixture
def other() -> Iterator[subprocess.Popen[str]]:
    """Another process, that ends when it is told to."""
    process = subprocess.Popen([sys.executable, "-c", WAIT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def test_this_process_lives() -> None:
    here = current_process()
    assert is_alive(here)
    assert here.started is not None
    assert is_alive(ProcessIdentity(here.pid))  # a bare number, as another program's lock holds it


def test_another_process_lives_until_it_ends(other: subprocess.Popen[str]) -> None:
    identity = identify_process(other.pid)
    assert is_alive(identity)
    other.kill()
    with other:
        pass
    assert not is_alive(identity)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="waits for the end without taking the exit status")
def test_one_that_ended_unnoticed_is_dead(other: subprocess.Popen[str]) -> None:
    import os

    identity = identify_process(other.pid)
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(identity)
    assert not is_alive(ProcessIdentity(other.pid))


def test_the_same_number_is_not_the_same_process() -> None:
    here = current_process()
    assert here.started is not None
    assert not is_alive(replace(here, started=here.started + 5))
    assert not is_alive(replace(here, started=here.started - 5))
    if boot_id():
        assert not is_alive(replace(here, boot="another run of the machine"))


@pytest.mark.parametrize("pid", [0, -1, -(2**40), 2**40, 2**70])
def test_an_impossible_number_is_dead(pid: int) -> None:
    assert not is_alive(ProcessIdentity(pid))


@given(st.integers(), st.none() | st.floats(allow_nan=False, allow_infinity=False), st.just("") | st.uuids().map(str))
def test_a_line_is_read_as_it_was_written(pid: int, started: float | None, boot: str) -> None:
    identity = ProcessIdentity(pid, started, boot)
    assert ProcessIdentity.parse(str(identity)) == identity


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    assert ProcessIdentity.parse(text) is None or text.strip()


@pytest.mark.parametrize(
    ("text", "pid"), [("4711\n", 4711), (" 12 ", 12), ("", None), ("x", None), ("1 2", None), ("1 x -", None)]
)
def test_a_foreign_lock_holds_only_a_number(text: str, pid: int | None) -> None:
    assert ProcessIdentity.parse(text) == (None if pid is None else ProcessIdentity(pid))


def test_psutil_is_loaded_only_where_it_is_needed() -> None:
    done = run_python("import sys, memtui.util.process; print('psutil' in sys.modules)")
    assert done.stdout.strip() == "False", done.stderr
