"""A way is read like a file: forward, backward, from any byte."""

from pathlib import Path

import pytest

from memtui.resume.resume import plan_resume
from memtui.transcripts.path_source import PathSource
from memtui.transcripts.records import Cursor, LineTooLong
from memtui.transcripts.transcript import read_transcript
from memtui.util.errors import NotFound
from tests.transcripts.rows import Script


def test_the_rows_of_a_chain_in_its_order(tmp_path: Path) -> None:
    told = Script().user("u1", None).answer("a1", "u1").user("lost", "a1").user("u2", "a1").answer("a2", "u2")
    told.lines[2] = told.lines[2] + told.lines[0]
    path = told.write(tmp_path)
    transcript = read_transcript(path)
    way = plan_resume(transcript).path
    source = PathSource(path, way)
    found, passage = [], source.first()
    while passage is not None:
        assert source.get(passage.cursor) == passage
        assert source.at(passage.offset) == passage
        found.append(passage)
        passage = source.after(passage.cursor)
    assert [item.data["uuid"] for item in found] == [entry.uuid for entry in way] == ["u1", "a1", "u2", "a2"]
    assert [(item.offset, item.line) for item in found] == [(entry.offset, entry.line) for entry in way]
    back, passage = [], source.last()
    while passage is not None:
        back.append(passage)
        passage = source.before(passage.cursor)
    assert back[::-1] == found
    lost = next(entry for entry in transcript.entries if entry.uuid == "lost")
    beside = source.at(lost.offset)
    assert beside is not None
    assert beside.data["uuid"] == "u2"
    assert [source.fraction_before(Cursor(0)), source.fraction_before(Cursor(3))] == [0, 1]
    assert source.at_fraction(0.4) == found[1]
    source.max_bytes = 10
    with pytest.raises(LineTooLong):
        source.first()
    source.max_bytes = None
    source.close()
    source.close()


def test_a_glued_record_is_picked_from_its_line(tmp_path: Path) -> None:
    told = Script().user("u1", None).user("u2", None)
    told.lines[0] += told.lines.pop()
    path = told.write(tmp_path)
    source = PathSource(path, read_transcript(path).entries)
    assert [source.get(Cursor(n)).data["uuid"] for n in range(2)] == ["u1", "u2"]  # type: ignore[union-attr]
    source.close()


def test_a_file_that_changed_says_so(tmp_path: Path) -> None:
    path = Script().user("u1", None).write(tmp_path)
    way = read_transcript(path).entries
    path.write_bytes(path.read_bytes().replace(b'"u1"', b'"u9"'))
    source = PathSource(path, way)
    passage = source.first()
    assert passage is not None
    assert "the file changed" in passage.bad
    source.close()
    empty = PathSource(path, ())
    assert empty.first() is empty.last() is empty.at(0) is None
    empty.close()
    path.unlink()
    with pytest.raises(NotFound):
        PathSource(path, way)
