"""The sample home as a whole."""

import json
from pathlib import Path

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
    for path in demo.home.rglob("*.md"):
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
    assert {name for step in steps for name in step.names} <= names
    assert [step.ago for step in steps] == sorted((step.ago for step in steps), reverse=True)
    assert all(step.ago < KNOWN_FOR_S for step in steps)


def test_settings_are_json(demo: DemoHome) -> None:
    files = [demo.config / "settings.json", *demo.cwd.glob(".claude/settings*.json")]
    assert len(files) == 3
    assert all(isinstance(json.loads(path.read_text(encoding="utf-8")), dict) for path in files)
