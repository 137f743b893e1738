"""`memtui dream doctor`: one fault after the other, each with what to do about it."""

import os
from pathlib import Path
from typing import Any

import pytest

from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.client.paths import LOCK_NAME
from memtui.dream.run.run import Emit, run_dream
from memtui.dream.run.stage import Stage
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError
from tests.cli.conftest import Run
from tests.support import digest_tree


@pytest.fixture(autouse=True)
def no_crontab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it but a crontab program that knows no crontab."""
    program = tmp_path / "bin" / "crontab"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho no crontab >&2\nexit 1\n", encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return program


def findings(run: Run) -> dict[str, Any]:
    ran = run("dream", "doctor", "--json")
    found = {one["name"]: one for one in ran.data["findings"]}
    assert ran.code == int(any(one["state"] == "problem" for one in found.values()))
    return found


def test_all_is_well(run: Run, memory: Path, home: Path) -> None:
    before = digest_tree(home)
    found = findings(run)
    assert {one["state"] for one in found.values()} == {"ok"}
    assert found["memory folder"]["message"].startswith("6 files")
    assert (
        "tidy by rules, no model" in found["backend"]["message"]
        and found["schedule"]["message"] == "not in your crontab"
    )
    assert "no dream died" in run("dream", "doctor").out
    assert digest_tree(home) == before


def test_switches_that_are_off(run: Run, memory: Path, home: Path) -> None:
    (home / ".claude" / "settings.json").write_text(
        '{"autoMemoryEnabled": false, "autoDreamEnabled": false}', encoding="utf-8"
    )
    found = findings(run)
    assert found["auto memory"]["state"] == found["auto-dream"]["state"] == "problem"
    assert "settings.json" in found["auto-dream"]["hint"]


def test_assistant_mode_needs_a_schedule(run: Run, memory: Path) -> None:
    run("config", "set", "assistant_mode", "true")
    assert findings(run)["assistant mode"]["hint"].startswith("memtui dream schedule --install")
    assert "in assistant mode dreams start by schedule" in run("dream", "why").out


@pytest.mark.parametrize(("content", "hint"), [(b"odd", "memtui dream why"), (None, "--clear-stale-lock")])
def test_a_lock_that_is_odd(run: Run, memory: Path, content: bytes | None, hint: str) -> None:
    lock = memory / LOCK_NAME
    if content is None:
        lock.mkdir()
    else:
        lock.write_bytes(content)
    assert hint in findings(run)["lock"]["hint"]
    if content is not None:
        os.utime(lock, (1_700_000_000,) * 2)
        assert "left behind" in findings(run)["lock"]["message"]


def test_dreams_that_fail_and_one_that_waits(run: Run, memory: Path, shop: Path, home: Path) -> None:
    env = Env(home, {}, policy_files=())
    dirs = Dirs.from_env({}, home)
    workspace = Workspace(env, dirs, locate_memory(env, shop), trash=False)

    def fail(stage: Stage, emit: Emit) -> None:
        raise MemtuiError("no more")

    def change(stage: Stage, emit: Emit) -> None:
        (stage.root / "new.md").write_text("new\n", encoding="utf-8")

    run_dream(workspace, dirs, fail, force=True)
    assert findings(run)["failures"]["state"] == "note"
    run_dream(workspace, dirs, fail, force=True)
    assert findings(run)["failures"]["state"] == "problem"
    assert "--force" in findings(run)["failures"]["hint"]
    held = run_dream(workspace, dirs, change, force=True, adopt="review")
    found = findings(run)
    assert held.run in found["review"]["message"] and held.run in found["drafts"]["message"]
    assert found["failures"]["state"] == "ok"


def test_money_that_is_used_up_or_no_amount(run: Run, memory: Path) -> None:
    run("config", "set", "dream_day_money", "nonsense")
    assert findings(run)["money"]["state"] == "problem"


def test_a_schedule_that_is_gone(run: Run, memory: Path, no_crontab: Path, tmp_path: Path) -> None:
    table = tmp_path / "table"
    whole = (
        f"#!/bin/sh\nif [ \"$1\" = -l ]; then /bin/cat '{table}' 2>/dev/null || {{ echo no crontab >&2; exit 1; }}\n"
    )
    no_crontab.write_text(f"{whole}else /bin/cat > '{table}'; fi\n", encoding="utf-8")
    run("dream", "schedule", "0 3 * * *", "--install", "-y")
    assert findings(run)["schedule"]["message"] == "in your crontab: At 03:00 every day"
    run("dream", "schedule", "0 4 * * *")
    assert findings(run)["schedule"]["state"] == "note"
    table.write_bytes(b"")
    assert findings(run)["schedule"]["state"] == "problem"
    no_crontab.unlink()
    assert findings(run)["schedule"]["state"] == "problem"


def test_a_state_folder_that_cannot_be_written(run: Run, memory: Path, home: Path) -> None:
    (home / ".local").write_bytes(b"")
    assert findings(run)["disk"]["state"] == "problem"
