"""What a terminal would show: the few sequences that Textual and the first picture write, turned into cells."""

import re
from dataclasses import dataclass

from rich.cells import cell_len

_PIECES = re.compile(
    r"\x1b\[(?P<args>[0-?]*)[ -/]*(?P<final>[@-~])|\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_].*?\x1b\\|[ -/]*[0-~])"
    r"|(?P<text>[^\x1b\r\n]+)|(?P<move>[\r\n])|\x1b",
    re.DOTALL,
)
_MARKS = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_UNMARKS = {22: {"bold", "dim"}, 23: {"italic"}, 24: {"underline"}, 27: {"reverse"}, 29: {"strike"}}


@dataclass(frozen=True)
class Look:
    """How a cell is drawn; a colour is as the sequence named it: "2;255;0;0", "5;196", "31", or "" for the default."""

    ink: str = ""
    ground: str = ""
    marks: frozenset[str] = frozenset()


Cell = tuple[str, Look]
"""A character, "" behind a wide one, and its look."""


class ScreenOf:
    """The cells after some output; `other` says whether the alternate screen is shown, `cursor` whether one sees it.

    Args:
        output: All that the program wrote, a cut-off last sequence apart.
        size: Columns and rows.
    """

    def __init__(self, output: bytes, size: tuple[int, int]) -> None:
        self.columns, self.rows = size
        self.other, self.cursor = False, True
        self._look = Look()
        self._x = self._y = 0
        self._clear()
        for piece in _PIECES.finditer(output.decode("utf-8", "replace")):
            if piece["text"]:
                self._write(piece["text"])
            elif piece["final"]:
                self._obey(piece["args"], piece["final"])
            elif piece["move"]:
                self._x, self._y = (0, self._y) if piece["move"] == "\r" else (self._x, self._y + 1)

    def lines(self) -> list[str]:
        """The text, line by line, blanks at the ends included."""
        return ["".join(char for char, _ in row) for row in self.cells]

    def different(self, other: "ScreenOf", *, blank: str = " ") -> list[tuple[int, int, Cell, Cell]]:
        """Where the two differ in what one sees: column, row, and both cells. The ink of a blank is not seen."""
        found = []
        for y, (left, right) in enumerate(zip(self.cells, other.cells, strict=True)):
            for x, (mine, theirs) in enumerate(zip(left, right, strict=True)):
                if _seen(mine, blank) != _seen(theirs, blank):
                    found.append((x, y, mine, theirs))
        return found

    def _clear(self) -> None:
        self.cells: list[list[Cell]] = [[(" ", Look())] * self.columns for _ in range(self.rows)]

    def _write(self, text: str) -> None:
        for char in text:
            wide = cell_len(char)
            if wide == 0 or not 0 <= self._y < self.rows or self._x + wide > self.columns:
                continue
            self.cells[self._y][self._x] = (char, self._look)
            for more in range(1, wide):
                self.cells[self._y][self._x + more] = ("", self._look)
            self._x += wide

    def _obey(self, args: str, final: str) -> None:
        if args.startswith("?"):
            if final in "hl" and args == "?1049" and self.other != (final == "h"):
                self.other = final == "h"
                self._clear()
            elif final in "hl" and args == "?25":
                self.cursor = final == "h"
        elif final in "Hf":
            row, _, column = args.partition(";")
            self._y, self._x = int(row or 1) - 1, int(column or 1) - 1
        elif final == "J" and args == "2":
            self._clear()
        elif final == "m":
            self._paint([int(number or 0) for number in args.split(";")])

    def _paint(self, codes: list[int]) -> None:
        ink, ground, marks = self._look.ink, self._look.ground, set(self._look.marks)
        while codes:
            code = codes.pop(0)
            if code == 0:
                ink, ground, marks = "", "", set()
            elif code in _MARKS:
                marks.add(_MARKS[code])
            elif code in _UNMARKS:
                marks -= _UNMARKS[code]
            elif code in (38, 48):
                length = 4 if codes[0] == 2 else 2
                colour = ";".join(map(str, codes[:length]))
                del codes[:length]
                ink, ground = (colour, ground) if code == 38 else (ink, colour)
            elif code in (39, 49):
                ink, ground = ("", ground) if code == 39 else (ink, "")
            elif 30 <= code <= 37 or 90 <= code <= 97:
                ink = str(code)
            elif 40 <= code <= 47 or 100 <= code <= 107:
                ground = str(code - 10)
        self._look = Look(ink, ground, frozenset(marks))


def _seen(cell: Cell, blank: str) -> object:
    char, look = cell
    if char not in (" ", ""):
        return cell
    if "reverse" in look.marks:
        return char, look.ink
    return char, look.ground, look.marks & {"underline", "strike"}
