"""The Messages API through its SDK: the backend "anthropic".

The only module that imports the SDK, which costs more time than the whole screen: nothing imports this one but the
process of a run.

The SDK's own retries are off: ours are told (`Again`), and wait as the caller's clock says. The key is in no message of
ours: it is taken out of whatever the service says.

Source: FORMATS.md 5; SAFETY.md F40 to F50.

The events of one answer of the Messages API, put together.

Nothing is taken on trust: an answer is finished only when its last event has come and every block was closed; what
isn't known is left out or kept as it is; input of a call that is no JSON stays the text that it was.

Source: FORMATS.md 5.1, SSE; SAFETY.md F44, F46.

What a fault of the Messages API means: wait and ask again, or stop and say what to do.

Source: FORMATS.md 5.1, errors; SAFETY.md F40 to F44.
"""

import asyncio
import json
import math
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Literal, cast

import anthropic
import httpx2  # the SDK's own; what a broken stream raises is not wrapped by it
from msgspec import Struct

from memtui.agent.model import Again, Answer, Block, Heard, ModelError, Piece, Request
from memtui.agent.usage import TokenUsage
from memtui.util.errors import UsageError as BadCall
from memtui.util.text import clip, visible

Kind = Literal["final", "server", "rate", "cut"]
LONGEST_WAIT = 300.0
"""Seconds that a server may make us wait."""
_TRIES: Mapping[Kind, int] = {"final": 0, "server": 3, "rate": 10, "cut": 1}
"""How often one request is sent again. A server that says when to come back is asked more often than one that fails."""
_FIRST, _SLOWEST = 1.0, 30.0
_OVERLOADED = 529
STATUS_OF = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504,
    "overloaded_error": _OVERLOADED,
}  # fmt: skip
"""A fault inside a stream has no status of its own: what its type would have had."""
_AGAIN = (408, 409, 425)
SPEND_CAP = "enforced_spend_limit_reached"
_FINAL: Mapping[int, tuple[str, str, str]] = {
    400: ("request", "the request was refused", "see what the service says about it; check the model's name"),
    401: ("auth", "the key isn't accepted", "check the key: ANTHROPIC_API_KEY or the one in the settings"),
    402: ("billing", "the account can't pay", "see the account's billing page"),
    403: ("forbidden", "the key may not do this", "choose a model that the key may use, or another key"),
    404: ("not found", "there is no such model or address", "check the model's name and the base URL"),
    413: ("too large", "the request is too large", "give the run fewer or smaller sources"),
}
"""Status to cause, words, hint."""


class Fault(Struct, frozen=True):
    """One fault: what it is, in words for people, and whether the same request may go out again.

    `after` is how long the server wants us to wait, in seconds, if it said so.
    """

    kind: Kind
    cause: str
    words: str
    hint: str = ""
    after: float | None = None


CUT = Fault("cut", "cut", "the answer broke off", "check the network, then start it again")


def of_status(status: int, message: str, code: str, headers: Mapping[str, str]) -> Fault:
    """What an error of the service means.

    Args:
        status: Of HTTP, or what the error's type would have.
        message: The service's own words.
        code: Its stable name for the cause, may be empty.
        headers: Of the response, names in small letters.
    """
    said = f" ({clip(visible(message, keep=''), 300)})" if message else ""
    if code == SPEND_CAP:
        words = "the account's spending limit is reached"
        return Fault("final", "spend cap", words + said, "raise the limit, or wait until it starts anew")
    told = headers.get("x-should-retry")
    if status == 429 and told != "false":
        after = wait_told(headers)
        kind: Kind = "server" if after is None else "rate"
        return Fault(kind, "rate", f"too many requests{said}", "wait some minutes, then start it again", after)
    if (status >= 500 or status in _AGAIN or told == "true") and told != "false":
        cause, words = "server", f"the service failed with status {status}"
        if status == _OVERLOADED:
            cause, words = "overloaded", "the service is overloaded"
        return Fault("server", cause, words + said, "start it again later", wait_told(headers))
    cause, words, hint = _FINAL.get(status, ("request", f"the service answered with status {status}", ""))
    return Fault("final", cause, words + said, hint)


def wait_told(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server wants us to wait, at most `LONGEST_WAIT`; `None` if it doesn't say."""
    seconds = _number(headers.get("retry-after-ms"))
    if seconds is not None:
        seconds /= 1000
    elif (told := headers.get("retry-after")) is not None:
        seconds = _number(told)
        if seconds is None:  # a date: its distance from the server's own clock
            try:
                distance = parsedate_to_datetime(told) - parsedate_to_datetime(headers.get("date", ""))
            except (TypeError, ValueError):
                return None
            seconds = distance.total_seconds()
    return None if seconds is None else min(max(seconds, 0.0), LONGEST_WAIT)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


class Patience:
    """How often one request has failed, and how long to wait until the next try.

    Args:
        dice: For the jitter: tries of many clients shall not fall together.
    """

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._tries: dict[Kind, int] = {}

    def wait(self, fault: Fault) -> float:
        """Seconds until the next try.

        Raises:
            Failed: If there is none.
        """
        number = self._tries.get(fault.kind, 0)
        if number >= _TRIES[fault.kind]:
            tried = f", {sum(self._tries.values()) + 1} tries" if self._tries else ""
            raise ModelError(fault.words + tried, cause=fault.cause, hint=fault.hint)
        self._tries[fault.kind] = number + 1
        if fault.after is not None:
            return fault.after
        return float(min(_FIRST * 2**number, _SLOWEST) * self._dice.uniform(0.5, 1.0))


_CHARACTERS = 4
"""Characters of a token, about: what a broken answer has cost is told by nobody."""
_GROWS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


class Gathered:
    """One answer while it comes in."""

    def __init__(self) -> None:
        self._started = False
        self._blocks: dict[int, Block] = {}
        self._inputs: dict[int, list[str]] = {}
        self._open: set[int] = set()
        self._over = False
        self._stop = ""
        self._detail = ""
        self._counts: dict[str, int] = {}
        self._characters = 0

    def add(self, event: Mapping[str, Any]) -> None:
        """Take one event; one of unknown kind or shape changes nothing."""
        kind = event.get("type")
        if kind == "message_start":
            self._started = True
            self._count(_map(_map(event.get("message")).get("usage")))
        elif kind == "message_delta":
            delta = _map(event.get("delta"))
            self._stop = _text(delta.get("stop_reason")) or self._stop
            details = _map(delta.get("stop_details"))
            self._detail = _text(details.get("explanation")) or _text(details.get("category"))
            self._characters = 0
            self._count(_map(event.get("usage")))
        elif kind == "message_stop":
            self._over = True
        elif isinstance(index := event.get("index"), int):
            self._block(kind, index, event)

    @property
    def finished(self) -> bool:
        """Whether all of it is here."""
        return self._started and self._over and not self._open and self._stop != ""

    @property
    def usage(self) -> TokenUsage:
        """What it has used as far as it is known; output is estimated until it is told."""
        counts = self._counts
        return TokenUsage(
            input=counts.get("input_tokens", 0),
            output=max(counts.get("output_tokens", 0), self._characters // _CHARACTERS),
            cache_read=counts.get("cache_read_input_tokens", 0),
            cache_write=counts.get("cache_creation_input_tokens", 0),
        )

    def answer(self) -> Answer:
        """The answer, once it is finished."""
        content = []
        for index, block in sorted(self._blocks.items()):
            parts = "".join(self._inputs.get(index, []))
            if block.get("type") == "tool_use" and (parts or "input" not in block):
                block = {**block, "input": _input(parts)}
            content.append(block)
        return Answer(content, self._stop, self.usage, self._detail)

    def _block(self, kind: object, index: int, event: Mapping[str, Any]) -> None:
        if kind == "content_block_start":
            self._blocks[index] = dict(_map(event.get("content_block")))
            self._open.add(index)
        elif kind == "content_block_stop":
            self._open.discard(index)
        elif kind == "content_block_delta" and index in self._blocks:
            delta = _map(event.get("delta"))
            if (part := _text(delta.get("partial_json"))) and delta.get("type") == "input_json_delta":
                self._inputs.setdefault(index, []).append(part)
                self._characters += len(part)
            elif key := _GROWS.get(_text(delta.get("type"))):
                part = _text(delta.get(key))
                self._blocks[index][key] = _text(self._blocks[index].get(key)) + part
                self._characters += len(part)

    def _count(self, usage: Mapping[str, Any]) -> None:
        """Counts are totals: a later one replaces an earlier one."""
        for key, value in usage.items():
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                self._counts[key] = value


def _input(text: str) -> Any:
    """A call's input, or the text itself where it is no JSON that a request could hold."""
    try:
        return json.loads(text or "{}", parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


BASE_URL = "https://api.anthropic.com"
SILENCE = 180.0
"""Seconds without a byte after which a stream counts as dead; the service sends pings while it thinks."""
_CONNECT = 15.0


@dataclass(frozen=True, slots=True)
class Access:  # a dataclass, whose repr leaves the secrets out
    """Where the service is and what we show it: an API key or a bearer token. In which header is the SDK's affair."""

    key: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    base_url: str = BASE_URL


class AnthropicModel:
    """A `Model`. Close it when the run is over.

    Args:
        access: Address and credential.
        sleep: Waits between two tries.
        dice: For the jitter of those waits.

    Raises:
        memtui.util.errors.UsageError: If address or credential can't be right.
    """

    def __init__(
        self,
        access: Access,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        dice: random.Random | None = None,
    ) -> None:
        self._secret = (access.key or access.token).strip()
        if not self._secret or not (self._secret.isascii() and self._secret.isprintable()):
            raise BadCall("there is no usable key for the model service", hint="set ANTHROPIC_API_KEY")
        self._host = _host(access.base_url)
        self._sleep = sleep
        self._dice = dice or random.Random()
        self._client = anthropic.AsyncAnthropic(
            api_key=self._secret if access.key else None,
            auth_token=None if access.key else self._secret,
            base_url=access.base_url,
            timeout=anthropic.Timeout(SILENCE, connect=_CONNECT),
            max_retries=0,
        )

    async def aclose(self) -> None:
        """Give the connections back."""
        await self._client.close()

    async def answer(self, request: Request) -> AsyncGenerator[Piece, None]:
        """See `Model.answer`."""
        patience = Patience(self._dice)
        while True:
            gathered, opened = Gathered(), False
            fault = CUT
            try:
                async with aclosing(self._events(request)) as events:
                    async for event in events:
                        opened = True
                        gathered.add(event)
                        if not gathered.finished:
                            yield Heard(gathered.usage)
            except anthropic.APIStatusError as error:
                fault = self._of_status(error, opened)
            except (anthropic.APIError, httpx2.HTTPError, httpx2.StreamError, OSError) as error:
                fault = CUT if opened else self._of_connection(error)
            except ValueError:  # an event that is no JSON or no UTF-8
                fault = CUT
            if gathered.finished:
                yield gathered.answer()
                return
            after = patience.wait(fault)
            yield Again(after, fault.words)
            await self._sleep(after)

    async def _events(self, request: Request) -> AsyncGenerator[Mapping[str, Any], None]:
        """The events of one try as they came, an empty one first: from there on, what fails is a stream."""
        given: dict[str, Any] = {"tools": request.tools} if request.tools else {}
        if request.system:
            given["system"] = request.system
        stream = await self._client.messages.create(
            model=request.model,
            max_tokens=request.max_tokens,
            messages=cast(Any, request.messages),
            stream=True,
            **given,
        )
        async with stream:
            yield {}
            async for event in stream:
                if isinstance(cast(Any, event), anthropic.BaseModel):
                    yield event.to_dict(warnings=False)  # warnings would quote the model

    def _of_status(self, error: anthropic.APIStatusError, opened: bool) -> Fault:
        """What an error means that the service reported itself, before the stream or in the midst of it."""
        said = error.body.get("error") if isinstance(error.body, Mapping) else None
        body: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
        details = body.get("details")
        code = details.get("error_code") if isinstance(details, Mapping) else None
        status = error.status_code
        if status < 400:
            status = STATUS_OF.get(str(body.get("type")), 500)
        message = str(body.get("message") or "").replace(self._secret, "…")
        fault = of_status(status, message, str(code or ""), {k.lower(): v for k, v in error.response.headers.items()})
        if opened and fault.kind != "final":
            return Fault("cut", fault.cause, f"the answer broke off: {fault.words}", fault.hint, fault.after)
        return fault

    def _of_connection(self, error: Exception) -> Fault:
        """What it means that no answer began."""
        if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
            words = f"{self._host} doesn't answer"
        else:
            reason = error.__cause__ or error
            words = (
                f"{self._host} can't be reached ({clip(visible(str(reason), keep=''), 200) or type(reason).__name__})"
            )
        return Fault("server", "connection", words.replace(self._secret, "…"), "check the network and the base URL")


def _host(base_url: str) -> str:
    """The address without what may be secret in it."""
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise BadCall("the base URL of the model service is no http address", hint="check ANTHROPIC_BASE_URL")
    return url.host + (f":{url.port}" if url.port else "")
