"""The fast scan against the careful one, and against sets whose true answers are known."""

import json
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from memtui.client.session_files import MAX_TITLE_CHARS
from memtui.transcripts.entries import is_prompt
from memtui.transcripts.lines import parse_line
from memtui.transcripts.summary import SessionSummary, SummaryScanner, decode_fast, title_from_records
from tests.resume.recordings import load, session_bytes
from tests.support import REPO
from tests.transcripts.rows import Script

ODD = [
    b'{"a":1e999}', b'{"a":NaN}', b'{"a":"\xff"}', b'{"a":"\\ud800"}', b'{"a":1,"a":2}', b"42", b"", b'{"a":1}{"b":2}',
    b'{"n":' + b"9" * 5000 + b"}", b'{"a":-Infinity}', b'{"a":01}', b'{"a":"\x01"}',
    b'{"a":' * 2000 + b"1" + b"}" * 2000, b'\xef\xbb\xbf{"a":1}',
]  # fmt: skip


def both(path: Path) -> SessionSummary:
    quick = SummaryScanner().file(path)
    assert quick == SummaryScanner(fast=False).file(path)
    return quick


def generated(shared: Path, folder: Path, seed: int) -> dict[str, Any]:
    argv = sys.argv
    sys.argv = ["gen", str(folder), "--size", "3M", "--sessions", "40", "--projects", "4", "--seed", str(seed)]
    try:
        runpy.run_path(str(shared / "bench" / "gen_sessions.py"), run_name="__main__")
    finally:
        sys.argv = argv
    value: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return value


@pytest.mark.parametrize("seed", [3, 4])
def test_generated_sessions(shared: Path, tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "set"
    for truth in generated(shared, folder, seed)["sessions"]:
        path = folder / "projects" / truth["project"] / f"{truth['session_id']}.jsonl"
        facts = both(path)
        if truth["truncated"]:
            continue
        for name in ("first_prompt", "first_time", "last_time"):
            assert (getattr(facts, name) or None) == truth[name], name
        lines = path.read_bytes().splitlines()
        typed = sum(b"<command-name>" in line for line in lines)  # says the client, and so is what was queued
        typed += sum(is_prompt(json.loads(line)) for line in lines if b'"queued_command"' in line)
        for name, more in (("messages", 0), ("prompts", typed), ("rewinds", 0), ("compactions", 0)):
            assert getattr(facts, name) == truth[name] + more, name
        assert facts.side == truth["sidechain_entries"]
        if truth["title"]:
            assert facts.title == " ".join(truth["title"].split())


def test_both_ways_agree_on_the_corpus(shared: Path) -> None:
    for file in sorted((shared / "corpus" / "sessions").rglob("*.jsonl")):
        both(file)


def test_both_ways_agree_on_recorded_sessions(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for case in load(REPO / "tests" / "data" / "oracle" / "resume.jsonl"):
        path.write_bytes(session_bytes(case))
        both(path)


@pytest.mark.parametrize("line", ODD, ids=range(len(ODD)))
def test_the_fast_decoder_never_says_more_than_the_careful_one(line: bytes) -> None:
    fast, careful = decode_fast(line), parse_line(line)
    assert fast is None or [fast] == careful.objects
    assert fast is None or not careful.bad


@given(st.binary(max_size=60))
def test_any_line(line: bytes) -> None:
    fast, careful = decode_fast(line), parse_line(line)
    assert fast is None or ([fast] == careful.objects and not careful.bad and not careful.salvaged)


PARENTS = st.sampled_from([None, "p", "0b6a7c1e-5d1f-4c55-9a3e-6f6f0e0a7b11", "7d1c2b3a-0000-4000-8000-000000000001"])
PLACE = {"userType": "external", "cwd": "/home/ana/proj", "sessionId": "s", "gitBranch": "main"}


def bodies() -> list[tuple[str, dict[str, Any]]]:
    """What follows the parent in rows of all types; results long enough for the look at their end."""
    answer = {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "yes"}]}
    result = {"role": "user", "content": [{"tool_use_id": "t", "type": "tool_result", "content": "x" * 3000}]}
    other = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}
    return [
        ("assistant", {"message": answer}),
        ("assistant", {"message": {"model": "c", **answer}}),
        ("user", {"message": result}),
        ("user", {"message": other, "toolUseResult": {"type": "user", "stdout": "y" * 900}}),
        ("user", {"message": {"role": "user", "content": "do it"}}),
        ("user", {"message": {"role": "user", "content": [{"type": "text", "text": "look"}]}}),
        ("attachment", {"attachment": {"type": "file"}}),
        ("progress", {"data": {"type": "hook_progress"}}),
        ("progress", {"data": {"message": {"parentUuid": None, "type": "user"}}}),
        ("system", {"subtype": "turn_duration", "durationMs": 1}),
        ("system", {"subtype": "compact_boundary"}),
        ("made-up", {"body": answer}),
    ]


@st.composite
def a_row(draw: st.DrawFn, named: bool = True) -> bytes:
    """A row as one of the releases would order its fields; `named`: its end may name the parent again."""
    kind, body = draw(st.sampled_from(bodies()))
    parent, side = draw(PARENTS), draw(st.integers(0, 9)) == 0
    head = {"parentUuid": parent, "isSidechain": side}
    end = {"uuid": draw(st.uuids()).hex, "timestamp": f"2026-11-01T09:00:{draw(st.integers(10, 59))}.000Z"}
    source = {"sourceToolAssistantUUID": parent} if named and draw(st.booleans()) else {}
    layout = draw(st.integers(0, 2))
    if layout == 0:
        record = {**head, **PLACE, "type": kind, **body, **end, **source}
    elif layout == 1:
        record = {**head, **PLACE, **body, "requestId": "r", "type": kind, **end, **source}
    else:
        record = {**head, "type": kind, **body, **end, **source, **PLACE}
    return json.dumps(record, separators=(",", ":")).encode()


NOTE = st.sampled_from([
    b'{"type":"mode","mode":"normal","sessionId":"s"}',
    b'{"type":"custom-title","customTitle":"T","sessionId":"s"}',
    b'{"type":"last-prompt","lastPrompt":"do it","sessionId":"s"}',
    b'{"type":"file-history-snapshot","snapshot":{"trackedFileBackups":{}}}',
    b"", b"{}", b"not JSON",
])  # fmt: skip


@st.composite
def a_line(draw: st.DrawFn) -> bytes:
    """A line: mostly one record, at times cut off, with a row glued to it, or both."""
    line = draw(a_row() | NOTE)
    fate = draw(st.integers(0, 9))
    if fate < 2:
        line = line[: draw(st.integers(0, len(line)))].rstrip(b"}")  # a cut at a brace is not seen, if nothing follows
    return line + draw(a_row(named=False)) if fate in (1, 2) else line


@settings(max_examples=300)
@given(st.lists(a_line(), max_size=25))
def test_counted_lines_are_what_they_would_be_if_decoded(lines: list[bytes]) -> None:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(b"".join(line + b"\n" for line in lines))
        file.flush()
        both(Path(file.name))


def test_a_line_is_not_counted_for_what_stands_on_the_next(tmp_path: Path) -> None:
    rows = Script().user("u0", None).answer("a1", "p" * 36).answer("a2", "p" * 36)
    rows.lines = [line.replace(", ", ",").replace(": ", ":") for line in rows.lines]
    late = rows.lines[-1].replace("p" * 36, "p" * 15)
    rows.lines += ['{"type":"made-up-x"}', late]  # where the next row's head would be if this were a row
    assert both(rows.write(tmp_path)).messages == 4


def test_a_scan_goes_on_where_it_stopped(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0")
    path = script.write(tmp_path)
    scanner = SummaryScanner()
    first = replace(scanner.file(path))
    script.user("u2", "a1").answer("a3", "u2").user("u4", "a1").note(type="custom-title", customTitle="T")
    script.write(tmp_path, tail='{"type":"us')
    assert scanner.file(path) == SummaryScanner().file(path)
    assert (first.messages, scanner.summary.messages, scanner.summary.rewinds, scanner.summary.title) == (2, 5, 1, "T")


def test_a_kept_state_goes_on_in_another_scanner(tmp_path: Path) -> None:
    script = Script().user("u0", None, "first \ud83d 질문").answer("a1", "u0").note(type="ai-title", aiTitle=" A  B ")
    path = script.write(tmp_path)
    scanner = SummaryScanner()
    scanner.file(path)
    later = SummaryScanner.resumed(scanner.state())
    assert later.state() == scanner.state()
    script.user("u2", "a1").user("u3", "a1")
    assert later.file(script.write(tmp_path)) == SummaryScanner().file(path)
    assert (later.summary.rewinds, later.summary.title) == (1, "A B")


def test_long_lines_torn_lines_and_lines_without_end(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    row = json.dumps({"type": "user", "uuid": "u", "message": {"role": "user", "content": "y" * (5 << 20)}})
    path.write_bytes(
        row.encode() + b'\n{"type":"user","uu\n' + b"A" * (33 << 20) + b"\n" + row.encode() + b"\n" + row.encode()
    )
    facts = both(path)
    assert (facts.messages, facts.bad, facts.lines) == (2, 2, 4)
    assert facts.offset == path.stat().st_size - len(row)


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.touch()
    assert both(path) == SessionSummary()


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


COMMAND = user("<command-name>/clear</command-name>\n<command-message>clear</command-message>")
GIVEN = {"type": "custom-title", "customTitle": "Given"}
MADE = {"type": "ai-title", "aiTitle": "Made"}
LAST = {"type": "last-prompt", "lastPrompt": "Last"}
SUMMARY = {"type": "summary", "summary": "Summary"}


@pytest.mark.parametrize(
    ("records", "title"),
    [
        ([user("hello\n  there")], "hello there"),
        ([COMMAND, user("hello")], "hello"),
        ([COMMAND], "/clear"),
        (
            [user("meta", isMeta=True), user("side", isSidechain=True), user("sum", isCompactSummary=True), user("x")],
            "x",
        ),
        ([user([{"type": "tool_result", "tool_use_id": "t", "content": "no"}]), user("x")], "x"),
        ([user("<ide_opened_file>a</ide_opened_file>"), user([{"type": "text", "text": "x"}])], "x"),
        ([user("first"), SUMMARY], "Summary"),
        ([user("first"), SUMMARY, LAST], "Last"),
        ([LAST, MADE, SUMMARY], "Made"),
        ([GIVEN, MADE, LAST], "Given"),
        ([MADE, {**MADE, "aiTitle": "Newer"}, {**MADE, "aiTitle": " "}], "Newer"),
        ([{"type": "custom-title", "customTitle": 5}, user(None)], ""),
        ([], ""),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_order_of_titles(records: list[dict[str, Any]], title: str) -> None:
    assert title_from_records(records) == title


def test_a_long_title_is_cut() -> None:
    title = title_from_records([user("x" * 500)])
    assert len(title) == MAX_TITLE_CHARS + 1
    assert title.endswith("…")
