"""Our line in a crontab, through a crontab program of the test's own: every other byte stays."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.dream.schedule.cron import Crontab, cron_line, cron_of
from memtui.util.errors import Conflict, MemtuiError, Unsupported, UsageError

FAKE = """
import sys
from pathlib import Path
table, mode = Path(sys.argv[1]), sys.argv[2]
if sys.argv[3] == "-l":
    if mode == "unreadable":
        sys.exit("crontab: you are not allowed to use this program")
    if not table.exists():
        sys.exit("no crontab for you")
    sys.stdout.buffer.write(table.read_bytes())
elif mode == "deaf":
    pass
elif mode == "refuses":
    sys.exit('"-":1: bad minute')
else:
    table.write_bytes(sys.stdin.buffer.read())
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "crontab"


def crontab(table: Path, mode: str = "works") -> Crontab:
    return Crontab({}, (sys.executable, "-S", "-c", FAKE, str(table), mode))


def test_a_line_comes_is_replaced_and_goes(table: Path) -> None:
    before = (
        b"# mine\nSHELL=/bin/bash\n*/5 * * * * true # memtui-dream:other\n#0 1 * * * old # memtui-dream:abc\n\xff\n"
    )
    table.write_bytes(before)
    one = crontab(table)
    assert one.line("abc") is None
    line = one.put("abc", "17 3 * * *", "cd /x && run")
    assert line == "17 3 * * * cd /x && run # memtui-dream:abc"
    assert table.read_bytes() == before + line.encode() + b"\n"
    table.write_bytes(table.read_bytes() + b"0 0 * * * last\n")
    again = one.put("abc", "18 4 * * *", "cd /y && run")
    assert table.read_bytes() == before + again.encode() + b"\n0 0 * * * last\n"
    assert one.line("abc") == again and cron_of(again) == "18 4 * * *"
    assert one.remove("abc") and not one.remove("abc")
    assert table.read_bytes() == before + b"0 0 * * * last\n"


def test_doubled_lines_become_one(table: Path) -> None:
    table.write_bytes(b"1 1 * * * a # memtui-dream:abc\nx\n2 2 * * * b # memtui-dream:abc\n")
    crontab(table).put("abc", "3 3 * * *", "c")
    assert table.read_bytes() == b"3 3 * * * c # memtui-dream:abc\nx\n"


@pytest.mark.parametrize("before", [b"", b"x", b"x\n", None])
def test_an_empty_one_and_one_without_its_last_line_end(table: Path, before: bytes | None) -> None:
    if before is not None:
        table.write_bytes(before)
    line = crontab(table).put("abc", "3 3 * * *", "c")
    kept = b"x\n" if before else b""
    assert table.read_bytes() == kept + line.encode() + b"\n"
    crontab(table).remove("abc")
    assert table.read_bytes() == kept


@pytest.mark.parametrize(("mode", "fault"), [("unreadable", MemtuiError), ("refuses", MemtuiError), ("deaf", Conflict)])
def test_one_that_cannot_be_read_or_written_stays(table: Path, mode: str, fault: type[MemtuiError]) -> None:
    table.write_bytes(b"0 0 * * * theirs\n")
    with pytest.raises(fault):
        crontab(table, mode).put("abc", "3 3 * * *", "c")
    assert table.read_bytes() == b"0 0 * * * theirs\n"


def test_no_program_says_what_to_do_instead(tmp_path: Path) -> None:
    with pytest.raises(Unsupported) as caught:
        Crontab({}, (str(tmp_path / "absent"),)).line("abc")
    assert "--print-timer" in caught.value.hint


def test_what_does_not_fit_on_a_line_is_refused() -> None:
    assert cron_line("a", "0 3 * * *", "date +%H") == "0 3 * * * date +\\%H # memtui-dream:a"
    for command in ("a\nb", "a\rb", "a\\b", "a" * 2000):
        with pytest.raises(UsageError):
            cron_line("a", "0 3 * * *", command)


@given(st.lists(st.binary(max_size=20).filter(lambda line: b"\n" not in line), max_size=6))
def test_any_other_line_stays(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    class Memory(Crontab):
        data = b"".join(line + b"\n" for line in lines)

        def _read(self) -> bytes:
            return self.data

        def _write(self, data: bytes, before: bytes) -> None:
            assert before == self.data
            self.data = data

    one = Memory({})
    before = one.data
    one.put("abc", "3 3 * * *", "c")
    one.put("abc", "4 4 * * *", "d")
    assert one.remove("abc") and one.data == before
