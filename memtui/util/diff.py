r"""The one difference of two texts: made for the engine, shown by the command line and the screen.

Lines end in "\n" alone: a CR, U+2028 or a form feed stays inside its line, where it shows. A last line without its end
is said as git says it. Bytes that are no UTF-8 stay apart from each other (surrogate escapes).
"""

import re
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher
from difflib import unified_diff as _difflib_diff
from typing import Literal

from msgspec import Struct

DiffKind = Literal["file", "hunk", "context", "added", "removed", "note"]
"""A line that names a file, one that begins a hunk, three kinds of text, and "no newline at end of file"."""

_NO_NEWLINE = "\\ No newline at end of file"
_KINDS: dict[str, DiffKind] = {"+": "added", "-": "removed", "\\": "note"}
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class DiffLine(Struct, frozen=True):
    """A line of a unified diff, sign included; its number, from 1, in the file before and after if it is part of it."""

    kind: DiffKind
    text: str
    old: int | None = None
    new: int | None = None


def unified_diff(
    before: bytes | None, after: bytes | None, name: str, *, old_name: str = "", moved: bool = True, context: int = 3
) -> str:
    r"""Compare two contents of one file (`None`: no file), which was called `old_name` before if that is given.

    A relative name stands below `a/` and `b/`, as in git; without `moved`, `old_name` is another file. Returns a
    unified diff with `context` lines around each change, each line with its "\n"; "" where nothing differs.
    """
    old_name = old_name or name
    parts = [f"rename from {old_name}\n", f"rename to {name}\n"] if moved and old_name != name else []
    if before != after:
        old = "/dev/null" if before is None else old_name if old_name.startswith("/") else f"a/{old_name}"
        new = "/dev/null" if after is None else name if name.startswith("/") else f"b/{name}"
        lines = list(_difflib_diff(_split(before), _split(after), old, new, n=context))
        lines = lines or [f"--- {old}\n", f"+++ {new}\n"]  # an empty file that comes or goes
        parts += (line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}\n" for line in lines)
    return "".join(parts)


def count_hunks(before: bytes | None, after: bytes | None, *, context: int = 3) -> int:
    """How many hunks `unified_diff` shows for two contents."""
    return len(_hunks(_split(before), _split(after), context))


def take_hunks(
    before: bytes | None, after: bytes | None, numbers: Collection[int], *, context: int = 3
) -> bytes | None:
    """The content with some hunks of `unified_diff` applied, numbered from 1; with all of them it is `after`."""
    old, new = _split(before), _split(after)
    hunks = _hunks(old, new, context)
    if set(numbers) >= set(range(1, len(hunks) + 1)):
        return after
    lines, at = list[str](), 0
    for number, hunk in enumerate(hunks, 1):
        for _, old_start, old_end, new_start, new_end in hunk if number in numbers else ():
            lines += [*old[at:old_start], *new[new_start:new_end]]
            at = old_end
    lines += old[at:]
    return before if before is None and not lines else "".join(lines).encode("utf-8", "surrogateescape")


def _hunks(old: list[str], new: list[str], context: int) -> list[list[tuple[str, int, int, int, int]]]:
    return list(SequenceMatcher(None, old, new).get_grouped_opcodes(context)) if old != new else []


def _split(content: bytes | None) -> list[str]:
    *lines, last = (content or b"").decode("utf-8", "surrogateescape").split("\n")
    return [line + "\n" for line in lines] + ([last] if last else [])


def parse_diff(diff: str) -> Iterator[DiffLine]:
    """Read unified diffs that stand behind each other, line by line.

    The counts of each hunk decide what a line is, so that a removed line "-- x" is never taken for the name of a file.
    Lines outside a hunk, as in a list of what a project's move would bring, are told apart by their sign alone.
    """
    old = new = old_left = new_left = 0
    for text in diff.removesuffix("\n").split("\n") if diff else ():
        if old_left <= 0 and new_left <= 0:
            if hunk := _HUNK.match(text):
                old, new = int(hunk[1]), int(hunk[3])
                old_left, new_left = int(hunk[2] or 1), int(hunk[4] or 1)
                yield DiffLine("hunk", text)
            else:
                named = text.startswith(("+++ ", "--- ")) or text[:1] not in _KINDS
                yield DiffLine("file" if named else _KINDS[text[:1]], text)
            continue
        kind = _KINDS.get(text[:1], "context")
        in_old, in_new = kind in ("context", "removed"), kind in ("context", "added")
        yield DiffLine(kind, text, old if in_old else None, new if in_new else None)
        old, old_left = old + in_old, old_left - in_old
        new, new_left = new + in_new, new_left - in_new
