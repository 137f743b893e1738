"""The fast envelope against the careful one: the same fields wherever the fast one answers."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from memtui.transcripts.entries import Entry, entry_of
from memtui.transcripts.fast_decode import decode_entries
from memtui.transcripts.lines import parse_line
from memtui.transcripts.reader import TranscriptReader
from memtui.transcripts.records import Cursor, RecordView
from memtui.transcripts.transcript import read_transcript
from tests.resume.recordings import load, session_bytes
from tests.support import REPO
from tests.transcripts.test_summary import ODD

KEYS = (
    "type",
    "subtype",
    "uuid",
    "parentUuid",
    "timestamp",
    "isSidechain",
    "isMeta",
    "message",
    "toolUseResult",
    "attachment",
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["user", "assistant", "text", "tool_use", "x", " ", "<tick>"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "id", "tool_use_id", "text", "content", "model", "agentId"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


def quick_entry(line: bytes) -> Entry | None:
    found = decode_entries(line + b"\n")
    return found[0] if found and len(found) == 1 else None


def careful(line: bytes) -> Entry | None:
    """What the careful way makes of a line that is exactly one record."""
    parsed = parse_line(line)
    if len(parsed.objects) != 1 or parsed.bad or parsed.salvaged:
        return None
    return entry_of(RecordView(Cursor(0), 0, len(line), parsed.objects[0]), -1)


def agree(line: bytes) -> bool:
    """Compare both; True if the fast one answered."""
    fast = quick_entry(line)
    if fast is None:
        return False
    slow = careful(line)
    assert slow is not None, line[:200]
    assert asdict(fast) == asdict(slow), line[:200]
    return True


def test_recorded_sessions() -> None:
    answered = total = 0
    for name in ("vectors", "resume"):
        for case in load(REPO / "tests" / "data" / "oracle" / f"{name}.jsonl"):
            for line in session_bytes(case).split(b"\n"):
                total += bool(line)
                answered += agree(line)
    assert answered > total * 0.9


def test_the_corpus(shared: Path) -> None:
    for file in sorted((shared / "corpus" / "sessions").rglob("*.jsonl")):
        for line in file.read_bytes().split(b"\n"):
            agree(line)


@pytest.mark.parametrize("line", ODD, ids=range(len(ODD)))
def test_odd_lines(line: bytes) -> None:
    agree(line)


def test_a_number_that_is_too_long_is_left_to_the_careful_way() -> None:
    for before in (b"", b"x" * 397, b"x" * 70_000):
        line = b'{"type":"user","a":"' + before + b'","n":' + b"9" * 4301 + b"}"
        assert quick_entry(line) is None
        assert parse_line(line).bad
    assert quick_entry(b'{"type":"user","uuid":"u","n":' + b"9" * 4300 + b"}") is not None


@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8))
def test_any_record(record: dict[str, Any]) -> None:
    agree(json.dumps(record).encode())


@given(st.sampled_from(["user", "assistant"]), VALUES)
def test_any_message(kind: str, content: Any) -> None:
    agree(json.dumps({"type": kind, "uuid": "u", "message": {"id": "m", "content": content}}).encode())


PARTS = st.sampled_from([*ODD, b'{"type":"user"}', b'{"a":1}\r', b'{"a":1} ', b'{"a":', b"{}", b"}", b"{"])


@given(st.lists(PARTS, max_size=6))
def test_lines_that_are_taken_at_once_are_one_record_each(lines: list[bytes]) -> None:
    found = decode_entries(b"".join(line + b"\n" for line in lines), None, 0, 1, 0)
    if found is None:
        return
    assert len(found) == len(lines)
    offset = 0
    for number, (entry, line) in enumerate(zip(found, lines, strict=True)):
        slow = careful(line)
        assert slow is not None
        place = {"index": number, "line": number + 1, "offset": offset}
        assert asdict(entry) == asdict(slow) | place
        offset += len(line) + 1


@given(lines=st.lists(PARTS, max_size=8), ends=st.booleans())
def test_a_transcript_is_the_same_without_haste(
    lines: list[bytes], ends: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("t") / "s.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n" * ends)
    transcript = read_transcript(path)
    reader = TranscriptReader(path)
    records: list[RecordView] = []
    reader.poll(records.append)
    slow = [entry_of(found, index) for index, found in enumerate(records)]
    assert [asdict(entry) for entry in transcript.entries] == [asdict(entry) for entry in slow]
    counts = ("records", "bad", "salvaged", "lossy", "pending", "problems")
    assert [getattr(transcript.reader, name) for name in counts] == [getattr(reader, name) for name in counts]
