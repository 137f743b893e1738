"""A whole screen to read a transcript in: what it is and where one is in it above, the keys below."""

from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static
from textual.worker import get_current_worker

from memtui.transcripts.entries import Entry
from memtui.transcripts.file_source import FileSource, FileState
from memtui.transcripts.folded_source import FoldedSource, RepeatFinder
from memtui.transcripts.path_source import PathSource
from memtui.transcripts.records import RecordSource
from memtui.tui.screens.hinted import HintedScreen
from memtui.tui.theme import glyphs_of
from memtui.tui.widgets.hint_bar import HintBar
from memtui.tui.widgets.transcript_view import RecordBlock, TranscriptLines
from memtui.util import text
from memtui.util.errors import MemtuiError

FILE_CHECK_INTERVAL_S: Final = 2.0  # seconds between two looks at whether the file grew or went
COUNT_DELAY_S: Final = 0.2  # seconds in one place after which the number of its line is counted
MIN_TITLE_CELLS: Final = 16  # cells of the title that are kept free of where one is


class TranscriptScreen(HintedScreen[str | None]):
    """Returns the uuid of the record that the person wants to go on from ("" if it has none); None if of none.

    `entries` are the path to a message, or a sub-agent's records, which are shown first (None: the file's order only);
    `start` is the uuid of the record to begin at ("" for the last). `MemtuiError` if the file can't be opened.
    """

    def __init__(self, path: Path, title: str, entries: Sequence[Entry] | None = None, start: str = "") -> None:
        super().__init__()
        self.path = path
        self._title = text.visible(self.app.state.masked(title), keep="")
        self._entries = entries
        self._start = start
        self.on_path = entries is not None
        self._status = ""
        self._note = ""
        self._block: RecordBlock | None = None
        self._share = 0.0
        self._counted = (0, 1)
        self._pause: Timer | None = None
        self._repeats = RepeatFinder()
        self.lines = TranscriptLines(self._source(), id="lines")

    def _source(self) -> RecordSource:
        if self.on_path and self._entries is not None:
            return PathSource(self.path, self._entries)
        return FoldedSource(self.path, self._repeats.ranges)

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        yield self.lines
        yield HintBar(id="hints")

    def on_mount(self) -> None:
        self.lines.focus()
        if self._start:
            self.call_after_refresh(self.lines.to_uuid, self._start)
        self.set_interval(FILE_CHECK_INTERVAL_S, self.look_at_file)
        self.call_after_refresh(self.look_for_repeats)

    # What the title says.

    @on(TranscriptLines.Moved)
    def moved(self, message: TranscriptLines.Moved) -> None:
        self._block, self._share = message.block, message.share
        if not self.lines.busy:
            self._status = ""
        self._show_title()
        if not message.block.line and self._counted[0] != message.block.offset:
            if self._pause is not None:
                self._pause.stop()
            self._pause = self.set_timer(COUNT_DELAY_S, self.count_lines)

    @on(TranscriptLines.Status)
    def take_status(self, message: TranscriptLines.Status) -> None:
        self._status = message.words
        self._show_title()

    def _show_title(self) -> None:
        right = self._right()
        room = self.size.width - right.cell_length - 2
        name = text.clip(self._title, room, ellipsis=glyphs_of(self).ellipsis)
        gap = " " * max(1, self.size.width - 2 - text.cells(name) - right.cell_length)
        self.query_one("#title", Static).update(Content(" ") + Content.styled(name, "bold") + Content(gap) + right)

    def _right(self) -> Content:
        """What is going on, or where one is: what there is no room for is left out, the line's number first."""
        if self._status:
            return Content.styled(text.visible(self._status, keep=""), "$warn")
        view, block = Content.styled("chain" if self.on_path else "file order", "$link"), self._block
        pieces = [Content.styled(self._note, "$warn"), view] if self._note else [view]
        if block is None:
            return Content("  ").join(pieces)
        line = block.line or (self._counted[1] if self._counted[0] == block.offset else 0)
        if self.on_path and self._entries is not None:
            place = f"{block.spot.at + 1:,} of {len(self._entries):,}"
        else:
            place = f"{text.size(block.offset)} of {text.size(self.lines.source.size)}"
        more = [Content.styled(words, "$dim") for words in ([f"line {line:,}"] if line else []) + [place]]
        share = Content(f"{self._share:.0%}")
        while True:
            right = Content("  ").join([*pieces, *more, share])
            if not more or right.cell_length + MIN_TITLE_CELLS < self.size.width:
                return right
            del more[0]

    @work(thread=True, exclusive=True, group="count", exit_on_error=False, description="count lines")
    def count_lines(self) -> None:
        block, (offset, line), worker = self._block, self._counted, get_current_worker()
        if block is None:
            return
        ahead = block.offset >= offset
        with suppress(MemtuiError), closing(FileSource(self.path)) as source:  # gone, then: its look says so
            for ends in source.line_ends(*((offset, block.offset) if ahead else (block.offset, offset))):
                if worker.is_cancelled:
                    return
                line += ends if ahead else -ends
            self.app.call_from_thread(self._take_line, block.offset, line)

    def _take_line(self, offset: int, line: int) -> None:
        self._counted = (offset, line)
        if self.is_attached:
            self._show_title()

    # The file.

    @work(thread=True, exclusive=True, group="look", exit_on_error=False, description="look at the file")
    def look_at_file(self) -> None:
        source = self.lines.source
        if isinstance(source, FileSource):
            state = source.state()
            if state != "same":
                self.app.call_from_thread(self._file_is, state)

    def _file_is(self, state: FileState) -> None:
        if not self.is_attached:
            return
        self._note = "file is gone; what was open can be read on" if state == "gone" else ""
        if state == "grew":
            self.lines.grew()
            self.look_for_repeats()
        elif state in ("cut", "replaced"):
            self._note = f"file was {state}, read again"
            self._counted = (0, 1)
            self._repeats = RepeatFinder()
            self._open_again()
            self.look_for_repeats()
        self._show_title()

    @work(thread=True, exclusive=True, group="repeats", exit_on_error=False, description="look for repeats")
    def look_for_repeats(self) -> None:
        """Where a compaction wrote messages again: known a while after the file is open, and folded then."""
        repeats, worker = self._repeats, get_current_worker()
        with suppress(MemtuiError), closing(FileSource(self.path)) as source:  # gone, then: its look says so
            try:
                for _ in repeats.scan(source):
                    if worker.is_cancelled:
                        return
            except MemtuiError as error:
                self.lines.post_message(TranscriptLines.Status(error.message))
                return
            self.app.call_from_thread(self._take_repeats, repeats)

    def _take_repeats(self, repeats: RepeatFinder) -> None:
        if self.is_attached and repeats is self._repeats:
            self.lines.fold_repeats(repeats.ranges)

    def _open_again(self) -> None:
        offset = self._block.offset if self._block else 0
        try:
            self.lines.show(self._source(), lambda source: source.at(offset))
        except MemtuiError as error:
            self.take_status(TranscriptLines.Status(error.message))

    # What the lines leave to the screen.

    @on(TranscriptLines.Left)
    def leave(self) -> None:
        self.dismiss(None)

    @on(TranscriptLines.FromHere)
    def from_here(self, message: TranscriptLines.FromHere) -> None:
        if self._block:
            self.dismiss(message.uuid)

    @on(TranscriptLines.ViewToggled)
    def other_view(self) -> None:
        if self._entries is None:
            self.take_status(TranscriptLines.Status("there is only the file's order here"))
        else:
            self.on_path = not self.on_path
            self._open_again()
