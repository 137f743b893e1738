"""What the scanner finds is masked wherever text is shown that is not being edited; a person can have it shown."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from memtui.secrets.scanner import redact, scan

MAX_CACHED = 400
"""Characters of the longest text whose masked form is remembered: a list draws the same titles again and again."""


def mask_secrets(text: str) -> str:
    """A text with what looks like a secret masked; the number of its lines stays."""
    return _mask(text) if len(text) > MAX_CACHED else _mask_short(text)


def _mask(text: str) -> str:
    return redact(text, scan(text), masked=True)


_mask_short = lru_cache(maxsize=4096)(_mask)


def mask_texts(texts: Sequence[str]) -> list[str]:
    """Texts masked at one go, which is faster than one by one."""
    whole = "\n".join(texts)
    masked = _mask(whole)
    if masked == whole:
        return list(texts)
    lines = iter(masked.split("\n"))
    return ["\n".join(islice(lines, text.count("\n") + 1)) for text in texts]
