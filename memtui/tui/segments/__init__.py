"""What the lines of the first screen say, as pieces of text with a style each, without Textual.

A module has the name of the panel that shows its lines. The panels make `Content` of the pieces (`Content.assemble`),
the first picture makes escape sequences of them: what both show is the same because it is made here. A style is words
as in `Content`: colours of the theme with a dollar sign in front, "bold", "reverse".
"""

from memtui.util import text

Segment = tuple[str, str]
"""Visible text of one line, and its style ("" for none)."""
Line = list[Segment]


def cells(line: Line) -> int:
    """How many cells the line takes."""
    return sum(text.cells(piece) for piece, _ in line)


def joined(lines: list[Line], between: str) -> Line:
    """One line of several, with plain text between them."""
    whole: Line = []
    for number, line in enumerate(lines):
        whole += [(between, ""), *line] if number else line
    return whole
