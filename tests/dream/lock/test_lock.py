"""The lock: who gets it, what comes back, what is never touched."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtui.dream.gates.base import lock_gate, time_gate
from memtui.dream.lock.journal import LockJournal
from memtui.dream.lock.lock import DreamLock, clear_stale_lock, effective_lock, lock_before_run, recover_locks
from memtui.dream.lock.lock_file import MAX_RESTORED_BYTES, read_lock
from memtui.fs.filesystem import FileSystem
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, MemtuiError, Refused
from memtui.util.process import ProcessIdentity, current_process, identify_process
from tests.dream.lock_race import race
from tests.dream.scene import HOUR, NOW, Scene, dead_process
from tests.support import digest_tree

ME = str(os.getpid()).encode()


@pytest.fixture
def other() -> Iterator[ProcessIdentity]:
    """Another process that lives."""
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    yield identify_process(child.pid)
    child.kill()
    child.communicate()


def lock_of(scene: Scene, me: ProcessIdentity | None = None) -> DreamLock:
    return DreamLock(scene.folder, scene.dirs, me=me or current_process(), now=lambda: scene.now, settle=0)


@pytest.mark.parametrize("content", [None, b"{dead}", b" {dead}\n", b"", b"text", b"-7", b"0", b"9" * 100_000])
def test_what_was_there_comes_back_to_the_nanosecond(scene: Scene, content: bytes | None) -> None:
    if content is not None:
        scene.put_lock(content.replace(b"{dead}", str(dead_process()).encode()), 30 * HOUR)
        scene.lock.chmod(0o640)
    before = digest_tree(scene.folder)
    lock = lock_of(scene)
    lock.take()
    assert scene.lock.read_bytes() == ME
    assert [path for path in scene.folder.iterdir() if path.suffix != ".md"] == [scene.lock]
    lock.check()
    back = lock.roll_back()
    assert back is not None and back.kind == ("none" if content is None else "file")
    assert digest_tree(scene.folder) == before
    assert content is None or scene.lock.stat().st_mode & 0o777 == 0o640
    assert LockJournal(scene.dirs, scene.folder).load() is None


def test_success_makes_its_time_now_and_lets_the_next_one_in(scene: Scene) -> None:
    scene.put_lock(b"", 30 * HOUR)
    lock = lock_of(scene)
    lock.take()
    lock.release()
    assert scene.lock.read_bytes() == ME
    assert scene.lock.stat().st_mtime_ns == int(NOW * 1e9)
    assert effective_lock(scene.folder, scene.dirs).gone
    again = lock_of(scene)  # our own number in it, but nobody of us holds it
    again.take()
    again.roll_back()
    assert scene.lock.stat().st_mtime_ns == int(NOW * 1e9)


@pytest.mark.parametrize("content", [b"{other}", b"{me}", b"", b"text", b"-1", b"9" * 100_000])
def test_a_lock_that_counts_is_left_alone(scene: Scene, other: ProcessIdentity, content: bytes) -> None:
    holder = lock_of(scene)
    if content == b"{me}":
        holder.take()
        os.utime(scene.lock, (NOW - 60, NOW - 60))
    else:
        scene.put_lock(content.replace(b"{other}", str(other.pid).encode()), 60)
    before = digest_tree(scene.folder)
    with pytest.raises(Conflict) as caught:
        lock_of(scene, other if content == b"{me}" else None).take()
    assert "process" in caught.value.message or "the lock" in caught.value.message
    assert digest_tree(scene.folder) == before


def test_an_alive_holder_counts_for_an_hour_and_then_loses_it(scene: Scene, other: ProcessIdentity) -> None:
    first = lock_of(scene, other)
    scene.put_lock(b"", 30 * HOUR)
    before = digest_tree(scene.folder)
    first.take()
    os.utime(scene.lock, (NOW - 2 * HOUR, NOW - 2 * HOUR))
    second = lock_of(scene)
    second.take()
    with pytest.raises(Conflict, match=f"process {os.getpid()} took the lock"):
        first.check()
    first.release()
    assert first.roll_back() is None
    second.check()
    second.roll_back()
    assert digest_tree(scene.folder) == before, "what counts is what was there before the first one"


@pytest.mark.parametrize("kind", ["folder", "pipe", "huge"])
def test_what_can_be_no_lock_is_refused_and_can_be_cleared(scene: Scene, kind: str) -> None:
    if kind == "folder":
        scene.lock.mkdir()
    elif kind == "pipe":
        os.mkfifo(scene.lock)
    else:
        scene.lock.write_bytes(b"9" * (MAX_RESTORED_BYTES + 1))
    os.utime(scene.lock, (NOW - 30 * HOUR, NOW - 30 * HOUR))
    before = digest_tree(scene.folder)
    with pytest.raises((Conflict, Refused)) as caught:
        lock_of(scene).take()
    assert "lock" in caught.value.message
    assert "--clear-stale-lock" in caught.value.message + caught.value.hint
    assert digest_tree(scene.folder) == before
    clear_stale_lock(scene.folder, scene.dirs, NOW)
    assert not scene.lock.exists()


def test_a_folder_with_something_in_it_is_not_removed(scene: Scene) -> None:
    scene.lock.mkdir()
    (scene.lock / "mine").write_text("", encoding="utf-8")
    with pytest.raises(Refused, match="can't be removed"):
        clear_stale_lock(scene.folder, scene.dirs, NOW)
    assert (scene.lock / "mine").exists()


def test_a_link_is_never_followed_and_comes_back_as_a_link(scene: Scene, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text(str(dead_process()), encoding="ascii")
    scene.lock.symlink_to(target)
    os.utime(scene.lock, (NOW, NOW), follow_symlinks=False)
    with pytest.raises(Conflict):
        lock_of(scene).take()  # fresh: it counts as somebody's
    os.utime(scene.lock, ns=(10**18 + 7, 10**18 + 7), follow_symlinks=False)
    before, behind = digest_tree(scene.folder), digest_tree(target)
    lock = lock_of(scene)
    lock.take()
    assert not scene.lock.is_symlink() and scene.lock.read_bytes() == ME
    assert lock.roll_back() is not None
    assert digest_tree(scene.folder) == before
    assert digest_tree(target) == behind


@pytest.mark.parametrize("content", [None, b"", b"{dead}"])
@pytest.mark.parametrize("reused", [False, True])
def test_a_holder_that_died_is_rolled_back_by_the_next(scene: Scene, content: bytes | None, reused: bool) -> None:
    """Also when another process has its number by now: the start times differ."""
    if content is not None:
        scene.put_lock(content.replace(b"{dead}", str(dead_process()).encode()), 30 * HOUR)
    before = digest_tree(scene.folder)
    me = current_process()
    gone = ProcessIdentity(me.pid, (me.started or 0) - 100, me.boot) if reused else identify_process(dead_process())
    dead = DreamLock(scene.folder, scene.dirs, me=gone, now=lambda: NOW, settle=0)
    dead.take()
    assert lock_gate(effective_lock(scene.folder, scene.dirs), NOW).open
    assert effective_lock(scene.folder, scene.dirs).at == (
        None if content is None else before[".consolidate-lock"][2] / 1e9
    )
    assert [entry.holder for entry in recover_locks(scene.dirs)] == [gone]
    assert digest_tree(scene.folder) == before
    assert recover_locks(scene.dirs) == ()
    dead.take()
    lock = lock_of(scene)
    lock.take()
    lock.roll_back()
    assert digest_tree(scene.folder) == before


def test_a_success_that_was_cut_short_is_ended_as_one(scene: Scene) -> None:
    gone = identify_process(dead_process())
    DreamLock(scene.folder, scene.dirs, me=gone, settle=0, now=lambda: NOW).take()
    journal = LockJournal(scene.dirs, scene.folder)
    entry = journal.load()
    assert entry is not None
    journal.mark_success(entry, int(NOW * 1e9) + 1)
    recover_locks(scene.dirs)
    assert scene.lock.stat().st_mtime_ns == int(NOW * 1e9) + 1


def test_a_lock_that_somebody_else_took_meanwhile_is_theirs(scene: Scene, other: ProcessIdentity) -> None:
    gone = identify_process(dead_process())
    DreamLock(scene.folder, scene.dirs, me=gone, settle=0, now=lambda: NOW).take()
    scene.put_lock(str(other.pid).encode(), 0)
    before = digest_tree(scene.folder)
    recover_locks(scene.dirs)
    assert digest_tree(scene.folder) == before
    assert LockJournal(scene.dirs, scene.folder).load() is None


def test_a_folder_that_was_made_for_the_lock_goes_with_it(tmp_path: Path) -> None:
    dirs = Dirs(tmp_path / "c", tmp_path / "s", tmp_path / "k")
    lock = DreamLock(tmp_path / "a" / "b", dirs, now=lambda: NOW, settle=0)
    lock.take()
    assert (tmp_path / "a" / "b").is_dir()
    lock.roll_back()
    assert not (tmp_path / "a").exists()


def test_a_disk_that_refuses_leaves_everything_as_it_was(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_tree(scene.folder)

    def full(*args: object, **options: object) -> None:
        raise OSError(28, "full")

    monkeypatch.setattr("memtui.dream.lock.lock.write_temp", full)
    with pytest.raises(OSError, match="full"):
        lock_of(scene).take()
    assert digest_tree(scene.folder) == before
    assert LockJournal(scene.dirs, scene.folder).load() is None


def test_no_process_is_ever_signalled(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def kill(pid: int, number: int) -> None:
        assert number == 0 and pid > 0

    monkeypatch.setattr(os, "kill", kill)
    monkeypatch.setattr(signal, "pidfd_send_signal", kill)
    for content in (ME, b"1", b"0", b"-1", b"-0", b"+5", b"1 2"):
        for age in (60.0, 30 * HOUR):
            scene.put_lock(content, age)
            try:
                lock_of(scene).take()
            except MemtuiError:
                continue
            lock_of(scene).roll_back()


def test_clearing_needs_a_lock_that_nobody_holds(scene: Scene, other: ProcessIdentity) -> None:
    assert clear_stale_lock(scene.folder, scene.dirs, NOW).kind == "none"
    scene.put_lock(str(other.pid).encode(), 60)
    with pytest.raises(Conflict, match=f"held by process {other.pid}"):
        clear_stale_lock(scene.folder, scene.dirs, NOW)
    scene.put_lock(str(dead_process()).encode(), 60)
    before = scene.folder.stat().st_mtime_ns
    assert clear_stale_lock(scene.folder, scene.dirs, NOW).kind == "pid"
    assert read_lock(scene.folder).kind == "none"
    assert scene.folder.stat().st_mtime_ns == before


@pytest.mark.parametrize("contenders", [2, 8])
def test_one_of_many_gets_a_stale_lock(tmp_path: Path, contenders: int) -> None:
    """`python -m tests.dream.lock_race 200` is the same at length."""
    winners = race(tmp_path, contenders, 20)
    print(f"contenders={contenders} trials=20 double={sum(won != 1 for won in winners)}")
    assert winners == [1] * 20


class Meanwhile(FileSystem):
    """Somebody else comes in while we wait to read back, or right before we write."""

    def __init__(self, act: Callable[[], object], at: str) -> None:
        self._act = act
        self._at = at

    def wait(self, seconds: float) -> None:
        if self._at == "wait":
            self._act()

    def open(self, path: str | Path, flags: int, mode: int = 0o600, *, dir_fd: int | None = None) -> int:
        if self._at == "write" and flags & os.O_EXCL and ".consolidate-lock" in str(path):
            self._act()
        return super().open(path, flags, mode, dir_fd=dir_fd)


@pytest.mark.parametrize("at", ["wait", "write"])
@pytest.mark.parametrize("content", [None, b""])
def test_somebody_who_doesn_t_stand_in_our_line_wins_if_they_were_last(
    scene: Scene, other: ProcessIdentity, at: str, content: bytes | None
) -> None:
    if content is not None:
        scene.put_lock(content, 30 * HOUR)
    fs = Meanwhile(lambda: scene.put_lock(str(other.pid).encode(), 0), at)
    lock = DreamLock(scene.folder, scene.dirs, now=lambda: NOW, fs=fs)
    with pytest.raises(Conflict, match=f"process {other.pid} was faster|another process took the lock"):
        lock.take()
    assert read_lock(scene.folder).pid == other.pid
    assert LockJournal(scene.dirs, scene.folder).load() is None
    assert lock.roll_back() is None
    assert read_lock(scene.folder).pid == other.pid


@pytest.mark.parametrize("there", [False, True])
def test_while_a_run_is_on_the_last_success_is_what_was_there_before(scene: Scene, there: bool) -> None:
    if there:
        scene.put_lock(str(dead_process()).encode(), 30 * HOUR)
    before = read_lock(scene.folder)
    assert lock_before_run(scene.folder, scene.dirs) == before
    lock = lock_of(scene)
    lock.take()
    idle = lock_before_run(scene.folder, scene.dirs)
    assert (idle.kind, idle.at, idle.pid) == (before.kind, before.at, before.pid)
    gate = time_gate(idle, NOW)
    assert gate.open and gate.reason == ("last dream 1d ago" if there else "there was none yet")
    lock.roll_back()
    assert read_lock(scene.folder) == before
