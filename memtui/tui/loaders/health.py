"""Health marks of the list of sessions: those on the screen at once, then the others; of thousands a few now and then.

What is known stands in the cache and is shown at once; what has to be read costs some milliseconds a session.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import compress, islice

from msgspec import Struct
from textual.timer import Timer
from textual.worker import get_current_worker

from memtui.sessions.health_cache import load_health
from memtui.sessions.listing import CompressedSessions, Session
from memtui.tui.app_base import AppBase
from memtui.tui.messages import HealthLoaded
from memtui.tui.state import SessionListState
from memtui.tui.widgets.session_list import SessionList

LOOK_INTERVAL_S = 1.0  # seconds between two looks at what is on the screen
SCREEN_BATCH = 8  # sessions on the screen that are read in one go, so that the first marks are soon there
BACKGROUND_BATCH = 64  # sessions that aren't on the screen and are read in one go: the list is drawn once for them
MAX_UNPACED_SESSIONS = 200  # sessions of a list from which on those that aren't on the screen have to wait
REST_FACTOR = 800  # so many times as long as reading took they wait: an eighth of a percent of a core


class PendingHealth(Struct):
    """The sessions of a list, and by their numbers what is to be done about them.

    `stamps` differ for each state of each file; a session that is open in a client, which changes all the
    time and is marked as such, has none (0). `waiting` are those that are still to be read.
    """

    sessions: CompressedSessions
    stamps: array[int]
    waiting: bytearray
    live: frozenset[str] = frozenset()

    def of(self, session_list: SessionListState) -> bool:
        return self.sessions == session_list.sessions and self.live == session_list.live.keys()

    def number(self, one: Session) -> int | None:
        try:
            number = self.stamps.index(_stamp(one))
        except ValueError:
            return None  # the screen has a newer list
        return number if self.waiting[number] else None

    def first(self, count: int) -> list[int]:
        return list(islice(compress(range(len(self.waiting)), self.waiting), count))


class HealthLoader:
    """Which sessions of the list are still to be looked at; what takes a while is done in a thread."""

    def __init__(self, app: AppBase) -> None:
        self.app = app
        self._seen = PendingHealth(CompressedSessions(), array("q"), bytearray())
        self._list = SessionListState()
        self._busy = False
        self._not_before = 0.0
        self._timer: Timer | None = None

    def follow(self, session_list: SessionListState | None) -> None:
        self._list = session_list or SessionListState()
        if not self._seen.of(self._list) and self._timer is None:
            self._timer = self.app.set_interval(LOOK_INTERVAL_S, self.look)
        self.look()

    def look(self) -> None:
        """Do what is wanted now: take up a new list, read what is on the screen, or after a rest others."""
        if self._busy:
            return
        if not self._seen.of(self._list):
            session_list = self._list
            self._start(lambda: self._take_up(session_list))
            return
        if 1 not in self._seen.waiting:
            if self._timer is not None:
                self._timer.stop()
                self._timer = None
            return
        wanted = [number for one in self._on_screen() if (number := self._seen.number(one)) is not None][:SCREEN_BATCH]
        if not wanted and time.monotonic() >= self._not_before:
            wanted = self._seen.first(BACKGROUND_BATCH)
        if wanted:
            self._start(lambda: self._read(wanted))

    def _on_screen(self) -> Iterator[Session]:
        for one in self.app.screen_stack[0].query(SessionList):
            if all(node.display for node in one.ancestors_with_self):
                yield from one.on_screen

    def _start(self, work: Callable[[], None]) -> None:
        self._busy = True
        self.app.start_thread("marks", work, exclusive=False)

    def _take_up(self, session_list: SessionListState) -> None:
        """In a thread: which sessions of a list are others than before, and what the cache knows of those."""
        seen, fresh = compare(self._seen, session_list.sessions, frozenset(session_list.live))
        found = dict(load_health(self.app.start.cache, compress(session_list.sessions, fresh), read=False))
        for number, one in enumerate(session_list.sessions):
            if fresh[number]:
                seen.waiting[number] = one.file_path not in found
        self.app.call_from_thread(self._done, seen, found)

    def _read(self, numbers: Sequence[int]) -> None:
        worker, since = get_current_worker(), time.monotonic()
        wanted = [self._seen.sessions[number] for number in numbers]
        found = dict(load_health(self.app.start.cache, wanted, stopped=lambda: worker.is_cancelled))
        self.app.call_from_thread(self._were_read, numbers, found, time.monotonic() - since)

    def _were_read(self, numbers: Sequence[int], found: dict[str, str], spent: float) -> None:
        for number in numbers:
            self._seen.waiting[number] = 0
        if len(self._seen.waiting) > MAX_UNPACED_SESSIONS:
            self._not_before = time.monotonic() + REST_FACTOR * spent
        self._done(self._seen, found)

    def _done(self, seen: PendingHealth, found: dict[str, str]) -> None:
        self._seen, self._busy = seen, False
        if found:
            self.app.post_message(HealthLoaded(found))
        self.look()


def compare(
    before: PendingHealth, sessions: CompressedSessions, live: frozenset[str]
) -> tuple[PendingHealth, bytearray]:
    """What is known of a list from the one before it, and by their numbers whether nothing is known of a session."""
    known = {stamp: number for number, stamp in enumerate(before.stamps)}
    stamps = array("q", (0 if one.id in live else _stamp(one) for one in sessions))
    waiting = bytearray(before.waiting[known[stamp]] if stamp in known else 0 for stamp in stamps)
    fresh = bytearray(bool(stamp) and stamp not in known for stamp in stamps)
    return PendingHealth(sessions, stamps, waiting, live), fresh


def _stamp(one: Session) -> int:
    return hash((one.file_path, one.modified, one.size))
