"""When the client's clean-up takes a session."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memtui.client.retention import cleanup_days, cleanup_mark, days_left
from memtui.client.settings_files import read_layers
from tests.client.conftest import MakeEnv

DAY = 86_400
Write = Callable[[Mapping[str, str]], None]

USER, PROJECT, LOCAL = ".claude/settings.json", "shop/.claude/settings.json", "shop/.claude/settings.local.json"
WEEK = '{"cleanupPeriodDays": 7}'


@pytest.mark.parametrize(
    ("files", "days"),
    [
        ({}, 30),
        ({USER: WEEK}, 7),
        ({PROJECT: WEEK}, 7),
        ({LOCAL: WEEK, USER: '{"cleanupPeriodDays": 90}'}, 7),
        ({USER: '{"cleanupPeriodDays": 1.0}'}, 1),
        ({USER: '{"cleanupPeriodDays": 0}'}, None),
        ({USER: WEEK, LOCAL: "{"}, None),
        ({USER: '{"cleanupPeriodDays": 7, "autoMemoryEnabled": "no"}'}, None),
    ],
)
def test_which_setting_counts(
    files: dict[str, str], days: int | None, make_env: MakeEnv, ana: Path, write: Write
) -> None:
    (ana / "shop").mkdir()
    write(files)
    assert cleanup_days(read_layers(make_env(), ana / "shop")) == days


def test_days_that_are_left() -> None:
    assert days_left(1000 * DAY, 1028.5 * DAY, 30) == 1.5
    assert days_left(1000 * DAY, 1040 * DAY, 30) == -10


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (None, ""), (3.0, ""), (30.0, ""), (2.99, "goes in 2d"), (0.5, "goes in 12h"), (0.0001, "goes in 1m"),
        (0.0, "due"), (-9.0, "due"),
    ],
)  # fmt: skip
def test_the_mark(left: float | None, words: str) -> None:
    assert cleanup_mark(left) == words
