"""One row of the list of memory files: a group that folds, or a file with its mark, size, index line and age."""

from collections.abc import Sequence

from memtui.tui.glyphs import Glyphs
from memtui.tui.render.memory_rows import FileRow, GroupRow, Row
from memtui.tui.segments import Line
from memtui.util import text

MARK_STYLES = {
    "problem": "$problem bold",
    "unlisted": "$warn",
    "changed": "$good",
    "unsaved": "$mark bold",
    "pinned": "$link",
}
LINE_COLUMN_FROM = 34
"""Cells from which the column with the index line fits."""


def row_line(row: Row, width: int, now: float, glyphs: Glyphs) -> Line:
    """The row in `width` cells; its age counts back from `now`."""
    return _group(row, width, glyphs) if isinstance(row, GroupRow) else _item(row, width, now, glyphs)


def first_file(rows: Sequence[Row]) -> int:
    """Where the cursor stands first: on the first row that is a file."""
    return next((index for index, row in enumerate(rows) if isinstance(row, FileRow)), 0)


def title(files: int, words: list[str], glyphs: Glyphs) -> str:
    """The list's title: how many files, and how they are arranged."""
    return f" {glyphs.separator} ".join(["1 Memory", str(files), *words])


EMPTY = "no memory files here yet; n writes the first"


def _group(group: GroupRow, width: int, glyphs: Glyphs) -> Line:
    fold = glyphs.closed if group.folded else glyphs.opened
    label = text.clip(f"{fold} {group.label}", max(1, width - 6), ellipsis=glyphs.ellipsis)
    return [(label, "bold"), (f" {glyphs.separator} {group.files}", "$dim")]


def _item(item: FileRow, width: int, now: float, glyphs: Glyphs) -> Line:
    glyph = {
        "problem": glyphs.problem,
        "unlisted": glyphs.unlisted,
        "changed": glyphs.changed,
        "unsaved": glyphs.unsaved,
        "pinned": glyphs.pinned,
    }.get(item.mark, " ")
    amount = f"{item.lines} ln" if item.lines is not None else text.size(item.size)
    tail = f" {amount:>6}{text.age(now - item.modified):>5}"
    if width >= LINE_COLUMN_FROM:
        line = f"L{item.line}" if item.line else glyphs.dash
        tail = f" {'' if item.lines is not None else line:>4}{tail}"
    room = max(1, width - 2 - len(tail))
    label = item.label if text.cells(item.label) <= room else item.label.removesuffix(".md")
    return [
        (glyph, MARK_STYLES.get(item.mark, "")),
        (glyphs.tick if item.marked else " ", "$mark bold" if item.marked else ""),
        (text.pad(label, room, ellipsis=glyphs.ellipsis), ""),
        (tail, "$dim"),
    ]
