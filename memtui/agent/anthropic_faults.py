"""What a fault of the Messages API means: wait and ask again, or stop and say what to do.

Source: FORMATS.md 5.1, errors; SAFETY.md F40 to F44.
"""

import math
import random
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Literal

from msgspec import Struct

from memtui.agent.model import Failed
from memtui.base.text import clip, visible

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
            raise Failed(fault.words + tried, cause=fault.cause, hint=fault.hint)
        self._tries[fault.kind] = number + 1
        if fault.after is not None:
            return fault.after
        return float(min(_FIRST * 2**number, _SLOWEST) * self._dice.uniform(0.5, 1.0))
