"""A title is one record more at the end; every byte before it stays."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.client.session_files import MAX_TITLE_CHARS, SessionFile, head_and_tail, parse_records, title_line
from memtui.sessions.archive import SessionArchive
from memtui.sessions.rename import append_title, check_title, title_before
from memtui.transcripts.summary import SummaryScanner, title_from_records
from memtui.transcripts.transcript import read_transcript
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused, UsageError
from tests.fs.faults import FaultFS, Snapshot, upward
from tests.sessions.archiving import last
from tests.support import REPO
from tests.transcripts.rows import SESSION, Script

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=MAX_TITLE_CHARS)


def session(folder: Path, tail: str = "") -> Path:
    return Script().user("u0", None, "Move to pnpm").answer("a1", "u0").write(folder, tail)


@pytest.fixture
def keeper(tmp_path: Path) -> SessionArchive:
    base = tmp_path / "ours"
    return SessionArchive(Dirs(base / "config", base / "state", base / "cache"), now=lambda: 1_000_000.0)


@given(WORDS)
@settings(max_examples=200, deadline=None)
def test_a_title_is_refused_or_read_back_as_it_was_given(tmp_path_factory: pytest.TempPathFactory, words: str) -> None:
    try:
        title = check_title(words)
    except UsageError:
        return
    assert title == " ".join(words.split())
    path = session(tmp_path_factory.mktemp("s"))
    before = path.read_bytes()
    append_title(path, title)
    after = path.read_bytes()
    assert after.startswith(before)
    assert list(map(json.loads, after[len(before) :].split(b"\n")[:-1])) == [
        {"type": "custom-title", "customTitle": title, "sessionId": SESSION},
        {"type": "agent-name", "agentName": title, "sessionId": SESSION},
    ]
    assert (
        SummaryScanner().file(path).title
        == title_from_records(parse_records(head_and_tail(SessionFile(str(path), 0, len(after)))[0]))
        == title
    )
    assert title_before(path) == title
    assert not read_transcript(path).problems


@pytest.mark.parametrize(
    "words", ["", "  ", "\t", "a\nb", "a\x1b[31m", "\x9b", "\u202eabc", "\u2028", "\ud800", "\u200b"]
)
def test_what_is_no_title(words: str) -> None:
    with pytest.raises(UsageError):
        check_title(words)


def test_a_title_has_an_end() -> None:
    assert check_title("x" * MAX_TITLE_CHARS)
    with pytest.raises(UsageError):
        check_title("x" * (MAX_TITLE_CHARS + 1))


def test_the_record_is_written_as_the_client_writes_it(tmp_path: Path, keeper: SessionArchive) -> None:
    path = session(tmp_path)
    before = path.read_bytes()
    operation = keeper.rename(path, 'Straße "빠른"  👩‍💻')
    lines = "".join(
        f'{{"type":"{kind}","{key}":"Straße \\"빠른\\" 👩‍💻","sessionId":"{SESSION}"}}\n'
        for kind, key in (("custom-title", "customTitle"), ("agent-name", "agentName"))
    )
    assert path.read_bytes() == before + lines.encode()
    beside = json.loads((path.with_suffix("") / "custom-title.json").read_bytes())
    assert (beside["customTitle"], beside["by"], beside["at"][-1]) == ('Straße "빠른" 👩‍💻', "user", "Z")
    assert (operation.sessions[0].before, operation.sessions[0].after) == ("Move to pnpm", 'Straße "빠른" 👩‍💻')


@pytest.mark.parametrize("tail", ['{"type":"user","mess', '{"type":"mode","mode":"normal"}'])
def test_half_a_line_at_the_end_stays_on_its_own(tmp_path: Path, tail: str) -> None:
    path = session(tmp_path, tail)
    before = path.read_bytes()
    append_title(path, "New")
    assert path.read_bytes().startswith(before + b"\n{")
    assert SummaryScanner().file(path).title == "New"


def test_undo_appends_the_former_title(tmp_path: Path, keeper: SessionArchive) -> None:
    path = session(tmp_path)
    first, second = keeper.rename(path, "One"), keeper.rename(path, "Two")
    before = path.read_bytes()
    assert last(keeper) == second
    with pytest.raises(Conflict):  # the newer name would be lost without a word
        keeper.undo(first)
    made = keeper.undo(second).operation
    assert (made.what, made.undoes, SummaryScanner().file(path).title) == ("undo", second.id, "One")
    assert path.read_bytes().startswith(before)
    assert last(keeper) == first
    keeper.undo(first)
    assert SummaryScanner().file(path).title == "Move to pnpm"
    assert last(keeper) is None
    with pytest.raises(Conflict):
        keeper.undo(first)
    assert [operation.undone for operation in keeper.operations.all()[::-1]] == [False, False, True, True]


def test_a_title_given_before_comes_back_whole(tmp_path: Path, keeper: SessionArchive) -> None:
    path = session(tmp_path)
    odd = "long\n" + "y" * 300 + "\udcff"
    path.write_bytes(path.read_bytes() + json.dumps({"type": "custom-title", "customTitle": odd}).encode() + b"\n")
    keeper.undo(keeper.rename(path, "Short"))
    assert title_before(path) == odd
    assert SummaryScanner().file(path).title == title_line(odd)


def test_what_is_no_session_is_left_alone(tmp_path: Path, keeper: SessionArchive) -> None:
    path = tmp_path / f"{SESSION}.jsonl"
    with pytest.raises(NotFound):
        append_title(path, "x")
    path.touch()
    with pytest.raises(Refused):
        append_title(path, "x")
    assert path.read_bytes() == b""
    path.unlink()
    (tmp_path / "real").write_text("{}\n", encoding="utf-8")
    path.symlink_to(tmp_path / "real")
    with pytest.raises(MemtuiError):
        append_title(path, "x")
    assert (tmp_path / "real").read_text(encoding="utf-8") == "{}\n"
    with pytest.raises(UsageError):
        keeper.rename(tmp_path / "real", "x")


class Nearly(FaultFS):
    """A disk that takes ten bytes of a record and is full then."""

    def write(self, fd: int, data: bytes | memoryview) -> int:
        return os.write(fd, data[:10])


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = session(tmp_path)
    before = path.read_bytes()
    with pytest.raises(MemtuiError, match="No room"):
        append_title(path, "New", fs=Nearly())
    assert path.read_bytes() == before


class Meddled(FaultFS):
    """Another program writes half a line right before ours, once."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.half = b'{"type":"user","te'

    def write(self, fd: int, data: bytes | memoryview) -> int:
        with self.path.open("ab") as file:
            file.write(self.half)
        self.half = b""
        return super().write(fd, data)


def test_half_a_line_that_comes_in_between_costs_a_second_record(tmp_path: Path) -> None:
    path = session(tmp_path)
    before = path.read_bytes()
    append_title(path, "New", fs=Meddled(path))
    assert path.read_bytes().startswith(before + b'{"type":"user","te{"type"')
    assert SummaryScanner().file(path).title == "New"


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC, errno.EACCES])
def test_whatever_call_fails_only_a_whole_record_is_ever_added(tmp_path: Path, code: int) -> None:
    path = session(tmp_path)
    before = path.read_bytes()
    snapshot = Snapshot(tmp_path)

    def make(number: int) -> FaultFS:
        snapshot.put_back()
        fs = FaultFS()
        fs.fail_at(number, code)
        return fs

    for fs in upward(make):
        try:
            append_title(path, "New", fs=fs)
        except MemtuiError:
            pass
        assert not fs.open_fds
        added = path.read_bytes().removeprefix(before)
        assert added == b"" or [line.endswith(b'"}') for line in added.split(b"\n")] == [True, True, False]


WRITER = """
import os, sys
file = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
number = 0
while not os.path.exists(sys.argv[2]):
    os.write(file, b'{"type":"mode","mode":"%d"}\\n' % number)
    number += 1
    if number == 1:
        print("go", flush=True)
print(number)
"""


def test_a_client_that_writes_meanwhile_loses_nothing(tmp_path: Path, keeper: SessionArchive) -> None:
    path = session(tmp_path)
    before = path.read_bytes()
    stop = tmp_path / "stop"
    command = [sys.executable, "-c", WRITER, str(path), str(stop)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=REPO) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"go\n"
        for number in range(20):
            keeper.rename(path, f"Title {number}")
        stop.touch()
        written = int(writer.stdout.readline())
    found = [json.loads(line) for line in path.read_bytes().removeprefix(before).splitlines() if line]
    assert [one["mode"] for one in found if one["type"] == "mode"] == [str(number) for number in range(written)]
    titles = [one["customTitle"] for one in found if one["type"] == "custom-title"]
    assert list(dict.fromkeys(titles)) == [f"Title {number}" for number in range(20)]
