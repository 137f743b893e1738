"""Tables: lines whose cells stand below each other, in the width of a terminal or in their own.

There may be thousands of rows, so a column is looked at as a whole wherever that is enough.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memtui.base.text import cells, clip, visible
from memtui.cli.output import Line, Output, Part

GAP = "  "
"""Between two columns."""


class Column(NamedTuple):
    """A column: heading, whether it stands right, whether it takes the room that is left, the style of its cells."""

    title: str
    right: bool = False
    rest: bool = False
    style: str = ""


def table(out: Output, columns: Sequence[Column], rows: Iterable[Sequence[str | Part]]) -> Iterator[Line]:
    """Lines of a table: aligned for a terminal, fields with a tab between them in `--plain`.

    Args:
        out: Knows the width.
        columns: A column without a title in every column gives a table without a heading.
        rows: The cells, one style a cell, which wins over that of the column; without any there is no heading either.
    """
    listed = list(rows)
    if not listed:
        return
    across = [_shown(column) for column in zip(*listed, strict=True)]
    if out.plain:
        for texts in zip(*across, strict=True):
            yield "\t".join(text.replace("\t", " ") for text in texts)
        return
    headed = any(column.title for column in columns)
    if headed:
        across = [[column.title, *texts] for column, texts in zip(columns, across, strict=True)]
    sizes = [list(map(len if "".join(texts).isascii() else cells, texts)) for texts in across]
    widths = list(map(max, sizes))
    _fit(widths, columns, out.width)
    filled = [
        _filled(texts, taken, width, column.right, out.glyphs.ellipsis)
        for texts, taken, width, column in zip(across, sizes, widths, columns, strict=True)
    ]
    lines = zip(*filled, strict=True)
    if not out.coloured(sys.stdout):
        yield from map(GAP.join, lines)
        return
    if headed:
        yield _line([Part(text, "dim") for text in next(lines)])
    for row, texts in zip(listed, lines, strict=True):
        yield _line([
            Part(text, cell.style if isinstance(cell, Part) else column.style)
            for cell, text, column in zip(row, texts, columns, strict=True)
        ])  # fmt: skip


def _line(parts: list[Part]) -> list[str | Part]:
    """Cells with the gap between them; blanks at the end would show in a colour that underlines."""
    line: list[str | Part] = []
    for part in parts[:-1]:
        line += [part, GAP]
    return [*line, parts[-1]._replace(text=parts[-1].text.rstrip(" "))]


def _shown(column: Sequence[str | Part]) -> list[str]:
    """A column's cells as they may be shown."""
    texts = [cell.text if isinstance(cell, Part) else cell for cell in column]
    joined = "".join(texts)
    return texts if joined.isascii() and joined.isprintable() else [visible(text, keep="") for text in texts]


def _filled(texts: list[str], sizes: list[int], width: int, right: bool, ellipsis: str) -> list[str]:
    """A column's cells in its width; `sizes` is how many terminal cells each takes by itself."""
    if max(sizes) > width:
        texts = [clip(text, width, ellipsis=ellipsis) for text in texts]
        sizes = list(map(cells, texts))
    if right:
        return [" " * (width - size) + text for text, size in zip(texts, sizes, strict=True)]
    return [text + " " * (width - size) for text, size in zip(texts, sizes, strict=True)]


def _fit(widths: list[int], columns: Sequence[Column], width: int) -> None:
    """Take what is too much from the columns that take the rest, the last first; only that may vanish."""
    over = sum(widths) + len(GAP) * (len(widths) - 1) - width
    if not width or over <= 0:
        return
    least = 0
    for i in reversed([i for i, column in enumerate(columns) if column.rest]):
        taken = min(max(over, 0), max(widths[i] - least, 0))
        widths[i] -= taken
        over -= taken
        least = 8
