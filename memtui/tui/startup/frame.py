"""Where everything stands on the first screen: the layout of styles/app.tcss and styles/memory.tcss, by hand."""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from memtui.tui import keys
from memtui.tui.glyphs import Glyphs
from memtui.tui.render.memory_rows import Row
from memtui.tui.segments import Line
from memtui.tui.segments.budget_meter import OFF, meter_line
from memtui.tui.segments.hint_line import hint_line
from memtui.tui.segments.place_line import PlaceFacts, place_line
from memtui.tui.segments.topic_list import EMPTY, first_file, row_line, title
from memtui.tui.startup.picture import Picture
from memtui.util import text

SMALLEST = (40, 12)
"""Columns and rows below which the first screen is left to Textual."""

HINTS = keys.hints(keys.TOPICS, keys.MEMORY, keys.EVERYWHERE)

Run = tuple[str, str, str]
"""Text, style as in a segment, and what it stands on: "background", "panel", "surface" or "cursor"."""

_BOXES = {"round": "╭─╮│╰─╯", "heavy": "┏━┓┃┗━┛", "ascii": "+-+|+-+"}


class Shown(NamedTuple):
    """What is to be drawn; `now` is the time that ages count back from, in seconds."""

    picture: Picture | None
    place: PlaceFacts
    enabled: bool
    now: float
    glyphs: Glyphs


class _Pane(NamedTuple):
    """A frame with its title and rows; the rows are as wide as the frame is inside."""

    width: int
    title: str
    focused: bool
    rows: list[list[Run]]


def panes(columns: int) -> tuple[int, int, int]:
    """The width of list, preview and properties; 0 for what is not shown."""
    if columns < 60:
        return columns, 0, 0
    topics, facts = (34, 0) if columns < 100 else (36, 28) if columns < 120 else (42, 34)
    return topics, columns - topics - facts, facts


def frame(shown: Shown, columns: int, rows: int) -> list[list[Run]] | None:
    """Every row of the screen; `None` where it can't be told what Textual will draw there."""
    if columns < SMALLEST[0] or rows < SMALLEST[1]:
        return None
    picture, glyphs = shown.picture, shown.glyphs
    height = rows - 3
    inside = height - 2
    items = picture.rows if picture else ()
    if items and first_file(items) >= inside:
        return None  # the list is scrolled
    topics, preview, facts = panes(columns)
    room = topics - 2
    name = title(picture.files, ["by type"], glyphs) if picture else "1 Memory"
    listed = list(_list(items, room, inside, shown)) if items else _empty(EMPTY if picture else "", room, inside)
    drawn = [_Pane(topics, name, True, listed)]
    drawn += [_Pane(width, words, False, _empty("", width - 2, inside)) for width, words in
              ((preview, ""), (facts, "Properties")) if width]  # fmt: skip
    note = "" if shown.enabled else OFF
    return [
        _padded(place_line(shown.place, columns), columns, "panel"),
        _padded(meter_line(picture.fill if picture else None, note, columns, glyphs), columns, "background"),
        *_side_by_side([_framed(pane, glyphs) for pane in drawn]),
        _padded(hint_line(HINTS, columns, glyphs), columns, "panel"),
    ]


def _padded(line: Line, width: int, ground: str, style: str = "") -> list[Run]:
    """A line in exactly so many cells; `style` is added to that of every piece."""
    runs: list[Run] = []
    for piece, own in line:
        drawn = text.cells(piece)
        if drawn > width:
            piece, drawn = _cut(piece, width), width
        runs.append((piece, f"{own} {style}".strip(), ground))
        width -= drawn
    return [*runs, (" " * width, style, ground)]


def _cut(piece: str, width: int) -> str:
    """The first cells of a text; half a wide character is a blank."""
    kept = text.clip(piece, width, ellipsis="")
    return kept + " " * (width - text.cells(kept))


def _list(rows: tuple[Row, ...], width: int, height: int, shown: Shown) -> Iterator[list[Run]]:
    """The rows that fit, with the cursor on the first file, and a scroll bar where not all do."""
    cursor = first_file(rows)
    bar = scroll_bar(len(rows), height, shown.glyphs) if len(rows) > height else []
    width -= bool(bar)
    for index in range(height):
        line = row_line(rows[index], width, shown.now, shown.glyphs) if index < len(rows) else []
        here = index == cursor
        drawn = _padded(line, width, "cursor" if here else "surface", "bold" if here else "")
        yield [*drawn, bar[index]] if bar else drawn


def scroll_bar(rows: int, height: int, glyphs: Glyphs) -> list[Run]:
    """The bar of a list that stands at its top, as Textual draws it: in eighths of a cell."""
    eighths = ceil(max(1, height * height / rows) * 8)
    full, rest = divmod(eighths, 8)
    bar: list[Run] = [(" ", "$border reverse", "surface")] * full
    if full < height and rest and glyphs.border != "ascii":
        bar.append(("▇▆▅▄▃▂▁"[rest - 1], "$border reverse", "surface"))
    return bar + [(" ", "", "surface")] * (height - len(bar))


def _empty(words: str, width: int, height: int) -> list[list[Run]]:
    """No rows, and what is said of that."""
    rows = [_padded([], width, "surface")] * height
    if words:
        from textwrap import wrap

        for number, line in enumerate(wrap(words, width - 2)[: height - 1]):
            rows[number + 1] = _padded([(" ", ""), (line, "$dim")], width, "surface")
    return rows


def _framed(pane: _Pane, glyphs: Glyphs) -> list[list[Run]]:
    """The pane with its border."""
    box = _BOXES[glyphs.heavy if pane.focused else glyphs.border]
    border = "$primary" if pane.focused else "$border"
    marks = " bold reverse" if pane.focused and glyphs.border == "ascii" else " bold"
    label = f" {text.clip(pane.title, pane.width - 4)} " if pane.title else ""
    inside = pane.width - 2
    top: list[Run] = [(box[0] + box[1] * bool(label), border, "surface")]
    top.append((label, ("$primary" if pane.focused else "$foreground") + marks, "surface"))
    top.append((box[1] * (inside - bool(label) - text.cells(label)) + box[2], border, "surface"))
    side: Run = (box[3], border, "surface")
    bottom: list[Run] = [(box[4] + box[5] * inside + box[6], border, "surface")]
    return [top, *([side, *row, side] for row in pane.rows), bottom]


def _side_by_side(blocks: list[list[list[Run]]]) -> Iterator[list[Run]]:
    for parts in zip(*blocks, strict=True):
        yield [run for part in parts for run in part]
