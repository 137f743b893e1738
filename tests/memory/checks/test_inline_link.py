"""Links in the middle of a sentence of the index."""

from pathlib import Path

import pytest

from tests.memory.folders import GOOD, codes, snapshot_of


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("The tests are described in [testing](feedback_testing.md), read it.\n", True),
        ("- **Frontend** is CSS first, see [testing](feedback_testing.md)\n", True),
        ("- 2026-03-01: [testing](feedback_testing.md) — real database\n", False),
        ("- **Rule** [testing](feedback_testing.md)\n", False),
    ],
)
def test_links(tmp_path: Path, line: str, is_told: bool) -> None:
    index = f"# Memory\n\n{line}- [On call](project_oncall.md) — who\n"
    found = codes(snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index}))
    assert found == ([("MEMORY.md", "inline-link", 3)] if is_told else [])
