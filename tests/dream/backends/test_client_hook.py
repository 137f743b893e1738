"""What the hook tells the agent client, asked as the client asks it."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memtui.dream.backends.client import hook_command
from memtui.dream.backends.client_hook import BLOCK
from tests.support import REPO


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    root, transcripts = tmp_path / "a stage", tmp_path / "it's"
    for folder in (root / "team", transcripts, tmp_path / "a stage-evil"):
        folder.mkdir(parents=True)
    (root / "a.md").write_text("a\n", encoding="utf-8")
    (transcripts / "s.jsonl").write_text("{}\n", encoding="utf-8")
    return root, transcripts


def ask(folders: tuple[Path, Path], question: bytes, command: str = "") -> "subprocess.CompletedProcess[bytes]":
    words = ["sh", "-c", command or hook_command(folders[0], folders[1:])]
    environ = {**os.environ, "PYTHONPATH": str(REPO)}
    return subprocess.run(words, input=question, capture_output=True, check=False, cwd=folders[0], env=environ)


CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("Read", {"file_path": "{root}/a.md"}, "allow"),
    ("Read", {"file_path": "{reads}/s.jsonl", "offset": 1, "limit": 5}, "allow"),
    ("Read", {"file_path": "/etc/passwd"}, "deny"),
    ("Grep", {"pattern": "x", "path": "{reads}", "output_mode": "content", "-n": True}, "allow"),
    ("Grep", {"pattern": "x", "path": "/"}, "deny"),
    ("Glob", {"pattern": "*.md"}, "allow"),
    ("Glob", {"pattern": "../*"}, "deny"),
    ("Write", {"file_path": "{root}/new.md", "content": ""}, "allow"),
    ("Write", {"file_path": "{root}-evil/new.md", "content": ""}, "deny"),
    ("Write", {"file_path": "{reads}/s.jsonl", "content": ""}, "deny"),
    ("Write", {"file_path": "{root}/team/b.md", "content": "x"}, "deny"),
    ("Edit", {"file_path": "{root}/a.md", "old_string": "a", "new_string": "b"}, "allow"),
    ("Bash", {"command": "ls"}, "deny"),
    ("Bash", {"command": "rm -rf {root}"}, "deny"),
    ("WebFetch", {"url": "https://example.com"}, "deny"),
    ("mcp__files__write", {"path": "{root}/a.md"}, "deny"),
    ("Task", {"prompt": "x"}, "deny"),
]


def test_every_call_is_decided(folders: tuple[Path, Path]) -> None:
    for tool, given, verdict in CALLS[:2] + CALLS[12:13]:
        done = ask(folders, _question(folders, tool, given))
        assert done.returncode == 0
        answer = json.loads(done.stdout)["hookSpecificOutput"]
        assert (answer["hookEventName"], answer["permissionDecision"]) == ("PreToolUse", verdict), tool
        assert answer["permissionDecisionReason"]


@pytest.mark.parametrize(("tool", "given", "verdict"), CALLS)
def test_by_the_function_that_decides(
    tool: str, given: dict[str, Any], verdict: str, folders: tuple[Path, Path]
) -> None:
    from memtui.agent.shell.paths import AllowedFolders
    from memtui.dream.backends.client_hook import decision

    answer = decision(_question(folders, tool, given), AllowedFolders(folders[0], folders[1:]))
    assert answer["hookSpecificOutput"]["permissionDecision"] == verdict


def _question(folders: tuple[Path, Path], tool: str, given: dict[str, Any]) -> bytes:
    filled = json.dumps(given).replace("{root}", str(folders[0])).replace("{reads}", str(folders[1]))
    return json.dumps({"tool_name": tool, "tool_input": json.loads(filled), "cwd": "/", "session_id": "x"}).encode()


@pytest.mark.parametrize("question", [b"", b"no json", b"[1]", b"\xff", b"[" * 100_000, b"null"])
def test_a_question_without_sense_is_refused(question: bytes, folders: tuple[Path, Path]) -> None:
    done = ask(folders, question)
    assert (done.returncode, done.stdout) == (BLOCK, b"")


def test_a_hook_that_can_not_run_is_refused(folders: tuple[Path, Path]) -> None:
    broken = hook_command(folders[0], folders[1:]).replace("memtui.dream.backends.client_hook", "memtui.nothing")
    assert ask(folders, b"{}", broken).returncode == BLOCK
