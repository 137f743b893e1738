"""`memtui context` and `memtui explain context`: what a session is given, as the client's own record has it."""

import json
from pathlib import Path

import pytest

from memtui.cli.commands.session_context import context_data, read_context
from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from tests.cli.conftest import Run
from tests.instruction_layouts import Layout, in_any_order_of_rules, recorded


@pytest.mark.parametrize("name", ["instructions", "instructions_more"])
def test_every_recorded_layout(name: str, tmp_path: Path) -> None:
    wrong = []
    for number, case in enumerate(recorded(name)):
        layout = Layout(case, tmp_path.resolve() / str(number))
        env = Env(layout.home, layout.environ)
        data = context_data(read_context(env, locate_memory(env, layout.cwd)))
        found = layout.as_recorded(data["files"])
        if in_any_order_of_rules(case, found) != in_any_order_of_rules(case, case["expected"]):
            wrong.append((case["name"], [file["path"] for file in found]))
    assert wrong == []


def test_the_command_gives_the_files_and_what_is_left_out(run: Run, tmp_path: Path) -> None:
    project = tmp_path / "shop"
    (project / "docs").mkdir(parents=True)
    (project / "CLAUDE.md").write_text("Use tabs\n<!-- hidden -->\n@docs/a.md @docs/none.md @docs\n@'docs/a.md'\n")
    (project / "docs" / "a.md").write_text("---\nx: 1\n---\n# A\n")
    (project / "AGENTS.md").write_text("agents\n")
    ran = run("explain", "context", "--json", project)
    assert ran.data["files"] == [
        {
            "path": str(project / "CLAUDE.md"), "type": "Project",
            "content": "Use tabs\n@docs/a.md @docs/none.md @docs\n@'docs/a.md'",
        },
        {"path": str(project / "docs" / "a.md"), "type": "Project", "content": "# A"},
    ]  # fmt: skip
    reasons = {Path(one["path"]).name: one["reason"] for one in ran.data["omitted"]}
    assert reasons["none.md"] == "no such file" and reasons["docs"] == "a folder, no file"
    assert "quotes" in reasons["a.md'"] and "CLAUDE.md" in reasons["AGENTS.md"]
    both = run("explain", "context", "--jsonl", project, tmp_path).lines
    assert both[0] == ran.data and len(both) == 2


def test_sizes_and_shares_of_the_whole(run: Run, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("x\n" * 300)
    data = run("context", "--json", tmp_path).data
    (file,) = data["files"]
    assert (file["lines"], file["chars"], file["tokens"], file["share"]) == (300, 599, 150, 1.0)
    text = run("context", tmp_path).out
    assert "1 file, 599 characters, about 150 tokens" in text and "300!" in text


def test_nothing_is_loaded_and_why(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1")
    (tmp_path / "CLAUDE.md").write_text("x\n")
    data = run("explain", "context", "--json", tmp_path).data
    assert data["files"] == []
    assert json.dumps(data["omitted"]).count("switched off by CLAUDE_CODE_DISABLE_CLAUDE_MDS") == 1
