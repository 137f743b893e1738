"""One writer at a time."""

import errno
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memtui.fs.filesystem import FileSystem
from memtui.fs.lock import file_lock
from memtui.util.errors import Conflict
from tests.support import REPO

HOLD = """
import sys
from pathlib import Path
from memtui.fs.lock import file_lock
with file_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


class NoFlock(FileSystem):
    """A file system as NFS without a lock daemon."""

    def flock(self, fd: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")


@pytest.fixture(params=[FileSystem, NoFlock])
def fs(request: pytest.FixtureRequest) -> FileSystem:
    made = request.param()
    assert isinstance(made, FileSystem)
    return made


def test_threads_take_turns(tmp_path: Path, fs: FileSystem) -> None:
    inside = most = total = 0
    errors: list[BaseException] = []

    def work() -> None:
        nonlocal inside, most, total
        try:
            for _ in range(20):
                with file_lock(tmp_path / "state" / "lock", fs=fs):
                    inside += 1
                    most = max(most, inside)
                    total += 1
                    inside -= 1
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert (most, total) == (1, 80)


def test_it_is_free_again_after_a_fault_in_the_block(tmp_path: Path, fs: FileSystem) -> None:
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), file_lock(tmp_path / "lock", fs=fs, timeout=0):
            raise ZeroDivisionError


def test_who_waits_too_long_is_told_who_holds_it(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "lock")], cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(Conflict, match=f"process {holder.pid}"), file_lock(tmp_path / "lock", timeout=0):
            pass
        holder.kill()
        holder.wait()
        with file_lock(tmp_path / "lock", timeout=5):
            pass
    finally:
        holder.kill()
        holder.communicate()


def test_without_flock_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    child = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    held = tmp_path / "lock.held"
    held.write_text(json.dumps({"pid": int(child.stdout), "host": socket.gethostname()}))
    with file_lock(tmp_path / "lock", fs=NoFlock(), timeout=1):
        assert json.loads(held.read_text())["pid"] == os.getpid()
    assert not held.exists()


@pytest.mark.parametrize(
    "content",
    ["", "{}", "x", "[]", '{"pid": 1, "host": "elsewhere"}', json.dumps({"pid": 1, "host": socket.gethostname()})],
)
def test_without_flock_what_may_be_alive_is_never_stolen(tmp_path: Path, content: str) -> None:
    held = tmp_path / "lock.held"
    held.write_text(content)
    with pytest.raises(Conflict), file_lock(tmp_path / "lock", fs=NoFlock(), timeout=0):
        pass
    assert held.read_text() == content


def test_a_lock_file_that_was_removed_while_held_locks_nobody_out(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with file_lock(lock):
        lock.unlink()
        with file_lock(lock, timeout=1):
            pass


def test_a_link_is_not_locked(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"secret")
    (tmp_path / "lock").symlink_to("target")
    with pytest.raises(OSError), file_lock(tmp_path / "lock"):
        pass
    assert (tmp_path / "target").read_bytes() == b"secret"
