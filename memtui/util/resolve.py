"""Resolve a unique prefix or name to one item."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from memtui.util.errors import NotFound, UsageError
from memtui.util.text import visible

MIN_PREFIX_CHARS = 4  # shorter prefixes of an id match nothing
MAX_NAMES_LISTED = 4  # how many of several matches are named
Item = TypeVar("Item")


def matches_prefix(id: str, prefix: str) -> bool:
    """Whether an id begins with a prefix of at least `MIN_PREFIX_CHARS`."""
    return len(prefix) >= MIN_PREFIX_CHARS and id.startswith(prefix.lower())


def resolve_one(
    matches: Sequence[Item], word: str, kind: str, *, lists: str, name: Callable[[Item], str] | None = None
) -> Item:
    """Return the only item of a `kind` that a typed word matches; `lists` is the command that lists them all.

    Raises `NotFound` if there is none, `UsageError` if there are several.
    """
    shown = visible(word, keep="")
    if not matches:
        raise NotFound(f"no {kind} {shown!r}", hint=lists)
    if len(matches) > 1:
        listed = matches[:MAX_NAMES_LISTED]
        names = ", ".join(visible(name(one), keep="") for one in listed) if name else "give more of the id"
        raise UsageError(f"{shown!r} matches {len(matches)} {kind}s", hint=names)
    return matches[0]
