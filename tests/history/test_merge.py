"""Three-way merge: nothing lost, nothing invented, and no foreign configuration asked."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.history import merge
from memtui.history.merge import Merged, merge3, resolve, three_way

BASE = b"".join(b"line %d\n" % number for number in range(12))
LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\n", b"d"]), max_size=8).map(b"".join)

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="no git")


@pytest.fixture
def no_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "which", lambda name: None)


@needs_git
def test_changes_in_different_places_come_together() -> None:
    mine, disk = BASE.replace(b"line 1\n", b"mine\n"), BASE.replace(b"line 10\n", b"")
    assert merge3(mine, BASE, disk) == Merged(BASE.replace(b"line 1\n", b"mine\n").replace(b"line 10\n", b""), 0)


@needs_git
def test_changes_of_one_place_are_marked() -> None:
    mine, disk = BASE.replace(b"line 5", b"mine"), BASE.replace(b"line 5", b"disk")
    merged = merge3(mine, BASE, disk)
    assert merged.conflicts == 1
    marked = b"<<<<<<< mine\nmine\n||||||| base\nline 5\n=======\ndisk\n>>>>>>> disk\n"
    assert merged.text == BASE.replace(b"line 5\n", marked)


@needs_git
def test_line_ends_and_a_missing_last_one_are_kept() -> None:
    base = BASE.replace(b"\n", b"\r\n") + b"no end"
    mine, disk = base.replace(b"line 2", b"mine"), base.replace(b"line 9", b"disk")
    assert merge3(mine, base, disk) == Merged(base.replace(b"line 2", b"mine").replace(b"line 9", b"disk"), 0)


@given(LINES, LINES, LINES)
def test_trivial_merges_need_no_program(mine: bytes, base: bytes, disk: bytes) -> None:
    assert merge3(mine, base, base) == Merged(mine, 0)
    assert merge3(base, base, disk) == Merged(disk, 0)
    assert merge3(mine, base, mine) == Merged(mine, 0)


@pytest.mark.usefixtures("no_git")
def test_without_git_every_real_merge_is_a_conflict() -> None:
    merged = merge3(b"mine", BASE, b"disk\n")
    assert merged.conflicts == 1
    assert merged.text == b"<<<<<<< mine\nmine\n||||||| base\n" + BASE + b"=======\ndisk\n>>>>>>> disk\n"
    assert merge3(b"mine", b"", b"").conflicts == 0


def test_binary_is_a_conflict() -> None:
    assert merge3(b"a\0", b"b\0", b"c\0").conflicts == 1
    assert merge3(b"a\0", b"b\0", b"b\0") == Merged(b"a\0", 0)


@needs_git
@given(LINES, LINES, LINES)
def test_no_line_that_was_added_is_lost(mine: bytes, base: bytes, disk: bytes) -> None:
    merged = merge3(mine, base, disk)
    old = set(base.splitlines())
    added = {*mine.splitlines(), *disk.splitlines()} - old
    assert added <= set(merged.text.splitlines())


@needs_git
def test_git_obeys_no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = tmp_path / "trap"
    (tmp_path / ".git").mkdir()
    for place in (tmp_path / ".gitconfig", tmp_path / ".git/config"):
        place.write_text(f'[merge]\n\tconflictStyle = merge\n[core]\n\tfsmonitor = "touch {trap}"\n[alias]\n\tx = y\n')
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / ".gitconfig"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / ".git"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    merged = merge3(BASE.replace(b"line 5", b"mine"), BASE, BASE.replace(b"line 5", b"disk"))
    assert b"|||||||" in merged.text
    assert not trap.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".git", ".gitconfig"], "nothing is left there"


def test_no_room_for_the_program_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryDirectory", full)
    assert merge3(b"mine\n", BASE, b"disk\n").conflicts == 1


# The same texts as hunks: nothing is lost, whoever is chosen.

TEXT_LINES = st.lists(st.sampled_from(["a", "b", "c", "d\u2028d", ""]), max_size=12)


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = draw(TEXT_LINES)
    return "\n".join(lines) + ("\n" if lines and draw(st.booleans()) else "")


@given(texts(), texts(), texts())
def test_taking_one_side_everywhere_gives_that_side(base: str, mine: str, disk: str) -> None:
    hunks = three_way(base, mine, disk)
    assert resolve(hunks, dict.fromkeys(range(len(hunks)), "mine")) == mine
    assert resolve(hunks, dict.fromkeys(range(len(hunks)), "disk")) == disk


@given(texts(), texts())
def test_what_only_one_side_changed_is_taken(base: str, mine: str) -> None:
    assert resolve(three_way(base, mine, base), {}) == mine
    assert resolve(three_way(base, base, mine), {}) == mine
    assert resolve(three_way(base, mine, mine), {}) == mine


def test_what_both_changed_differently_gets_markers_with_all_three() -> None:
    merged = resolve(three_way("one\ntwo\n", "one\nMINE\n", "one\nDISK\n"), {})
    assert merged == "one\n<<<<<<< mine\nMINE\n||||||| before\ntwo\n=======\nDISK\n>>>>>>> disk\n"


def test_edits_apart_from_each_other_merge() -> None:
    hunks = three_way("1\n2\n3\n4\n5\n", "1x\n2\n3\n4\n5\n", "1\n2\n3\n4\n5y\n")
    assert [h.kind for h in hunks if h.kind != "same"] == ["mine", "disk"]
    assert resolve(hunks, {}) == "1x\n2\n3\n4\n5y\n"
