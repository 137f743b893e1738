"""The decision: every tool, every odd input, and that no exception leaves it."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtui.agent.permissions import TOOL_KEYS, decide
from memtui.agent.shell.commands import COMMAND_RULES
from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.shell.validate import COMMANDS
from tests.agent.shell.fuzz import PIECES
from tests.agent.worlds import build

NOWHERE = AllowedFolders(Path("/nonexistent/memory"), (Path("/nonexistent/sessions"),))


@pytest.fixture
def scope(tmp_path: Path) -> AllowedFolders:
    return build(tmp_path.resolve())


@pytest.mark.parametrize(
    "tool", ["Task", "WebFetch", "bash", "Bash ", "", "NotebookEdit", "mcp__x__write", None, 5, ["Read"]]
)
def test_no_other_tool(tool: Any, scope: AllowedFolders) -> None:
    assert not decide(tool, {"file_path": "a.md", "command": "ls"}, scope).allowed


@pytest.mark.parametrize("given", [None, [], "ls", 5, {"command": 5}, {"command": None}, {"command": ["ls"]}, {}])
def test_inputs_that_make_no_sense(given: Any, scope: AllowedFolders) -> None:
    for tool in ("Bash", "Read", "Write", "Edit"):
        assert not decide(tool, given, scope).allowed


@pytest.mark.parametrize(
    ("tool", "given", "allowed"),
    [
        ("Read", {"file_path": "a.md", "offset": 1, "limit": 5}, True),
        ("Read", {"file_path": "a.md", "offset": "1"}, False),
        ("Read", {"file_path": "a.md", "limit": True}, False),
        ("Read", {"path": "a.md"}, False),
        ("Write", {"file_path": "a.md", "content": "x", "mode": "777"}, False),
        ("Write", {"file_path": "a.md", "content": 5}, False),
        ("Edit", {"file_path": "a.md", "old_string": "a", "new_string": "b", "replace_all": True}, True),
        ("Edit", {"file_path": "team/a.md", "old_string": "a", "new_string": "b"}, False),
        ("Bash", {"command": "ls", "description": "list", "timeout": 5000, "run_in_background": False}, True),
        ("Bash", {"command": "ls", "run_in_background": True}, False),
        ("Bash", {"command": "ls", "dangerouslyDisableSandbox": True}, False),
        ("Grep", {"pattern": "../x|/etc"}, True),
        ("Grep", {"pattern": "x", "glob": "*.md", "-n": True, "output_mode": "content"}, True),
        ("Grep", {"pattern": "x", "glob": "!.git"}, True),
        ("Grep", {"pattern": "x", "glob": "{a,../outside}/*"}, False),
        ("Grep", {"pattern": "x", "glob": ".env"}, False),
        ("Grep", {"pattern": "x", "path": "linkdir"}, False),
        ("Grep", {"pattern": "x", "path": ".git"}, False),
        ("Glob", {"pattern": "**/*.md"}, True),
        ("Glob", {"pattern": "logs/2026/*.md", "path": None}, True),
        ("Glob", {"pattern": "../**"}, False),
        ("Glob", {"pattern": "/etc/*"}, False),
        ("Glob", {"pattern": "/*"}, False),
        ("Glob", {"pattern": "~/*"}, False),
        ("Glob", {"pattern": "linkdir/*"}, False),
        ("Glob", {"pattern": ".git/*"}, False),
        ("Glob", {"pattern": "*", "path": "/etc"}, False),
        ("Glob", {"pattern": "\ud800"}, False),
    ],
)
def test_tools(tool: str, given: dict[str, object], allowed: bool, scope: AllowedFolders) -> None:
    decision = decide(tool, given, scope)
    assert decision.allowed == allowed, decision.reason


def test_a_folder_that_may_be_read_can_be_searched_by_its_full_name(scope: AllowedFolders) -> None:
    assert decide("Glob", {"pattern": f"{scope.reads[0]}/*.jsonl"}, scope).allowed
    assert decide("Grep", {"pattern": "x", "path": str(scope.reads[1])}, scope).allowed
    assert not decide("Write", {"file_path": f"{scope.reads[0]}/x.md", "content": ""}, scope).allowed


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEY = st.sampled_from(sorted({key for keys in TOOL_KEYS.values() for key in keys})) | st.text(max_size=5)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(TOOL_KEYS)) | st.text(), st.dictionaries(KEY, JSON, max_size=4) | JSON)
def test_nothing_a_model_writes_raises(tool: str, given: object) -> None:
    decision = decide(tool, given, NOWHERE)
    assert decision.reason


SHELLISH = st.lists(
    st.sampled_from(
        [
            *sorted(COMMANDS),
            *sorted({f for rules in COMMAND_RULES.values() for f in (*rules.flags, *rules.values)}),
            *PIECES,
        ]
    )
    | st.text(max_size=4),
    max_size=8,
)


@settings(max_examples=1000, deadline=None)
@given(SHELLISH, st.sampled_from(["", " "]))
@example(["&"], "")
@example(["ls", "*" * 2000 + "a"], " ")
@example(["ls", "?*" * 500, "b"], " ")
@example(["jq", "'" + '"' * 3000 + "'"], " ")
def test_what_is_allowed_has_only_known_commands(words: list[str], blank: str) -> None:
    decision = decide("Bash", {"command": blank.join(words)}, NOWHERE)
    assert decision.reason
    if decision.plan is not None:
        assert all(stage.argv[0] in COMMANDS for step in decision.plan.steps for stage in step.stages)
