"""cases/bash.json and cases/paths.json through the agent's tools."""

import time
from pathlib import Path
from typing import Any

import pytest

from memtui.agent.permissions import decide
from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.shell.run import run_plan
from tests.agent.shell.fuzz import CASES as LINES
from tests.agent.worlds import SECRET, build, fingerprint, here
from tests.fs.test_paths_catalogue import CASES as PATHS
from tests.fs.test_paths_catalogue import make_world, real
from tests.support import digest_tree


def words(allowed: bool) -> str:
    return "allow" if allowed else "deny"


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, AllowedFolders]:
    """One for all lines: none of them may change it."""
    base = tmp_path_factory.mktemp("world").resolve()
    return base, build(base)


@pytest.mark.parametrize("case", LINES, ids=[case["id"] for case in LINES])
def test_command_lines(snapshot: tuple[Path, AllowedFolders], case: dict[str, Any]) -> None:
    base, scope = snapshot
    before = fingerprint(base)
    start = time.process_time()
    decision = decide("Bash", {"command": here(case["input"], base)}, scope)
    assert time.process_time() - start < 1
    assert words(decision.allowed) == case["expect"], decision.reason
    assert decision.reason
    assert (decision.plan is not None) == decision.allowed
    assert fingerprint(base) == before


def test_what_is_allowed_runs_and_leaves_no_trace(snapshot: tuple[Path, AllowedFolders]) -> None:
    base, scope = snapshot
    before = fingerprint(base)
    for case in LINES:
        plan = decide("Bash", {"command": here(case["input"], base)}, scope).plan
        if plan is not None:
            ran = run_plan(plan)
            assert ran.stopped == "", case["input"]
            missing = ran.code == 127 and "not installed" in ran.output
            assert ran.code in (0, 1, 2) or missing, (case["input"], ran.output)
            assert SECRET not in ran.output, case["input"]
            assert fingerprint(base) == before, case["input"]


@pytest.mark.parametrize("actor", ["agent", "dream"])
@pytest.mark.parametrize("case", PATHS, ids=[case["id"] for case in PATHS])
def test_paths(ram_path: Path, case: dict[str, Any], actor: Any) -> None:
    asked = case["input"]
    make_world(ram_path, asked.get("setup", []))
    reads = (ram_path / "w/sessions", ram_path / "w/repo")
    scope = AllowedFolders(Path(real(ram_path, asked["root"])), reads, actor, asked.get("casefold", False))
    path = real(ram_path, asked["path"]) if isinstance(asked["path"], str) else asked["path"]
    before = digest_tree(ram_path)
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
    assert digest_tree(ram_path) == before


def test_the_catalogues_are_whole() -> None:
    assert len(LINES) == len({case["id"] for case in LINES}) == 190
    assert len(PATHS) == 99
