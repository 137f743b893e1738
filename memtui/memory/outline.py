"""An index cut into lines of a kind: what tidying keeps, moves and takes out."""

from typing import Literal

from msgspec import Struct

from memtui.memory.budget import body_start, counted, units
from memtui.memory.index import IndexEntry, entry_end, read_entries
from memtui.memory.markdown import code_spans, headings

LineKind = Literal["free", "heading", "entry", "prose", "blank"]


class Line(Struct, frozen=True):
    """A line of an index, or several that belong together.

    `kind` is "free" for what doesn't count (front matter, comments); `number` counts from 1 in the file; `level` is a
    heading's.
    """

    text: str
    kind: LineKind
    number: int
    entry: IndexEntry | None = None
    level: int = 0

    @property
    def cost(self) -> tuple[int, int]:
        """Lines and units that it takes of the budget."""
        return (0, 0) if self.kind == "free" else (self.text.count("\n"), units(self.text))


def cut_lines(text: str) -> list[Line]:
    """An index cut into lines of a kind; an entry holds its continuation lines, code all of its lines."""
    begin = body_start(text)
    heads = {heading.start: heading.level for heading in headings(text)}
    spans = {entry.start: (entry_end(text, entry), entry) for entry in read_entries(text)}
    counts = counted(text).lines_in_file()
    blocks = [span for span in code_spans(text) if "\n" in text[span[0] : span[1]]]
    lines: list[Line] = []
    at, number = 0, 1
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        entry = None
        if at in spans:
            end, entry = spans[at]
        while blocks and blocks[0][0] < end:  # code or a comment over several lines stays in one piece
            end = max(end, text.find("\n", blocks.pop(0)[1] - 1) + 1 or len(text))
        piece = text[at:end]
        height = piece.count("\n") + (not piece.endswith("\n"))
        kind: LineKind = "prose"
        if at < begin or (piece.strip() and counts.isdisjoint(range(number, number + height))):
            kind = "free"
        elif entry is not None:
            kind = "entry"
        elif not piece.strip():
            kind = "blank"
        elif at in heads:
            kind = "heading"
        lines.append(Line(piece, kind, number, entry, heads.get(at, 0)))
        number += height
        at = end
    return lines


def without(text: str, entries: list[IndexEntry]) -> str:
    """The text without some of its entries and what hangs below them."""
    spans = sorted(((entry.start, entry_end(text, entry)) for entry in entries), reverse=True)
    for start, end in spans:
        text = text[:start] + text[end:]
    return text


def single_blanks(lines: list[Line]) -> list[Line]:
    """Make runs of blank lines one; those in code are part of its block."""
    pairs = zip(lines, [None, *lines], strict=False)
    return [line for line, last in pairs if not (line.kind == "blank" and last is not None and last.kind == "blank")]


def drop_empty_headings(before: str, after: str) -> str:
    """Take out headings that had an entry or prose before and have none now, with the blank lines below them."""
    if before == after:
        return after
    filled = _filled_headings(cut_lines(before))
    lines = cut_lines(after)
    still = _filled_headings(lines)
    if len(filled) != len(still):  # a fence or comment came undone: better a heading too many
        return after
    kept: list[Line] = []
    number = 0
    skipping = False
    for line in lines:
        if line.kind == "heading":
            skipping = filled[number] and not still[number]
            number += 1
            if skipping:
                continue
        elif line.kind != "blank":
            skipping = False
        if not (skipping and line.kind == "blank"):
            kept.append(line)
    return "".join(line.text for line in kept)


def _filled_headings(lines: list[Line]) -> list[bool]:
    """For each heading, whether an entry or prose stands before the next heading of its level."""
    filled: list[bool] = []
    open_: list[tuple[int, int]] = []
    for line in lines:
        if line.kind == "heading":
            open_ = [(level, number) for level, number in open_ if level < line.level] + [(line.level, len(filled))]
            filled.append(False)
        elif line.kind in ("entry", "prose"):
            for _, number in open_:
                filled[number] = True
    return filled
