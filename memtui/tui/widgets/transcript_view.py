"""A transcript to read: rows of records around a cursor, with folds, prompts and find.

The source is never held as a whole. Keys never wait: what lies on short lines is read at once (microseconds), and a
search works for a moment while its key is handled; a long line, or a longer search, goes to a thread with its own copy
of the source.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace
from rich.segment import Segment
from textual import events, work
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget
from textual.worker import get_current_worker

from memtui.transcripts.content import ContentKind, message_content
from memtui.transcripts.folded_source import FOLD_PART, FoldedSource, RepeatedRange
from memtui.transcripts.records import Cursor, LineTooLong, RecordSource, RecordView
from memtui.transcripts.search import SearchHit, TextPattern, find_prompt, find_uuid
from memtui.transcripts.search import find_text as find_text_in
from memtui.tui.app_base import CommandContext
from memtui.tui.commands import registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.dialogs.ask import Ask
from memtui.tui.render.message import FOLDED, OPENED, Row, draw_said
from memtui.tui.widgets.virtual_list import LINES, Lines, draw_row, mark_matches
from memtui.util.errors import MemtuiError

MAX_ROWS_HELD = 3000  # beyond, rows farthest from the screen are let go
INLINE_BYTES: Final = 1 << 16  # bytes of a line that are read and drawn without a thread: a few milliseconds at worst
INLINE_SEARCH_S: Final = 0.006  # seconds that a search may take while its key is handled before it goes to a thread
STATUS_INTERVAL_S: Final = 0.2  # seconds between two words about how far a search is
MAX_UNFOLDED_LINES: Final = 5_000
"""Lines of one part that a search unfolds at most; a hit behind them is shown by the row that counts the rest."""
MAX_RECORDS_ABOVE: Final = 40  # records above a result that are searched for its call
ANSWERED: Final = ("call", "result")
WHEEL_ROWS: Final = 3
MAX_CACHED_ROWS: Final = 500  # painted rows


class RecordBlock(Struct, frozen=True, eq=False):
    """The rows of one record, and what is still known of it: what it said is read again when it is wanted."""

    spot: Cursor
    offset: int
    length: int
    line: int
    uuid: str
    prompt: bool
    pending: bool
    rows: tuple[Row, ...]


class Anchor(Struct, frozen=True):
    """Which row of a record the cursor goes to, and on which row of the screen that is."""

    part: int = -1  # this and `line` as in `Row`
    line: int = -1
    y: int = 0
    end: bool = False  # its last row, at the bottom of the screen


START: Final = Anchor()

Reads = Callable[[RecordSource], RecordView | None]  # reads a record from a source
Then = Callable[[RecordBlock | None], None]
Search = Callable[[RecordSource], Iterator[SearchHit | float]]  # searches a source


class Window:
    """Blocks that follow each other in the source, as one list of rows; `block` is the first, None: nothing to read."""

    def __init__(self, block: RecordBlock | None = None) -> None:
        self.blocks = [block] if block else []
        self.rows = [(block, row) for row in block.rows] if block else []
        self.at_top = self.at_bottom = block is None

    def add(self, block: RecordBlock | None, *, below: bool) -> int:
        """Put a block behind the last or before the first; returns by how many rows the others moved.

        None says that the source ends there.
        """
        if block is None:
            self.at_bottom, self.at_top = self.at_bottom or below, self.at_top or not below
            return 0
        rows = [(block, row) for row in block.rows]
        if below:
            self.blocks.append(block)
            self.rows += rows
            return 0
        self.blocks.insert(0, block)
        self.rows[:0] = rows
        return len(rows)

    def trim(self, first: int, last: int) -> int:
        """Let go of blocks far from the rows `first` to `last`; returns by how many rows the others moved."""
        if len(self.rows) <= MAX_ROWS_HELD:
            return 0
        reach = MAX_ROWS_HELD // 3
        while len(self.blocks) > 1 and len(self.rows) - len(self.blocks[-1].rows) > last + reach:
            self._drop_last()
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
            self._drop_last()

    def _drop_last(self) -> None:
        del self.rows[-len(self.blocks.pop().rows) :]
        self.at_bottom = False


def calls_above(source: RecordSource, spot: Cursor, wanted: Sequence[str]) -> dict[str, str]:
    """The calls of some results in words; without one right above its result, which needs no name.

    Only `MAX_RECORDS_ABOVE` records are looked at, and none that is on a long line.
    """
    found: dict[str, str] = {}
    nearest = ""
    with suppress(LineTooLong, MemtuiError):
        for _ in range(MAX_RECORDS_ABOVE):
            record = source.before(spot)
            if record is None or set(wanted) <= found.keys():
                break
            spot, parts = record.cursor, message_content(record).parts
            nearest = nearest or next((part.call or "?" for part in reversed(parts) if part.kind in ANSWERED), "")
            found |= {part.call: f"{part.name} {part.line}" for part in parts if part.kind == "call"}
    return {call: words for call, words in found.items() if call != nearest}


def row_of(block: RecordBlock, anchor: Anchor, needle: str) -> int:
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


async def find_text(context: CommandContext) -> None:
    lines = _lines(context)
    words = await context.ask(Ask("Find", lines.needle, does="find"))
    if words is not None:
        lines.look_for(words)


def _lines(context: CommandContext) -> "TranscriptLines":
    return context.find(TranscriptLines)


COMMANDS = declare(
    registry.TRANSCRIPT,
    Command("transcript.fold", "Unfold, show more, or fold", "enter", lambda at: _lines(at).toggle(), "⏎ fold"),
    Command("transcript.next_prompt", "Next prompt", "right_curly_bracket", lambda at: _lines(at).go_to_prompt(1),
            "{ } prompts"),
    Command("transcript.previous_prompt", "Previous prompt", "left_curly_bracket",
            lambda at: _lines(at).go_to_prompt(-1)),
    Command("transcript.find", "Find", "slash", find_text, "/ find"),
    Command("transcript.next", "Next match", "n", lambda at: _lines(at).find_next(1), "n N next"),
    Command("transcript.previous", "Previous match", "N", lambda at: _lines(at).find_next(-1)),
    Command("transcript.unfold_all", "Unfold everything", "L", lambda at: _lines(at).fold_all(folded=False), "L H all"),
    Command("transcript.fold_all", "Fold everything", "H", lambda at: _lines(at).fold_all(folded=True)),
    Command("transcript.unfold", "Unfold, or show more", "right,l", lambda at: _lines(at).fold(folded=False)),
    Command("transcript.fold_one", "Fold", "left,h", lambda at: _lines(at).fold(folded=True)),
    Command("transcript.from", "From here: resume, fork, copy, export", "F", lambda at: _lines(at).from_here(),
            "F from here"),
    Command("transcript.view", "View: chain or file order", "v", lambda at: _lines(at).other_view(), "v view"),
    Command("transcript.copy", "Copy this line", "y", lambda at: _lines(at).copy_line(), "y copy"),
    Command("transcript.escape", "Search off, marks off, or back", "escape", lambda at: _lines(at).back(), "Esc back"),
)  # fmt: skip


class TranscriptLines(Lines, Widget, can_focus=True):
    """Records of a source by rows, to be folded and searched."""

    BINDINGS = registry.bindings(LINES, COMMANDS)
    COMPONENT_CLASSES: ClassVar[set[str]] = {"passages--cursor", "passages--bar"}
    DEFAULT_CSS = """
    TranscriptLines { height: 1fr; }
    TranscriptLines > .passages--cursor { background: $primary 22%; }
    TranscriptLines:focus > .passages--cursor { background: $primary 45%; text-style: bold; }
    TranscriptLines > .passages--bar { color: $border-blurred; }
    """

    needle: reactive[str] = reactive("")  # the text that is being looked for; where it stands is marked

    @dataclass
    class Moved(Message):
        """The cursor stands in another record, or on another row of it; `share` is how much lies before it."""

        block: RecordBlock
        share: float

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, TranscriptLines.Moved)

    @dataclass
    class Status(Message):
        """What is going on, in words; "" for nothing any more."""

        words: str

    @dataclass
    class FromHere(Message):
        """Something is to be done from a record on."""

        uuid: str

    class ViewToggled(Message):
        """The other of chain and file order is wanted, or where there is only one all of the conversation."""

    class Left(Message):
        """One step back, out of the conversation."""

    def __init__(self, source: RecordSource, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.source = source
        source.max_bytes = INLINE_BYTES
        self.window = Window()
        self.top = self.cursor = 0
        self.all_open = False
        self._shown: dict[tuple[Cursor, int], int] = {}
        self._first: tuple[Reads, Anchor] = (lambda source: source.last(), Anchor(end=True))
        self._reading: object = None
        """What a thread reads for; like `_search` another object each time, so that a late answer is dropped."""
        self._search: object = None
        self._trouble = ""
        self._strips: dict[tuple[int, Style], tuple[Row, Strip]] = {}

    # Where it is.

    @property
    def busy(self) -> bool:
        return self._reading is not None or self._search is not None

    @property
    def here(self) -> tuple[RecordBlock, Row] | None:
        """The row under the cursor and the block that it is of; None in an empty source."""
        return self.window.rows[self.cursor] if self.cursor < len(self.window.rows) else None

    @property
    def row_width(self) -> int:
        return max(1, self.size.width - 1)

    def open(self, reads: Reads, anchor: Anchor) -> None:
        self._first = (reads, anchor)
        if self.size.height:  # else not laid out: the first size comes here again
            self._read(reads, lambda block: self._opened(block, anchor))

    def _open_at(self, spot: Cursor, anchor: Anchor) -> None:
        self.open(lambda source: source.get(spot), anchor)

    def show(self, source: RecordSource, reads: Reads, anchor: Anchor = START) -> None:
        """Read another source, from where `open` would go; the old one is closed."""
        self.stop_search()
        self._shown.clear()
        self.source.close()
        self.source = source
        source.max_bytes = INLINE_BYTES
        self.window = Window()
        self.open(reads, anchor)

    def grew(self) -> None:
        self.window.forget_end()
        self._fill()
        self.refresh()

    def on_resize(self) -> None:
        if self.here is None:
            self.open(*self._first)
        else:
            self.draw_again()

    def on_unmount(self) -> None:
        self.stop_search()
        self.source.close()

    def draw_again(self, line: int | None = None) -> None:
        """Draw all again, the same row (or another line of its part) under the cursor and at the same height."""
        if (here := self.here) is not None:
            block, row = here
            y = max(0, min(self.cursor - self.top, self.size.height - 1))
            self._open_at(block.spot, Anchor(row.part, row.line if line is None else line, y))

    # Reading and drawing.

    def limit(self, spot: Cursor, part: int) -> int:
        """How many lines of a part are wanted; 0 folds it. Also asked in threads."""
        if spot.part == FOLD_PART and isinstance(self.source, FoldedSource):
            return OPENED if self.source.is_open(spot) else 0
        return self._shown.get((spot, part), OPENED if self.all_open else 0)

    def _drawn(self, record: RecordView | None, source: RecordSource | None = None) -> RecordBlock | None:
        """The rows of a record of a source (of the one shown if left out); also called in threads: changes nothing."""
        if record is None:
            return None
        spot = record.cursor

        def limit(part: int, kind: ContentKind) -> int:
            return max(self.limit(spot, part), FOLDED.get(kind, 0))

        said = message_content(record)
        if any(part.kind == "result" for part in said.parts):
            calls = calls_above(
                source or self.source, spot, [part.call for part in said.parts if part.kind == "result"]
            )
            said = replace(said, parts=tuple(replace(one, name=calls.get(one.call, "")) if one.kind == "result" else one
                                             for one in said.parts))  # fmt: skip
        secrets = self.app.state.secrets_shown
        rows = tuple(draw_said(said, self.row_width, self.app.glyphs, limit, secrets=secrets))
        place = (spot, record.offset, record.length, record.line)
        return RecordBlock(*place, said.uuid, said.prompt, record.pending, rows)

    def _read(self, reads: Reads, then: Then) -> None:
        """Read and draw a record and go on with it: at once, or if its line is long as soon as a thread has it."""
        self._reading = None
        try:
            record = reads(self.source)
        except LineTooLong:
            self._reading = ticket = object()
            self.post_message(self.Status("reading a long line"))
            self._read_long(self.source.copy(), ticket, reads, then)
        except MemtuiError as error:
            self.post_message(self.Status(error.message))
        else:
            then(self._drawn(record))

    @work(thread=True, group="read-long", exit_on_error=False, description="read a long line")
    def _read_long(self, source: RecordSource, ticket: object, reads: Reads, then: Then) -> None:
        block, error = None, ""
        try:
            block = self._drawn(reads(source), source)
        except MemtuiError as refused:
            error = refused.message
        finally:
            source.close()
        self.call_later(self._take_block, ticket, block, error, then)

    def _take_block(self, ticket: object, block: RecordBlock | None, error: str, then: Then) -> None:
        if ticket is self._reading:
            self._reading = None
            self.post_message(self.Status(error))
            if not error:
                then(block)

    def _opened(self, block: RecordBlock | None, anchor: Anchor) -> None:
        self.window = Window(block)
        self.cursor = row_of(block, anchor, self.needle) if block else 0
        self.top = self.cursor - (self.size.height - 1 if anchor.end else min(anchor.y, self.size.height - 1))
        self._fill(ahead=0)
        self._report()
        self.call_after_refresh(self._fill)

    def _fill(self, ahead: int = 1) -> None:
        """Read what is on the screen and so many screens more on either side; a thread reads what is on long lines."""
        window, height = self.window, max(1, self.size.height)
        if not window.blocks:
            self.top = self.cursor = 0
            return
        self._grow(ahead * height, below=True)
        self._grow(ahead * height, below=False)
        self._shift(window.trim(self.top, self.top + height))
        self.top = max(0, min(self.top, len(window.rows) - height))
        self.cursor = max(0, min(self.cursor, len(window.rows) - 1))

    def _grow(self, rows: int, *, below: bool) -> None:
        window, height = self.window, max(1, self.size.height)
        try:
            while not (window.at_bottom if below else window.at_top):
                if (len(window.rows) - self.top - height if below else self.top) >= rows:
                    break
                spot = window.blocks[-1 if below else 0].spot
                record = (self.source.after if below else self.source.before)(spot)
                self._shift(window.add(self._drawn(record), below=below))
        except LineTooLong:
            self._read_edge(spot, below=below)
        except MemtuiError as error:
            self._trouble = error.message

    def _shift(self, rows: int) -> None:
        self.top += rows
        self.cursor += rows

    def _read_edge(self, spot: Cursor, *, below: bool) -> None:
        if self._reading is not None:
            return
        window = self.window

        def take(block: RecordBlock | None) -> None:
            if window is self.window and window.blocks[-1 if below else 0].spot == spot:
                self._shift(window.add(block, below=below))
                self._fill()
                self._report()

        self._read(lambda source: source.after(spot) if below else source.before(spot), take)

    # Moving.

    def _go(self, row: int) -> None:
        self.cursor = row
        self._show_cursor()
        self._fill()
        self._show_cursor()
        self._report()

    def _show_cursor(self) -> None:
        self.top = min(max(self.top, self.cursor - max(1, self.size.height) + 1), self.cursor)

    def _report(self) -> None:
        if (here := self.here) is not None:
            at_end = self.window.at_bottom and here[0] is self.window.blocks[-1]
            self.post_message(self.Moved(here[0], 1.0 if at_end else self.source.fraction_before(here[0].spot)))
        if self._trouble:
            self.post_message(self.Status(self._trouble))
            self._trouble = ""
        self.refresh()

    def move_cursor(self, rows: int) -> None:
        self._go(self.cursor + rows)

    def move_pages(self, pages: float) -> None:
        rows = int(pages * max(1, self.size.height - 1))
        self.top += rows
        self._go(self.cursor + rows)

    def move_cursor_to(self, index: int) -> None:
        if index:
            self.open(lambda source: source.last(), Anchor(end=True))
        else:
            self.open(lambda source: source.first(), START)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, -WHEEL_ROWS)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        """Move the screen; the cursor stays on it, since only what is near the screen is held."""
        event.stop()
        self.top += rows
        self._fill()
        self._go(max(self.top, min(self.cursor, self.top + self.size.height - 1)))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor there, a double click folds; on the bar: go to that part of the source."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.x >= self.row_width:
            share = offset.y / max(1, self.size.height - 1)
            self.open(lambda source: source.at_fraction(share), START)
        elif self.top + offset.y < len(self.window.rows):
            self._go(self.top + offset.y)
            if event.chain == 2:
                self.toggle()

    # Painting.

    def watch_needle(self) -> None:
        self._strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        index, style = self.top + y, self.visual_style
        if index >= len(self.window.rows):
            empty = y == 1 and not self.window.rows and not self.busy
            words = Content.styled("  nothing to read here", "$dim") if empty else Content("")
            return Strip.join([draw_row(self, words, self.row_width, style), self._bar(y)])
        _, row = self.window.rows[index]
        if index == self.cursor:
            style += self.get_visual_style("passages--cursor", partial=True)
        key = (id(row), style)
        cached = self._strips.get(key)
        if cached is None or cached[0] is not row:
            if len(self._strips) > MAX_CACHED_ROWS:
                self._strips.clear()
            strip = draw_row(self, mark_matches(row.content, self.needle), self.row_width, style)
            cached = self._strips[key] = (row, strip)
        return Strip.join([cached[1], self._bar(y)])

    def _bar(self, y: int) -> Strip:
        """One cell of the bar: full where the screen is in the source."""
        rows, height, glyphs = self.window.rows, max(1, self.size.height), self.app.glyphs
        if not rows or (self.window.at_top and self.window.at_bottom and len(rows) <= height):
            return Strip.blank(1, self.visual_style.rich_style)
        first, last = rows[min(self.top, len(rows) - 1)][0], rows[min(self.top + height, len(rows)) - 1][0]
        begin = round(self.source.fraction_before(first.spot) * (height - 1))
        end = max(begin, round(self.source.fraction_before(last.spot) * (height - 1)))
        if self.window.at_bottom and self.top + height >= len(rows):
            end = height - 1
        cell = glyphs.full if begin <= y <= end else glyphs.quote
        bar = self.visual_style + self.get_visual_style("passages--bar", partial=True)
        return Strip([Segment(cell, bar.rich_style)], 1)

    # Folding.

    def fold_repeats(self, runs: tuple[RepeatedRange, ...]) -> None:
        """Fold what a compaction wrote again, in the file's order."""
        if isinstance(self.source, FoldedSource) and self.source.ranges != runs:
            self.source.set_ranges(runs)
            self.draw_again()

    def toggle(self) -> None:
        if (here := self.here) is not None:
            opened = self.limit(here[0].spot, here[1].part) > 0
            self._show_part(*here, here[1].more or (0 if opened else OPENED))

    def fold(self, *, folded: bool) -> None:
        if (here := self.here) is not None:
            limit = self.limit(here[0].spot, here[1].part)
            self._show_part(*here, 0 if folded else here[1].more or max(limit, OPENED))

    def fold_all(self, *, folded: bool) -> None:
        self.all_open = not folded
        self._shown.clear()
        if isinstance(self.source, FoldedSource):
            self.source.set_all_open(opened=not folded)
        self.draw_again()

    def _show_part(self, block: RecordBlock, row: Row, lines: int) -> None:
        if not (row.folds or row.more):
            self.app.bell()
            return
        if block.spot.part == FOLD_PART and isinstance(self.source, FoldedSource):
            self.source.set_open(block.spot, opened=lines > 0)
        else:
            self._shown[block.spot, row.part] = lines
        self.draw_again(None if lines else -1)

    # Finding.

    def look_for(self, words: str) -> None:
        self.needle = words
        if words:
            self.find_next(1)

    def find_next(self, step: int) -> None:
        here, words = self.here, self.needle
        if not words or here is None:
            return
        spot, behind = here[0].spot, (here[1].part, here[1].line)
        needle = TextPattern(words)
        direction = "below" if step > 0 else "above"
        self._look(
            lambda source: find_text_in(source, needle, spot, step, behind=behind, wrap=True),
            f"looking {direction} for {words!r}",
            f"no {words!r} here",
        )

    def go_to_prompt(self, step: int) -> None:
        """To the next or previous thing that a person typed; from within one back to its beginning."""
        if (here := self.here) is None:
            return
        spot = here[0].spot
        if step < 0 and here[0].prompt and not any(here[1] is row for row in here[0].rows[:2]):
            self._open_at(spot, Anchor(y=1))
            return
        which = "next" if step > 0 else "previous"
        self._look(
            lambda source: find_prompt(source, spot, step),
            f"looking for the {which} prompt",
            f"no {which} prompt",
        )

    def to_uuid(self, uuid: str) -> None:
        self._look(
            lambda source: find_uuid(source, uuid),
            "looking for the record",
            f"no record {uuid} here",
        )

    def _look(self, search: Search, doing: str, nothing: str) -> None:
        """Search: for a moment at once, and if that is not enough in a thread."""
        self.stop_search()
        self._search = ticket = object()
        end, share = time.monotonic() + INLINE_SEARCH_S, 0.0
        try:
            for step in search(self.source):
                if isinstance(step, SearchHit):
                    self._show_hit(ticket, step, "")
                    return
                share = step
                if time.monotonic() > end:
                    break
            else:
                self._show_hit(ticket, None, nothing)
                return
        except LineTooLong:
            pass
        except MemtuiError as error:
            self._show_hit(ticket, None, error.message)
            return
        self.post_message(self.Status(f"{doing}, {share:.0%}; Esc stops"))
        self._look_long(self.source.copy(), search, ticket, doing, nothing)

    @work(thread=True, group="search", exit_on_error=False, description="search a transcript")
    def _look_long(self, source: RecordSource, search: Search, ticket: object, doing: str, nothing: str) -> None:
        worker, hit, reported = get_current_worker(), None, time.monotonic()
        try:
            for step in search(source):
                if worker.is_cancelled or ticket is not self._search:
                    return
                if isinstance(step, SearchHit):
                    hit = step
                elif time.monotonic() - reported > STATUS_INTERVAL_S:
                    reported = time.monotonic()
                    self.post_message(self.Status(f"{doing}, {step:.0%}; Esc stops"))
        except MemtuiError as refused:
            nothing = refused.message
        finally:
            source.close()
        self.call_later(self._show_hit, ticket, hit, nothing)

    def stop_search(self) -> bool:
        running, self._search = self._search is not None, None
        if running:
            self.post_message(self.Status(""))
        return running

    def _show_hit(self, ticket: object, hit: SearchHit | None, nothing: str) -> None:
        if ticket is not self._search:
            return
        self._search = None
        self.post_message(self.Status("" if hit else nothing))
        if hit is None:
            return
        if hit.wrapped:
            self.app.clear_notifications()
            self.app.notify("past the end: on from the other one", timeout=3, markup=False)
        spot, part = hit.record.cursor, hit.part
        if hit.line >= 0:
            lines = min(hit.line // OPENED * OPENED + OPENED, MAX_UNFOLDED_LINES)
            self._shown[spot, part] = max(lines, self.limit(spot, part))
        self._open_at(spot, Anchor(part, hit.line, self.size.height // 3 if part >= 0 else 1))

    # The rest.

    def other_view(self) -> None:
        self.post_message(self.ViewToggled())

    def from_here(self) -> None:
        if (here := self.here) is not None and here[0].uuid:
            self.post_message(self.FromHere(here[0].uuid))
        else:
            self.app.bell()

    def copy_line(self) -> None:
        if (here := self.here) is not None:
            self.app.copy_line(here[1].content.plain.strip())

    def back(self) -> None:
        """A search off, else the marks off, else out of the conversation."""
        if self.stop_search():
            return
        if self.needle:
            self.needle = ""
        else:
            self.post_message(self.Left())
