"""What we say the Messages API accepts, sent through the real SDK to a server that knows its rules."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memtui.resume.context import ApiMessage, context_messages
from memtui.resume.resume import plan_resume
from memtui.transcripts.transcript import read_transcript
from tests.messages_api import check, messages_api
from tests.resume.recordings import load, session_bytes
from tests.support import REPO
from tests.transcripts.rows import Script

anthropic = pytest.importorskip("anthropic")

ORACLE = REPO / "tests" / "data" / "oracle"
NEXT: ApiMessage = {"role": "user", "content": "And now?"}
Send = Callable[[list[ApiMessage]], None]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        messages_api() as address,
        anthropic.Anthropic(base_url=address, api_key="opens nothing", max_retries=0) as one,
    ):
        yield one


@pytest.fixture
def send(client: Any, home: Path) -> Send:
    """Sends a conversation as it is; with a prompt behind it, it is only held against the server's rules."""

    def both(messages: list[ApiMessage]) -> None:
        if messages:
            answer = client.messages.create(model="scripted", max_tokens=8, messages=messages)
            assert answer.content[0].text == "ok"
        check([*messages, NEXT])

    return both


@pytest.mark.parametrize("name", ["vectors", "resume", "resume_probes", "resume_more"])
def test_recorded_sessions(name: str, send: Send, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for case in load(ORACLE / f"{name}.jsonl"):
        path.write_bytes(session_bytes(case))
        send(context_messages(plan_resume(read_transcript(path))))


def test_the_corpus(shared: Path, send: Send) -> None:
    for file in sorted((shared / "corpus" / "sessions").glob("*/*.jsonl")):
        transcript = read_transcript(file)
        send(context_messages(plan_resume(transcript)))
        for entry in [entry for entry in transcript.entries if entry.has_content and entry.uuid and not entry.salvaged][
            ::40
        ]:
            send(context_messages(plan_resume(transcript, entry.uuid)))


ODD: list[tuple[str, list[dict[str, Any]]]] = [
    ("an id and a name of other characters", [{"type": "tool_use", "id": "a.b", "name": "ns.tool/x", "input": {}}]),
    ("a name that is too long", [{"type": "tool_use", "id": "t", "name": "x" * 300, "input": {}}]),
    ("two ids that look alike then", [
        {"type": "tool_use", "id": "a.b", "name": "Read", "input": {}},
        {"type": "tool_use", "id": "a_b", "name": "Read", "input": {}},
    ]),
    ("white space at the end", [{"type": "text", "text": "done \n"}]),
    ("a kind that nobody knows", [{"type": "hologram", "beam": 1}, {"type": "text", "text": "done"}]),
]  # fmt: skip

SOURCES = [
    {"type": "base64", "media_type": "image/png", "data": "aGk="},
    {"type": "base64", "media_type": "image/png", "data": "cut…"},
    {"type": "base64", "media_type": "image/tiff", "data": "aGk="},
    {"type": "file", "file_id": "file_1"},
    {"type": "url", "url": "https://example.com/a.png"},
    "nothing",
    None,
]


@pytest.mark.parametrize(("name", "blocks"), ODD, ids=[name for name, _ in ODD])
def test_odd_answers(name: str, blocks: list[dict[str, Any]], send: Send, tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0", blocks)
    for number, block in enumerate(block for block in blocks if block["type"] == "tool_use"):
        script.result(f"r{number}", "a1", block["id"], [{"type": "text", "text": " "}])
    messages = context_messages(plan_resume(script.read(tmp_path)))
    assert len(messages) >= 2
    send(messages)


@pytest.mark.parametrize("kind", ["image", "document"])
@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_images_and_documents(kind: str, source: object, send: Send, tmp_path: Path) -> None:
    block = {"type": kind, "source": source, "note": "of the client"}
    script = Script().user("u0", None, [block, {"type": "text", "text": "look"}]).call("c1", "u0", "t1")
    script.result("r2", "c1", "t1", [block])
    messages = context_messages(plan_resume(script.read(tmp_path)))
    assert len(messages[0]["content"]) == 2, "something stands for what can't be sent"
    assert len(messages[2]["content"][0]["content"]) == 1
    send(messages)


BROKEN: list[tuple[str, list[ApiMessage]]] = [
    ("user role", [{"role": "assistant", "content": "hi"}]),
    ("non-whitespace", [{"role": "user", "content": " "}]),
    ("immediately after", [
        NEXT, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]}, NEXT,
    ]),
    ("unexpected tool_use_id", [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}]),
    ("expected tags", [{"role": "user", "content": [{"type": "hologram"}]}]),
    ("not permitted", [{"role": "user", "content": [{"type": "text", "text": "hi", "uuid": "x"}]}]),
    ("trailing whitespace", [NEXT, {"role": "assistant", "content": "hi "}]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "messages"), BROKEN, ids=[rule for rule, _ in BROKEN])
def test_the_server_knows_the_rules(rule: str, messages: list[ApiMessage], client: Any) -> None:
    with pytest.raises(anthropic.BadRequestError, match=rule):
        client.messages.create(model="scripted", max_tokens=8, messages=messages)
