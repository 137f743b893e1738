"""How the app behaves towards its terminal: keys in their order, signals, the clipboard, what it can show."""

import asyncio
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar

from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender

from memtui.tui.keyboard import KeyQueue
from memtui.tui.state import KeepsDraft
from memtui.tui.theme import ANSI, THEMES, Glyphs, PlainScrollBar

BREAKPOINTS = [(0, "-one"), (60, "-two"), (100, "-three"), (120, "-wide")]
"""Columns from which on a class is set: how many panes there are."""

TWICE = 2.0
"""Seconds within which a second ^C quits."""


class Body(Screen[object]):
    """The screen of the views; they cover it."""

    BLANK = True


class TerminalApp(App[int]):
    """An app that knows its terminal.

    Args:
        glyphs: What it can show.
        now: The clock, in seconds.
    """

    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Copy, twice quits", show=False, system=True)
    ]

    def __init__(self, glyphs: Glyphs, now: Callable[[], float]) -> None:
        self.glyphs = glyphs
        super().__init__()
        self._now = now
        self._interrupted = 0.0
        self.touched = False
        """Whether a key or a button was pressed."""
        self.type_ahead = KeyQueue(self)
        for theme in THEMES:
            self.register_theme(theme)

    def get_default_screen(self) -> Screen[object]:
        # Textual sets these classes after the first paint, and then paints all of it once more.
        width = shutil.get_terminal_size().columns
        return Body(id="_default", classes=next(name for at, name in reversed(BREAKPOINTS) if width >= at))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return ANSI.variables()

    def meet_terminal(self) -> None:
        """What can only be done once there is a screen."""
        ascii = self.glyphs.border == "ascii"
        self.set_class(ascii, "-ascii")
        ScrollBar.renderer = PlainScrollBar if ascii else ScrollBarRender  # of all apps of a process: it has one
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True, repaint=True))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            with suppress(NotImplementedError, RuntimeError, ValueError):  # a thread of a test has no signals
                loop.add_signal_handler(number, self._end_by, number)

    def _end_by(self, number: int) -> None:
        """The terminal was closed or somebody sent a signal: unsaved text stays as a draft."""
        for screen in self.screen_stack:
            if isinstance(screen, KeepsDraft):
                screen.keep_draft()
        self.exit(128 + number, 128 + number)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent) and not isinstance(event, events.MouseMove):
            self.touched = True
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif not self.type_ahead.hold(event):
            target = self.focused or self.screen
            await super().on_event(event)
            self.type_ahead.follow(target)

    def action_redraw(self) -> None:
        """Paint every cell anew."""
        self.refresh(layout=True, repaint=True)

    def action_interrupt(self) -> None:
        """^C copies what is selected; twice within two seconds quits."""
        selected = self.screen.get_selected_text()
        now = self._now()
        if selected:
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
        elif now - self._interrupted < TWICE:
            self.exit(130, 130)
        else:
            self._interrupted = now
            self.notify("press ^C once more to quit", timeout=2, markup=False)

    def copy_to_clipboard(self, text: str) -> None:
        """Send text to the clipboard, through tmux where it would swallow the terminal's way."""
        from memtui.tui.clipboard import send_to_clipboard

        send_to_clipboard(text, super().copy_to_clipboard)

    def bell(self) -> None:
        """A wish that makes no sense here; quiet unless somebody asked for sound."""
