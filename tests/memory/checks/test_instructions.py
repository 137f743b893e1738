"""Imports of instruction files."""

from pathlib import Path

from tests.memory.folders import location_of, snapshot_of


def test_imports_of_instructions(tmp_path: Path) -> None:
    location_of(tmp_path)
    (tmp_path / "repo/CLAUDE.md").write_text("@docs/gone.md ask @kim or @scope/pkg\n\n@b1.md,\n")
    (tmp_path / "repo/b1.md").write_text("x")
    snapshot = snapshot_of(tmp_path, {})
    assert [(p.line, p.code, p.severity) for p in snapshot.problems] == [
        (1, "dead-link", "warning"),
        (3, "dead-link", "warning"),
    ]
    assert "put a blank between" in snapshot.problems[1].message
