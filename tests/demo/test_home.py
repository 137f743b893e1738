"""The sample home as a whole."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memtui.client.memory_location import locate_memory
from memtui.client.paths import project_name
from memtui.demo import DemoHome, build_demo
from memtui.demo.history import KNOWN_FOR_S, parse_steps
from memtui.demo.home import DATA, LAST_DREAM_AGE_S, LAST_DREAM_PID
from memtui.demo.marks import fill
from memtui.history.store import Store
from memtui.memory.workspace import Workspace
from tests.support import digest_tree

NOW = 1_796_000_000.0


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoHome:
    return build_demo(tmp_path_factory.mktemp("demo") / "home", NOW)


@pytest.fixture(scope="module")
def memory(demo: DemoHome) -> Path:
    return demo.config / "projects" / project_name(str(demo.cwd)) / "memory"


def test_the_same_moment_gives_the_same_bytes_and_times(tmp_path: Path) -> None:
    trees = []
    for _ in range(2):
        build_demo(tmp_path / "home", NOW)
        trees.append(digest_tree(tmp_path / "home"))
        (tmp_path / "home").rename(tmp_path / f"old{len(trees)}")
    # The history knows inodes, which no two files share.
    first, second = ({name: row for name, row in tree.items() if "/history.db" not in name} for tree in trees)
    assert first == second


def test_history_has_the_same_versions_each_time(tmp_path: Path) -> None:
    versions = []
    for name in ("a", "b"):
        demo = build_demo(tmp_path / name, NOW)
        store = Store(demo.config / "projects" / project_name(str(demo.cwd)) / "memory", demo.dirs, trash=None)
        versions.append([(v.when, v.who, v.why, v.kind, v.files) for v in store.log()])
    assert [version[:4] for version in versions[0]] == [version[:4] for version in versions[1]]


def test_a_folder_that_is_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError):
        build_demo(tmp_path, NOW)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_nothing_outside_the_folder_is_written(tmp_path: Path, home: Path) -> None:
    before = digest_tree(home)
    build_demo(tmp_path / "demo", NOW)
    assert digest_tree(home) == before
    assert {path.name for path in tmp_path.iterdir()} == {"home", "demo"}


def test_every_mark_is_filled_in(demo: DemoHome) -> None:
    for path in (*demo.home.rglob("*.md"), *demo.home.rglob("*.jsonl")):
        text = path.read_text(encoding="utf-8")
        assert fill(text, NOW, {"cwd": "", "memory": ""}) == text, path


def test_nothing_is_younger_than_the_moment(demo: DemoHome) -> None:
    limit = round(NOW * 1e9)
    assert all(path.lstat().st_mtime_ns <= limit for path in (demo.config, *demo.config.rglob("*")))


def test_the_main_project_has_what_the_views_show(memory: Path) -> None:
    topics = [path for path in memory.glob("*.md") if path.name != "MEMORY.md"]
    texts = {path.name: path.read_text(encoding="utf-8") for path in topics}
    assert 22 <= len(topics) <= 30
    every = "".join(texts.values())
    assert all(f"type: {word}\n" in every for word in ("user", "feedback", "project", "reference"))
    assert "\nmetadata: \n  node_type: memory\n" in every and "\ntype: feedback\n" in every
    assert any(not text.startswith("---\n") for text in texts.values())
    assert sum(any("가" <= char <= "힣" for char in text) for text in texts.values()) >= 5
    assert not (memory / "ci_notes.md").exists() and "ci_notes.md" in texts["feedback_testing.md"]
    assert "feedback_pnpm.md" not in (memory / "MEMORY.md").read_text(encoding="utf-8")
    assert len(list((memory / "team").iterdir())) == 3
    assert len(list((memory / "logs").rglob("*.md"))) == 5


def test_the_index_is_over_its_limit(memory: Path) -> None:
    from memtui.memory.budget import measure_index

    budget = measure_index((memory / "MEMORY.md").read_text(encoding="utf-8"))
    assert (budget.lines, budget.limit) == (217, "lines")
    assert budget.over and budget.units < 25_000
    assert "project_toss_v2.md" not in budget.loaded


def test_the_lock_is_from_the_last_dream(memory: Path) -> None:
    lock = memory / ".consolidate-lock"
    assert lock.read_text(encoding="ascii") == str(LAST_DREAM_PID)
    assert lock.stat().st_mtime == NOW - LAST_DREAM_AGE_S


def test_every_transcript_hangs_together(demo: DemoHome) -> None:
    files = sorted(demo.config.glob("projects/*/*.jsonl"))
    assert len(files) == 12
    shapes = set()
    for path in files:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        chain = {row["uuid"]: row for row in rows if "uuid" in row}
        assert all(row["parentUuid"] is None or row["parentUuid"] in chain for row in chain.values())
        assert {row["sessionId"] for row in chain.values()} == {path.stem}
        assert len({row["cwd"] for row in chain.values()}) == 1
        assert path.parent.name == project_name(next(iter(chain.values()))["cwd"])
        assert [row["timestamp"] for row in chain.values()] == sorted(row["timestamp"] for row in chain.values())
        assert path.stat().st_mode & 0o777 == 0o600
        contents = [row["message"]["content"] for row in chain.values() if "message" in row]
        blocks = [block for content in contents if isinstance(content, list) for block in content]
        calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
        assert calls == {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
        shapes |= {row.get("subtype") for row in rows} | {row["type"] for row in rows}
        shapes |= {key for row in rows for key in ("forkedFrom", "isCompactSummary") if row.get(key)}
    assert {"compact_boundary", "isCompactSummary", "forkedFrom", "last-prompt"} <= shapes
    assert {"custom-title", "ai-title", "pr-link"} <= shapes
    assert len(list(demo.config.glob("projects/*/*/subagents/agent-*.jsonl"))) == 1


def chains(demo: DemoHome) -> dict[str, list[dict[str, Any]]]:
    """The records with a parent, by the name of their file."""
    files = demo.config.rglob("*.jsonl")
    made = {path.stem: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] for path in files}
    return {name: [row for row in rows if "uuid" in row] for name, rows in made.items()}


def test_one_response_is_one_line_a_block(demo: DemoHome) -> None:
    for chain in chains(demo).values():
        answers = [row for row in chain if row["type"] == "assistant"]
        assert all(len(row["message"]["content"]) == 1 for row in answers)
        requests = {row["message"]["id"]: row["requestId"] for row in answers}
        assert all(requests[row["message"]["id"]] == row["requestId"] for row in answers)
        assert len(set(requests.values())) == len(requests)


def test_results_hang_under_their_own_calls(demo: DemoHome) -> None:
    parallel = 0
    for chain in chains(demo).values():
        blocks = [(row, block) for row in chain if "message" in row for block in row["message"]["content"]]
        calls = {block["id"]: row for row, block in blocks if "type" in block and block["type"] == "tool_use"}
        for row, block in blocks:
            if "tool_use_id" in block:
                assert row["parentUuid"] == calls[block["tool_use_id"]]["uuid"]
                if "toolUseResult" in row:
                    assert row["sourceToolAssistantUUID"] == row["parentUuid"]
        parallel += len(calls) - len({row["message"]["id"] for row in calls.values()})
    assert parallel


def test_rewinds_and_compactions_are_where_they_belong(demo: DemoHome) -> None:
    rewinds = compactions = 0
    for chain in chains(demo).values():
        prompts = [row["parentUuid"] for row in chain if row.get("origin")]
        rewinds += len(prompts) - len(set(prompts))
        for at, row in enumerate(chain):
            if row.get("subtype") == "compact_boundary":
                compactions += 1
                assert (row["parentUuid"], row["logicalParentUuid"]) == (None, chain[at - 1]["uuid"])
                assert chain[at + 1]["isCompactSummary"] and chain[at + 1]["parentUuid"] == row["uuid"]
    assert rewinds and compactions


def test_a_sub_agent_has_a_file_of_its_own(demo: DemoHome) -> None:
    (path,) = demo.config.rglob("agent-*.jsonl")
    chain, session = chains(demo)[path.stem], path.parent.parent.name
    ids = {(row["isSidechain"], f"agent-{row['agentId']}", row["sessionId"]) for row in chain}
    assert ids == {(True, path.stem, session)} and chain[0]["parentUuid"] is None
    call = json.loads(path.with_suffix(".meta.json").read_text(encoding="utf-8"))["toolUseId"]
    results = (row for row in chains(demo)[session] if "agentId" in row.get("toolUseResult", ()))
    assert [row["message"]["content"][0]["tool_use_id"] for row in results] == [call]


def test_a_fork_keeps_message_ids_and_names_its_origin(demo: DemoHome) -> None:
    made = chains(demo)
    (branch,) = (name for name, chain in made.items() if any("forkedFrom" in row for row in chain))
    copied = [row for row in made[branch] if "forkedFrom" in row]
    (origin,) = {row["forkedFrom"]["sessionId"] for row in copied}
    assert [row["uuid"] for row in copied] == [row["uuid"] for row in made[origin][: len(copied)]]
    assert all(row["forkedFrom"]["messageUuid"] == row["uuid"] for row in copied)
    assert made[branch][len(copied)]["parentUuid"] == copied[-1]["uuid"]


def test_the_last_prompt_closes_the_file(demo: DemoHome) -> None:
    for path in demo.config.glob("projects/*/*.jsonl"):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert rows[-1]["type"] == "last-prompt" and "\n" not in rows[-1]["lastPrompt"]
        assert rows[-1]["leafUuid"] in {row.get("uuid") for row in rows if row["type"] in ("user", "assistant")}


def test_topics_name_the_sessions_that_wrote_them(memory: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in memory.glob("*.md")]
    named = {text.split("originSessionId: ")[1].split()[0] for text in texts if "originSessionId: " in text}
    assert len(named & {path.stem for path in memory.parent.parent.glob("*/*.jsonl")}) >= 5


def test_git_accepts_the_repository(demo: DemoHome) -> None:
    if shutil.which("git") is None:
        pytest.skip("no git")
    done = subprocess.run(
        ["git", "status", "-b", "--porcelain"], cwd=demo.cwd, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("## No commits yet on main\n")


def test_history_shows_who_did_what(demo: DemoHome, memory: Path) -> None:
    versions = Store(memory, demo.dirs, trash=None).log()
    assert {version.who for version in versions} == {"you", "dream", "outside"}
    assert any(version.undone for version in versions)
    assert any(change.kind == "removed" for version in versions for change in version.files)
    assert all(version.when <= NOW for version in versions)


def test_nothing_is_new_to_memtui(tmp_path: Path) -> None:
    demo = build_demo(tmp_path / "home", NOW)
    workspace = Workspace(demo.env, demo.dirs, locate_memory(demo.env, demo.cwd), now=lambda: NOW)
    workspace.read(full=False)
    assert workspace.note_outside() == 0


def test_the_steps_fit_the_data() -> None:
    names = {path.name for path in (DATA / "shop-memory").glob("*.md")}
    steps = parse_steps((DATA / "steps.txt").read_text(encoding="utf-8"))
    assert {edit.name for step in steps for edit in step.edits} <= names
    assert [step.ago for step in steps] == sorted((step.ago for step in steps), reverse=True)
    assert all(step.ago < KNOWN_FOR_S for step in steps)


def test_settings_are_json(demo: DemoHome) -> None:
    files = [demo.config / "settings.json", *demo.cwd.glob(".claude/settings*.json")]
    assert len(files) == 3
    assert all(isinstance(json.loads(path.read_text(encoding="utf-8")), dict) for path in files)
