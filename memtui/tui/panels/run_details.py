"""One run of a dream in a pane: how it stands, why it waits, what it touched, what it told."""

from collections.abc import Hashable

from textual.content import Content

from memtui.dream.events import File
from memtui.dream.words import touched_words
from memtui.tui import keys
from memtui.tui.panels.lines import Lines
from memtui.tui.run_rows import LogRows, facts, file_row, standing, touched_files
from memtui.tui.state import Dream, OpenDream
from memtui.tui.theme import Glyphs

MAX_DETAIL_EVENTS = 200
"""Events that the log shows; the oldest beyond are left to `memtui dream watch`."""


class RunDetails(Lines):
    """How it stands, files, how it was made and log, a line between them; the cursor stays on its file."""

    BINDINGS = keys.bindings(keys.DREAM_LIST)

    def __init__(self, glyphs: Glyphs, *, id: str, classes: str = "") -> None:
        super().__init__(id=id, classes=classes)
        self.glyphs = glyphs
        self.dream: Dream | None = None
        self.opened: OpenDream | None = None
        self.now = 0.0
        self._log = LogRows()
        self._above: list[Content] = []
        self._files: list[tuple[File, str]] = []
        self._below: list[Content] = []

    def show(self, dream: Dream | None, opened: OpenDream | None, now: float) -> None:
        """Draw this run."""
        other = dream is None or self.dream is None or dream.run.id != self.dream.run.id
        self.dream, self.opened, self.now = dream, opened, now
        self._lay()
        if other:
            self.cursor = 0
        if self.cursor == 0 and self._files:  # as long as nobody moved it, it waits for the first file
            self.cursor = len(self._above)

    def _lay(self) -> None:
        keep = self.file
        width = max(12, self.scrollable_content_region.width)
        self._above, self._files, self._below = [], [], []
        if self.dream is not None:
            self._above = standing(self.dream, self.opened, self.now, width, self.glyphs)
            self._files = touched_files(self.dream, self.opened)
            events = self.opened.events if self.opened is not None else ()
            log = self._log.lay(events, width, MAX_DETAIL_EVENTS)
            self._below = [Content(""), *facts(self.dream, width)]
            self._below += [Content(""), Content.styled("log, newest first", "bold"), *log] if log else []
        if self._files:
            self._above += [Content(""), Content.styled(touched_words(file for file, _ in self._files), "bold")]
        self.rows_changed(keep=keep or None)

    def on_resize(self) -> None:
        self._lay()

    @property
    def file(self) -> str:
        """The touched file under the cursor, "" for none."""
        return self._file_at(self.cursor)

    def _file_at(self, index: int) -> str:
        at = index - len(self._above)
        return self._files[at][0].name if 0 <= at < len(self._files) else ""

    def row_count(self) -> int:
        return len(self._above) + len(self._files) + len(self._below)

    def row_key(self, index: int) -> Hashable:
        return self._file_at(index) or index

    def row(self, index: int, width: int) -> Content:
        if index < len(self._above):
            return self._above[index]
        index -= len(self._above)
        if index < len(self._files):
            return file_row(*self._files[index], width, self.glyphs)
        return self._below[index - len(self._files)]

    def action_open(self) -> None:
        """Report the row as chosen."""
        self.choose()
