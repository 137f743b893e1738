"""Which one of many a word means: whoever types the beginning of an id, or a name, means the only one that fits."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from memtui.util.errors import NotFound, UsageError
from memtui.util.text import visible

MIN_PREFIX_CHARS = 4
"""Characters of an id that are enough, if no other begins with them."""

MAX_NAMES_LISTED = 4
"""Of so many that fit the names are told."""

Item = TypeVar("Item")


def matches_prefix(id: str, word: str) -> bool:
    """Whether a word is the beginning of an id; fewer than `MIN_PREFIX_CHARS` characters name nothing."""
    return len(word) >= MIN_PREFIX_CHARS and id.startswith(word.lower())


def resolve_one(
    fits: Sequence[Item], word: str, kind: str, *, lists: str, name: Callable[[Item], str] | None = None
) -> Item:
    """The only thing that a word fits.

    Args:
        fits: All that it fits.
        word: As it was typed.
        kind: What they are, in the singular.
        lists: Where they are listed, for somebody whose word fits none.
        name: Tells several apart.

    Raises:
        NotFound: If there is none.
        Usage: If there are several.
    """
    shown = visible(word, keep="")
    if not fits:
        raise NotFound(f"no {kind} {shown!r}", hint=lists)
    if len(fits) > 1:
        names = (
            ", ".join(visible(name(one), keep="") for one in fits[:MAX_NAMES_LISTED]) if name else "give more of the id"
        )
        raise UsageError(f"{shown!r} fits {len(fits)} {kind}s", hint=names)
    return fits[0]
