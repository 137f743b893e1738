"""What a model takes in a request beside messages and tools. A model that isn't listed is asked for nothing but text.

Source: platform.claude.com, "Models overview", "Thinking", "Effort"; the SDK's types; what Claude Code 2.1.332 asks of
each model, recorded.
"""

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

EFFORT = "medium"  # what Claude Code asks of its current models
UPDATES_BETA = "thinking-display-updates-2026-08-18"  # the beta without which a display of "updates" is refused


class ModelTraits(Struct, frozen=True):
    """What a model takes."""

    max_output: int  # most output tokens of one answer
    # Of adaptive thinking, "" without it; "updates" are sentences between tool calls, which older models write as text.
    display: Literal["", "summarized", "updates"] = ""
    effort: bool = False


UNKNOWN = ModelTraits(32_000)
_MODELS: Mapping[ModelTraits, tuple[str, ...]] = {
    ModelTraits(128_000, "updates", effort=True): (
        "fable-5-2", "mythos-5-2", "fable-5-1", "mythos-5-1", "opus-5-5", "sonnet-5-5", "haiku-5-5",
    ),
    ModelTraits(128_000, "summarized", effort=True): (
        "fable-5", "mythos-5", "opus-5", "sonnet-5", "opus-4-8", "opus-4-7", "opus-4-6",
    ),
    ModelTraits(64_000, "summarized", effort=True): ("sonnet-4-6",),
    ModelTraits(64_000): ("opus-4-5", "sonnet-4-5", "haiku-4-5"),
}  # fmt: skip
_TRAITS = {f"claude-{name}": traits for traits, names in _MODELS.items() for name in names}
_DATE = re.compile(r"[-@]\d{8}\Z")


def without_date(model: str) -> str:
    """A model's id without the day of its release."""
    return _DATE.sub("", model)


def traits_of(model: str) -> ModelTraits:
    return _TRAITS.get(without_date(model), UNKNOWN)
