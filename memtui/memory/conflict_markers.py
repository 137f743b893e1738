"""The lines with which git and diff3 mark a conflict in a text."""

import re
from collections.abc import Sequence

_MARKER = re.compile(r"^(?:(<{7})(?: .*)?|(\|{7})(?: .*)?|(={7})|(>{7})(?: .*)?)\r?$", re.MULTILINE)
_MAX_LISTED = 8


def marker_lines(text: str) -> tuple[int, ...]:
    """The lines (from 1) that git and diff3 mark a conflict with, a half resolved one too.

    `=======` and `>>>>>>>` alone are a heading and a quotation; behind `<<<<<<<` or a `=======` they are markers.
    """
    return tuple(line for line, _ in find_markers(text))


def find_markers(text: str) -> list[tuple[int, int]]:
    """The lines and offsets of `marker_lines`."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return []
    found: list[tuple[int, int]] = []
    side = 0  # 1 behind <<<<<<<, 2 behind =======
    separator: tuple[int, int] | None = None
    for match in _MARKER.finditer(text):
        at = (text.count("\n", 0, match.start()) + 1, match.start())
        if match[1]:
            found.append(at)
            side = 1
        elif match[2] and side == 1:
            found.append(at)
        elif match[3]:
            if side == 1:
                found.append(at)
                side = 2
            elif side == 0:
                separator = at
        elif match[4] and (side or separator):
            found += [separator] if separator and not side else []
            found.append(at)
            side, separator = 0, None
    return found


def line_list(lines: Sequence[int]) -> str:
    """Lines in words: "lines 3, 5 and 9", the first few of many."""
    shown = [str(line) for line in lines[:_MAX_LISTED]]
    if len(lines) > _MAX_LISTED:
        return f"lines {', '.join(shown)} and {len(lines) - _MAX_LISTED} more"
    return f"line {shown[0]}" if len(shown) == 1 else f"lines {', '.join(shown[:-1])} and {shown[-1]}"
