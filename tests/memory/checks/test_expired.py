"""Topics past their `valid_until`."""

from pathlib import Path

import pytest

from tests.memory.folders import GOOD, one, snapshot_of, topic


def _with(value: str) -> dict[str, str]:
    return {**GOOD, "project_oncall.md": topic("oncall").replace("type:", f"valid_until: {value}\ntype:")}


@pytest.mark.parametrize(
    ("value", "says"),
    [("2026-03-01", "valid until 2026-03-01, which is past"), ("soon", "no date"), ("2026-02-30", "no date")],
)
def test_a_day_that_is_past_or_none(tmp_path: Path, value: str, says: str) -> None:
    problem = one(snapshot_of(tmp_path, _with(value)), "expired")
    assert says in problem.message
    assert (problem.line, problem.severity, problem.fix) == (4, "warning", "")


@pytest.mark.parametrize("value", ["2026-12-31", "2026-12-31T10:00:00Z", ""])
def test_a_day_to_come(tmp_path: Path, value: str) -> None:
    assert snapshot_of(tmp_path, _with(value)).problems == ()
