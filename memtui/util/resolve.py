"""Which one of many a word means: whoever types the beginning of an id, or a name, means the only one that fits."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from memtui.util.errors import NotFound, UsageError
from memtui.util.text import visible

SHORTEST = 4
"""Characters of an id that are enough, if no other begins with them."""

NAMED = 4
"""Of so many that fit the names are told."""

One = TypeVar("One")


def begins(id: str, word: str) -> bool:
    """Whether a word is the beginning of an id; fewer than `SHORTEST` characters name nothing."""
    return len(word) >= SHORTEST and id.startswith(word.lower())


def resolve_one(
    fits: Sequence[One], word: str, kind: str, *, lists: str, name: Callable[[One], str] | None = None
) -> One:
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
        names = ", ".join(visible(name(one), keep="") for one in fits[:NAMED]) if name else "give more of the id"
        raise UsageError(f"{shown!r} fits {len(fits)} {kind}s", hint=names)
    return fits[0]
