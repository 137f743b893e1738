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
    """A column: its heading, whether its cells stand right, and their style.

    `rest` is 0 for one that keeps its width; where there isn't room for all, the others give of theirs, first the
    lowest, of equals the last.
    """

    title: str
    right: bool = False
    rest: int = 0
    style: str = ""


def table(out: Output, columns: Sequence[Column], rows: Iterable[Sequence[str | Part]]) -> Iterator[Line]:
    """Lines of a table: aligned for a terminal, fields with a tab between them in `--plain`.

    Args:
        out: Knows the width.
        columns: A column without a title in every column gives a table without a heading.
        rows: The cells, one style a cell, which wins over that of the column; without any there is no heading either.
    """
    across = list(zip(*rows, strict=True))
    if across:
        yield from columned(out, columns, across)


def columned(out: Output, columns: Sequence[Column], across: Sequence[Sequence[str | Part]]) -> Iterator[Line]:
    """As `table`, from the cells of whole columns; without any cell there is no heading either."""
    if not across[0]:
        return
    shown = [_shown(column) for column in across]
    if out.plain:
        for texts in zip(*shown, strict=True):
            yield "\t".join(text.replace("\t", " ") for text in texts)
        return
    headed = any(column.title for column in columns)
    if headed:
        shown = [[column.title, *texts] for column, texts in zip(columns, shown, strict=True)]
    lines = zip(*_aligned(shown, columns, out.width, out.glyphs.ellipsis), strict=True)
    if not out.coloured(sys.stdout):
        yield from map(GAP.join, lines)
        return
    if headed:
        yield _line([Part(text, "dim") for text in next(lines)])
    for row, texts in zip(zip(*across, strict=True), lines, strict=True):
        yield _line([
            Part(text, cell.style if isinstance(cell, Part) else column.style)
            for cell, text, column in zip(row, texts, columns, strict=True)
        ])  # fmt: skip


def _line(parts: list[Part]) -> list[str | Part]:
    """Cells with the gap between them."""
    line: list[str | Part] = [parts[0]]
    for part in parts[1:]:
        line += [GAP, part]
    return line


def _shown(column: Sequence[str | Part]) -> list[str]:
    """A column's cells as they may be shown."""
    texts = [cell if type(cell) is str else _text(cell) for cell in column]
    joined = "".join(texts)
    return texts if joined.isascii() and joined.isprintable() else [visible(text, keep="") for text in texts]


def _text(cell: str | Part) -> str:
    return cell.text if isinstance(cell, Part) else cell


def _aligned(across: list[list[str]], columns: Sequence[Column], room: int, ellipsis: str) -> Iterator[list[str]]:
    """The columns, each in its width; the last one isn't filled with blanks, and where nothing is cut not measured."""
    last = len(columns) - 1
    sizes = [_sizes(texts) if room or number < last or columns[last].right else [0]
             for number, texts in enumerate(across)]  # fmt: skip
    widths = list(map(max, sizes))
    _fit(widths, columns, room)
    for number, (texts, taken, width, column) in enumerate(zip(across, sizes, widths, columns, strict=True)):
        if max(taken) > width:
            cut = [clip(text, width, ellipsis=ellipsis) for text in texts]
            texts, taken = cut, _sizes(cut)
        if number == last and not column.right:
            yield texts
        else:
            yield _filled(texts, taken, width, right=column.right)


def _filled(texts: list[str], sizes: list[int], width: int, *, right: bool) -> list[str]:
    """Cells with so many blanks that each takes the width."""
    if sizes == list(map(len, texts)):
        return [text.rjust(width) for text in texts] if right else [text.ljust(width) for text in texts]
    filled = zip(texts, [" " * (width - size) for size in sizes], strict=True)
    return [blanks + text for text, blanks in filled] if right else [text + blanks for text, blanks in filled]


def _sizes(texts: list[str]) -> list[int]:
    """How many terminal cells each takes."""
    return list(map(len if "".join(texts).isascii() else cells, texts))


def _fit(widths: list[int], columns: Sequence[Column], room: int) -> None:
    """Take what is too much from the columns that may give; only the first of them may vanish."""
    over = sum(widths) + len(GAP) * (len(widths) - 1) - room
    if not room or over <= 0:
        return
    least = 0
    for i in sorted((i for i, column in enumerate(columns) if column.rest), key=lambda i: (columns[i].rest, -i)):
        taken = min(max(over, 0), max(widths[i] - least, 0))
        widths[i] -= taken
        over -= taken
        least = 8
