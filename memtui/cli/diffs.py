"""Differences as text."""

from collections.abc import Iterator
from difflib import unified_diff

from memtui.cli.output import Line, StyledText


def unified(before: bytes | None, after: bytes | None, name: str) -> str:
    r"""A unified diff of two contents of one file; "" if they are equal.

    Args:
        before: `None` where there was no file.
        after: `None` where there will be none.
        name: What to call it.
    """
    if before == after:
        return ""
    old = "/dev/null" if before is None else f"a/{name}"
    new = "/dev/null" if after is None else f"b/{name}"
    found = unified_diff(_lines(before), _lines(after), old, new)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in found)


def _lines(data: bytes | None) -> list[str]:
    """Lines that end in LF alone, as everywhere in memtui; the CR of a CRLF stays and shows."""
    text = (data or b"").decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def diff_lines(diff: str) -> Iterator[Line]:
    """The lines of a unified diff, coloured."""
    for line in diff.removesuffix("\n").split("\n") if diff else ():
        style = "head" if line.startswith("@@") else "bold" if line.startswith(("---", "+++")) else ""
        style = style or ("added" if line.startswith("+") else "removed" if line.startswith("-") else "")
        yield StyledText(line, style)
