"""What a record says, in plain parts."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcripts.content import (
    MAX_PARTS,
    MAX_PIECE_CHARS,
    ContentPart,
    block_content,
    main_argument,
    message_content,
)
from memtui.transcripts.records import Cursor, RecordView, record_views

KEYS = st.sampled_from(
    ["type", "text", "content", "message", "input", "name", "source", "data", "attachment", "compactMetadata", "prompt",
     "subtype", "thinking", "isMeta", "timestamp", "uuid", "trigger", "is_error", "level", "title", "media_type", "x"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
TYPES = st.sampled_from(
    ["user", "assistant", "system", "attachment", "progress", "summary", "text", "tool_use", "tool_result", "image",
     "thinking", "compact_boundary", "local_command", "queued_command", "what"]
)  # fmt: skip


def said(data: dict[str, Any]) -> list[tuple[str, str]]:
    found = message_content(RecordView(Cursor(0), 0, 0, data))
    return [(part.kind, part.line or part.body) for part in found.parts]


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


def system(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": kind, **more}


def attached(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "attachment", "attachment": {"type": kind, **more}}


@given(st.dictionaries(KEYS, JSON, max_size=8), TYPES)
def test_nothing_raises_and_something_is_said(data: dict[str, Any], kind: str) -> None:
    data["type"] = kind
    found = message_content(RecordView(Cursor(0), 0, 0, data))
    assert found.parts
    assert all("\n" not in part.line for part in found.parts)
    assert block_content(data).kind


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (user("hi"), [("text", "hi")]),
        (user([{"type": "text", "text": "hi"}, {"type": "image"}]), [("text", "hi"), ("media", "[image]")]),
        (user("<bash-stdout>a\nb</bash-stdout>"), [("machine", "<bash-stdout>a")]),
        (user("what was", isCompactSummary=True), [("summary", "summary")]),
        (user([]), [("note", "an empty message")]),
        (user([{"type": "tool_result", "content": "a\nb"}]), [("result", "a")]),
        (user([{"type": "tool_result", "content": []}]), [("result", "(no output)")]),
        (system("compact_boundary", compactMetadata={"preTokens": 155_000, "trigger": "manual"}),
         [("boundary", "compacted, 155,000 tokens, by hand")]),
        (system("microcompact_boundary", microcompactMetadata={"preTokens": 60_888, "tokensSaved": 21_091}),
         [("boundary", "context microcompacted, 60,888 tokens, 21,091 saved")]),
        (system("turn_duration"), [("note", "turn duration")]),
        (system("turn_duration", durationMs=155_295), [("note", "the turn took 2m35s")]),
        (system("turn_duration", durationMs=1e300), [("note", "turn duration")]),
        (system("stop_hook_summary", hookCount=1, hookErrors=[]), [("note", "1 stop hook ran")]),
        (system("stop_hook_summary", hookCount=2, hookErrors=["lint: 3"], preventedContinuation=True, stopReason="no"),
         [("note", '2 stop hooks ran, failed: ["lint: 3"], ended the turn: no')]),
        (system("api_error", retryAttempt=2, maxRetries=10, retryInMs=9130.9),
         [("note", "api error: try 2 of 10, the next in 9s")]),
        (system("api_error", content="529 overloaded"), [("note", "api error: 529 overloaded")]),
        (system("api_error", retryAttempt=True, maxRetries="x"), [("note", "api error")]),
        (attached("queued_command", prompt="also this"), [("text", "also this")]),
        (attached("hook_success", hookName="Stop"), [("note", "hook success: Stop")]),
        ({"type": "progress", "data": {"type": "bash_progress", "output": "x\ny"}}, [("note", "bash progress: x y")]),
        ({"type": "ai-title", "aiTitle": "T"}, [("note", "ai-title: T")]),
        ({}, [("note", "a record without a type")]),
    ],
)  # fmt: skip
def test_records(data: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert said(data) == expected


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"command": "ls\n-l", "description": "List"}, "ls -l"),
        ({"pattern": "a.*b", "path": "src"}, "a.*b in src"),
        ({"file_path": "/x", "content": "y"}, "/x"),
        ({"todos": [{"content": "a"}]}, '[{"content": "a"}]'),
        ({"count": 3, "where": "here"}, "here"),
        ({"count": 3}, '{"count": 3}'),
        ({}, ""),
        ("raw", "raw"),
        (None, ""),
    ],
)
def test_the_argument_that_tells(given: object, line: str) -> None:
    assert main_argument(given) == line


def test_who_speaks() -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        (user("hi"), "you"),
        (user("hi", isSidechain=True), "task"),
        (user("hi", isMeta=True), "machine"),
        ({"type": "assistant"}, "assistant"),
        ({"type": "system"}, "session"),
    ]
    for data, role in rows:
        assert message_content(RecordView(Cursor(0), 0, 0, data)).role == role


def test_a_bad_line_says_why_and_how_it_begins() -> None:
    (passage,) = record_views(b'{"type":"user","te', Cursor(9), 9, pending=True)
    (part,) = message_content(passage).parts
    assert (part.kind, part.line) == ("bad", "no record: cut off (its writer may not be done)")
    assert part.body == '{"type":"user","te'
    first, second = record_views(b'{"a":1}{"b":2}', Cursor(9), 9)
    assert "does not read it" in message_content(second).parts[-1].line
    assert (first.cursor, second.cursor) == (Cursor(9), Cursor(9, 1))


def test_many_parts_are_counted() -> None:
    parts = message_content(RecordView(Cursor(0), 0, 0, user([{"type": "text", "text": "x"}] * (MAX_PARTS + 7)))).parts
    assert len(parts) == MAX_PARTS + 1
    assert parts[-1].line == "7 more parts in this record"


def test_the_first_lines_and_how_many_are_left() -> None:
    part = ContentPart("result", body="".join(f"{n}\n" for n in range(10)))
    assert part.first_lines(3) == (["0", "1", "2"], 7)
    assert part.first_lines(10) == (part.lines(), 0)
    assert part.first_lines(0) == ([], 10)
    assert ContentPart("result", body="x" * MAX_PIECE_CHARS * 5).first_lines(2) == (["x" * MAX_PIECE_CHARS] * 2, 3)
    assert ContentPart("result").first_lines(2) == ([], 0)


@given(st.text(st.sampled_from("ab \n\r\u2028"), max_size=60), st.integers(0, 3))
def test_lines_lose_nothing(text: str, times: int) -> None:
    text += "word " * 1_000 * times
    lines = ContentPart("result", body=text).lines()
    assert "".join(lines) == "".join(line.removesuffix("\r") for line in text.split("\n"))
    assert all(len(line) <= MAX_PIECE_CHARS for line in lines)


def test_the_corpus_says_something(shared: Path) -> None:
    for path in sorted((shared / "corpus" / "sessions").rglob("*.jsonl"))[:40]:
        for line in path.read_bytes().splitlines():
            for passage in record_views(line, Cursor(0), 1):
                assert message_content(passage).parts, json.dumps(passage.data)[:200]


def test_an_edit_is_a_difference_and_a_result_has_no_codes_for_a_terminal() -> None:
    edit = {"file_path": "/p/a", "edits": [{"old_string": "a\nb", "new_string": "a\nc"}, "no edit", {}]}
    part = block_content({"type": "tool_use", "id": "t", "name": "MultiEdit", "input": edit})
    assert (part.diff, part.body) == (True, "@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
    written = block_content({"type": "tool_use", "name": "Write", "input": {"file_path": "/p/a", "content": "x"}})
    assert written.body.endswith("\n+x\n")
    strange = block_content({"type": "tool_use", "name": "Edit", "input": {"file_path": 3}})
    assert (strange.diff, strange.body) == (False, "file_path: 3")
    said = "\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x1b\\ \x1b(Bend"
    assert block_content({"type": "tool_result", "tool_use_id": "t", "content": said}).body == "red link end"
