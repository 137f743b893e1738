"""The drawn rows around a place in a source that nobody holds as a whole."""

from collections.abc import Callable

from msgspec import Struct

from memtui.sessions.passages import Passage, Source, Spot
from memtui.tui.speech import Row

MOST_ROWS = 3000
"""Rows that are held; beyond, those farthest from the screen are let go."""


class Block(Struct, frozen=True, eq=False):
    """The rows of one passage, and what is still known of it: what it said is read again when it is wanted."""

    spot: Spot
    offset: int
    length: int
    line: int
    uuid: str
    prompt: bool
    pending: bool
    rows: tuple[Row, ...]


class Anchor(Struct, frozen=True):
    """Which row of a passage the cursor goes to, and on which row of the screen that is.

    `part` and `line` as in `Row`; `end`: its last row, at the bottom of the screen.
    """

    part: int = -1
    line: int = -1
    y: int = 0
    end: bool = False


class Window:
    """Blocks that follow each other in the source, as one list of rows; it grows at both ends.

    Args:
        source: What is read.
        draw: Makes a block of a passage.
    """

    def __init__(self, source: Source, draw: Callable[[Passage], Block]) -> None:
        self.source = source
        self.draw = draw
        self.blocks: list[Block] = []
        self.rows: list[tuple[Block, Row]] = []
        self.at_top = self.at_bottom = False

    def start(self, block: Block | None) -> None:
        """Hold this block alone; None for a source that is empty."""
        self.blocks = [block] if block else []
        self.rows = [(block, row) for row in block.rows] if block else []
        self.at_top = self.at_bottom = block is None

    def above(self, block: Block | None) -> int:
        """Put a block before the first, None where there is none; returns by how many rows the others moved."""
        if block is None:
            self.at_top = True
            return 0
        self.blocks.insert(0, block)
        self.rows[:0] = [(block, row) for row in block.rows]
        return len(block.rows)

    def below(self, block: Block | None) -> None:
        """Put a block behind the last, None where there is none."""
        if block is None:
            self.at_bottom = True
        else:
            self.blocks.append(block)
            self.rows += [(block, row) for row in block.rows]

    def read_above(self, most: int | None) -> int:
        """Read one more passage at the top; returns by how many rows the others moved."""
        passage = self.source.before(self.blocks[0].spot, most)
        return self.above(self.draw(passage) if passage else None)

    def read_below(self, most: int | None) -> None:
        """Read one more passage at the bottom."""
        passage = self.source.after(self.blocks[-1].spot, most)
        self.below(self.draw(passage) if passage else None)

    def trim(self, first: int, last: int) -> int:
        """Let go of blocks far from the rows `first` to `last`; returns by how many rows the others moved."""
        if len(self.rows) <= MOST_ROWS:
            return 0
        reach = MOST_ROWS // 3
        while len(self.blocks) > 1 and len(self.rows) - len(self.blocks[-1].rows) > last + reach:
            del self.rows[-len(self.blocks.pop().rows) :]
            self.at_bottom = False
        moved = 0
        while len(self.blocks) > 1 and moved + len(self.blocks[0].rows) < first - reach:
            moved += len(self.blocks.pop(0).rows)
            self.at_top = False
        del self.rows[:moved]
        return -moved

    def forget_end(self) -> None:
        """The file grew: what was the end is none any more, and half a line may be whole now."""
        self.at_bottom = False
        if len(self.blocks) > 1 and self.blocks[-1].pending:
            del self.rows[-len(self.blocks.pop().rows) :]


def row_of(block: Block, anchor: Anchor, needle: str) -> int:
    """The row that an anchor names; of several of one line the first that has the text looked for."""
    if anchor.end:
        return len(block.rows) - 1
    of_part = [at for at, row in enumerate(block.rows) if row.part == anchor.part]
    of_line = [at for at in of_part if block.rows[at].line == anchor.line and not block.rows[at].more]
    if anchor.part >= 0 and not of_line:  # folded, or behind what is shown
        return of_part[-1 if anchor.line >= 0 else 0] if of_part else 0
    words = needle.lower()
    marked = [at for at in of_line if words and words in block.rows[at].content.plain.lower()]
    return (marked or of_line or [0])[0]
