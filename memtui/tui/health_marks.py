"""Health marks of the list of sessions: those on the screen at once, then the others; of thousands a few now and then.

What is known stands in the cache and is shown at once; what has to be read costs some milliseconds a session.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING

from textual.timer import Timer
from textual.worker import get_current_worker

from memtui.search.judging import judge
from memtui.search.packed import Packed, unpack
from memtui.tui.messages import Judged
from memtui.tui.panels.session_list import SessionList
from memtui.tui.state import Shelf

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp

LOOK = 1.0
"""Seconds between two looks at what is on the screen."""

AT_ONCE = 8
"""Sessions on the screen that are read in one go, so that the first marks are soon there."""

FEW = 64
"""Sessions that aren't on the screen and are read in one go: the list is drawn once for them."""

MANY = 200
"""Sessions of a list from which on those that aren't on the screen have to wait."""

REST = 800
"""So many times as long as reading took they wait: an eighth of a percent of a core."""


class HealthMarks:
    """Which sessions of the list are still to be looked at; everything but the reading is done on the app's thread."""

    def __init__(self, app: MemtuiApp) -> None:
        self.app = app
        self._seen: frozenset[bytes] = frozenset()
        self._rest: dict[bytes, None] = {}
        self._new = Packed()
        self._busy = False
        self._again = 0.0
        self._timer: Timer | None = None

    def follow(self, shelf: Shelf | None) -> None:
        """Look at the sessions of this list.

        Those that are open in a client change all the time and are marked as such.
        """
        sessions, live = (shelf.sessions, shelf.live) if shelf is not None else (Packed(), {})
        closed = [row for row in sessions.rows if unpack(row).id not in live] if live else sessions.rows
        here = frozenset(closed)
        self._rest = {row: None for row in self._rest if row in here}
        self._new = Packed(row for row in closed if row not in self._seen)
        self._seen = here
        if self._new and self._timer is None:
            self._timer = self.app.set_interval(LOOK, self.look)
        self.look()

    def look(self) -> None:
        """Read what is wanted now: what the cache knows of new ones, what is on the screen, or after a rest others."""
        if self._busy:
            return
        if self._new:
            self._start(self._new, read=False)
            self._new = Packed()
            return
        if not self._rest:
            if self._timer is not None:
                self._timer.stop()
                self._timer = None
            return
        wanted = [row for row in self._on_screen() if row in self._rest]
        if not wanted and time.monotonic() >= self._again:
            wanted = list(islice(self._rest, FEW))
        else:
            del wanted[AT_ONCE:]
        if wanted:
            self._start(Packed(wanted), read=True)

    def _on_screen(self) -> list[bytes]:
        lists = self.app.screen_stack[0].query(SessionList)
        return [row for one in lists if all(node.display for node in one.ancestors_with_self) for row in one.on_screen]

    def _start(self, sessions: Packed, *, read: bool) -> None:
        self._busy = True
        self.app.run_worker(
            lambda: self._judge(sessions, read=read), thread=True, group="marks", exit_on_error=False,
            description="health marks",
        )  # fmt: skip

    def _judge(self, sessions: Packed, *, read: bool) -> None:
        """In a thread: say what is known of sessions, and read those of which nothing is."""
        worker, since = get_current_worker(), time.monotonic()
        found = dict(judge(self.app.start.cache, sessions, read=read, stopped=lambda: worker.is_cancelled))
        self.app.call_from_thread(self._judged, sessions, found, read, time.monotonic() - since)

    def _judged(self, sessions: Packed, found: dict[str, str], read: bool, spent: float) -> None:
        self._busy = False
        for row, one in zip(sessions.rows, sessions, strict=True):
            if read:
                self._rest.pop(row, None)
            elif row in self._seen and one.place not in found:
                self._rest[row] = None
        if read and len(self._seen) > MANY:
            self._again = time.monotonic() + REST * spent
        if found:
            self.app.post_message(Judged(found))
        self.look()
