"""The Messages API through its SDK: the backend "anthropic".

The only module that imports the SDK, which costs more time than the whole screen: nothing imports this one but the
process of a run.

The SDK's own retries are off: ours are told (`Again`), and wait as the caller's clock says. The key is in no message of
ours: it is taken out of whatever the service says.

Source: FORMATS.md 5; SAFETY.md F40 to F50.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, cast

import anthropic
import httpx2  # the SDK's own; what a broken stream raises is not wrapped by it

from memtui.agent.anthropic_faults import CUT, STATUS_OF, Fault, Patience, of_status
from memtui.agent.anthropic_stream import Gathered
from memtui.agent.model import Again, Heard, Piece, Request
from memtui.base.errors import Usage as BadCall
from memtui.base.text import clip, visible

BASE_URL = "https://api.anthropic.com"
SILENCE = 180.0
"""Seconds without a byte after which a stream counts as dead; the service sends pings while it thinks."""
_CONNECT = 15.0


@dataclass(frozen=True, slots=True)
class Access:
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
        memtui.base.errors.Usage: If address or credential can't be right.
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
