import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcripts.lines import MAX_RECORDS_PER_LINE, parse_line

ROW = b'{"type":"user","uuid":"u1","message":{"role":"user","content":"hi"}}'


@pytest.mark.parametrize(
    ("line", "records", "bad", "salvaged"),
    [
        (b"", 0, False, 0),
        (b" \t\r", 0, False, 0),
        (ROW, 1, False, 0),
        (ROW + b"\r", 1, False, 0),
        (ROW + ROW, 2, False, 1),
        (ROW + b" \r" + ROW + ROW, 3, False, 2),
        (ROW[:-9] + ROW, 1, True, 1),
        (ROW + ROW[:-9], 1, True, 0),
        (ROW + ROW[:-9] + ROW, 2, True, 1),
        (b"\0\0\0" + ROW, 1, True, 1),
        (b"\0\0\0", 0, True, 0),
        (b"log: " + ROW, 1, True, 1),
        (b'{"type":"user","message":{"role":"user","content":"hi"},"uu', 0, True, 0),
        (b'{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}', 0, True, 0),
        (b'{"a":-Infinity}', 0, True, 0),
        (b"[" * 100_000, 0, True, 0),
        (b'{"a":' * 100_000, 0, True, 0),
        (b'{"a":"\xff"}', 1, False, 0),
        (b"null", 0, True, 0),
        (b"true", 0, True, 0),
    ],
    ids=lambda value: str(value)[:24],
)
def test_what_a_line_holds(line: bytes, records: int, bad: bool, salvaged: int) -> None:
    parsed = parse_line(line)
    assert (len(parsed.objects), bool(parsed.bad), parsed.salvaged) == (records, bad, salvaged)


def test_bytes_that_are_no_utf_8_are_replaced_and_said() -> None:
    parsed = parse_line(b'{"a":"x\xffy"}')
    assert parsed.objects == [{"a": "x\ufffdy"}]
    assert parsed.lossy


def test_only_so_many_records_are_taken_from_one_line() -> None:
    parsed = parse_line(ROW * (MAX_RECORDS_PER_LINE + 10))
    assert len(parsed.objects) == MAX_RECORDS_PER_LINE
    assert parsed.salvaged == MAX_RECORDS_PER_LINE - 1
    assert parsed.bad


def test_many_opening_braces_are_no_trap() -> None:
    parsed = parse_line(b'{"a' * 20_000)
    assert parsed.bad


@given(st.binary(max_size=400))
def test_nothing_raises(line: bytes) -> None:
    parsed = parse_line(line.replace(b"\n", b""))
    assert all(isinstance(value, dict) for value in parsed.objects)


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=9) | st.none()), st.integers(1, 5))
def test_glued_records_are_all_found(record: dict[str, object], count: int) -> None:
    line = json.dumps(record).encode() * count
    parsed = parse_line(line)
    assert parsed.objects == [record] * count
    assert (parsed.bad, parsed.salvaged) == ("", count - 1)
