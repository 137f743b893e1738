"""cases/bash.json and cases/paths.json through the agent's tools (SAFETY.md 3.1, 3.2, F30, F32)."""

import time
from pathlib import Path
from typing import Any

import pytest

from memtui.agent.permissions import Scope, decide
from memtui.agent.shell.run import run
from tests.agent.fuzz_shell import CASES as LINES
from tests.agent.worlds import SECRET, build, fingerprint, here
from tests.base.test_paths_catalogue import CASES as PATHS
from tests.base.test_paths_catalogue import make_world, real
from tests.support import digest_tree


def words(allowed: bool) -> str:
    return "allow" if allowed else "deny"


@pytest.mark.parametrize("case", LINES, ids=[case["id"] for case in LINES])
def test_command_lines(tmp_path: Path, case: dict[str, Any]) -> None:
    scope = build(tmp_path)
    before = fingerprint(tmp_path)
    start = time.perf_counter()
    decision = decide("Bash", {"command": here(case["input"], tmp_path)}, scope)
    assert time.perf_counter() - start < 1
    assert words(decision.allowed) == case["expect"], decision.reason
    assert decision.reason
    assert (decision.plan is not None) == decision.allowed
    assert fingerprint(tmp_path) == before


def test_what_is_allowed_runs_and_leaves_no_trace(tmp_path: Path) -> None:
    scope = build(tmp_path)
    before = fingerprint(tmp_path)
    for case in LINES:
        plan = decide("Bash", {"command": here(case["input"], tmp_path)}, scope).plan
        if plan is not None:
            ran = run(plan)
            assert ran.stopped == "", case["input"]
            missing = ran.code == 127 and "not installed" in ran.output
            assert ran.code in (0, 1, 2) or missing, (case["input"], ran.output)
            assert SECRET not in ran.output, case["input"]
            assert fingerprint(tmp_path) == before, case["input"]


@pytest.mark.parametrize("actor", ["agent", "dream"])
@pytest.mark.parametrize("case", PATHS, ids=[case["id"] for case in PATHS])
def test_paths(tmp_path: Path, case: dict[str, Any], actor: Any) -> None:
    asked = case["input"]
    make_world(tmp_path, asked.get("setup", []))
    reads = (tmp_path / "w/sessions", tmp_path / "w/repo")
    scope = Scope(Path(real(tmp_path, asked["root"])), reads, actor, asked.get("casefold", False))
    path = real(tmp_path, asked["path"]) if isinstance(asked["path"], str) else asked["path"]
    before = digest_tree(tmp_path)
    calls: list[tuple[str, dict[str, object]]]
    if asked["op"] == "read":
        calls = [("Read", {"file_path": path, "limit": 5}), ("Grep", {"pattern": "x", "path": path})]
    else:
        edit = {"file_path": path, "old_string": "a", "new_string": "b"}
        calls = [("Write", {"file_path": path, "content": "x"}), ("Edit", edit)]
    for tool, given in calls:
        decision = decide(tool, given, scope)
        assert words(decision.allowed) == case["expect"], decision.reason
        assert decision.reason
        assert (decision.path is not None) == decision.allowed
    assert digest_tree(tmp_path) == before


def test_the_catalogues_are_whole() -> None:
    assert len(LINES) == len({case["id"] for case in LINES}) == 190
    assert len(PATHS) == 99
