"""The append-only file of the newest versions: whatever its end looks like, what was complete is read."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.history.recent import Recent

ONE, TWO, THREE = "1" * 40, "2" * 40, "3" * 40


@pytest.fixture
def recent(tmp_path: Path) -> Recent:
    return Recent(tmp_path / "recent")


def versions(recent: Recent) -> list[str]:
    return [record.version for record in recent.records()]


def test_what_is_appended_is_read(recent: Recent, tmp_path: Path) -> None:
    assert recent.records() == []
    assert recent.read("a") is None
    recent.append(ONE, None, [("a", b"\n\0first"), ("b", b"")])
    recent.append(TWO, ONE, [("c", b"third")])
    for reader in (recent, Recent(tmp_path / "recent")):
        assert versions(reader) == [ONE, TWO]
        assert [record.parent for record in reader.records()] == [None, ONE]
        assert [reader.read(name) for name in "abcd"] == [b"\n\0first", b"", b"third", None]
        assert reader.names() == ["a", "b", "c"]


def test_another_process_cuts_and_appends(recent: Recent, tmp_path: Path) -> None:
    other = Recent(tmp_path / "recent")
    recent.append(ONE, None, [("a", b"one")])
    recent.append(TWO, ONE, [("a", b"one"), ("b", b"two")])
    assert versions(other) == [ONE, TWO]
    recent.cut(ONE)  # not the last: nothing happens
    recent.cut(TWO)
    recent.append(THREE, ONE, [("a", b"one"), ("c", b"six")])
    assert versions(other) == [ONE, THREE]
    assert [other.read(name) for name in "abc"] == [b"one", None, b"six"]
    recent.cut(THREE)
    assert [other.read(name) for name in "abc"] == [b"one", None, None]
    recent.remove()
    assert versions(other) == []
    recent.append(TWO, ONE, [("b", b"two")])
    assert versions(other) == [TWO]


@given(st.data())
def test_any_end_that_a_crash_leaves_is_ignored(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "recent"
    path.unlink(missing_ok=True)
    first = Recent(path)
    first.append(ONE, None, [("a", b"one\n" * 20)])
    whole = path.stat().st_size
    first.append(TWO, ONE, [("b", b"two\n" * 20)])
    full = path.read_bytes()
    cut = data.draw(st.integers(whole, len(full) - 1))
    path.write_bytes(full[:cut] + data.draw(st.sampled_from([b"", b"\0" * 50, b"memtui1 x", full[:40]])))
    reader = Recent(path)
    assert versions(reader) == [ONE]
    assert reader.size() == whole
    reader.append(THREE, ONE, [("c", b"three")])
    assert versions(Recent(path)) == versions(reader) == [ONE, THREE]
    assert Recent(path).read("c") == b"three"


def test_a_file_of_somebody_else_is_empty(recent: Recent, tmp_path: Path) -> None:
    (tmp_path / "recent").write_bytes(b"hello\nworld\n" * 10)
    assert recent.records() == []
    recent.append(ONE, None, [("a", b"one")])
    assert versions(Recent(tmp_path / "recent")) == [ONE]
