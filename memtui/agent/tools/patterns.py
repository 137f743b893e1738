"""Wildcards for names: `*`, `?`, `[…]`, `{a,b}`, and `**` for any number of folders.

A wildcard doesn't stand for a leading dot. Matching takes time in proportion to the pattern's length, whatever it is.
"""

import fnmatch
import re
from collections.abc import Callable

from memtui.agent.tools.outcome import ToolFault

_LONGEST = 1000
_ALTERNATIVES = 64


def matcher(pattern: str) -> Callable[[str], bool]:
    """A test for names with slashes.

    Raises:
        ToolFault: If the pattern is too long or has too many alternatives.
    """
    if len(pattern) > _LONGEST:
        raise ToolFault("the pattern is too long")
    ways = [[_part(part) for part in way.split("/") if part not in ("", ".")] for way in _ways(pattern)]

    def matches(name: str) -> bool:
        parts = name.split("/")
        return any(_fits(way, parts) for way in ways)

    return matches


def _ways(pattern: str) -> list[str]:
    """The pattern without braces, once for each choice."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        if len(done) + len(todo) > _ALTERNATIVES:
            raise ToolFault("the pattern has too many alternatives")
        way = todo.pop()
        if match := re.search(r"\{([^{}]*,[^{}]*)\}", way):
            todo += [way[: match.start()] + choice + way[match.end() :] for choice in match[1].split(",")]
        else:
            done.append(way)
    return done


def _part(part: str) -> Callable[[str], bool] | None:
    """A test for one part of a name; `None` stands for any number of folders."""
    if part == "**":
        return None
    fits = re.compile(fnmatch.translate(part)).match
    hidden = part.startswith(".")
    return lambda name: (hidden or not name.startswith(".")) and fits(name) is not None


def _fits(way: list[Callable[[str], bool] | None], parts: list[str]) -> bool:
    here = {0}  # how many parts of the pattern may be used up so far
    for name in parts:
        here = _beyond(way, here)
        after: set[int] = set()
        for at in here:
            if at == len(way):
                continue
            test = way[at]
            if test is None:
                if not name.startswith("."):
                    after.add(at)
            elif test(name):
                after.add(at + 1)
        here = after
    return len(way) in _beyond(way, here)


def _beyond(way: list[Callable[[str], bool] | None], here: set[int]) -> set[int]:
    """The same, where "any number of folders" is none."""
    found = set(here)
    for at in sorted(here):
        while at < len(way) and way[at] is None:
            at += 1
            found.add(at)
    return found
