"""Titles as the official list gives them: head and tail of a file, in that order of fields."""

import json
import os
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.client.session_files import PART_BYTES, recent_sessions, session_files, session_title
from tests.support import digest_tree

PAD = {"type": "assistant", "message": {"content": [{"type": "text", "text": "x" * 1000}]}}
MUCH = [PAD] * 90
"""Longer than a head."""


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "isSidechain": False, "message": {"role": "user", "content": content}, **more}


def write(folder: Path, *records: dict[str, Any] | bytes, number: int = 1, at: float = 100, name: str = "") -> Path:
    path = folder / (name or f"{uuid.UUID(int=number)}.jsonl")
    lines = [
        record if isinstance(record, bytes) else json.dumps(record, separators=(",", ":")).encode()
        for record in records
    ]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    os.utime(path, (at, at))
    return path


def title(folder: Path, *records: dict[str, Any] | bytes) -> str:
    write(folder, *records)
    (file,) = session_files(folder)
    return session_title(file)


CUSTOM = {"type": "custom-title", "customTitle": "Mine"}
MADE = {"type": "ai-title", "aiTitle": "Made"}
PROMPT = {"type": "last-prompt", "lastPrompt": "last"}
SUMMARY = {"type": "summary", "summary": "sum", "leafUuid": "x"}
FIRST = user("first")


@pytest.mark.parametrize(
    ("records", "wanted"),
    [
        ([FIRST, CUSTOM, MADE, PROMPT, SUMMARY], "Mine"),
        ([FIRST, SUMMARY, PROMPT, MADE], "Made"),
        ([FIRST, SUMMARY, PROMPT], "last"),
        ([FIRST, SUMMARY], "sum"),
        ([FIRST], "first"),
        ([FIRST, CUSTOM, {**CUSTOM, "customTitle": "Newer"}], "Newer"),
        ([FIRST, CUSTOM, {**CUSTOM, "customTitle": ""}, {**CUSTOM, "customTitle": 5}], "first"),  # taken back
        ([CUSTOM, *MUCH, {**CUSTOM, "customTitle": "In the tail"}], "In the tail"),
        ([CUSTOM, *MUCH, MADE], "Mine"),
        ([FIRST, MADE, *MUCH], "Made"),
        ([FIRST, PROMPT, SUMMARY, *MUCH], "first"),  # these two count in the tail only
        ([FIRST, *MUCH, CUSTOM, *MUCH, PROMPT], "last"),  # lost to head and tail, as in the client of the recordings
        (
            [
                user("ask"),
                {
                    "type": "assistant",
                    "message": {"content": [{"type": "text", "text": '{"type":"custom-title","customTitle":"no"}'}]},
                },
            ],
            "ask",
        ),
        ([user("<command-name>/review</command-name><command-args>PR 12</command-args>")], "/review PR 12"),
        ([user("<bash-input>make test</bash-input>"), user("<bash-stdout>ok</bash-stdout>")], "! make test"),
        ([user('see <pasted_content id="a">log</pasted_content id="a">')], "see log"),
        ([user('<channel source="x">hi</channel>'), user("<system-reminder>r</system-reminder> real")], "real"),
        ([SUMMARY, user("a"), {"type": "user", "customTitle": "no", "message": {"content": "b"}}], "sum"),
    ],
)
def test_the_order_of_titles(records: list[dict[str, Any]], wanted: str, tmp_path: Path) -> None:
    assert title(tmp_path, *records) == wanted


@pytest.mark.parametrize(
    ("records", "wanted"),
    [
        ([user("two\nlines\there")], "two lines here"),
        ([user([{"type": "text", "text": "in a block"}])], "in a block"),
        ([user([{"type": "image"}, {"type": "text", "text": "after a picture"}])], "after a picture"),
        ([user("machine", isMeta=True), user("typed")], "typed"),
        ([user("summary of before", isCompactSummary=True), user("typed")], "typed"),
        ([user([{"type": "tool_result", "content": "x"}, {"type": "text", "text": "y"}]), user("typed")], "typed"),
        ([user("<local-command-stdout>x</local-command-stdout>"), user("typed")], "typed"),
        ([user("<local-command-caveat>x</local-command-caveat>"), user("typed")], "typed"),
        ([user("[Request interrupted by user for tool use]"), user("typed")], "typed"),
        ([user("<ide_opened_file>x</ide_opened_file>"), user("typed")], "typed"),
        ([user("<task-notification>x</task-notification>"), user("typed")], "typed"),
        (
            [user("<command-name>/init</command-name>\n<command-message>init</command-message>"), user("typed")],
            "typed",
        ),
        ([user("<command-name>/init</command-name>\n<command-message>init</command-message>")], "/init"),
        ([user("see <system-reminder>x</system-reminder> this")], "see this"),
        ([user("<goalkeeper> is a word")], "<goalkeeper> is a word"),
        ([user("x" * 300)], "x" * 200 + "…"),
        ([{"type": "file-history-snapshot"}, b"broken {", b"[1]", user("typed")], "typed"),
        ([user("")], ""),
        ([user(None)], ""),
        ([{"type": "user"}], ""),
        ([user([5, {"type": "text", "text": 5}])], ""),
        ([], ""),
        ([user("sub-agent", isSidechain=True), CUSTOM], ""),
    ],
)
def test_the_first_prompt(records: list[dict[str, Any]], wanted: str, tmp_path: Path) -> None:
    assert title(tmp_path, *records) == wanted


def test_a_prompt_in_front_of_a_huge_picture_is_read(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"data": "A" * (2 * PART_BYTES)}}
    assert title(tmp_path, user([{"type": "text", "text": 'what is "this"?\n…'}, picture])) == 'what is "this"? …'
    assert title(tmp_path, user([picture, {"type": "text", "text": "out of reach"}])) == ""
    assert title(tmp_path, user([{"type": "tool_result", "content": "x" * (2 * PART_BYTES)}])) == ""


def test_newest_first_and_no_more_than_asked_for(tmp_path: Path) -> None:
    for number in range(1, 6):
        write(tmp_path, user(f"prompt {number}"), number=number, at=number * 100)
    write(tmp_path, user("sub", isSidechain=True), number=6, at=900)
    write(tmp_path, b"", number=7, at=901)
    write(tmp_path, user("agent"), name="agent-abc.jsonl", at=902)
    before = digest_tree(tmp_path)
    found = recent_sessions(tmp_path, 3)
    assert [session.title for session in found] == ["prompt 5", "prompt 4", "prompt 3"]
    assert (found[0].id, found[0].modified) == (str(uuid.UUID(int=5)), 500.0)
    assert found[0].size == (tmp_path / f"{found[0].id}.jsonl").stat().st_size
    assert len(recent_sessions(tmp_path, 100)) == 5
    assert recent_sessions(tmp_path, 0) == ()
    assert recent_sessions(tmp_path / "absent", 5) == ()
    assert digest_tree(tmp_path) == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.lists(
        st.binary(max_size=80)
        | st.sampled_from([b'{"type":"custom-title","customTitle":["x"]}', b'{"type":"user","message":[]}']),
        max_size=5,
    )
)
def test_any_bytes_are_survived(tmp_path: Path, lines: list[bytes]) -> None:
    assert isinstance(title(tmp_path, *lines), str)


def test_every_real_session_is_read(shared: Path) -> None:
    seen = 0
    for folder in sorted((shared / "corpus" / "sessions").iterdir()):
        if folder.is_dir():
            for session in recent_sessions(folder, 1000):
                assert "\n" not in session.title
                assert 0 < len(session.title) <= 201
                seen += 1
    assert seen > 20
