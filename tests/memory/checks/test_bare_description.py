"""Descriptions that only repeat the name."""

from pathlib import Path

import pytest

from tests.memory.folders import codes, snapshot_of, topic


@pytest.mark.parametrize(
    ("description", "is_told"),
    [
        ("Testing rules", True),
        ("Notes about the testing rule", True),
        ("feedback_testing_rules.md", False),
        ("Testing rules: integration tests hit a real database", False),
        ("테스트 규칙", False),
    ],
)
def test_descriptions(tmp_path: Path, description: str, is_told: bool) -> None:
    text = topic("testing-rules", description, "feedback")
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": "- [x](feedback_testing.md) — said\n", "feedback_testing.md": text})
    assert codes(snapshot) == ([("feedback_testing.md", "bare-description", 3)] if is_told else [])
