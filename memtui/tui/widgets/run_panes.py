"""The panes about runs of dreams: the list of runs, one run in full, its head, its files, its log."""

from collections.abc import Hashable, Sequence

from textual.content import Content
from textual.widgets import Static

from memtui.dream.review.claim import Claim
from memtui.dream.run.events import Event, File
from memtui.presentation.dream_text import touched_words
from memtui.tui.commands import dreams, registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.render import dream_rows
from memtui.tui.state import Dream, OpenDream
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.virtual_list import LaidLines, VirtualList

MAX_DETAIL_EVENTS = 200  # events that the log shows; the oldest beyond are left to `memtui dream watch`
MAX_LOG_EVENTS = 2_000  # events of the full-screen log that can be scrolled to
MAX_FILE_ROWS = 40  # no terminal has room for more: the place is not measured again for each
COMMANDS = declare(
    registry.DREAM_LIST,
    Command("dream.diff", "What the run, or the file under the cursor, changes", "enter",
            lambda at: at.find(VirtualList).choose(), "⏎ diff", dreams.no_runs),
)  # fmt: skip


class RunDetails(VirtualList):
    """How it stands, what it does by claim while that is to be judged, files, how it was made, log.

    The cursor stays on its claim or file.
    """

    BINDINGS = registry.bindings(COMMANDS)
    dream: Dream | None = None
    opened: OpenDream | None = None
    now = 0.0
    rows: Sequence[dream_rows.ClaimRow] = ()

    def __init__(self, *, id: str, classes: str = "") -> None:
        super().__init__(id=id, classes=classes)
        self._log = dream_rows.LogRows()
        self._claims = dream_rows.ClaimRows()
        self._files: dict[str, tuple[File, str]] = {}
        self._placed: Hashable = None

    def show(self, dream: Dream | None, opened: OpenDream | None, now: float) -> None:
        other = dream is None or self.dream is None or dream.run.id != self.dream.run.id
        unmoved = self._key == self._placed
        self.dream, self.opened, self.now = dream, opened, now
        self._lay()
        if other or unmoved:  # as long as it was not moved, it waits for the first claim or file
            first = next((at for at, row in enumerate(self.rows) if row.file), 0)
            if other or first != self.cursor:
                self.cursor = first
                self._placed = self._key
                self.scroll_to(y=0, animate=False)

    def _lay(self) -> None:
        keep = self._key
        width = max(12, self.size.width - 1)  # the last cell is the scroll bar's
        rows = _plain([Content(""), *dream_rows.about(width)]) if self.dream is None else []
        self._files = {}
        if self.dream is not None:
            touched = dream_rows.touched_files(self.dream, self.opened)
            claims = self.opened.claims if self.opened is not None and self.dream.kept else ()
            events = self.opened.events if self.opened is not None else ()
            log = self._log.lay(events, width, MAX_DETAIL_EVENTS)
            self._files = {file.name: (file, state) for file, state in touched}
            rows = _plain(dream_rows.standing(self.dream, self.opened, self.now, width, self.glyphs))
            if claims:
                rows += [*_plain([Content("")]), *self._claims.lay(claims, width, self.glyphs)]
            if touched:
                rows += _plain([Content(""), Content.styled(touched_words(file for file, _ in touched), "bold")])
                rows += [dream_rows.ClaimRow(file.name, file.name, Content("")) for file, _ in touched]
            rows += _plain([Content(""), *dream_rows.details(self.dream, width)])
            rows += _plain([Content(""), Content.styled("log, newest first", "bold"), *log]) if log else []
        self.rows = rows
        self.rows_changed(keep=keep)

    def on_resize(self) -> None:
        self._lay()

    @property
    def _key(self) -> Hashable:
        return self.rows[self.cursor].key if self.cursor < len(self.rows) else None

    @property
    def file(self) -> str:
        """The file under the cursor, or that of the claim."""
        return self.rows[self.cursor].file if self.cursor < len(self.rows) else ""

    def row_key(self, index: int) -> Hashable:
        return self.rows[index].key

    def row(self, index: int, width: int) -> Content:
        row = self.rows[index]
        if row.key == row.file and row.file:
            return dream_rows.file_row(*self._files[row.file], width, self.glyphs)
        return row.content


def _plain(rows: Sequence[Content]) -> list[dream_rows.ClaimRow]:
    return [dream_rows.ClaimRow(None, "", row) for row in rows]


class RunFiles(RowList[tuple[File, str]]):
    BINDINGS = registry.bindings(COMMANDS)

    def show(self, files: Sequence[tuple[File, str]]) -> None:
        if list(map(self.key, files)) == list(map(self.key, self.rows)):
            changed = [index for index, entry in enumerate(files) if entry != self.rows[index]]
            self.rows = list(files)
            for index in changed:
                self.row_changed(index)
            return
        height = max(1, min(len(files), MAX_FILE_ROWS))
        if height != max(1, min(len(self.rows), MAX_FILE_ROWS)):
            self.styles.height = height  # the stylesheet says how much of that at most
        self.put(list(files))

    @property
    def file(self) -> str:
        return self.current[0].name if self.current is not None else ""

    def key(self, row: tuple[File, str]) -> Hashable:
        return row[0].name

    def row(self, index: int, width: int) -> Content:
        return dream_rows.file_row(*self.rows[index], width, self.glyphs)


class RunHead(Static):
    """Lines that are drawn again only when they say something else."""

    def __init__(self, *, id: str) -> None:
        super().__init__(Content(""), id=id)
        self._rows: list[Content] = []

    def show(self, rows: Sequence[Content]) -> None:
        if list(rows) != self._rows:
            taller = len(rows) != len(self._rows)
            self._rows = list(rows)
            self.update(Content("\n").join(self._rows), layout=taller)


class RunList(RowList[Dream]):
    BINDINGS = registry.bindings(COMMANDS)
    judging, now, still = "", 0.0, False

    def show(self, dreams: tuple[Dream, ...], judging: str, now: float, *, still: bool) -> None:
        """Draw these; `judging` is the id of the one that waits. The cursor stays on its run."""
        self.judging, self.now, self.still = judging, now, still
        self.put(dreams)

    def key(self, row: Dream) -> Hashable:
        return row.run.id

    def row(self, index: int, width: int) -> Content:
        dream = self.rows[index]
        judging = dream.run.id == self.judging
        return dream_rows.run_row(dream, self.now, width, self.glyphs, judging=judging, still=self.still)


class RunLog(LaidLines, can_focus=False):
    """Scrolled, never focused. While it follows, the newest row is in sight; else the rows in sight stay there."""

    show_cursor = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.follows = True
        self._log = dream_rows.LogRows()
        self._claims = dream_rows.ClaimRows()
        self._events: Sequence[Event] = ()
        self._told: Sequence[Claim] = ()

    def show(self, events: Sequence[Event], claims: Sequence[Claim] = ()) -> None:
        """Show these events, oldest first as they come; of a run that is to be judged its claims instead."""
        self._events, self._told = events, claims
        self.lay()

    def follow(self, *, on: bool) -> None:
        self.follows = on
        if on:
            self.scroll_to(y=0, animate=False)

    def lay(self) -> None:
        before, width = len(self.rows), max(12, self.size.width - 1)
        if self._told:
            self.rows = [row.content for row in self._claims.lay(self._told, width, self.glyphs)]
            self.rows_changed()
            return
        self.rows = self._log.lay(self._events, width, MAX_LOG_EVENTS)
        self.rows_changed()
        more = len(self.rows) - before
        if more and not self.follows and before:
            self.scroll_to(y=self.scroll_offset.y + more, animate=False)
