"""Two topics of one name."""

from pathlib import Path

from tests.memory.folders import codes, snapshot_of, topic


def test_two_topics_of_one_name(tmp_path: Path) -> None:
    files = {"MEMORY.md": "[a](a.md) [b](b.md)\n", "a.md": topic("Shared name"), "b.md": topic("shared-name")}
    snapshot = snapshot_of(tmp_path, files)
    assert codes(snapshot) == [("a.md", "duplicate-topic", 1), ("b.md", "duplicate-topic", 1)]
    assert "b.md has the same name" in snapshot.problems[0].message
