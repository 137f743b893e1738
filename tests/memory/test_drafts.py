"""Unsaved text survives."""

import errno
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.drafts import Drafts
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError, Refused, Unsupported
from tests.fs.faults import Crash, FaultFS, upward


def dirs(base: Path) -> Dirs:
    return Dirs(base / "config", base / "state", base / "cache")


@pytest.fixture
def drafts(tmp_path: Path) -> Drafts:
    times = iter(range(1000))
    return Drafts(dirs(tmp_path), now=lambda: float(next(times)))


def test_a_draft_comes_back_until_it_is_dropped(drafts: Drafts, tmp_path: Path) -> None:
    path = Path("/somewhere/a.md")
    assert drafts.load(path) is None
    assert drafts.list() == ()
    drafts.save(path, "one", None)
    drafts.save(path, "two", "abc")
    drafts.save(Path("/somewhere/b.md"), "other", None)
    draft = Drafts(dirs(tmp_path)).load(path)
    assert draft is not None
    assert (draft.path, draft.text, draft.base, draft.saved_at) == (path, "two", "abc", 1.0)
    assert [draft.path.name for draft in drafts.list()] == ["b.md", "a.md"]
    drafts.drop(path)
    drafts.drop(path)
    assert drafts.load(path) is None
    assert len(drafts.list()) == 1


@given(st.text(st.characters(exclude_categories=[])), st.text(st.characters(exclude_characters="\0"), min_size=1))
def test_any_text_and_path_comes_back(tmp_path_factory: pytest.TempPathFactory, text: str, name: str) -> None:
    drafts = Drafts(dirs(tmp_path_factory.getbasetemp() / "drafts"))
    path = Path("/x") / name
    drafts.save(path, text, None)
    draft = drafts.load(path)
    assert draft is not None
    assert (draft.text, draft.path) == (text, path)
    drafts.drop(path)


def test_drafts_are_private(drafts: Drafts, tmp_path: Path) -> None:
    drafts.save(Path("/a.md"), "x", None)
    folder = tmp_path / "state/drafts"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_what_is_no_draft_is_left_alone(drafts: Drafts, tmp_path: Path) -> None:
    drafts.save(Path("/a.md"), "x", None)
    folder = tmp_path / "state/drafts"
    odd = '{"path": "/x", "text": 5, "base": null, "saved_at": 0}'
    for number, content in enumerate(["", "{", "[]", "5", '{"path": 1}', odd]):
        (folder / f"{number}.json").write_text(content)
    assert [draft.text for draft in drafts.list()] == ["x"]


@pytest.mark.parametrize("after", [False, True])
def test_a_crash_leaves_the_old_draft_or_the_new(tmp_path: Path, after: bool) -> None:
    path = Path("/a.md")
    Drafts(dirs(tmp_path)).save(path, "old", None)

    def make(number: int) -> FaultFS:
        Drafts(dirs(tmp_path)).save(path, "old", None)
        fs = FaultFS()
        fs.crash_at(number, after=after)
        return fs

    for fs in upward(make):
        try:
            Drafts(dirs(tmp_path), fs=fs).save(path, "new", None)
            wanted = {"new"}
        except Crash:
            wanted = {"old", "new"}
        draft = Drafts(dirs(tmp_path)).load(path)
        assert draft is not None
        assert draft.text in wanted


class Full(FaultFS):
    """A disk with room for so many bytes more; removing the reserve gives its room back."""

    room = 0

    def unlink(self, path: str | Path, *, dir_fd: int | None = None) -> None:
        if Path(path).name == "reserve":
            self.room += Path(path).stat().st_size
        super().unlink(path, dir_fd=dir_fd)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        if self.room < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.room -= len(data)
        return os.write(fd, data)


def test_on_a_full_disk_the_reserve_is_given_up_for_the_draft(tmp_path: Path) -> None:
    Drafts(dirs(tmp_path)).save(Path("/a.md"), "first", None)
    assert (tmp_path / "state/drafts/reserve").exists()
    fs = Full()
    full = Drafts(dirs(tmp_path), fs=fs)
    full.save(Path("/b.md"), "typed\n" * 1000, None)
    draft = full.load(Path("/b.md"))
    assert draft is not None
    assert draft.text == "typed\n" * 1000
    assert not (tmp_path / "state/drafts/reserve").exists()
    fs.room = 0
    with pytest.raises(Unsupported, match="No room left on the disk: the draft was not written"):
        full.save(Path("/c.md"), "more", None)
    assert full.load(Path("/b.md")) == draft
    fs.room = 10_000_000
    full.save(Path("/c.md"), "more", None)
    assert (tmp_path / "state/drafts/reserve").exists()


def test_a_state_folder_that_may_not_be_written_is_said(tmp_path: Path) -> None:
    fs = FaultFS()
    fs.fail_at(1, errno.EACCES)
    with pytest.raises(Refused, match="permission denied, the draft was not written"):
        Drafts(dirs(tmp_path), fs=fs).save(Path("/a.md"), "x", None)
    Drafts(dirs(tmp_path)).save(Path("/a.md"), "x", None)
    fs = FaultFS()
    fs.fail_at(1, errno.EROFS)
    with pytest.raises(MemtuiError):
        Drafts(dirs(tmp_path), fs=fs).drop(Path("/a.md"))
    assert json.loads(next((tmp_path / "state/drafts").glob("*.json")).read_text())["text"] == "x"
