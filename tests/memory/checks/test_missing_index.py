"""A folder without an index."""

from pathlib import Path

from tests.memory.folders import codes, fixed, one, snapshot_of, text, topic


def test_no_index(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {"project_a.md": topic("a")})
    problem = one(snapshot, "no-index")
    assert (problem.file, problem.path) == ("MEMORY.md", tmp_path / "memory/MEMORY.md")
    assert codes(snapshot, "warning") == [("MEMORY.md", "no-index", None)]
    assert snapshot_of(tmp_path / "empty", {}).problems == () if (tmp_path / "empty").mkdir() is None else True


def test_no_index_is_made_from_the_topics(tmp_path: Path) -> None:
    after = fixed(tmp_path, {"project_a.md": topic("A", "what a says")}, "no-index")
    assert "- [A](project_a.md) — what a says\n" in text(tmp_path, "MEMORY.md") and after.problems == ()
