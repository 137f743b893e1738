"""What a person pins can be taken back."""

from pathlib import Path

import pytest

from memtui.history.database import HistoryDatabase
from memtui.history.versions import Operation, Versions
from memtui.memory.pin_operations import RecordedPins
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict


@pytest.fixture
def dirs(tmp_path: Path) -> Dirs:
    return Dirs(tmp_path / "config", tmp_path / "state", tmp_path / "cache")


@pytest.fixture
def pins(dirs: Dirs) -> RecordedPins:
    return RecordedPins(dirs, now=lambda: 1.5)


def operations(dirs: Dirs) -> tuple[Operation, ...]:
    return Versions(HistoryDatabase.of(dirs)).operations()


def test_each_change_is_an_operation_and_its_inverse_another(pins: RecordedPins, dirs: Dirs, tmp_path: Path) -> None:
    pins.pin(tmp_path, ["a.md", "b.md"], True)
    pins.pin(tmp_path, ["a.md"], True)  # it is pinned already
    pins.set(tmp_path, ["c.md"], True)  # a part of something else
    [one] = operations(dirs)
    assert (one.kind, one.why, one.when, [item.key for item in one.items]) == (
        "pin", "pin 2 files", 1.5, ["a.md", "b.md"],
    )  # fmt: skip
    undone = pins.invert(one).operation
    assert undone is not None
    assert pins.names(tmp_path) == {"c.md"}
    assert operations(dirs)[1].undone
    with pytest.raises(Conflict):
        pins.invert(operations(dirs)[1])
    pins.invert(undone)
    assert pins.names(tmp_path) == {"a.md", "b.md", "c.md"}
    assert [one.why for one in operations(dirs)] == ["redo: pin 2 files", "undo: pin 2 files", "pin 2 files"]
