"""What the scanner finds is masked wherever text is shown that is not being edited; a person can have it shown."""

from collections.abc import Sequence
from functools import lru_cache

from memtui.secrets.scanner import redact, scan

MAX_CACHED = 400
"""Characters of the longest text whose masked form is remembered: a list draws the same titles again and again."""


def mask_secrets(text: str) -> str:
    """A text with what looks like a secret masked; the number of its lines stays."""
    return _mask(text) if len(text) > MAX_CACHED else _mask_short(text)


def _mask(text: str) -> str:
    return redact(text, scan(text), masked=True)


_mask_short = lru_cache(maxsize=4096)(_mask)


def mask_lines(lines: Sequence[str]) -> list[str]:
    """Texts of one line each, masked at one go, which is faster than one by one; others are masked by themselves."""
    whole = "\n".join(lines)
    masked = _mask(whole)
    if masked == whole:
        return list(lines)
    split = masked.split("\n")
    return split if len(split) == len(lines) else [mask_secrets(line) for line in lines]
