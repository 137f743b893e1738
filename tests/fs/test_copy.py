"""One file copied: never over another, whole, with its time. Moves of several: tests/projects, tests/sessions."""

import errno
import os
from pathlib import Path

import pytest

from memtui.fs.copy import TargetExists, copy_file, read_file_state, remove_file
from memtui.util.errors import Conflict, NotFound, Refused
from tests.fs.faults import FaultFS


class Lone(FaultFS):
    """A file system on which a file has one name only."""

    def link(self, source: str | Path, target: str | Path, *, dir_fd: int | None = None) -> None:
        raise OSError(errno.EPERM, "no links here")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "from" / "a"
    path.parent.mkdir()
    path.write_bytes(b"0123456789")
    path.chmod(0o640)
    os.utime(path, ns=(5, 1_234_567_891_234_567_891))
    return path


@pytest.mark.parametrize("fs", [FaultFS(), Lone()], ids=["links", "no links"])
def test_a_copy_is_the_same_and_never_lands_on_another(source: Path, tmp_path: Path, fs: FaultFS) -> None:
    target = (tmp_path / "to", "deep/b")
    copied = copy_file((source.parent, "a"), target, fs=fs)
    assert copied.target == read_file_state(*target)
    made = (tmp_path / "to/deep/b").stat()
    assert (made.st_mtime_ns, made.st_mode & 0o777, made.st_nlink) == (1_234_567_891_234_567_891, 0o640, 1)
    with pytest.raises(TargetExists):
        copy_file((source.parent, "a"), target, fs=fs)
    assert os.listdir(tmp_path / "to/deep") == ["b"]  # noqa: PTH208 - names are wanted
    remove_file(*target, copied.target)
    assert read_file_state(*target) is None


def test_a_part_of_it_and_another_time(source: Path, tmp_path: Path) -> None:
    copied = copy_file((source.parent, "a"), (tmp_path, "b"), size=4, modified=7)
    assert (tmp_path / "b").read_bytes() == b"0123"
    assert (copied.target.stamp.mtime_ns, copied.target.stamp.size) == (7, 4)
    assert read_file_state(source.parent, "a", size=4) == copied.source
    with pytest.raises(Conflict):
        copy_file((source.parent, "a"), (tmp_path, "c"), size=11)
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("still", [True, False])
def test_one_that_grows_meanwhile(source: Path, tmp_path: Path, still: bool) -> None:
    class Growing(FaultFS):
        def fsync(self, fd: int) -> None:
            with source.open("ab") as file:
                file.write(b"more")

    try:
        copy_file((source.parent, "a"), (tmp_path, "b"), still=still, fs=Growing())
    except Conflict:
        assert still
        assert not (tmp_path / "b").exists()
    else:
        assert not still
        assert (tmp_path / "b").read_bytes() == b"0123456789"


def test_links_and_what_is_gone(source: Path, tmp_path: Path) -> None:
    (source.parent / "link").symlink_to(source)
    for name, error in (("link", Refused), ("gone", NotFound)):
        with pytest.raises(error):
            copy_file((source.parent, name), (tmp_path, "b"))
    with pytest.raises(Refused):
        read_file_state(source.parent, "link")
    assert read_file_state(source.parent, "gone") is None
