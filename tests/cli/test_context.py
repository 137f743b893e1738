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


def test_imports_are_rows_under_their_file(run: Run, shop: Path) -> None:
    (shop / "CLAUDE.md").write_text("@a.md\n@The Plan.md\n@pic.png\n@up to date\n" + "x\n" * 230)
    (shop / "a.md").write_text("a @b.md\n")
    (shop / "b.md").write_text("b\n")
    (shop / "The Plan.md").write_text("p\n")
    (shop / "pic.png").write_bytes(b"x")
    rows = {row["name"]: row for row in run("ls", "--scope", "instructions", "--json").data}
    assert [(name, row["kind"], row["loaded"]) for name, row in rows.items()] == [
        ("CLAUDE.md", "instruction", True), ("a.md", "import", True), ("b.md", "import", True),
        ("The", "import", False), ("pic.png", "import", False),
    ]  # fmt: skip
    assert "a blank in a path" in rows["The"]["description"] and rows["b.md"]["imported_by"] == "CLAUDE.md"
    meta = run("show", "--meta", "CLAUDE.md").out
    assert "234 lines" in meta and "at most 200 lines" in meta and "imports    b.md" in meta
    codes = {problem["code"] for problem in run("show", "--meta", "--json", "CLAUDE.md").data["problems"]}
    assert {"dead-link", "import-not-loaded"} <= codes
    assert "imported by" in run("show", "--meta", "a.md").out


@pytest.mark.parametrize(("paths", "loaded"), [("[]", True), ("", True), ("5", True), ("src/**", False)])
def test_a_rule_is_listed_as_it_is_loaded(run: Run, shop: Path, paths: str, loaded: bool) -> None:
    (shop / ".claude" / "rules").mkdir(parents=True)
    (shop / ".claude" / "rules" / "r.md").write_text(f"---\npaths: {paths}\n---\nrule\n")
    (row,) = run("ls", "--scope", "instructions", "--json").data
    assert row["loaded"] is loaded
