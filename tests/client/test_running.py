"""Which sessions are open now: files as a client leaves them, of processes that are there, gone, or others by now."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memtui.client.environment import Env
from memtui.client.paths import config_dir
from memtui.client.running import running_sessions
from memtui.util.process import identify_process
from tests.support import REPO, digest_tree

SESSION = "11111111-1111-4111-8111-111111111111"
LINUX = sys.platform.startswith("linux")


@pytest.fixture
def env(tmp_path: Path) -> Env:
    found = Env(tmp_path, {})
    (config_dir(found) / "sessions").mkdir(parents=True)
    return found


def ticks(pid: int) -> str:
    started = identify_process(pid).started
    assert started is not None
    return str(round(started * os.sysconf("SC_CLK_TCK")))


def write(env: Env, pid: int, name: str = "", **more: Any) -> Path:
    """A file as client 2.1.332 writes it."""
    record = {
        "pid": pid, "sessionId": SESSION, "cwd": "/home/you/shop", "startedAt": 1_796_022_318_359,
        "version": "2.1.332", "peerProtocol": 1, "kind": "interactive", "entrypoint": "cli", "name": "shop-19",
        "status": "busy", "updatedAt": 1_796_022_318_327,
    }  # fmt: skip
    if LINUX:
        record["procStart"] = ticks(os.getpid())
    record |= more
    path = (config_dir(env) / "sessions") / (name or f"{pid}.json")
    path.write_text(json.dumps({key: value for key, value in record.items() if value is not None}), encoding="utf-8")
    return path


def ended() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_a_session_that_is_open(env: Env) -> None:
    write(env, os.getpid())
    before = digest_tree(env.home)
    found = running_sessions(env)[SESSION]
    assert (found.pid, found.cwd, found.status) == (os.getpid(), "/home/you/shop", "busy")
    assert found.started == 1_796_022_318.359
    assert digest_tree(env.home) == before


def test_what_a_killed_client_leaves_behind_does_not_count(env: Env) -> None:
    write(env, ended())
    assert running_sessions(env) == {}


@pytest.mark.skipif(not LINUX, reason="start times in ticks are Linux's")
def test_another_process_under_the_same_number_does_not_count(env: Env) -> None:
    write(env, os.getpid(), procStart=str(int(ticks(os.getpid())) - 1000))
    assert running_sessions(env) == {}


def test_without_the_start_in_ticks_the_clock_decides(env: Env) -> None:
    write(env, os.getpid(), procStart=None, startedAt=4_000_000_000_000)
    assert SESSION in running_sessions(env)
    write(env, os.getpid(), procStart=None, startedAt=1_000_000_000_000)
    assert running_sessions(env) == {}, "it was written long before this process began"
    write(env, os.getpid(), procStart="Mon Nov 30 07:05:18 2026", startedAt=None)
    assert SESSION in running_sessions(env)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 30_000, b'{"sessionId": 1}', b"x" * 100_000]
)
def test_a_file_of_another_form_is_none(env: Env, data: bytes) -> None:
    ((config_dir(env) / "sessions") / f"{os.getpid()}.json").write_bytes(data)
    assert running_sessions(env) == {}


def test_other_names_are_not_looked_at(env: Env) -> None:
    write(env, os.getpid(), name=f"{os.getpid()}.abc.key")
    write(env, os.getpid(), name="x.json")
    write(env, os.getpid(), name="99999999999999999999.json")
    ((config_dir(env) / "sessions") / "12.json").mkdir()
    os.mkfifo((config_dir(env) / "sessions") / "13.json")
    assert running_sessions(env) == {}


def test_a_file_under_another_number_is_none(env: Env) -> None:
    write(env, os.getpid(), name="1.json")
    assert running_sessions(env) == {}


def test_of_two_clients_the_later_counts(env: Env) -> None:
    write(env, os.getpid(), startedAt=1)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        write(env, other.pid, startedAt=2, procStart=ticks(other.pid) if LINUX else None)
        assert running_sessions(env)[SESSION].pid == other.pid
        other.kill()


def test_no_folder_and_a_configured_folder(tmp_path: Path) -> None:
    assert running_sessions(Env(tmp_path, {})) == {}
    elsewhere = Env(tmp_path, {"CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")})
    (config_dir(elsewhere) / "sessions").mkdir(parents=True)
    write(elsewhere, os.getpid())
    assert SESSION in running_sessions(elsewhere)


CLIENT = os.environ.get("MEMTUI_TEST_CLIENT", "")
"""The executable of client 2.1.332."""

LOOKS = (
    "import json, pathlib, sys; from msgspec.structs import asdict;"
    "from memtui.client.environment import Env; from memtui.client.running import running_sessions;"
    "found = [asdict(one) for one in running_sessions(Env.real()).values()];"
    "pathlib.Path(sys.argv[1]).write_text(json.dumps(found))"
)


@pytest.mark.skipif(not CLIENT, reason="1 run of the real client not tried: MEMTUI_TEST_CLIENT is not set")
def test_the_real_client_says_so_while_it_runs(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(shared / "oracle"))
    import client as oracle  # type: ignore[import-not-found]

    home, cwd, seen = tmp_path / "home", tmp_path / "shop", tmp_path / "seen.json"
    cwd.mkdir()
    (home / ".claude").mkdir(parents=True)
    command = shlex.join(["env", f"PYTHONPATH={REPO}", sys.executable, "-c", LOOKS, str(seen)])
    hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]}
    (home / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    oracle.run(CLIENT, home, cwd, ["-p", "hello"])
    (found,) = json.loads(seen.read_text(encoding="utf-8"))
    (transcript,) = (home / ".claude" / "projects").glob("*/*.jsonl")
    assert (found["session"], found["cwd"]) == (transcript.stem, str(cwd))
    assert running_sessions(Env(home, {})) == {}, "it takes the file away when it ends"
