"""What the headless agent client prints, line by line, as an agent's events and one end.

    {"type": "assistant", "message": {"id", "content": [one block], "usage"}}   a line for each block of an answer
    {"type": "user", "message": {"content": [a tool's result]}, "tool_result_meta"}
    {"type": "system", "subtype": "api_retry", …}
    {"type": "result", "subtype", "is_error", "result", "usage", "total_cost_usd"}   the last one

Reading is tolerant: what has another shape is passed over.

Source: recorded on client 2.1.332; Claude Code's documentation of headless mode.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from memtui.agent.events import EmitAgentEvent, ModelRetry, ModelTurn, ToolUsed, UsageTotal, safe_line, safe_text
from memtui.agent.tools.toolbox import call_argument
from memtui.agent.usage import TokenUsage, price_of
from memtui.dream.backends.client_process import RunGuard

_TOKENS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class ClientResult(Struct, frozen=True):
    """The last line: `kind` is "success" or a word of the client's for the fault, `words` what it said about it."""

    kind: str
    words: str
    failed: bool


class ClientStream:
    """Takes the lines of one run.

    Args:
        emit: Is told what happens, as by our own loop.
        guard: May end the run by what it raises.
    """

    def __init__(self, emit: EmitAgentEvent, guard: RunGuard | None = None) -> None:
        self._emit = emit
        self._guard = guard
        self._last = ""
        self._turns = 0
        self._message = ""
        self._texts: list[str] = []
        self._tools: Counter[str] = Counter()
        self._calls: dict[str, tuple[str, str]] = {}
        self._used: dict[str, tuple[TokenUsage, str]] = {}

    def take(self, line: bytes) -> ClientResult | None:
        """Take one line; the outcome, if it is the last."""
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(data, dict):
            return None
        kind = data.get("type")
        if data.get("parent_tool_use_id"):  # a sub-agent's, which a dream doesn't have
            return None
        if kind == "assistant" and not data.get("is_api_error_message"):  # the client's own words, told by the result
            self._answer(_object(data.get("message")))
        elif kind == "user":
            self._turn()
            self._results(data)
        elif kind == "system" and data.get("subtype") == "api_retry":
            why = str(data.get("error") or "the service failed").replace("_", " ")
            status = data.get("error_status")
            words = f"{why} (status {status})" if status else why
            self._emit(ModelRetry(_number(data.get("retry_delay_ms")) / 1000, safe_line(words)))
        elif kind == "result":
            self._turn()
            return self._result(data)
        return None

    def _answer(self, message: Mapping[str, Any]) -> None:
        """One block of an answer; the blocks of one share its id."""
        id = str(message.get("id") or "")
        if id != self._message:
            self._turn()
            if self._guard is not None and self._last not in ("", id):
                self._guard.turn_over()
            self._message = self._last = id
        self._used[id] = (_usage(message.get("usage")), str(message.get("model")))
        for block in _blocks(message):
            if block.get("type") == "text":
                self._texts.append(str(block.get("text") or ""))
            elif block.get("type") == "tool_use":
                name, given = str(block.get("name")), block.get("input")
                self._tools[safe_line(name)] += 1
                self._calls[str(block.get("id"))] = (safe_line(name), safe_line(call_argument(name, given)))
                if self._guard is not None:
                    self._guard.called(str(block.get("id")), name, given)

    def _turn(self) -> None:
        """The answer is whole: tell it."""
        if not self._message:
            return
        self._turns += 1
        self._emit(ModelTurn(self._turns, safe_text("\n".join(self._texts)), dict(self._tools)))
        used = sum((usage for usage, _ in self._used.values()), TokenUsage())
        self._emit(UsageTotal(used, self._money()))
        self._message = ""
        self._texts.clear()
        self._tools.clear()
        if self._guard is not None:
            self._guard.spent(used)

    def _money(self) -> float | None:
        """Dollars so far, by our own prices; the client tells its own at the end."""
        total = 0.0
        for usage, model in self._used.values():
            price = price_of(model)
            if price is None:
                return None
            total += price.cost(usage)
        return total

    def _results(self, data: Mapping[str, Any]) -> None:
        metas = data.get("tool_result_meta")
        rejected = {
            str(one.get("id"))
            for one in (metas if isinstance(metas, list) else ())
            if isinstance(one, dict) and _object(one.get("permission_decision")).get("decision") == "reject"
        }
        for block in _blocks(_object(data.get("message"))):
            id = str(block.get("tool_use_id"))
            if block.get("type") != "tool_result" or id not in self._calls:
                continue
            name, argument = self._calls.pop(id)
            ok = not block.get("is_error")
            reason = "" if ok else safe_line(_words(block.get("content")))
            if id in rejected:
                reason = f"denied: {reason.removeprefix(f'PreToolUse:{name} hook error: ')}"
            elif "No such tool available" in reason:
                reason = "denied: there is no such tool here"
            self._emit(ToolUsed(name, argument, ok, reason))
            if self._guard is not None:
                self._guard.answered(name, _words(block.get("content")), ok=ok)

    def _result(self, data: Mapping[str, Any]) -> ClientResult:
        cost = data.get("total_cost_usd")
        money = _number(cost) if isinstance(cost, int | float) else None
        self._emit(UsageTotal(_usage(data.get("usage")), money))
        errors = data.get("errors")
        said = data.get("result") or "; ".join(map(str, errors if isinstance(errors, list) else ()))
        kind = str(data.get("subtype") or "")
        return ClientResult(kind, safe_line(str(said)), kind != "success" or bool(data.get("is_error")))


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _blocks(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    content = message.get("content")
    return (block for block in (content if isinstance(content, list) else ()) if isinstance(block, dict))


def _words(content: object) -> str:
    """The text of a result, which is a text or blocks."""
    if isinstance(content, list):
        return " ".join(str(block.get("text", "")) for block in content if isinstance(block, dict))
    return str(content or "")


def _number(value: object) -> float:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15
    return float(value) if fits else 0.0  # type: ignore[arg-type]  # what fits is a number


def _usage(value: object) -> TokenUsage:
    return TokenUsage(*(int(_number(_object(value).get(name))) for name in _TOKENS))
