"""Sessions of origin that are gone."""

from pathlib import Path

import pytest

from tests.memory.folders import GOOD, codes, location_of, snapshot_of, topic

DAY_S = 86_400.0


@pytest.mark.parametrize(
    ("id", "old", "kept", "is_told"),
    [
        ("gone", DAY_S, True, True),
        ("here", DAY_S, True, False),
        ("gone", 40 * DAY_S, True, False),
        ("gone", DAY_S, False, False),
    ],
)
def test_a_young_topic_without_its_session(tmp_path: Path, id: str, old: float, kept: bool, is_told: bool) -> None:
    _, location = location_of(tmp_path)
    if kept:
        location.transcripts.mkdir(parents=True)
        (location.transcripts / "here.jsonl").write_text("{}\n")
    text = topic("oncall").replace("type:", f"originSessionId: {id}\ntype:")
    found = codes(snapshot_of(tmp_path, {**GOOD, "project_oncall.md": text}, old=old))
    assert found == ([("project_oncall.md", "origin-gone", 4)] if is_told else [])
