"""Rule files."""

from pathlib import Path

import pytest

from tests.memory.folders import GOOD, location_of, snapshot_of, write


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("---\npaths: []\n---\nUse tabs.\n", "rule-paths"),
        ("---\npaths:\n---\nUse tabs.\n", "rule-paths"),
        ("---\npaths: 7\n---\nUse tabs.\n", "rule-paths"),
        ('---\npaths: "**"\n---\nUse tabs.\n', ""),
        ('---\npaths:\n  - "src/**/*.ts"\n---\nUse tabs.\n', ""),
        ("Use tabs.\n", ""),
        ("---\nname: x\n---\n\n<!-- nothing yet -->\n", "empty-rule"),
        ("", "empty-rule"),
    ],
)
def test_rules(tmp_path: Path, text: str, code: str) -> None:
    location_of(tmp_path)
    write(tmp_path / "repo", {".claude/rules/style.md": text})
    found = [(p.path.name, p.code) for p in snapshot_of(tmp_path, GOOD).problems]
    assert found == ([("style.md", code)] if code else [])
