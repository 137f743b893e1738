"""`memtui explain permission`: the decision about a tool call, one or a line each."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agent.shell.fuzz import CASES as LINES
from tests.agent.worlds import build, fingerprint, here
from tests.cli.conftest import Run
from tests.fs.test_paths_catalogue import CASES as PATHS
from tests.fs.test_paths_catalogue import make_world, real


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = (tmp_path / "world").resolve()
    folder.mkdir()
    return folder


def folders(base: Path) -> list[str]:
    return ["--root", f"{base}/w/memory", "--read", f"{base}/w/sessions", "--read", f"{base}/w/repo"]


def test_the_catalogue_of_command_lines_through_the_real_command(
    start: Callable[..., subprocess.CompletedProcess[bytes]], base: Path
) -> None:
    build(base)
    before = fingerprint(base)
    calls = [{"tool": "Bash", "input": {"command": here(case["input"], base)}} for case in LINES]
    done = start(
        "explain", "permission", *folders(base), "--jsonl", "-", input="\n".join(map(json.dumps, calls)).encode()
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [data["verdict"] for data in found] == [case["expect"] for case in LINES]
    assert all(data["reason"] for data in found)
    assert fingerprint(base) == before


@pytest.mark.parametrize("case", PATHS, ids=[case["id"] for case in PATHS])
def test_the_catalogue_of_paths(case: dict[str, Any], run: Run, base: Path) -> None:
    asked = case["input"]
    make_world(base, asked.get("setup", []))
    path = real(base, asked["path"]) if isinstance(asked["path"], str) else asked["path"]
    given: dict[str, object] = {"file_path": path}
    if asked["op"] == "write":
        given["content"] = "x"
    flags = ["--casefold"] if asked.get("casefold") else []
    tool = "Write" if asked["op"] == "write" else "Read"
    ran = run("explain", "permission", *folders(base), *flags, "--json", tool, json.dumps(given))
    assert ran.data["verdict"] == case["expect"], ran.data["reason"]
    assert ran.code == (case["expect"] == "deny")
    assert ("name" in ran.data) == (case["expect"] == "allow")


def test_one_line_for_each_whatever_comes(start: Callable[..., subprocess.CompletedProcess[bytes]], base: Path) -> None:
    build(base)
    lines = [
        b'{"tool": "Read", "input": {"file_path": "a.md"}}', b"nonsense", b"[1]", b"\xff\xfe", b"[" * 100_000,
        b'{"tool": 5}', b'{"tool": "Bash"}', b'{"tool": "Bash", "input": {"command": "ls\\ud800"}}', b'{"root": 5}',
        b'{"tool": "Read", "input": {"file_path": "a.md"}, "actor": "user"}',
        b'{"tool": "Read", "input": {"file_path": "a.md"}}',
    ]  # fmt: skip
    done = start("explain", "permission", *folders(base), "--jsonl", "-", input=b"\n".join(lines))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [data["verdict"] for data in found] == ["allow", *["deny"] * 9, "allow"]
    assert done.returncode == 1


def test_as_text_it_says_what_would_run(run: Run, base: Path) -> None:
    build(base)
    ran = run("explain", "permission", *folders(base), "Bash", '{"command": "cat *.md | grep -r x . || ls"}')
    assert ran.code == 0
    assert ran.out.startswith("allow  Bash")
    assert "cat -- ./-n.md" in ran.out and "||" in ran.out
    assert "grep -r --exclude=second-name.md -- x ." in ran.out  # a second name of a file outside
    denied = run("explain", "permission", *folders(base), "Bash", '{"command": "rm a.md\\u001b[31m"}')
    assert denied.code == 1
    assert denied.out.startswith("deny  Bash") and "\x1b" not in denied.out


def test_without_a_root_it_is_the_memory_of_the_project(run: Run, memory: Path) -> None:
    ran = run("explain", "permission", "--json", "Read", '{"file_path": "MEMORY.md"}')
    assert (ran.code, ran.data["name"], ran.data["base"]) == (0, "MEMORY.md", str(memory))
    session = memory.parent / "s.jsonl"
    assert run("explain", "permission", "Read", json.dumps({"file_path": str(session)})).code == 0
    assert run("explain", "permission", "Write", json.dumps({"file_path": str(session)})).code == 1
