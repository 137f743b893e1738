"""What the agent client prints, as events."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.agent.events import AgentEvent, AgentNote, ModelRetry, ModelTurn, ToolUsed, UsageTotal
from memtui.agent.usage import TokenUsage
from memtui.dream.backends.client import ClientResult, ClientStream
from memtui.util.errors import MemtuiError


def block(message: str, tokens: int = 0, /, **one: Any) -> dict[str, Any]:
    usage = {"input_tokens": tokens, "output_tokens": 2, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 4}
    return {
        "type": "assistant",
        "message": {"id": message, "model": "claude-opus-5-5", "content": [one], "usage": usage},
    }


def result(id: str, content: object, *, error: bool = False, rejected: bool = False) -> dict[str, Any]:
    decision = {"decision": "reject" if rejected else "accept"}
    return {
        "type": "user",
        "message": {"content": [{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": error}]},
        "tool_result_meta": [{"id": id, "permission_decision": decision}],
    }


def taken(*lines: object) -> tuple[list[AgentEvent], ClientResult | None]:
    events: list[AgentEvent] = []
    stream, outcome = ClientStream(events.append, [Path("/sessions")]), None
    for line in lines:
        outcome = stream.take(json.dumps(line).encode()) or outcome
    return events, outcome


def test_a_whole_run() -> None:
    events, outcome = taken(
        {"type": "system", "subtype": "init", "tools": ["Read"]},
        block("m1", 10, type="thinking", thinking="hm"),
        block("m1", 10, type="text", text="STAGE: orient"),
        block("m1", 10, type="tool_use", id="t1", name="Read", input={"file_path": "/stage/a.md"}),
        block("m1", 10, type="tool_use", id="t2", name="Write", input={"file_path": "/evil.md", "content": "x"}),
        result("t2", "PreToolUse:Write hook error: outside the folder", error=True, rejected=True),
        result("t1", [{"type": "text", "text": "1\ta"}]),
        {"type": "system", "subtype": "api_retry", "attempt": 1, "retry_delay_ms": 1500, "error": "overloaded",
         "error_status": 529},
        block("m2", 20, type="text", text="Done\x1b[31m"),
        {"type": "result", "subtype": "success", "is_error": False, "result": "Done", "total_cost_usd": 0.25,
         "usage": {"input_tokens": 30, "output_tokens": 4}},
    )  # fmt: skip
    assert outcome == ClientResult("success", "Done", False)
    turns = [event for event in events if isinstance(event, ModelTurn)]
    assert turns == [ModelTurn(1, "STAGE: orient", {"Read": 1, "Write": 1}, "hm"), ModelTurn(2, "Done␛[31m", {})]
    assert [event for event in events if isinstance(event, ToolUsed)] == [
        ToolUsed("Write", "/evil.md", False, "denied: outside the folder"), ToolUsed("Read", "/stage/a.md", True, ""),
    ]  # fmt: skip
    assert [event for event in events if isinstance(event, ModelRetry)] == [ModelRetry(1.5, "overloaded (status 529)")]
    spent = [event for event in events if isinstance(event, UsageTotal)]
    assert [one.usage.input for one in spent] == [10, 30, 30]
    assert spent[0].money is not None and spent[0].money < 0.001
    assert spent[-1] == UsageTotal(TokenUsage(30, 4), 0.25)


LOST = {
    "type": "assistant", "is_api_error_message": True, "api_error": "connection_failed",
    "message": {"id": "e", "model": "<synthetic>", "content": [{"type": "text", "text": "Connection lost"}]},
}  # fmt: skip


def broken(number: int) -> list[dict[str, Any]]:
    """An answer that broke off behind a call, which the client made."""
    id = f"t{number}"
    return [block(f"m{number}", type="tool_use", id=id, name="Read", input={"file_path": "/sessions/a"}), LOST,
            result(id, "a")]  # fmt: skip


def test_an_answer_that_broke_off_is_told_and_its_calls_do_not_count() -> None:
    whole = block("m9", type="tool_use", id="t9", name="Read", input={"file_path": "/sessions/a"})
    events, outcome = taken(
        *broken(1), *broken(2), *broken(3), whole, result("t9", "a"), *broken(4), {"type": "result"}
    )
    assert outcome is not None
    lost = ModelRetry(0.0, "the connection was lost in the middle of an answer")
    assert [event for event in events if isinstance(event, ModelRetry)] == [lost] * 4
    assert all(event.source for event in events if isinstance(event, ToolUsed))
    with pytest.raises(MemtuiError, match="lost in the middle of an answer, 4 tries"):
        taken(*broken(1), *broken(2), *broken(3), *broken(4))


def test_a_connection_lost_before_any_of_the_answer_came() -> None:
    retry = {"type": "system", "subtype": "api_retry", "retry_delay_ms": 500, "error": "unknown", "error_status": None}
    assert taken(retry)[0] == [ModelRetry(0.5, "the connection was lost")]


def test_cost_is_estimated_with_cache_tokens_and_the_clients_own_total_is_taken_at_the_end() -> None:
    usage = {"input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": 10_000,
             "cache_creation_input_tokens": 3000, "cache_creation": {"ephemeral_1h_input_tokens": 2000}}  # fmt: skip
    said = block("m1", type="text", text="x" * 400)
    said["message"]["usage"] = usage
    models = {"claude-opus-5-5": {"costBasis": "list"}, "claude-new": {"costBasis": "unknown"}}
    end = {"type": "result", "usage": {**usage, "output_tokens": 90}, "total_cost_usd": 0.5, "modelUsage": models}
    events, _ = taken(said, end)
    first, last = (event for event in events if isinstance(event, UsageTotal))
    assert first.usage.output > 90 and last == UsageTotal(TokenUsage(100, 90, 10_000, 1000, 2000), 0.5)
    assert first.money == pytest.approx((400 + first.usage.output * 20 + 10_000 * 0.2 + 1000 * 5 + 2000 * 8) / 1e6)
    notes = [event.text for event in events if isinstance(event, AgentNote)]
    assert notes == ["price of claude-new unknown: the cost is Claude Code's estimate"]


def test_faults_at_the_end() -> None:
    _, turns = taken({"type": "result", "subtype": "error_max_turns", "is_error": True, "errors": ["too many"]})
    assert turns == ClientResult("error_max_turns", "too many", True)
    _, login = taken({"type": "result", "subtype": "success", "is_error": True, "result": "Invalid API key"})
    assert login == ClientResult("success", "Invalid API key", True)


FIELDS = ("type", "subtype", "message", "content", "usage", "id", "name", "input", "tool_use_id", "result", "errors",
          "tool_result_meta", "permission_decision", "total_cost_usd", "input_tokens", "retry_delay_ms")  # fmt: skip

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
    max_leaves=12,
)


@given(st.lists(st.tuples(st.sampled_from(["assistant", "user", "system", "result"]), json_values), max_size=5))
def test_any_shape_is_survived(lines: list[tuple[str, Any]]) -> None:
    for kind, value in lines:
        taken({**(value if isinstance(value, dict) else {"message": value}), "type": kind})


@given(st.binary(max_size=40))
def test_any_bytes_are_survived(line: bytes) -> None:
    ClientStream(lambda event: None).take(line)
