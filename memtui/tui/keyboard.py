"""Keys typed faster than the screen changes go where the person meant them.

Textual hands every key at once to the widget that has the focus at that moment. Whoever types "/red" would filter
by nothing and open a dialog for "r". Here a key waits until the one before it has been handled up to the app, and
while a command is about to open its dialog, keys wait for the dialog.
"""

import time
from collections import deque
from collections.abc import Callable

from textual import events
from textual.app import App
from textual.message_pump import MessagePump

MAX_HOLD_S = 2.0  # seconds after which keys are let go whatever happened: a lost answer must not lock the keyboard


class KeyQueue:
    def __init__(self, app: App[object], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._app = app
        self._held: deque[events.Key] = deque()
        self._next: events.Key | None = None
        """The one that was released and is coming back: others that came meanwhile stay behind it."""
        self._since: float | None = None
        self._opening = 0
        self._handling = False  # whether a key is being handled by the widgets

    def hold(self, key: events.Key) -> bool:
        """Whether this key has to wait; if not, it is the one that others wait for."""
        if key is not self._next and (self._held or self._next or self._waits):
            self._held.append(key)
            if not self._waits:
                self._release()
            return True
        self._next = None
        self._since = self._clock()
        self._handling = True
        return False

    @property
    def _waits(self) -> bool:
        """Whether a key is being handled, or a dialog about to open, and not for too long."""
        return self._since is not None and self._clock() - self._since < MAX_HOLD_S

    def follow(self, pump: MessagePump) -> None:
        """Follow the key that was just handed to `pump` through its parents to the app.

        Twice, since what handles a key may post a message (a submitted line) that takes the same path behind it.
        """
        pumps: list[MessagePump] = [pump]
        while pumps[-1] is not self._app and pumps[-1]._parent is not None:
            pumps.append(pumps[-1]._parent)
        self._step([*pumps, *pumps])

    def _step(self, pumps: list[MessagePump]) -> None:
        while pumps:
            pump, *pumps = pumps
            if pump.post_message(events.Callback(callback=lambda pumps=pumps: self._step(pumps))):
                return
        self.handled()

    def handled(self) -> None:
        """The key that others wait for was handled by all that had a chance to."""
        self._handling = False
        self._let_go()

    def opening(self) -> None:
        """A command was asked for that may open a dialog; keys wait until `opened`."""
        self._opening += 1
        self._since = self._since or self._clock()

    def opened(self) -> None:
        """The dialog has the focus, or there will be none."""
        self._opening = max(0, self._opening - 1)
        self._let_go()

    def _let_go(self) -> None:
        if (self._opening or self._handling) and self._waits:
            return
        self._opening, self._handling, self._since = 0, False, None
        self._release()

    def _release(self) -> None:
        if self._held and self._next is None:
            self._next = self._held.popleft()
            self._since = self._clock()
            self._app.post_message(self._next)
