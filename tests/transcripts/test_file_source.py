"""Reading forward and backward from any place gives what the reader of whole files gives."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.transcripts.file_source import FileSource
from memtui.transcripts.lines import parse_line
from memtui.transcripts.reader import TranscriptReader
from memtui.transcripts.records import LineTooLong, RecordView
from memtui.util.errors import NotFound
from tests.support import digest_tree

RECORD = b'{"type":"user","uuid":"%d"}'
PIECES = st.one_of(
    st.just(b""),
    st.just(b"\n"),
    st.just(b"\r\n"),
    st.just(b" \t\n"),
    st.just(b"\xef\xbb\xbf"),
    st.just(b'{"type":"user","uui'),
    st.just(b'{"a":1}{"b":2}'),
    st.just(b"\0\0\0\n"),
    st.just(b"[1,2]\n"),
    st.just(b'"text"'),
    st.just(b'{"t":"\xff"}\n'),
    st.integers(0, 99).map(lambda number: RECORD % number),
    st.integers(0, 99).map(lambda number: RECORD % number + b"\n"),
    st.integers(0, 99).map(lambda number: RECORD % number + b"\r\n"),
    st.binary(max_size=8),
)
FILES = st.lists(PIECES, max_size=14).map(b"".join)

Seen = tuple[int, Any, str]


def forward(source: FileSource) -> Iterator[RecordView]:
    passage = source.first()
    while passage is not None:
        yield passage
        passage = source.after(passage.cursor)


def backward(source: FileSource) -> Iterator[RecordView]:
    passage = source.last()
    while passage is not None:
        yield passage
        passage = source.before(passage.cursor)


def by_reader(path: Path) -> tuple[list[Seen], list[Seen]]:
    """Records, and lines that are bad, as the reader of whole files finds them; what has no line end yet included."""
    reader = TranscriptReader(path)
    read: list[RecordView] = []
    reader.poll(read.append)
    records: list[Seen] = [(found.offset, found.data, "") for found in read]
    bad: list[Seen] = [(problem.offset, {}, problem.why) for problem in reader.problems]
    if reader.pending:
        offset = reader.position.offset
        rest = path.read_bytes()[offset:]
        parsed = parse_line(rest.removeprefix(b"\xef\xbb\xbf") if offset == 0 else rest)
        records += [(offset, data, "") for data in parsed.objects]
        bad += [(offset, {}, parsed.bad)] if parsed.bad else []
    return records, bad


@given(FILES)
@example(b"")
@example(b"\n\n\n")
@example(b'\xef\xbb\xbf{"a":1}\r\n\r\n{"b":2}')
def test_both_directions_give_what_the_reader_gives(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("walk") / "s.jsonl"
    path.write_bytes(data)
    records, bad = by_reader(path)
    source = FileSource(path)
    ahead, behind = list(forward(source)), list(backward(source))
    source.close()
    assert ahead == behind[::-1]
    seen = [(passage.offset, passage.data, passage.bad) for passage in ahead]
    assert [item for item in seen if not item[2]] == records
    assert [item for item in seen if item[2]] == bad
    spots = [passage.cursor for passage in ahead]
    assert spots == sorted(set(spots))


@given(FILES, st.integers(0, 200))
def test_any_byte_leads_to_a_passage(tmp_path_factory: pytest.TempPathFactory, data: bytes, offset: int) -> None:
    path = tmp_path_factory.mktemp("at") / "s.jsonl"
    path.write_bytes(data)
    source = FileSource(path)
    every = list(forward(source))
    found = source.at(offset)
    expected = next((p for p in every if p.offset + p.length >= min(offset, len(data))), every[-1] if every else None)
    assert found == expected
    for passage in every:
        assert source.get(passage.cursor) == passage
    source.close()


@given(st.lists(st.integers(0, 40), max_size=8), st.booleans())
def test_lines_that_are_too_long_are_named_in_both_directions(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], ended: bool
) -> None:
    path = tmp_path_factory.mktemp("long") / "s.jsonl"
    lines = [b'{"x":"' + b"A" * size + b'"}' for size in sizes]
    path.write_bytes(b"\n".join(lines) + (b"\n" if ended and lines else b""))
    source = FileSource(path, max_line_bytes=30)
    ahead, behind = list(forward(source)), list(backward(source))
    source.close()
    assert ahead == behind[::-1]
    assert [passage.length for passage in ahead] == [len(line) for line in lines]
    assert [passage.bad != "" for passage in ahead] == [len(line) > 30 for line in lines]
    assert all(passage.head.startswith('{"x":"A') for passage in ahead if passage.bad)


def test_blocks_are_joined_where_lines_are_longer(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    sizes = [10, 70_000, 1, 1_200_000, 65_536, 3]
    path.write_bytes(b"\n".join(b'{"n":%d,"x":"%s"}' % (n, b"A" * size) for n, size in enumerate(sizes)))
    source = FileSource(path)
    assert [passage.data["n"] for passage in forward(source)] == [0, 1, 2, 3, 4, 5]
    assert [passage.data["n"] for passage in backward(source)] == [5, 4, 3, 2, 1, 0]
    middle = source.at(70_100 + 600_000)
    assert middle is not None
    assert middle.data["n"] == 3
    source.max_bytes = 1 << 16
    with pytest.raises(LineTooLong):
        source.at(70_100 + 600_000)
    source.close()


def test_a_file_that_grows_is_cut_is_replaced_or_goes_says_so(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"n":1}\n{"n":2')
    source = FileSource(path)
    last = source.last()
    assert last is not None
    assert (last.bad, last.pending) == ("cut off", True)
    with path.open("ab") as file:
        file.write(b"0}\n")
    assert [source.state(), source.state()] == ["grew", "same"]
    last = source.last()
    assert last is not None
    assert (last.data, last.pending) == ({"n": 20}, False)
    os.truncate(path, 8)
    assert source.state() == "cut"
    assert source.after(last.cursor) is None
    assert [passage.data for passage in backward(source)] == [{"n": 1}]
    other = tmp_path / "other"
    other.write_bytes(b'{"n":7}\n')
    other.replace(path)
    assert source.state() == "replaced"
    assert [passage.data for passage in forward(source)] == [{"n": 1}], "what was opened stays readable"
    path.unlink()
    assert source.state() == "gone"
    source.close()
    source.close()
    with pytest.raises(NotFound):
        FileSource(path)


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"n":1}\n{"n":2}\n')
    before = digest_tree(tmp_path)
    source = FileSource(path)
    twin = source.copy()
    source.close()
    assert len(list(forward(twin))) == len(list(backward(twin))) == 2
    twin.close()
    assert digest_tree(tmp_path) == before


def test_the_corpus_is_walked_as_it_is_read(shared: Path) -> None:
    for path in sorted((shared / "corpus" / "sessions").rglob("*.jsonl"))[:60]:
        records, bad = by_reader(path)
        source = FileSource(path)
        ahead, behind = list(forward(source)), list(backward(source))
        source.close()
        assert ahead == behind[::-1], path
        assert [(p.offset, p.data) for p in ahead if not p.bad] == [item[:2] for item in records], path
        assert sum(p.bad != "" for p in ahead) == len(bad), path
