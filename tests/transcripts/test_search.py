"""Searching gives what looking at every record would give, in both directions, over files and over ways."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcripts import file_source
from memtui.transcripts.content import message_content
from memtui.transcripts.entries import is_prompt
from memtui.transcripts.file_source import FileSource
from memtui.transcripts.path_source import PathSource
from memtui.transcripts.records import Cursor, LineTooLong, RecordSource, RecordView
from memtui.transcripts.search import SearchHit, TextPattern, find_prompt, find_text, find_uuid
from memtui.transcripts.transcript import read_transcript
from tests.transcripts.rows import Script


def every(source: RecordSource) -> list[RecordView]:
    found, passage = [], source.first()
    while passage is not None:
        found.append(passage)
        passage = source.after(passage.cursor)
    return found


def spots(source: RecordSource, words: str, step: int) -> list[Cursor]:
    """Where a text is found, one after another."""
    found: list[Cursor] = []
    hit = last(find_text(source, TextPattern(words), None, step))
    while hit is not None:
        found.append(hit.record.cursor)
        hit = last(find_text(source, TextPattern(words), hit.record.cursor, step))
    return found


def last(steps: Iterator[SearchHit | float]) -> SearchHit | None:
    """What a search ends with; the shares before it only grow."""
    shares = [0.0]
    for step in steps:
        if isinstance(step, SearchHit):
            return step
        assert shares[-1] <= step <= 1
        shares.append(step)
    return None


TEXTS = st.text(st.sampled_from('abcABC éÉß한글"\\/<&\t\u2028😀'), min_size=1, max_size=6)


@given(st.lists(TEXTS, max_size=8), TEXTS, st.booleans(), st.integers(40, 400))
def test_it_finds_what_looking_at_every_record_finds(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], words: str, escaped: bool, block: int
) -> None:
    path = tmp_path_factory.mktemp("find") / "s.jsonl"
    rows = [{"type": "user", "uuid": str(n), "message": {"content": text}} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row, ensure_ascii=escaped) + "\n" for row in rows), encoding="utf-8")
    source = FileSource(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_source, "SEARCH_STEP_BYTES", block)
        expected = [
            passage.cursor
            for passage in every(source)
            if any(words.lower() in line.lower() for part in message_content(passage).parts for line in part.lines())
        ]
        assert spots(source, words, 1) == expected
        assert spots(source, words, -1) == expected[::-1]
        way = PathSource(path, read_transcript(path).entries)
        assert len(spots(way, words, 1)) == len(spots(way, words, -1)) == len(expected)
        way.close()
    source.close()


def test_hits_within_a_record_come_one_by_one(tmp_path: Path) -> None:
    told = Script().user("u0", None, "x").user("u1", None, "one needle\nnothing\ntwo Needle\nthree needle")
    source = FileSource(told.write(tmp_path))
    needle, found = TextPattern("NEEDLE"), []
    hit = last(find_text(source, needle, None, 1))
    while hit is not None:
        found.append((hit.part, hit.line))
        hit = last(find_text(source, needle, hit.record.cursor, 1, behind=found[-1]))
    assert found == [(0, 0), (0, 2), (0, 3)]
    hit = last(find_text(source, needle, Cursor(source.last().cursor.at), -1, behind=(0, 3)))  # type: ignore[union-attr]
    assert hit is not None
    assert (hit.part, hit.line) == (0, 2)
    source.close()


def test_only_what_is_shown_counts(tmp_path: Path) -> None:
    told = Script().user("u1", None, "hello").call("c1", "u1", "t1", "Bash", command="ls needle")
    source = FileSource(told.result("r1", "c1", "t1", "out").write(tmp_path))
    assert spots(source, "/home/ana", 1) == [], "the folder stands in every record and is not shown"
    hit = last(find_text(source, TextPattern("needle"), None, 1))
    assert hit is not None
    assert hit.record.data["uuid"] == "c1"
    assert last(find_text(source, TextPattern("bash"), None, 1)) is not None
    source.close()


@pytest.mark.parametrize("step", [1, -1])
def test_prompts(tmp_path: Path, step: int) -> None:
    told = Script()
    for number in range(40):
        told.user(f"u{number}", None, "tool_result" if number % 2 else "<system-reminder>x</system-reminder>")
        told.call(f"c{number}", f"u{number}", f"t{number}").result(f"r{number}", f"c{number}", f"t{number}", '"user"')
    path = told.write(tmp_path, '{"type":"user","uuid":"half","mess')
    way = read_transcript(path).entries
    for source in (FileSource(path), PathSource(path, way)):
        found = []
        hit = last(find_prompt(source, None, step))
        while hit is not None:
            found.append(hit.record.data["uuid"])
            hit = last(find_prompt(source, hit.record.cursor, step))
        expected = [passage.data["uuid"] for passage in every(source) if is_prompt(passage.data)]
        assert len(expected) == 20
        assert found == expected[::step]
        source.close()


def test_records_of_one_line_are_found_apart(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    one = '{"type":"user","uuid":"%s","message":{"content":"needle"}}'
    path.write_text("\n" + one % "a" + one % "b" + '{"cut\n' + one % "c", encoding="utf-8")
    source = FileSource(path)
    assert [(spot.at, spot.part) for spot in spots(source, "needle", 1)] == [(1, 0), (1, 1), (1, 2), (121, 0)]
    assert spots(source, "needle", -1) == spots(source, "needle", 1)[::-1]
    hit = last(find_uuid(source, "b"))
    assert hit is not None
    assert hit.record.cursor == Cursor(1, 1)
    assert last(find_uuid(source, "d")) is None
    source.close()


def test_long_lines_are_asked_for_and_those_too_long_searched_by_their_beginning(tmp_path: Path) -> None:
    told = Script().user("u0", None, "first").user("u1", None, "A" * 2_000_000 + " needle").user("u2", None, "last")
    path = told.write(tmp_path)
    for step in (1, -1):
        source = FileSource(path)
        source.max_bytes = 1 << 16
        with pytest.raises(LineTooLong):
            list(find_text(source, TextPattern("needle"), None, step))
        source.max_bytes = None
        hit = last(find_text(source, TextPattern("needle"), None, step))
        assert hit is not None
        assert hit.record.data["uuid"] == "u1"
        source.close()
        small = FileSource(path, max_line_bytes=1 << 20)
        assert last(find_text(small, TextPattern("needle"), None, step)) is None
        hit = last(find_text(small, TextPattern("AAAA"), None, step))
        assert hit is not None
        assert hit.record.bad
        assert [passage.data.get("uuid") for passage in every(small)] == ["u0", None, "u2"]
        small.close()
