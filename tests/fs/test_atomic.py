"""Reading without tearing, writing without losing."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.fs.atomic import (
    FileStamp,
    clear_temps,
    digest,
    is_temp,
    make_folders,
    read_content,
    read_stable,
    replace_file,
    temp_name,
    to_error,
)
from memtui.fs.filesystem import FileSystem
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused, Unsupported
from tests.fs.faults import Crash, FaultFS, ShortFS, upward

OLD, NEW = b"the old text\n", b"the new text, which is longer\n" * 50


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_bytes(OLD)
    os.utime(path, (1000, 1000))
    return path


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EDQUOT, errno.EINTR])
def test_whatever_call_fails_the_file_is_old_or_new(note: Path, code: int) -> None:
    def make(number: int) -> FaultFS:
        note.write_bytes(OLD)
        fs = FaultFS()
        fs.fail_at(number, code)
        return fs

    failed = 0
    for fs in upward(make):
        try:
            replace_file(note, NEW, fs=fs)
        except OSError:
            failed += 1
            assert note.read_bytes() in (OLD, NEW)
        else:
            assert note.read_bytes() == NEW
        assert not fs.open_fds
        clear_temps(note.parent, own=True)
        assert [path.name for path in note.parent.iterdir()] == ["note.md"]
    assert failed > 3


@pytest.mark.parametrize("after", [False, True])
def test_wherever_the_world_stops_the_file_is_old_or_new(note: Path, after: bool) -> None:
    def make(number: int) -> FaultFS:
        note.write_bytes(OLD)
        fs = FaultFS()
        fs.crash_at(number, after=after)
        return fs

    for fs in upward(make):
        try:
            replace_file(note, NEW, fs=fs)
        except Crash:
            assert note.read_bytes() in (OLD, NEW)
        clear_temps(note.parent, own=True)
        assert [path.name for path in note.parent.iterdir()] == ["note.md"]


def test_short_and_interrupted_writes_go_on(note: Path) -> None:
    replace_file(note, NEW, fs=ShortFS())
    assert note.read_bytes() == NEW


def test_a_disk_that_silently_takes_nothing_is_full(note: Path) -> None:
    class Silent(FaultFS):
        def write(self, fd: int, data: bytes | memoryview) -> int:
            return 0

    with pytest.raises(OSError) as caught:
        replace_file(note, NEW, fs=Silent())
    assert caught.value.errno == errno.ENOSPC
    assert note.read_bytes() == OLD


def test_after_a_failed_sync_a_new_file_is_written(note: Path) -> None:
    class Sick(FaultFS):
        created: list[str]

        def open(self, path: str | Path, flags: int, mode: int = 0o600, *, dir_fd: int | None = None) -> int:
            if flags & os.O_CREAT:
                self.created = [*getattr(self, "created", []), str(path)]
            return os.open(path, flags, mode, dir_fd=dir_fd)

        def fsync(self, fd: int) -> None:
            if len(self.created) == 1:
                raise OSError(errno.EIO, "broken")

    fs = Sick()
    replace_file(note, NEW, fs=fs)
    assert len(set(fs.created)) == 2
    assert [path.name for path in note.parent.iterdir()] == ["note.md"]


def test_a_temporary_file_is_private_even_without_umask(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    class Looking(FileSystem):
        def write(self, fd: int, data: bytes | memoryview) -> int:
            seen.append((stat.S_IMODE(os.fstat(fd).st_mode), os.fstat(fd).st_nlink))
            return os.write(fd, data)

    before = os.umask(0)
    try:
        replace_file(tmp_path / "a.md", NEW, fs=Looking(), mode=0o644)
    finally:
        os.umask(before)
    assert seen == [(0o600, 1)]
    assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) == 0o644


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664, 0o400])
def test_the_mode_of_the_old_file_is_kept(note: Path, mode: int) -> None:
    note.chmod(mode)
    replace_file(note, NEW)
    assert stat.S_IMODE(note.stat().st_mode) == mode


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(OLD)
    link = tmp_path / "link"
    link.symlink_to(secret)
    replace_file(link, NEW)
    assert secret.read_bytes() == OLD
    assert not link.is_symlink()


def test_a_planted_temporary_name_is_not_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_bytes(OLD)
    monkeypatch.setattr("memtui.fs.atomic.os.urandom", bytes)
    (tmp_path / temp_name("a.md")).symlink_to(tmp_path / "secret")
    with pytest.raises(FileExistsError):
        replace_file(tmp_path / "a.md", NEW)
    assert (tmp_path / "secret").read_bytes() == OLD


@given(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=255))
def test_a_temporary_name_fits_and_is_recognised(name: str) -> None:
    temp = temp_name(name)
    assert is_temp(temp)
    assert len(temp.encode()) <= 255
    assert not is_temp(name) or name.startswith(".")


def test_only_temporary_files_of_the_dead_are_cleared(tmp_path: Path) -> None:
    child = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    dead = f".a.md.memtui-{int(child.stdout)}-0123456789ab.tmp"
    alive = f".a.md.memtui-{os.getppid()}-0123456789ab.tmp"
    mine = f".a.md.memtui-{os.getpid()}-0123456789ab.tmp"
    others = ["a.md", ".a.md.tmp", ".a.md.memtui-1x-0123456789ab.tmp", ".x.memtui-5-zz.tmp"]
    for name in [dead, alive, mine, *others]:
        (tmp_path / name).touch()
    assert clear_temps(tmp_path) == [dead]
    assert clear_temps(tmp_path, own=True) == [mine]
    assert {path.name for path in tmp_path.iterdir()} == {alive, *others}


class Rewriting(FileSystem):
    """Somebody writes the file in place: each read of ours finds a bit more, until it is whole."""

    def __init__(self, path: Path, parts: list[bytes]) -> None:
        self.path = path
        self.parts = parts
        self.waited = 0

    def wait(self, seconds: float) -> None:
        self.waited += 1
        if self.parts:
            with self.path.open("ab") as file:
                file.write(self.parts.pop(0))


def test_a_file_being_rewritten_is_read_when_it_rests(note: Path) -> None:
    note.write_bytes(b"first ")
    fs = Rewriting(note, [b"second ", b"third"])
    assert read_stable(note, fs) == b"first second third"
    assert fs.waited == 3


def test_a_file_that_never_rests_is_a_conflict(note: Path) -> None:
    note.write_bytes(b"")
    with pytest.raises(Conflict):
        read_stable(note, Rewriting(note, [b"x"] * 1000))


def test_an_old_or_known_file_is_read_once(note: Path) -> None:
    fs = Rewriting(note, [])
    assert read_stable(note, fs) == OLD
    note.write_bytes(NEW)
    assert read_content(note, fs=fs, known={digest(NEW)}).data == NEW
    assert fs.waited == 0


def test_a_changed_file_has_another_stamp_even_if_its_time_is_set_back(note: Path) -> None:
    before = FileStamp.of(note.stat())
    data = bytearray(OLD)
    data[0] ^= 1
    note.write_bytes(data)
    os.utime(note, (1000, 1000))
    after = FileStamp.of(note.stat())
    assert (before.size, before.mtime_ns) == (after.size, after.mtime_ns)
    assert before != after


@pytest.mark.parametrize("kind", ["fifo", "folder", "link"])
def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.md"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/null")
    with pytest.raises(Refused):
        read_content(path, follow=kind != "link")


def test_folders_are_made_with_what_leads_to_them(tmp_path: Path) -> None:
    make_folders(tmp_path / "a" / "b" / "c")
    make_folders(tmp_path / "a" / "b" / "c")
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (errno.ENOSPC, Unsupported, "No room left on the disk"),
        (errno.EDQUOT, Unsupported, "No room left on the disk"),
        (errno.EFBIG, Unsupported, "No room left on the disk"),
        (errno.EROFS, Refused, "read only"),
        (errno.EACCES, Refused, "permission denied"),
        (errno.EPERM, Refused, "permission denied"),
        (errno.ENOENT, NotFound, "is gone"),
        (errno.EIO, Unsupported, "Input/output error"),
    ],
)
def test_a_fault_says_what_and_what_it_means(code: int, kind: type[MemtuiError], words: str) -> None:
    said = to_error(OSError(code, "x"), "a.md", outcome="nothing was written")
    assert type(said) is kind
    assert words in said.message
    assert "nothing was written" in said.message


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who writes")
@pytest.mark.parametrize("ends", [True, False])
def test_a_file_that_somebody_has_open_for_writing_is_waited_for(tmp_path: Path, ends: bool) -> None:
    path = tmp_path / "a.md"
    with path.open("wb", buffering=0) as file:
        file.write(b"first half, ")

        class Pausing(FileSystem):
            waits = 0

            def wait(self, seconds: float) -> None:
                self.waits += 1
                if self.waits == 15 and ends:
                    file.write(b"second half")
                    file.close()

        assert read_content(path, fs=Pausing()).data == (b"first half, second half" if ends else b"first half, ")


def test_a_file_too_large_for_memory_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    os.truncate(tmp_path / "a.md", 1 << 40)
    with pytest.raises(Refused, match="too much to read"):
        read_content(tmp_path / "a.md")
