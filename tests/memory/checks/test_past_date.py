"""Days that are long past."""

from pathlib import Path

import pytest

from tests.memory.folders import GOOD, codes, snapshot_of, topic


@pytest.mark.parametrize(
    ("body", "is_told"),
    [
        ("Merge freeze until 2024-03-01.\n", True),
        ("The deadline is March 1, 2024.\n", True),
        ("Expires on 2024-3-1\n", True),
        ("We used npm until 2024-03-01.\n", False),
        ("Merge freeze until 2026-12-01.\n", False),
        ("Merge freeze until 2026-05-20.\n", False),
        ("Run `wait until 2024-03-01`.\n", False),
        ("Since 2024-03-01 we use pnpm.\n", False),
        ("Valid until 2024-13-01.\n", False),
    ],
)
def test_days(tmp_path: Path, body: str, is_told: bool) -> None:
    found = codes(snapshot_of(tmp_path, {**GOOD, "project_oncall.md": topic("oncall", body=body)}))
    assert found == ([("project_oncall.md", "past-date", 7)] if is_told else [])


def test_for_now_in_an_old_file(tmp_path: Path) -> None:
    files = {**GOOD, "project_oncall.md": topic("oncall", body="For now Kim, 2026-03-02.\n")}
    assert codes(snapshot_of(tmp_path, files)) == []
    assert codes(snapshot_of(tmp_path, files, old=3e7)) == [("project_oncall.md", "past-date", 7)]
