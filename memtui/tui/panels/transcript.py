"""A transcript to read: folds, prompts and find over the rows of its records.

A search works for a moment on the way of its key; one that takes longer goes on in a thread, says how far it is, and
Esc stops it.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from textual import on, work
from textual.message import Message
from textual.worker import get_current_worker

from memtui.base.errors import MemtuiError
from memtui.sessions.find import Hit, Needle, find_around, next_prompt, with_uuid
from memtui.sessions.folded_source import FOLD, FoldedSource
from memtui.sessions.passages import Longer, Source, Spot
from memtui.sessions.repeats import Run
from memtui.tui import keys
from memtui.tui.panels.passage_lines import AT_ONCE, START, PassageLines, Reads
from memtui.tui.speech import OPENED, Row
from memtui.tui.window import Anchor, Block

PATIENCE: Final = 0.006
"""Seconds that a search may take on the way of a key before it goes to a thread."""

TOLD_EACH: Final = 0.2
"""Seconds between two words about how far a search is."""

MOST_SHOWN: Final = 5_000
"""Lines of one part that a search unfolds at most; a hit behind them is told by the row that counts the rest."""

Steps = Iterator[Hit | float]
Search = Callable[[Source, int | None], Steps]
"""Searches a source, with the most bytes of a line that may be read."""


class TranscriptLines(PassageLines):
    """Records of a source, to be folded and searched."""

    BINDINGS = keys.bindings(keys.TRANSCRIPT)

    @dataclass
    class Wish(Message):
        """A wish that needs somebody else: "find", "view", "copy", "from", "leave".

        `text` is the row under the cursor, `uuid` the record that it is of ("" if that has none).
        """

        what: str
        text: str = ""
        uuid: str = ""

    @dataclass
    class Searched(Message):
        """A search is done; `hit` is None if there was nothing."""

        ticket: object
        hit: Hit | None
        error: str = ""

    def __init__(self, source: Source, *, id: str | None = None) -> None:
        super().__init__(source, id=id)
        self.all_open = False
        self._shown: dict[tuple[Spot, int], int] = {}
        self._search: object = None
        self._nothing = ""

    def limit(self, spot: Spot, part: int) -> int:
        if spot.part == FOLD and isinstance(self.source, FoldedSource):
            return OPENED if self.source.is_open(spot) else 0
        return self._shown.get((spot, part), OPENED if self.all_open else 0)

    @property
    def busy(self) -> bool:
        return super().busy or self._search is not None

    def show(self, source: Source, reads: Reads, anchor: Anchor = START) -> None:
        self.stop_search()
        self._shown.clear()
        super().show(source, reads, anchor)

    def on_unmount(self) -> None:
        self.stop_search()

    # Folding.

    def fold_repeats(self, runs: tuple[Run, ...]) -> None:
        """Fold what a compaction wrote again, in the file's order."""
        if isinstance(self.source, FoldedSource) and self.source.runs != runs:
            self.source.fold(runs)
            if (here := self.here) is not None:
                self.draw_again(*here)

    def action_turn(self) -> None:
        """Unfold what is under the cursor, show more of it, or fold it."""
        if (here := self.here) is not None:
            opened = self.limit(here[0].spot, here[1].part) > 0
            self._show_part(*here, here[1].more or (0 if opened else OPENED))

    def action_fold(self, fold: bool) -> None:
        """Fold or unfold what is under the cursor."""
        if (here := self.here) is not None:
            limit = self.limit(here[0].spot, here[1].part)
            self._show_part(*here, 0 if fold else here[1].more or max(limit, OPENED))

    def action_fold_all(self, fold: bool) -> None:
        """Fold or unfold everything."""
        self.all_open = not fold
        self._shown.clear()
        if isinstance(self.source, FoldedSource):
            self.source.turn_all(opened=not fold)
        if (here := self.here) is not None:
            self.draw_again(*here)

    def _show_part(self, block: Block, row: Row, lines: int) -> None:
        if row.folds or row.more:
            if block.spot.part == FOLD and isinstance(self.source, FoldedSource):
                self.source.turn(block.spot, opened=lines > 0)
            else:
                self._shown[block.spot, row.part] = lines
            self.draw_again(block, row if lines else Row(row.content, row.part))
        else:
            self.app.bell()

    # Finding.

    def action_find(self) -> None:
        """Ask what to look for."""
        self.post_message(self.Wish("find"))

    def look_for(self, words: str) -> None:
        """Mark a text and go to where it stands next; "" takes the marks away."""
        self.needle = words
        if words:
            self.action_find_next(1)

    def action_find_next(self, step: int) -> None:
        """To where the text stands next, or stood last."""
        here, words = self.here, self.needle
        if not words or here is None:
            return
        spot, behind = here[0].spot, (here[1].part, here[1].line)
        needle = Needle(words)
        way = "below" if step > 0 else "above"

        def search(source: Source, most: int | None) -> Steps:
            return find_around(source, needle, spot, step, behind=behind, most=most)

        self._look(search, f"looking {way} for {words!r}", f"no {words!r} here")

    def action_prompt(self, step: int) -> None:
        """To the next or previous thing that a person typed; from within one back to its beginning."""
        here = self.here
        if here is None:
            return
        spot = here[0].spot
        if step < 0 and here[0].prompt and not any(here[1] is row for row in here[0].rows[:2]):
            self.open(lambda source, most: source.get(spot, most), Anchor(y=1))
            return
        way = "next" if step > 0 else "previous"

        def search(source: Source, most: int | None) -> Steps:
            return next_prompt(source, spot, step, most=most)

        self._look(search, f"looking for the {way} prompt", f"no {way} prompt")

    def to_uuid(self, uuid: str) -> None:
        """To the record with a uuid."""

        def search(source: Source, most: int | None) -> Steps:
            return with_uuid(source, uuid, most=most)

        self._look(search, "looking for the record", f"no record {uuid} here")

    def _look(self, search: Search, doing: str, nothing: str) -> None:
        """Search: for a moment on the way of the key, and if that is not enough in a thread."""
        self.stop_search()
        self._search = ticket = object()
        self._nothing = nothing
        end = time.monotonic() + PATIENCE
        share = 0.0
        try:
            for step in search(self.source, AT_ONCE):
                if isinstance(step, Hit):
                    self._show_hit(step)
                    return
                share = step
                if time.monotonic() > end:
                    break
            else:
                self._show_hit(None)
                return
        except Longer:
            pass
        except MemtuiError as error:
            self._nothing = error.message
            self._show_hit(None)
            return
        self.post_message(self.Told(f"{doing}, {share:.0%}; Esc stops"))
        self._look_long(self.source.copy(), search, ticket, doing)

    @work(thread=True, group="search", exit_on_error=False, description="search a transcript")
    def _look_long(self, source: Source, search: Search, ticket: object, doing: str) -> None:
        worker, hit, error, told = get_current_worker(), None, "", time.monotonic()
        try:
            for step in search(source, None):
                if worker.is_cancelled or ticket is not self._search:
                    return
                if isinstance(step, Hit):
                    hit = step
                elif time.monotonic() - told > TOLD_EACH:
                    told = time.monotonic()
                    self.post_message(self.Told(f"{doing}, {step:.0%}; Esc stops"))
        except MemtuiError as refused:
            error = refused.message
        finally:
            source.close()
        self.post_message(self.Searched(ticket, hit, error))

    @on(Searched)
    def take_search(self, message: Searched) -> None:
        """What a search found, if it is still wanted."""
        if message.ticket is self._search:
            self._nothing = message.error or self._nothing
            self._show_hit(message.hit)

    def stop_search(self) -> bool:
        """Stop a search that is on; whether there was one."""
        running, self._search = self._search is not None, None
        if running:
            self.post_message(self.Told(""))
        return running

    def _show_hit(self, hit: Hit | None) -> None:
        self._search = None
        self.post_message(self.Told("" if hit else self._nothing))
        if hit is None:
            return
        if hit.around:
            self.app.clear_notifications()
            self.app.notify("past the end: on from the other one", timeout=3, markup=False)
        spot, part = hit.passage.spot, hit.part
        if hit.line >= 0:
            lines = min(hit.line // OPENED * OPENED + OPENED, MOST_SHOWN)
            if lines > self.limit(spot, part):
                self._shown[spot, part] = lines
        y = self.size.height // 3 if part >= 0 else 1
        self.open(lambda source, most: source.get(spot, most), Anchor(part, hit.line, y))

    # The rest.

    def action_view(self) -> None:
        """Chain or file order."""
        self.post_message(self.Wish("view"))

    def action_from_here(self) -> None:
        """Resume, fork or give away what leads to this record."""
        if (here := self.here) is not None and here[0].uuid:
            self.post_message(self.Wish("from", uuid=here[0].uuid))
        else:
            self.app.bell()

    def action_copy_line(self) -> None:
        """Copy the row under the cursor."""
        if (here := self.here) is not None:
            self.post_message(self.Wish("copy", here[1].content.plain.strip()))

    def action_leave(self) -> None:
        """A search off, else the marks off, else leave."""
        if self.stop_search():
            return
        if self.needle:
            self.needle = ""
        else:
            self.post_message(self.Wish("leave"))
