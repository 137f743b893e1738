"""Tables: lines whose cells stand below each other, in the width of a terminal or in their own.

There may be thousands of rows, so a column is looked at as a whole wherever that is enough.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from memtui.cli.context import CliContext
from memtui.cli.output import SHORTEST_SECRET, Cell, Line, Masked, Output, StyledText, iso
from memtui.util.text import age, cells, clip, visible

GAP = "  "  # between two columns
LEAST = 8  # cells that a column keeps when another one has given already


class Column(Struct, frozen=True):
    """A column."""

    title: str
    right: bool = False  # whether its cells stand right
    rest: int = 0  # 0 keeps its width; of the others the lowest gives first where there isn't room, of equals the last
    style: str = ""


def columns(*titles: str) -> list[Column]:
    """Columns by their titles: `>age` stands right, `title*` gives of its width where there isn't room for all."""
    return [Column(one.strip(">*"), one.startswith(">"), int(one.endswith("*"))) for one in titles]


def table(out: Output, columns: Sequence[Column], rows: Iterable[Sequence[Cell]]) -> Iterator[Line]:
    """Lines of a table: aligned for a terminal, fields with a tab between them in `--plain`.

    Where no column has a title there is no heading; without rows there is none either. A cell's style wins over that of
    its column.
    """
    cells = list(zip(*rows, strict=True))
    if cells:
        yield from columned(out, columns, cells)


def columned(out: Output, columns: Sequence[Column], cells: Sequence[Sequence[Cell]]) -> Iterator[Line]:
    """As `table`, from the cells of whole columns; without any cell there is no heading either."""
    if not cells[0]:
        return
    cells = [_masked(out, one) for one in cells]  # before they are cut: of half a secret nobody knows what it is
    if out.plain:
        for row in zip(*cells, strict=True):
            yield Masked("\t".join(_text(cell).replace("\t", " ") for cell in row))
        return
    headed = any(column.title for column in columns)
    sized = [_SizedColumn(column, cells_, headed) for column, cells_ in zip(columns, cells, strict=True)]
    loose = not (out.width or sized[-1].column.right)  # then the last is neither cut nor, as the last, filled
    for one in sized[: -1 if loose else None]:
        one.measure()
    sized = _fit(sized, out.width)
    lines = zip(*(one.filled(out.glyphs.ellipsis, last=one is sized[-1]) for one in sized), strict=True)
    if not out.coloured(sys.stdout):
        yield from map(Masked, map(GAP.join, lines))
        return
    if headed:
        yield _line([StyledText(text, "dim") for text in next(lines)])
    for row, texts in zip(zip(*(one.cells for one in sized), strict=True), lines, strict=True):
        yield _line([
            StyledText(Masked(text), cell.style if isinstance(cell, StyledText) else one.column.style)
            for cell, text, one in zip(row, texts, sized, strict=True)
        ])  # fmt: skip


def _masked(out: Output, cells: Sequence[Cell]) -> Sequence[Cell]:
    """The cells of a column, masked; numbers, ages and words too short for a secret are not looked at."""
    texts = [_text(cell) for cell in cells]
    looked = [text for text in dict.fromkeys(texts) if len(text) >= SHORTEST_SECRET]
    masked = {old: new for old, new in zip(looked, out.masked(looked), strict=True) if old != new}
    if not masked:
        return cells
    return [
        cell if text not in masked else StyledText(masked[text], cell.style if isinstance(cell, StyledText) else "")
        for cell, text in zip(cells, texts, strict=True)
    ]


def _line(parts: list[StyledText]) -> list[Cell]:
    line: list[Cell] = [parts[0]]
    for part in parts[1:]:
        line += [GAP, part]
    return line


class _SizedColumn:
    """A column on its way into lines: its cells as text, how many terminal cells each takes, and its width."""

    def __init__(self, column: Column, cells: Sequence[Cell], headed: bool) -> None:
        self.column, self.cells = column, cells
        self.texts = [column.title] if headed else []
        self.texts += map(_text, cells) if StyledText in set(map(type, cells)) else cells  # type: ignore[arg-type]  # all are str
        self.sizes: list[int] = []
        self.plain = False
        self.width = 0

    def measure(self) -> None:
        joined = "".join(self.texts)
        self.plain = joined.isascii()
        if not (self.plain and joined.isprintable()):  # for its width; whoever prints makes sure of it once more
            self.texts = [visible(text, keep="") for text in self.texts]
        self.sizes = list(map(len if self.plain else cells, self.texts))
        self.width = max(self.sizes)

    def filled(self, ellipsis: str, *, last: bool) -> list[str]:
        """The texts in the column's width; blanks that would end a line are left out."""
        texts, sizes, width, right = self.texts, self.sizes, self.width, self.column.right
        if sizes and max(sizes) > width:
            texts = [clip(text, width, ellipsis=ellipsis) for text in texts]
            sizes = list(map(cells, texts))
        if last and not right:
            return texts
        if self.plain:
            return [text.rjust(width) for text in texts] if right else [text.ljust(width) for text in texts]
        padded = zip(texts, [" " * (width - size) for size in sizes], strict=True)
        return [blanks + text for text, blanks in padded] if right else [text + blanks for text, blanks in padded]


def _text(cell: Cell) -> str:
    return cell.text if isinstance(cell, StyledText) else cell


def _fit(sized: list[_SizedColumn], room: int) -> list[_SizedColumn]:
    """Take what is too much from the columns that may give; only the first of them may vanish, and then is left out."""
    over = sum(one.width for one in sized) + len(GAP) * (len(sized) - 1) - room
    if not room or over <= 0:
        return sized
    giving = sorted((one for one in reversed(sized) if one.column.rest), key=lambda one: one.column.rest)
    least = 1
    if giving and len(sized) > 1 and giving[0].width <= over:
        gone = giving.pop(0)
        sized = [one for one in sized if one is not gone]
        over -= gone.width + len(GAP)
        least = LEAST
    for one in giving:
        taken = min(max(over, 0), max(one.width - least, 0))
        one.width -= taken
        over -= taken
        least = LEAST
    return sized


def when(context: CliContext, seconds: float) -> str:
    """A moment of the past in a table."""
    return (iso(seconds) or "") if context.out.plain or context.out.verbose else age(context.now() - seconds)
