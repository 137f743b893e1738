"""Messages for the API: its pairing rules hold for every recording, for the corpus, and for random sessions."""

import json
from pathlib import Path
from typing import Any

import pytest

from memtui.resume.context import UNFINISHED, context_messages
from memtui.resume.resume import plan_resume
from memtui.transcripts.transcript import read_transcript
from tests.resume.recordings import Case, load, session_bytes
from tests.support import REPO
from tests.transcripts.rows import Script

ORACLE = REPO / "tests" / "data" / "oracle"
CASES = [
    case for name in ("vectors", "resume", "resume_probes", "resume_more") for case in load(ORACLE / f"{name}.jsonl")
]


def check(messages: list[dict[str, Any]]) -> None:
    """What the Messages API demands of a conversation."""
    json.dumps(messages, allow_nan=False).encode()
    seen: set[str] = set()
    for number, message in enumerate(messages):
        assert message["role"] == ("assistant" if number % 2 else "user")
        assert message["content"], "an empty message"
        kinds = [block["type"] for block in message["content"]]
        for block in message["content"]:
            assert block["type"] != "text" or block["text"].strip()
        calls = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        assert not seen.intersection(calls)
        assert len(calls) == len(set(calls))
        seen.update(calls)
        results = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        before = messages[number - 1]["content"] if number else []
        assert sorted(results) == sorted(block["id"] for block in before if block["type"] == "tool_use")
        assert "tool_result" not in kinds[len(results) :], "results come first"
        assert message["role"] == "user" or not results
        assert message["role"] == "assistant" or not calls
    if messages:
        assert not any(block["type"] == "tool_use" for block in messages[-1]["content"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_recorded_sessions(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(session_bytes(case))
    check(context_messages(plan_resume(read_transcript(path))))


def test_the_corpus_at_every_tenth_message(shared: Path) -> None:
    for file in sorted((shared / "corpus" / "sessions").glob("*/*.jsonl")):
        transcript = read_transcript(file)
        check(context_messages(plan_resume(transcript)))
        for entry in [entry for entry in transcript.entries if entry.has_content and entry.uuid and not entry.salvaged][
            ::10
        ]:
            check(context_messages(plan_resume(transcript, entry.uuid)))


def test_what_the_client_gets_by_with_is_made_true(tmp_path: Path) -> None:
    script = Script().answer("a0", None).user("u1", "a0").call("c2", "u1", "t1")
    messages = context_messages(plan_resume(script.read(tmp_path)))
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant", "user"]
    assert messages[-1]["content"] == [
        {"type": "tool_result", "tool_use_id": "t1", "content": UNFINISHED, "is_error": True}
    ]


def test_thinking_and_fields_of_the_client_stay_behind(tmp_path: Path) -> None:
    script = Script().user("u0", None)
    script.answer("a1", "u0", [{"type": "thinking", "thinking": "", "signature": "x"}], id="m")
    script.answer("a2", "a1", [{"type": "text", "text": "hi", "citations": None}], id="m")
    messages = context_messages(plan_resume(script.read(tmp_path)))
    assert messages[1]["content"] == [{"type": "text", "text": "hi"}]


def test_an_input_that_is_no_object_is_wrapped(tmp_path: Path) -> None:
    script = Script().user("u0", None)
    script.answer("a1", "u0", [{"type": "tool_use", "id": "t", "name": "Read", "input": ["\ud800"]}])
    script.result("r", "a1", "t").answer("a2", "r")
    messages = context_messages(plan_resume(script.read(tmp_path)))
    assert messages[1]["content"][0]["input"] == {"value": ["\ufffd"]}
    check(messages)
