"""Gates over real files: a lock of every shape, clocks that jump, sessions old and new."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation, locate_memory
from memtui.client.paths import LOCK_NAME
from memtui.dream.gates.base import DREAM_INTERVAL_S, SCHEDULE_TOLERANCE_S, Gate, lock_gate
from memtui.dream.gates.evaluate import evaluate_gates
from memtui.dream.gates.sessions import MIN_SESSIONS
from memtui.dream.lock.lock_file import LOCK_EXPIRY_S, MAX_CLOCK_SKEW_S, MAX_RESTORED_BYTES, read_lock
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from tests.support import digest_tree

NOW = 1_764_000_000.0
HOUR = 3600.0


@pytest.fixture
def env(tmp_path: Path) -> Env:
    return Env(tmp_path / "home", {}, policy_files=())


@pytest.fixture
def location(tmp_path: Path, env: Env) -> MemoryLocation:
    (tmp_path / "shop").mkdir()
    location = locate_memory(env, tmp_path / "shop")
    location.folder.mkdir(parents=True)
    return location


def lock(location: MemoryLocation, content: bytes, age: float) -> Path:
    path = location.folder / LOCK_NAME
    path.write_bytes(content)
    os.utime(path, (NOW - age, NOW - age))
    return path


def session(folder: Path, number: int, age: float) -> None:
    path = folder / f"00000000-0000-4000-8000-{number:012}.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    os.utime(path, (NOW - age, NOW - age))


def gates(location: MemoryLocation, env: Env, now: float, trigger: str = "hook") -> tuple[Gate, ...]:
    dirs = Dirs(*(env.home / name for name in ("config", "state", "cache")))
    return evaluate_gates(Workspace(env, dirs, location, trash=False), dirs, now, trigger=trigger)


def gate(location: MemoryLocation, env: Env, name: str, now: float = NOW) -> Gate:
    return next(gate for gate in gates(location, env, now) if gate.name == name)


def dead_process() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_they_come_in_the_order_of_testing(location: MemoryLocation, env: Env) -> None:
    assert [gate.name for gate in gates(location, env, NOW)] == [
        "auto-dream", "memory", "time", "sessions", "failures", "review", "lock", "folder",
    ]  # fmt: skip


def test_a_new_folder_waits_for_sessions_only(location: MemoryLocation, env: Env) -> None:
    assert [gate.name for gate in gates(location, env, NOW) if not gate.open] == ["sessions"]


@pytest.mark.parametrize("key", ["autoMemoryEnabled", "autoDreamEnabled"])
def test_a_master_switch_closes_its_gate_and_names_its_source(location: MemoryLocation, env: Env, key: str) -> None:
    settings = location.config / "settings.json"
    settings.write_text(f'{{"{key}": false}}', encoding="utf-8")
    off = locate_memory(env, location.cwd)
    closed = {gate.name: gate for gate in gates(off, env, NOW) if not gate.open}
    name = "memory" if key == "autoMemoryEnabled" else "auto-dream"
    assert name in closed
    assert closed[name].source == str(settings)
    assert "user" in closed[name].reason
    by_hand = {gate.name for gate in gates(off, env, NOW, "hand") if not gate.open}
    assert by_hand == closed.keys() - {"auto-dream"}, "what starts by hand needs no automatic switch"


@pytest.mark.parametrize(
    ("age", "is_open"),
    [(0, False), (DREAM_INTERVAL_S - 1, False), (DREAM_INTERVAL_S, True), (DREAM_INTERVAL_S * 400, True)],
)
def test_time_counts_from_the_locks_mtime(location: MemoryLocation, env: Env, age: float, is_open: bool) -> None:
    lock(location, str(dead_process()).encode(), age)
    found = gate(location, env, "time")
    assert found.open == is_open
    assert found.opens_at == (None if is_open else NOW - age + DREAM_INTERVAL_S)


def test_a_scheduled_dream_may_come_a_little_sooner_than_the_last_one_ended(location: MemoryLocation, env: Env) -> None:
    lock(location, str(dead_process()).encode(), DREAM_INTERVAL_S - SCHEDULE_TOLERANCE_S)
    assert not gate(location, env, "time").open
    assert next(one for one in gates(location, env, NOW, "schedule") if one.name == "time").open
    lock(location, str(dead_process()).encode(), DREAM_INTERVAL_S - SCHEDULE_TOLERANCE_S - 1)
    assert not next(one for one in gates(location, env, NOW, "schedule") if one.name == "time").open


@pytest.mark.parametrize("trigger", ["hand", "hook", "schedule"])
def test_assistant_mode_dreams_by_schedule_alone(location: MemoryLocation, env: Env, trigger: str) -> None:
    (env.home / "config").mkdir(parents=True)
    (env.home / "config" / "config.toml").write_text("assistant_mode = true\n", encoding="utf-8")
    found = {gate.name: gate for gate in gates(location, env, NOW, trigger)}
    assert found["auto-dream"].open == (trigger != "hook")
    assert (found["sessions"].open, found["sessions"].reason) == (False, "none since then")
    log = location.folder / "logs" / "2025" / "11" / "2025-11-24.md"
    log.parent.mkdir(parents=True)
    log.write_text("said: DONE\n", encoding="utf-8")
    reason = "1 daily log since then, the newest logs/2025/11/2025-11-24.md"
    assert next(one for one in gates(location, env, NOW, trigger) if one.name == "sessions").reason == reason


def test_remote_mode_dreams_never_by_itself(location: MemoryLocation, env: Env, tmp_path: Path) -> None:
    remote = {"CLAUDE_CODE_REMOTE": "1", "CLAUDE_CODE_REMOTE_MEMORY_DIR": str(tmp_path / "remote")}
    there = Env(env.home, remote, policy_files=())
    closed = [gate for gate in gates(locate_memory(there, location.cwd), there, NOW, "schedule") if not gate.open]
    assert [gate.name for gate in closed] == ["auto-dream", "sessions"]
    assert "remote" in closed[0].reason and closed[0].source == "CLAUDE_CODE_REMOTE"
    by_hand = [gate for gate in gates(locate_memory(there, location.cwd), there, NOW, "hand") if not gate.open]
    assert [gate.name for gate in by_hand] == ["sessions"]


def test_a_folder_that_no_file_can_be_made_in_closes_its_gate(location: MemoryLocation, env: Env) -> None:
    assert gate(location, env, "folder").reason == "0 files, 0B"
    (location.folder / "a.md").write_bytes(b"12345")
    assert gate(location, env, "folder").reason == "1 file, 5B"
    (location.folder / "a.md").unlink()
    location.folder.rmdir()
    assert gate(location, env, "folder").open
    location.folder.write_bytes(b"")
    assert not gate(location, env, "folder").open


@pytest.mark.parametrize("content", [b"1", b"", b"\x00\xff", b"9" * 100_000], ids=["pid", "empty", "binary", "long"])
@pytest.mark.parametrize("ahead", [MAX_CLOCK_SKEW_S + 1.0, 2 * HOUR, 366 * 24 * HOUR, 4e9])
def test_a_time_in_the_future_counts_as_never(location: MemoryLocation, env: Env, ahead: float, content: bytes) -> None:
    lock(location, content, -ahead)
    found, held = gate(location, env, "time"), gate(location, env, "lock")
    assert found.open and found.opens_at is None and "in the future (2" in found.reason
    assert "which counts as never" in found.reason
    assert held.open and "at a time that lies in the future (2" in held.reason
    session(location.transcripts, 1, HOUR)
    assert gate(location, env, "sessions").reason == "1 of 5", "no session was read since then either"


@pytest.mark.parametrize("ahead", [1.0, MAX_CLOCK_SKEW_S - 1.0])
def test_a_clock_that_goes_a_little_ahead_counts_as_now(location: MemoryLocation, env: Env, ahead: float) -> None:
    lock(location, b"1", -ahead)
    assert gate(location, env, "time").opens_at == NOW + DREAM_INTERVAL_S
    assert gate(location, env, "lock").opens_at == NOW + LOCK_EXPIRY_S


def test_a_file_too_large_for_a_lock_is_told(location: MemoryLocation, env: Env) -> None:
    lock(location, b"1" * (MAX_RESTORED_BYTES + 1), 2 * HOUR)
    found = gate(location, env, "lock")
    assert not found.open and "memtui kill --clear-stale-lock removes it" in found.reason


def test_a_clock_in_1970_asks_for_no_endless_wait(location: MemoryLocation, env: Env) -> None:
    lock(location, str(os.getpid()).encode(), 0)
    for found in gates(location, env, 10.0):
        assert found.opens_at is None or 10.0 < found.opens_at <= 10.0 + DREAM_INTERVAL_S


def test_sessions_count_when_touched_after_the_last_dream(location: MemoryLocation, env: Env) -> None:
    lock(location, b"1", 10 * HOUR)
    for number in range(MIN_SESSIONS - 1):
        session(location.transcripts, number, HOUR)
    for number in range(10, 20):
        session(location.transcripts, number, 20 * HOUR)
    (location.transcripts / "agent-1.jsonl").write_text("{}\n", encoding="utf-8")
    assert gate(location, env, "sessions").reason == "4 of 5"
    session(location.transcripts, 90, HOUR)
    assert gate(location, env, "sessions").open


def test_the_session_that_we_run_in_is_not_counted(location: MemoryLocation, env: Env) -> None:
    for number in range(MIN_SESSIONS):
        session(location.transcripts, number, HOUR)
    own = Env(env.home, {"CLAUDE_CODE_SESSION_ID": "00000000-0000-4000-8000-000000000000"}, policy_files=())
    assert gate(location, env, "sessions").open
    assert gate(location, own, "sessions").reason == "4 of 5 (this one not counted)"


def test_sessions_of_the_repositorys_root_count_for_a_subfolder(tmp_path: Path, env: Env) -> None:
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    (root / "sub").mkdir()
    top, below = locate_memory(env, root), locate_memory(env, root / "sub")
    assert top.folder == below.folder
    for location in (top, below):
        location.transcripts.mkdir(parents=True)
    session(top.transcripts, 1, HOUR)
    session(below.transcripts, 2, HOUR)
    assert gate(below, env, "sessions").reason == "2 of 5"


@pytest.mark.parametrize(
    ("content", "age", "is_open"),
    [
        (b"{me}", 60.0, False),
        (b"{me}", 2 * HOUR, True),
        (b"{dead}", 60.0, True),
        (b" {me}\n", 60.0, False),
        (b"", 60.0, False),
        (b"", 2 * HOUR, True),
        (b"not a number", 60.0, False),
        (b"-5", 60.0, False),
        (b"0", 60.0, False),
        (b"1", 2 * HOUR, True),
        (b"9" * 100_000, 60.0, False),
        (b"9" * 100_000, 2 * HOUR, True),
        ("４２".encode(), 60.0, False),
        (b"\x00\xff", 60.0, False),
    ],
)
def test_locks_of_every_content(location: MemoryLocation, content: bytes, age: float, is_open: bool) -> None:
    known = {b"{me}": os.getpid(), b"{dead}": dead_process()}
    for word, pid in known.items():
        content = content.replace(word, str(pid).encode())
    lock(location, content, age)
    before = digest_tree(location.folder)
    assert lock_gate(read_lock(location.folder), NOW).open == is_open
    assert digest_tree(location.folder) == before


def test_a_lock_that_is_no_file_is_not_followed(
    location: MemoryLocation, env: Env, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target"
    target.write_text(str(dead_process()), encoding="ascii")
    path = location.folder / LOCK_NAME
    path.symlink_to(target)
    assert read_lock(location.folder).kind == "foreign"
    os.utime(path, (NOW - 60, NOW - 60), follow_symlinks=False)
    assert not gate(location, env, "lock").open
    os.utime(path, (NOW - 2 * HOUR, NOW - 2 * HOUR), follow_symlinks=False)
    assert gate(location, env, "lock").open
    path.unlink()
    path.mkdir()
    assert read_lock(location.folder).kind == "foreign"
    path.rmdir()
    os.mkfifo(path)
    assert read_lock(location.folder).kind == "foreign"
    path.unlink()
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(location.folder)  # a socket's path is limited to 108 bytes
        server.bind(LOCK_NAME)
        assert read_lock(location.folder).kind == "foreign"


def test_no_memory_folder_is_no_lock(tmp_path: Path) -> None:
    assert read_lock(tmp_path / "absent").kind == "none"
    (tmp_path / "file").write_text("", encoding="ascii")
    assert read_lock(tmp_path / "file").kind == "none"


def test_no_process_is_ever_signalled(location: MemoryLocation, env: Env, monkeypatch: pytest.MonkeyPatch) -> None:
    def kill(pid: int, signal: int) -> None:
        assert signal == 0, "0 only asks; it reaches nobody"
        assert pid > 0, "0 and below mean whole groups of processes"

    monkeypatch.setattr(os, "kill", kill)
    for content in (str(os.getpid()).encode(), b"1", b"0", b"-1"):
        lock(location, content, 60.0)
        gates(location, env, NOW)
