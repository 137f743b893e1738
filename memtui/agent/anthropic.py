"""The Messages API through its SDK.

The SDK takes longer to import than the whole screen, so only a run's process imports this module. Its own retries are
off: ours are reported (`RetryWait`) and wait by the caller's clock. No message of ours holds the key: it is removed
from whatever the service says.

What happens on a fault:
- 429 with `retry-after`: wait that long, 5 minutes at most, and try again
- 429 without it, 5xx, 529, connection errors: three more tries with growing, random waits
- 400 that names an option of ours (`models`): asked again without it, for the rest of the run, which is said; in
  place of a display of "updates" one of "summarized" is tried first
- other 400, 401, 402, 403, 404, 413, spending limit reached: no further try; the message says what to do
- a stream that breaks off: three more tries; an answer counts only once its last event came and every block was closed,
  so no partial tool call is ever run
- a tool input that is no JSON stays text, and the model is told

Source: platform.claude.com, Messages API: streaming, errors, rate limits.
"""

import asyncio
import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Literal, cast

import anthropic
import httpx2  # the SDK's own; what a broken stream raises is not wrapped by it
from msgspec import Struct

from memtui.agent.model import AnswerPiece, Block, ModelAnswer, ModelError, ModelNotice, Request, RetryWait, UsageSoFar
from memtui.agent.models import EFFORT, UPDATES_BETA, traits_of
from memtui.agent.usage import TokenUsage
from memtui.util.errors import UsageError
from memtui.util.text import clip, visible

FaultKind = Literal["final", "server", "rate", "cut"]

BASE_URL = "https://api.anthropic.com"
READ_TIMEOUT_S = 180.0  # without a byte a stream then counts as dead; the service sends pings while the model thinks
MAX_RETRY_AFTER_S = 300.0  # longest wait that a server may ask for
_CONNECT_TIMEOUT_S = 15.0
_FIRST_BACKOFF_S, _MAX_BACKOFF_S = 1.0, 30.0
_MAX_RETRIES: Mapping[FaultKind, int] = {"final": 0, "server": 3, "rate": 10, "cut": 3}
"""A server that says when to come back is asked more often than one that fails."""
_OVERLOADED = 529
STATUS_BY_ERROR_TYPE = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504,
    "overloaded_error": _OVERLOADED,
}  # fmt: skip
"""The status of a fault inside a stream, which has none of its own."""
_RETRYABLE_STATUS = (408, 409, 425)
SPEND_LIMIT_CODE = "enforced_spend_limit_reached"
_FINAL_STATUS: Mapping[int, tuple[str, str, str]] = {
    400: ("request", "the request was refused", "see what the service says about it; check the model's name"),
    401: ("auth", "the key isn't accepted", "check the key: ANTHROPIC_API_KEY or the one in the settings"),
    402: ("billing", "the account can't pay", "see the account's billing page"),
    403: ("forbidden", "the key may not do this", "choose a model that the key may use, or another key"),
    404: ("not found", "there is no such model or address", "check the model's name and the base URL"),
    413: ("too large", "the request is too large", "give the run fewer or smaller sources"),
}
"""Status to cause, words and hint."""
_CHARS_PER_TOKEN = 4  # an estimate, for a broken answer, whose tokens are not reported
_DELTA_KEYS = {
    "text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature",
    "input_json_delta": "partial_json",
}  # fmt: skip


class ApiFault(Struct, frozen=True):
    """A fault of the service."""

    kind: FaultKind  # whether and how often the same request is sent again
    cause: str
    words: str
    hint: str = ""
    after: float | None = None  # how many seconds the server asks us to wait


STREAM_CUT = ApiFault(
    "cut", "cut", "the connection was lost in the middle of an answer", "check the network, then start it again"
)
_OPTION_NAMES = {
    "max_tokens": "max_tokens", "display": "display", UPDATES_BETA: "display", "anthropic-beta": "display",
    "effort": "effort", "output_config": "effort", "thinking": "thinking",
}  # fmt: skip
"""What a refusal may name, the narrower before the wider, and the option of ours that it is about."""
_CONVERSATION = re.compile(r"(?:messages|tools|system)\b")  # how a refusal begins that is about the conversation
_SMALLEST_MAX_TOKENS = 4096  # that of the oldest models


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The service's address and our API key or bearer token; a dataclass, whose `repr=False` keeps them out of logs."""

    key: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    base_url: str = BASE_URL


class AnthropicModel:
    """A `Model`, to be closed after use; `rng` makes the jitter of waits. Raises `UsageError` if it can't be used."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        rng: random.Random | None = None,
    ) -> None:
        self._secret = (endpoint.key or endpoint.token).strip()
        if not self._secret or not (self._secret.isascii() and self._secret.isprintable()):
            raise UsageError("there is no usable key for the model service", hint="set ANTHROPIC_API_KEY")
        self._host = _checked_host(endpoint.base_url)
        self._sleep = sleep
        self._rng = rng or random.Random()
        self._refused: set[str] = set()
        self._max_tokens = math.inf
        self._client = anthropic.AsyncAnthropic(
            api_key=self._secret if endpoint.key else None,
            auth_token=None if endpoint.key else self._secret,
            base_url=endpoint.base_url,
            timeout=anthropic.Timeout(READ_TIMEOUT_S, connect=_CONNECT_TIMEOUT_S),
            max_retries=0,
        )

    async def aclose(self) -> None:
        await self._client.close()

    async def answer(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        tries: Counter[FaultKind] = Counter()
        while True:
            gathered, opened = StreamedAnswer(), False
            fault = STREAM_CUT
            try:
                async with aclosing(self._events(request)) as events:
                    async for event in events:
                        opened = True
                        gathered.add(event)
                        if not gathered.finished:
                            yield UsageSoFar(gathered.usage)
            except anthropic.APIStatusError as error:
                fault = self._of_status(error, opened)
                if error.status_code == 400 and (option := self._leave_out(request, error)):
                    yield ModelNotice(f"{request.model} doesn't take {option}: {fault.words}")
                    continue
            except (anthropic.APIError, httpx2.HTTPError, httpx2.StreamError, OSError) as error:
                fault = STREAM_CUT if opened else self._of_connection(error)
            except ValueError:  # an event that is no JSON or no UTF-8
                fault = STREAM_CUT
            if gathered.finished:
                yield gathered.answer()
                return
            after = self._next_wait(fault, tries)
            yield RetryWait(after, fault.words)
            await self._sleep(after)

    async def _events(self, request: Request) -> AsyncGenerator[Mapping[str, Any], None]:
        """The events of one try; an empty one comes first, after which a failure is that of a stream."""
        given: dict[str, Any] = {"tools": request.tools} if request.tools else {}
        if request.system:
            given["system"] = request.system
        stream = await self._client.messages.create(
            model=request.model, messages=cast(Any, request.messages), stream=True, **given, **self._options(request)
        )
        async with stream:
            yield {}
            async for event in stream:
                if isinstance(cast(Any, event), anthropic.BaseModel):
                    yield event.to_dict(warnings=False)  # a warning would quote the model

    def _options(self, request: Request) -> dict[str, Any]:
        """What the model takes beside the conversation, without what it has refused."""
        traits = traits_of(request.model)
        options: dict[str, Any] = {"max_tokens": int(min(request.max_tokens, self._max_tokens))}
        if traits.display and "thinking" not in self._refused:
            options["thinking"] = {"type": "adaptive"}
            if "display" not in self._refused:
                is_older = traits.display == "updates" and "updates" in self._refused
                options["thinking"]["display"] = "summarized" if is_older else traits.display
                if options["thinking"]["display"] == "updates":
                    options["extra_headers"] = {"anthropic-beta": UPDATES_BETA}
        if traits.effort and "effort" not in self._refused:
            options["output_config"] = {"effort": EFFORT}
        return options

    def _leave_out(self, request: Request, error: anthropic.APIStatusError) -> str:
        """Leave an option out from now on, or lower it, if a refusal names it; returns what was done, or ""."""
        words = _error_message(error)
        option = next((option for name, option in _OPTION_NAMES.items() if name in words), "")
        if not option or option in self._refused or _CONVERSATION.match(words):
            return ""
        sent = self._options(request)
        if option == "display" and sent.get("thinking", {}).get("display") == "updates":
            self._refused.add("updates")
            return 'a display of "updates", it is asked for "summarized"'
        if option != "max_tokens":
            self._refused.add(option)
            return f"{option}, it is asked without" if self._options(request) != sent else ""
        asked = sent["max_tokens"]
        allowed = (int(number) for number in re.findall(r"\d+", words))
        self._max_tokens = max([_SMALLEST_MAX_TOKENS, *(number for number in allowed if number < asked)])
        return f"max_tokens {asked:,}, it is asked for {self._max_tokens:,}" if self._max_tokens < asked else ""

    def _next_wait(self, fault: ApiFault, tries: Counter[FaultKind]) -> float:
        """Seconds until the next try of a request that has failed so often; raises `ModelError` if there is none."""
        number = tries[fault.kind]
        if number >= _MAX_RETRIES[fault.kind]:
            tried = f", {tries.total() + 1} tries" if tries else ""
            raise ModelError(fault.words + tried, cause=fault.cause, hint=fault.hint)
        tries[fault.kind] += 1
        if fault.after is not None:
            return fault.after
        return float(min(_FIRST_BACKOFF_S * 2**number, _MAX_BACKOFF_S) * self._rng.uniform(0.5, 1.0))

    def _of_status(self, error: anthropic.APIStatusError, opened: bool) -> ApiFault:
        body = _error_body(error)
        code = _as_mapping(body.get("details")).get("error_code")
        status = error.status_code
        if status < 400:
            status = STATUS_BY_ERROR_TYPE.get(str(body.get("type")), 500)
        message = _error_message(error).replace(self._secret, "…")
        fault = fault_of_status(status, message, str(code or ""), error.response.headers)
        if opened and fault.kind != "final":
            return ApiFault("cut", fault.cause, f"the answer broke off: {fault.words}", fault.hint, fault.after)
        return fault

    def _of_connection(self, error: Exception) -> ApiFault:
        if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
            words = f"{self._host} doesn't answer"
        else:
            reason = error.__cause__ or error
            detail = clip(visible(str(reason), keep=""), 200) or type(reason).__name__
            words = f"{self._host} can't be reached ({detail})"
        return ApiFault("server", "connection", words.replace(self._secret, "…"), "check the network and the base URL")


def _error_body(error: anthropic.APIStatusError) -> Mapping[str, Any]:
    return _as_mapping(_as_mapping(error.body).get("error"))


def _error_message(error: anthropic.APIStatusError) -> str:
    return str(_error_body(error).get("message") or "")


def _checked_host(base_url: str) -> str:
    """The host and port of a valid address; the rest of it may be secret."""
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise UsageError("the base URL of the model service is no http address", hint="check ANTHROPIC_BASE_URL")
    return url.host + (f":{url.port}" if url.port else "")


class StreamedAnswer:
    """Assembles one answer from its stream of events."""

    def __init__(self) -> None:
        self._blocks: dict[int, Block] = {}
        self._inputs: defaultdict[int, list[str]] = defaultdict(list)
        self._open: set[int] = set()
        self._started = self._over = False
        self._stop = self._detail = ""
        self._counts: dict[str, int] = {}
        self._characters = 0

    def add(self, event: Mapping[str, Any]) -> None:
        """Take one event; one of unknown kind or shape is ignored."""
        kind = event.get("type")
        if kind == "message_start":
            self._started = True
            self._count(_as_mapping(_as_mapping(event.get("message")).get("usage")))
        elif kind == "message_delta":
            delta = _as_mapping(event.get("delta"))
            self._stop = _as_text(delta.get("stop_reason")) or self._stop
            details = _as_mapping(delta.get("stop_details"))
            self._detail = _as_text(details.get("explanation")) or _as_text(details.get("category"))
            self._characters = 0
            self._count(_as_mapping(event.get("usage")))
        elif kind == "message_stop":
            self._over = True
        elif isinstance(index := event.get("index"), int):
            self._block(kind, index, event)

    @property
    def finished(self) -> bool:
        return self._started and self._over and not self._open and self._stop != ""

    @property
    def usage(self) -> TokenUsage:
        """The tokens used so far; output is estimated until it is reported."""
        output = max(self._counts.get("output_tokens", 0), self._characters // _CHARS_PER_TOKEN)
        return TokenUsage.of_counts({**self._counts, "output_tokens": output})

    def answer(self) -> ModelAnswer:
        content = []
        for index, block in sorted(self._blocks.items()):
            parts = "".join(self._inputs[index])
            if block.get("type") == "tool_use" and (parts or "input" not in block):
                block = {**block, "input": _parse_input(parts)}
            content.append(block)
        return ModelAnswer(content, self._stop, self.usage, self._detail)

    def _block(self, kind: object, index: int, event: Mapping[str, Any]) -> None:
        if kind == "content_block_start":
            self._blocks[index] = dict(_as_mapping(event.get("content_block")))
            self._open.add(index)
        elif kind == "content_block_stop":
            self._open.discard(index)
        elif kind == "content_block_delta" and index in self._blocks:
            delta = _as_mapping(event.get("delta"))
            key = _DELTA_KEYS.get(_as_text(delta.get("type")), "")
            part = _as_text(delta.get(key))
            self._characters += len(part)
            if key == "partial_json":
                self._inputs[index].append(part)
            elif key:
                self._blocks[index][key] = _as_text(self._blocks[index].get(key)) + part

    def _count(self, usage: Mapping[str, Any]) -> None:
        """Counts are totals, so a later one replaces an earlier one."""
        for key, value in (*usage.items(), *_as_mapping(usage.get("cache_creation")).items()):
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                self._counts[key] = value


def _parse_input(text: str) -> Any:
    """A call's input, or the text itself if it is no JSON that a request could hold."""
    try:
        return json.loads(text or "{}", parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        return text


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def fault_of_status(status: int, message: str, code: str, headers: Mapping[str, str]) -> ApiFault:
    """Classify an error of the service by its status (or what the error's type would have), its words, its stable name
    for the cause ("" for none) and the response's headers, by lower-case names.
    """
    quoted = f" ({clip(visible(message, keep=''), 300)})" if message else ""
    if code == SPEND_LIMIT_CODE:
        words = "the account's spending limit is reached"
        return ApiFault("final", "spend cap", words + quoted, "raise the limit, or wait until it is reset")
    should_retry = headers.get("x-should-retry")
    if status == 429 and should_retry != "false":
        after = retry_after(headers)
        kind: FaultKind = "server" if after is None else "rate"
        return ApiFault(kind, "rate", f"too many requests{quoted}", "wait some minutes, then start it again", after)
    if (status >= 500 or status in _RETRYABLE_STATUS or should_retry == "true") and should_retry != "false":
        cause, words = "server", f"the service failed with status {status}"
        if status == _OVERLOADED:
            cause, words = "overloaded", "the service is overloaded"
        return ApiFault("server", cause, words + quoted, "start it again later", retry_after(headers))
    cause, words, hint = _FINAL_STATUS.get(status, ("request", f"the service answered with status {status}", ""))
    return ApiFault("final", cause, words + quoted, hint)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks us to wait, at most `MAX_RETRY_AFTER_S`; `None` if it doesn't."""
    seconds = _number(headers.get("retry-after-ms"))
    if seconds is not None:
        seconds /= 1000
    elif (text := headers.get("retry-after")) is not None:
        seconds = _number(text)
        if seconds is None:  # a date, compared with the server's own clock
            try:
                distance = parsedate_to_datetime(text) - parsedate_to_datetime(headers.get("date", ""))
            except (TypeError, ValueError):
                return None
            seconds = distance.total_seconds()
    return None if seconds is None else min(max(seconds, 0.0), MAX_RETRY_AFTER_S)


def _number(text: str | None) -> float | None:
    try:
        return _finite(text or "")
    except ValueError:
        return None
