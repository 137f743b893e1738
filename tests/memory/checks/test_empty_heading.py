"""Headings with nothing below them."""

from pathlib import Path

import pytest

from tests.memory.folders import GOOD, codes, snapshot_of, topic


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("# T\n\n## A\n\n## B\ntext\n", [3]),
        ("# T\n## A\n### B\ntext\n## C\n", [5]),
        ("# T\n\n## A\ntext\n", []),
        ("# T\n", []),
        ("text\n```\n## A\n## B\n```\n", []),
    ],
)
def test_empty_headings(tmp_path: Path, body: str, lines: list[int]) -> None:
    snapshot = snapshot_of(tmp_path, {**GOOD, "project_oncall.md": topic("oncall", body=f"Kim.\n{body}")})
    first = topic().count("\n")
    assert codes(snapshot) == [("project_oncall.md", "empty-heading", first + line) for line in lines]
