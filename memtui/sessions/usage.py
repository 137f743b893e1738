"""Tokens that a session used, counted once per answer.

Every row of an answer repeats its usage, so rows must not be added up; the last row of an answer has the final figures.

Source:
    FORMATS 1.5: by `message.id`, else `requestId`.
"""

from msgspec import Struct, field

from memtui.sessions.entries import text
from memtui.sessions.lines import Record


class Usage(Struct, frozen=True):
    """Tokens. `cached` were read from the cache, `stored` written to it; neither is part of `sent`."""

    sent: int = 0
    received: int = 0
    cached: int = 0
    stored: int = 0
    answers: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.sent + other.sent,
            self.received + other.received,
            self.cached + other.cached,
            self.stored + other.stored,
            self.answers + other.answers,
        )


class UsageCount(Struct):
    """Collects the usage of a session's records; `by_model` says how it spreads."""

    _last: dict[str, tuple[str, Usage]] = field(default_factory=dict)

    def take(self, data: Record) -> None:
        """Look at one record; of an answer's rows the last counts."""
        message = data.get("message")
        if data.get("type") != "assistant" or not isinstance(message, dict):
            return
        usage, model = message.get("usage"), text(message.get("model"))
        key = text(message.get("id")) or text(data.get("requestId")) or text(data.get("uuid"))
        if not isinstance(usage, dict) or not key or model == "<synthetic>":
            return
        self._last[key] = (
            model,
            Usage(
                _count(usage.get("input_tokens")),
                _count(usage.get("output_tokens")),
                _count(usage.get("cache_read_input_tokens")),
                _count(usage.get("cache_creation_input_tokens")),
                1,
            ),
        )

    @property
    def total(self) -> Usage:
        return sum((usage for _, usage in self._last.values()), Usage())

    @property
    def by_model(self) -> dict[str, Usage]:
        found: dict[str, Usage] = {}
        for model, usage in self._last.values():
            found[model] = found.get(model, Usage()) + usage
        return found


def _count(value: object) -> int:
    """A figure that can be added up; anything else, and what is no finite number, is 0."""
    return int(value) if isinstance(value, int | float) and 0 <= value < 1 << 62 else 0
