"""Every fault of the model's side, sent over real HTTP to the real SDK: what the run does, and what it says."""

import json
import socket
from typing import Any

import anthropic
import pytest

from memtui.agent.anthropic import AnthropicModel, Endpoint
from memtui.agent.events import ModelRetry, ToolUsed
from memtui.agent.task import Budget
from memtui.util.errors import UsageError as BadCall
from tests.agent.runs import KEY, Runner
from tests.agent.scripted_api import Reply, answer, call, error, event, text
from tests.support import digest_tree

OK = answer(text("ok"))
WRITE = call("Write", file_path="n.md", content="new\n", id="toolu_w")
WHOLE = answer(text("Now I write."), WRITE)


@pytest.mark.parametrize(
    ("headers", "waits"),
    [
        ({"retry_after": "7"}, [7.0]),
        ({"retry_after": "0.5"}, [0.5]),
        ({"retry_after_ms": "250", "retry_after": "7"}, [0.25]),
        ({"retry_after": "100000"}, [300.0]),
        ({"retry_after": "-3"}, [0.0]),
        ({"retry_after": "Mon, 02 Mar 2026 10:00:40 GMT", "date": "Mon, 02 Mar 2026 10:00:00 GMT"}, [40.0]),
    ],
)
async def test_too_many_requests_and_how_long_to_wait(runner: Runner, headers: Any, waits: list[float]) -> None:
    runner.api.says(error(429, "rate_limit_error", **headers), OK)
    ran = await runner.run()
    assert (ran.end.why, ran.waits) == ("done", waits)
    assert [(retry.after, retry.why) for retry in ran.of(ModelRetry)] == [(waits[0], "too many requests (scripted)")]


async def test_a_server_that_says_when_is_asked_more_often(runner: Runner) -> None:
    runner.api.says(*(error(429, "rate_limit_error", retry_after="1") for _ in range(8)), OK)
    assert (await runner.run()).end.why == "done"


@pytest.mark.parametrize("odd", ["soon", "nan", "inf", "", "Mon, 99 Foo"])
async def test_too_many_requests_without_a_time(runner: Runner, odd: str) -> None:
    runner.api.says(*(error(429, "rate_limit_error", **({"retry_after": odd} if odd else {})) for _ in range(9)))
    ran = await runner.run()
    assert (ran.end.why, ran.end.cause) == ("failed", "rate")
    assert len(runner.api.requests) == 4 and len(ran.waits) == 3
    assert ran.end.words == "too many requests (scripted), 4 tries" and ran.end.hint


@pytest.mark.parametrize(
    ("status", "kind", "cause"),
    [(500, "api_error", "server"), (502, "x", "server"), (503, "x", "server"), (529, "overloaded_error", "overloaded")],
)
async def test_a_server_that_fails(runner: Runner, status: int, kind: str, cause: str) -> None:
    runner.api.says(error(status, kind), error(status, kind), OK)
    ran = await runner.run()
    assert ran.end.why == "done"
    assert 0.5 <= ran.waits[0] <= 1 <= ran.waits[1] <= 2
    runner.api.says(*(error(status, kind) for _ in range(9)))
    ran = await runner.run()
    assert (ran.end.why, ran.end.cause, len(runner.api.requests)) == ("failed", cause, 4)
    assert [retry.after for retry in ran.of(ModelRetry)] == ran.waits


@pytest.mark.parametrize(
    ("reply", "cause", "words"),
    [
        (error(400, "invalid_request_error", "no such field"), "request", "refused (no such field)"),
        (error(401, "authentication_error"), "auth", "key isn't accepted"),
        (error(402, "billing_error"), "billing", "can't pay"),
        (error(403, "permission_error"), "forbidden", "may not do this"),
        (error(404, "not_found_error", "model: x"), "not found", "no such model or address (model: x)"),
        (error(413, "request_too_large"), "too large", "too large"),
        (error(422, "x"), "request", "status 422"),
        (error(429, "rate_limit_error", code="enforced_spend_limit_reached"), "spend cap", "spending limit"),
        (error(429, "rate_limit_error", code="enforced_spend_limit_reached", retry_after="1"), "spend cap", "limit"),
        (error(529, "overloaded_error", x_should_retry="false"), "request", "status 529"),
        (Reply(status=403, body="<html>"), "forbidden", "may not do this"),
    ],
)
async def test_what_no_patience_helps_against(runner: Runner, reply: Reply, cause: str, words: str) -> None:
    before = digest_tree(runner.scope.root)
    runner.api.says(reply, OK)
    ran = await runner.run()
    assert (ran.end.why, ran.end.cause, len(runner.api.requests), ran.waits) == ("failed", cause, 1, [])
    assert words in ran.end.words and ran.of(ModelRetry) == []
    assert digest_tree(runner.scope.root) == before


async def test_a_fault_later_on_keeps_what_was_used(runner: Runner) -> None:
    runner.api.says(answer(call("Read", file_path="a.md")), error(401, "authentication_error"))
    ran = await runner.run()
    assert (ran.end.cause, ran.end.turns, ran.end.usage.output) == ("auth", 1, 20)


async def test_a_wait_that_is_longer_than_the_run_may_last(runner: Runner) -> None:
    runner.api.says(error(429, "rate_limit_error", retry_after="120"), OK)
    ran = await runner.run(budget=Budget(wall=60))
    assert (ran.end.why, ran.end.cause, ran.waits) == ("over budget", "wall", [])
    assert ran.end.words == "no time is left for another try: too many requests (scripted)"


@pytest.mark.parametrize("torn", [False, True], ids=["ended", "torn"])
@pytest.mark.parametrize("cut", range(1, len(WHOLE.events)))
async def test_a_stream_that_is_cut_after_every_event(runner: Runner, cut: int, torn: bool) -> None:
    before = digest_tree(runner.scope.root)
    runner.api.says(*[Reply(WHOLE.events, cut=cut, torn=torn)] * 4, OK)
    ran = await runner.run()
    assert (ran.end.why, ran.end.cause) == ("failed", "cut")
    assert ran.of(ToolUsed) == [] and digest_tree(runner.scope.root) == before
    assert ran.end.words == "the connection was lost in the middle of an answer, 4 tries"
    assert len(runner.api.requests) == 4 and runner.api.requests[0] == runner.api.requests[3]
    assert ran.end.usage.input == 400, "tries that failed are counted"


@pytest.mark.parametrize("cut", range(1, len(WHOLE.events), 3))
async def test_a_turn_that_was_cut_is_asked_for_again(runner: Runner, cut: int) -> None:
    (runner.scope.root / "n.md").unlink(missing_ok=True)
    runner.api.says(*[Reply(WHOLE.events, cut=cut)] * 3, WHOLE, OK)
    ran = await runner.run()
    assert (ran.end.why, ran.end.turns, len(ran.waits)) == ("done", 2, 3)
    assert {retry.why for retry in ran.of(ModelRetry)} == {"the connection was lost in the middle of an answer"}
    assert [used.ok for used in ran.of(ToolUsed)] == [True]


async def test_a_stream_that_is_cut_anywhere(runner: Runner) -> None:
    data = b"".join(WHOLE.events)
    before = digest_tree(runner.scope.root)
    for at in range(1, len(data) - 60, 41):
        runner.api.says(Reply([data[:at]], torn=bool(at % 2)), *[Reply([data[:at]])] * 3, OK)
        ran = await runner.run()
        assert ran.end.why == "failed" and ran.of(ToolUsed) == [], at
    assert digest_tree(runner.scope.root) == before


async def test_an_answer_that_was_whole_before_the_connection_broke(runner: Runner) -> None:
    runner.api.says(Reply(WHOLE.events, torn=True), OK)
    ran = await runner.run()
    assert (ran.end.why, ran.end.turns) == ("done", 2) and ran.waits == []


@pytest.mark.parametrize(
    ("kind", "tries", "cause"),
    [
        ("overloaded_error", 4, "overloaded"),
        ("api_error", 4, "server"),
        ("rate_limit_error", 4, "rate"),
        ("invalid_request_error", 1, "request"),
        ("of_tomorrow", 4, "server"),
    ],
)
async def test_an_error_in_the_midst_of_a_stream(runner: Runner, kind: str, tries: int, cause: str) -> None:
    broken = [*WHOLE.events[:-2], event("error", error={"type": kind, "message": "m"})]
    runner.api.says(*[Reply(broken)] * 4, OK)
    ran = await runner.run()
    assert (ran.end.why, ran.end.cause, len(runner.api.requests)) == ("failed", cause, tries)
    assert ran.of(ToolUsed) == []


@pytest.mark.parametrize(
    "noise",
    [
        b"event: message_delta\ndata: {nonsense\n\n",
        b"event: content_block_delta\ndata: \xff\xfe\n\n",
        b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 77, "delta": 5}\n\n',
        b'event: hologram\ndata: {"type": "hologram", "beam": 1}\n\n',
        b"event: ping\ndata: 5\n\n",
        b"event: x\ndata: 5\n\n",
        b"event: x\ndata: []\n\n",
        b": a comment\n\n",
        b"\n\n\n",
    ],
)
async def test_noise_in_a_stream(runner: Runner, noise: bytes) -> None:
    events = OK.events
    runner.api.says(Reply([*events[:3], noise, *events[3:]]), OK)
    ran = await runner.run()
    assert ran.end.words == "ok"
    assert len(runner.api.requests) == 1 + (b"nonsense" in noise or b"\xff" in noise)


async def test_a_server_that_is_not_there(runner: Runner) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    runner.api.says()
    runner.api.address = f"http://user:{KEY}@127.0.0.1:{port}"
    try:
        ran = await runner.run()
    finally:
        runner.api.address = runner.api.home
    assert (ran.end.why, ran.end.cause, len(ran.waits)) == ("failed", "connection", 3)
    assert ran.end.words.startswith(f"127.0.0.1:{port} can't be reached") and KEY not in ran.end.words


async def test_silence_counts_as_no_connection(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.agent.anthropic.READ_TIMEOUT_S", 0.5)
    for reply, why in [
        (Reply(mute=True), "doesn't answer"),
        (Reply(WHOLE.events, cut=6, hangs=True), "the connection was lost in the middle of an answer"),
    ]:
        runner.api.says(reply, OK)
        ran = await runner.run()
        assert ran.end.why == "done" and why in ran.of(ModelRetry)[0].why


@pytest.mark.parametrize("access", [Endpoint(), Endpoint(key=" \n"), Endpoint(key="schlüssel"), Endpoint(token="a\nb")])
def test_a_key_that_is_none(access: Endpoint) -> None:
    with pytest.raises(BadCall):
        AnthropicModel(access)


@pytest.mark.parametrize("url", ["", "http://[::1", "file:///etc", "example.com", "http://"])
def test_a_base_url_that_is_none(url: str) -> None:
    with pytest.raises(BadCall):
        AnthropicModel(Endpoint(key="k", base_url=url))


def test_credentials_are_in_no_representation() -> None:
    assert "s3cret" not in repr(Endpoint(key="s3cret", token="s3cret"))


async def test_max_tokens_inside_a_call(runner: Runner) -> None:
    cut = call("Write", raw='{"file_path": "n.md", "content": "half')
    runner.api.says(answer(text("I write."), call("Read", file_path="a.md"), cut, stop="max_tokens"), OK)
    ran = await runner.run()
    assert runner.api.refused == [] and ran.end.why == "done"
    assert ran.of(ToolUsed) == [] and not (runner.scope.root / "n.md").exists()
    said = runner.api.requests[1]["messages"]
    assert said[1] == {"role": "assistant", "content": [text("I write.")]}
    assert "None of its tool calls was run" in said[2]["content"][0]["text"]


async def test_max_tokens_with_nothing_but_a_call(runner: Runner) -> None:
    runner.api.says(answer(WRITE, stop="max_tokens"), answer(WRITE, stop="max_tokens"), OK)
    ran = await runner.run()
    assert runner.api.refused == [] and ran.end.why == "done" and ran.of(ToolUsed) == []


async def test_max_tokens_again_and_again(runner: Runner) -> None:
    runner.api.says(*(answer(text("so"), stop="max_tokens") for _ in range(9)))
    ran = await runner.run()
    assert (ran.end.why, ran.end.cause, ran.end.turns) == ("failed", "no_progress", 6)


BAD_INPUTS = [
    ("not JSON", call("Read", raw='{"file_path": "a.m'), "no JSON object"),
    ("not a number", call("Read", raw='{"file_path": "a.md", "limit": NaN}'), "no JSON object"),
    ("too large a number", call("Read", raw='{"file_path": "a.md", "limit": 1e999}'), "no JSON object"),
    ("a list", call("Read", raw="[1]"), "no JSON object"),
    ("nothing", call("Read", raw=""), "file_path is missing"),
    ("missing", call("Edit", file_path="a.md", old_string="x"), "new_string is missing"),
    ("null", call("Edit", file_path="a.md", old_string=None, new_string="x"), "old_string is missing"),
    ("extra", call("Read", file_path="a.md", mode="fast"), "Read has no 'mode'"),
    ("wrong type", call("Read", file_path="a.md", limit="9"), "limit is not int"),
    ("wrong type of a path", call("Read", file_path=["a.md"]), "not a text"),
    ("deep", call("Read", raw='{"file_path": ' + "[" * 300 + "]" * 300 + "}"), "nested too deep"),
    ("deeper", call("Read", raw='{"file_path": ' + "[" * 99999 + "]" * 99999 + "}"), "no JSON object"),
    ("half a character", call("Write", raw='{"file_path": "n.md", "content": "\\ud800"}'), "half of a character"),
    ("half a character in a path", call("Read", raw='{"file_path": "\\udc80.md"}'), "control, format"),
    ("1 MB", call("Write", file_path="n.md", content="x" * 1_000_000), "is the most"),
    ("1 MB of pattern", call("Glob", pattern="*" * 1_000_000), "too long"),
    ("a pattern that is none", call("Grep", pattern="(["), "not a regular expression"),
    ("unknown tool", call("WebFetch", url="http://x"), "no such tool"),
    ("a tool's name that can't be sent", call("../../x y", a=1), "no such tool"),
    ("a tool without a name", call("", a=1), "no such tool"),
    ("an id that can't be sent", call("Read", id="a b/c", file_path="missing.md"), "missing.md is gone"),
]


@pytest.mark.parametrize(("name", "block", "words"), BAD_INPUTS, ids=[name for name, _, _ in BAD_INPUTS])
async def test_input_that_makes_no_sense(runner: Runner, name: str, block: Any, words: str) -> None:
    before = digest_tree(runner.scope.root)
    runner.api.says(answer(block), OK)
    ran = await runner.run()
    assert runner.api.refused == [] and ran.end.why == "done", ran.end
    (result,) = runner.api.results(1)
    assert result["is_error"] is True and words in result["content"]
    (used,) = ran.of(ToolUsed)
    assert not used.ok and used.reason
    assert digest_tree(runner.scope.root) == before


async def test_an_id_that_comes_twice(runner: Runner) -> None:
    twice = [call("Read", id="toolu_1", file_path="a.md"), call("Write", id="toolu_1", file_path="n.md", content="x")]
    again = call("Read", id="toolu_1", file_path="b.md")
    runner.api.says(answer(*twice), answer(again), OK)
    ran = await runner.run()
    assert runner.api.refused == [] and ran.end.why == "done"
    assert [used.ok for used in ran.of(ToolUsed)] == [True, False, False]
    assert not (runner.scope.root / "n.md").exists()


@pytest.mark.parametrize(
    ("reply", "why", "cause", "words"),
    [
        (answer(text("No."), stop="refusal", stop_details={"type": "refusal", "explanation": "harm"}), "refused",
         "refusal", "the model refused: harm"),
        (answer(WRITE, stop="refusal"), "refused", "refusal", "the model refused"),
        (answer(), "failed", "empty", "the model answered nothing"),
        (answer(text(" \n")), "failed", "empty", "the model answered nothing"),
        (answer(text("wait"), stop="pause_turn"), "failed", "stop_reason", "the model paused"),
        (answer(text("so"), stop="of_tomorrow"), "failed", "stop_reason", "an unknown reason: of_tomorrow"),
        (answer(text("so"), stop="tool_use"), "failed", "stop_reason", "called none"),
        (answer(text("so"), stop="model_context_window_exceeded"), "over budget", "context", "no longer fits"),
        (answer({"type": "hologram", "beam": 1}, WRITE), "failed", "block", "unknown kind: hologram"),
        (answer({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, WRITE), "failed", "block",
         "server_tool_use"),
    ],
)  # fmt: skip
async def test_answers_that_end_it(runner: Runner, reply: Reply, why: str, cause: str, words: str) -> None:
    before = digest_tree(runner.scope.root)
    runner.api.says(reply, OK)
    ran = await runner.run()
    assert (ran.end.why, ran.end.cause) == (why, cause)
    assert words in ran.end.words
    assert ran.of(ToolUsed) == [] and digest_tree(runner.scope.root) == before
    assert len(runner.api.requests) == 1


async def test_a_call_in_an_answer_that_ends_its_turn_is_run(runner: Runner) -> None:
    runner.api.says(answer(WRITE, stop="end_turn"), OK)
    ran = await runner.run()
    assert ran.end.why == "done" and (runner.scope.root / "n.md").read_text() == "new\n"


async def test_half_a_character_goes_nowhere(runner: Runner) -> None:
    odd = json.loads('"\\ud83d and more"')
    runner.api.says(answer(text(odd), call("Read", file_path="a.md")), OK)
    ran = await runner.run(f"Say {odd}", system=odd)
    assert runner.api.refused == [] and ran.end.why == "done"
    assert runner.api.requests[1]["messages"][1]["content"][0]["text"] == "\ufffd and more"


def test_the_sdk_is_the_real_one() -> None:
    assert int(anthropic.__version__.split(".")[0]) >= 2
