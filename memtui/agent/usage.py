"""The tokens that a run has used, and what they cost.

Prices are data: US dollars per million tokens, as published on 2026-10-24. A model that isn't in the table has no
price: nothing is guessed from a similar name.

Source: platform.claude.com, "Pricing"; for Fable 5.2 and Mythos 5.2 the list of Claude Code 2.1.332, which agrees with
all the others.
"""

from collections.abc import Mapping
from operator import add

from msgspec import Struct
from msgspec.structs import astuple

from memtui.agent.models import without_date


class TokenUsage(Struct, frozen=True):
    """Tokens as the API counts them."""

    input: int = 0  # without those read from or written to the cache
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0  # to live for five minutes
    cache_write_1h: int = 0  # to live for an hour

    @property
    def prompt(self) -> int:
        """All tokens that were sent, cached ones included."""
        return self.input + self.cache_read + self.cache_write + self.cache_write_1h

    @classmethod
    def of_counts(cls, counts: Mapping[str, int]) -> "TokenUsage":
        """From the counts of the API's `usage` and of the `cache_creation` in it, by name; a missing one is 0."""
        written, hour = counts.get("cache_creation_input_tokens", 0), counts.get("ephemeral_1h_input_tokens", 0)
        return cls(
            counts.get("input_tokens", 0),
            counts.get("output_tokens", 0),
            counts.get("cache_read_input_tokens", 0),
            max(written - hour, 0),
            hour,
        )

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(*map(add, astuple(self), astuple(other)))


class Price(Struct, frozen=True):
    """Dollars per million tokens; a write to the cache that lives for an hour costs twice the input."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    long: int = 0
    longer: "Price | None" = None  # for a call whose prompt has more than `long` tokens

    def cost(self, usage: TokenUsage) -> float:
        """Dollars for one call."""
        if self.longer is not None and usage.prompt > self.long:
            return self.longer.cost(usage)
        return (
            usage.input * self.input
            + usage.output * self.output
            + usage.cache_read * self.cache_read
            + usage.cache_write * self.cache_write
            + usage.cache_write_1h * 2 * self.input
        ) / 1e6


PRICES: Mapping[str, Price] = {
    **dict.fromkeys(("claude-fable-5-2", "claude-mythos-5-2"), Price(8, 40, 0.2, 10)),
    **dict.fromkeys(("claude-fable-5-1", "claude-mythos-5-1"), Price(10, 50, 0.25, 12.5)),
    **dict.fromkeys(("claude-fable-5", "claude-mythos-5"), Price(10, 50, 1, 12.5)),
    "claude-opus-5-5": Price(4, 20, 0.2, 5),
    **dict.fromkeys(("claude-opus-5", *(f"claude-opus-4-{minor}" for minor in (8, 7, 6, 5))), Price(5, 25, 0.5, 6.25)),
    "claude-sonnet-5-5": Price(2, 10, 0.1, 2.5),
    "claude-sonnet-5": Price(2, 10, 0.2, 2.5),
    **dict.fromkeys(("claude-sonnet-4-6", "claude-sonnet-4-5"), Price(3, 15, 0.3, 3.75)),
    "claude-haiku-5-5": Price(0.1, 0.5, 0.01, 0.125, 100_000, Price(0.5, 2.5, 0.05, 0.625)),
    "claude-haiku-4-5": Price(1, 5, 0.1, 1.25),
}
"""By the model's id without its date."""


def price_of(model: str, prices: Mapping[str, Price] = PRICES) -> Price | None:
    return prices.get(model) or prices.get(without_date(model))
