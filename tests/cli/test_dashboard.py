"""The text twin of the screen."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_projects import session
from tests.support import REPO

Start = Callable[..., subprocess.CompletedProcess[bytes]]


def test_it_shows_meter_problems_topics_gates_and_sessions(run: Run, memory: Path, shop: Path, home: Path) -> None:
    session(home, shop, 1)
    ran = run()
    assert ran.code == 0
    for word in (
        "shop", "MEMORY.md  lines", "fits", "gone.md", "project_oncall.md", "Would a dream start now?", "1 of 5",
        "last sessions", "hi",
    ):  # fmt: skip
        assert word in ran.out
    data = run("--json").data
    assert data["budget"]["lines"] == 5
    assert [gate["name"] for gate in data["gates"]] == [
        "auto-dream", "memory", "time", "sessions", "failures", "review", "lock", "folder",
    ]  # fmt: skip
    assert data["sessions"][0]["title"] == "hi"
    assert data["sample"] is False
    assert "█" not in run("--plain").out and "▐" not in run("--ascii").out


def test_a_project_without_memory_gets_the_first_run_page(run: Run, shop: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    ran = run()
    assert ran.code == 0
    assert "No memory for this project yet." in ran.out
    assert "does not exist" in ran.out and "memtui new" in ran.out
    assert run("--json").data["exists"] is False


def test_another_project_by_name_or_directory(
    run: Run, memory: Path, shop: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(home, shop, 1)
    monkeypatch.chdir(home)
    for words in (["shop"], [str(shop)], ["--project", "shop"], ["shop", "--json"]):
        assert "project_oncall.md" in run(*words).out
    missing = run("nowhere")
    assert missing.code == 3
    assert "neither a command nor a directory nor a project" in missing.err


def test_memory_that_is_off_is_said(run: Run, memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")
    assert "memory is off" in run().out
    assert run("--json").data["enabled"] is False


def test_without_any_agent_folder_the_sample_is_shown_and_goes_away(start: Start, home: Path, tmp_path: Path) -> None:
    cwd = tmp_path / "empty"
    cwd.mkdir()
    for words, banner in (([], b"sample data: Claude Code"), (["--demo"], b"sample data in a temporary folder")):
        done = start(*words, cwd=cwd, env={"TMPDIR": str(tmp_path)})
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(banner)
        assert b"MEMORY.md" in done.stdout and b"OVER" in done.stdout
        assert done.stderr == b""
    assert list(home.iterdir()) == []
    assert list(cwd.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("memtui")] == []


def test_the_sample_is_only_for_want_of_anything_else(run: Run, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    for words in (["--config-dir", tmp_path / "config"], ["--project", shop], [shop]):
        assert run(*words, "--json").data["sample"] is False
    assert run("--json").data["sample"] is True


def test_the_demo_goes_with_no_command(run: Run, home: Path) -> None:
    assert run("--demo", "ls").code == 2


def test_a_terminal_that_cannot_draw_gets_text(home: Path, memory: Path) -> None:
    import pty

    pid, terminal = pty.fork()
    if pid == 0:
        environ = {**os.environ, "PYTHONPATH": str(REPO), "TERM": "dumb"}
        os.execve(sys.executable, [sys.executable, "-m", "memtui"], environ)
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65_536)
        except OSError:
            break
        shown += part
        if not part:
            break
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert b"MEMORY.md" in shown and b"\x1b" not in shown
