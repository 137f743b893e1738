"""When the first screen is drawn, and what of: the last picture at once, else names as soon as the place is known."""

import os
import sys
import time

from memtui.tui.glyphs import wanted_glyphs
from memtui.tui.segments.place_line import PlaceFacts, dreamt, flags
from memtui.tui.startup.ansi import Painter, depth
from memtui.tui.startup.frame import Shown, frame
from memtui.tui.startup.picture import CachedFrame, notice, read
from memtui.tui.startup.terminal import Terminal, size
from memtui.util.app_dirs import cache_folder

TYPE_CHECKING = False  # as in typing
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from memtui.tui.startup.start import StartContext
    from memtui.util.config import Config


_SAYS_OTHERWISE = ("TEXTUAL_DRIVER", "TEXTUAL_COLOR_SYSTEM", "TEXTUAL_FILTERS")
"""Variables with which Textual draws in another way, or elsewhere."""


class First:
    """The first screen of one start; as a context it gives the terminal back if nobody took it over.

    Args:
        ascii: Only ASCII marks are wanted.
        read_only: Nothing is to be written.
        clock: Seconds since 1970.
    """

    def __init__(self, *, ascii: bool, read_only: bool, clock: "Callable[[], float]" = time.time) -> None:
        self.terminal = Terminal()
        self.kept: CachedFrame | None = None
        """What was drawn."""
        self._ascii, self._read_only, self._clock = ascii, read_only, clock

    def __enter__(self) -> "First":
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        self.terminal.give_back()

    def remember(self, config_dir: str | None) -> None:
        """Draw the last picture of the working directory, if nothing has changed since.

        Args:
            config_dir: The agent client's folder as it was given, if it was.
        """
        environ = dict(os.environ)
        if config_dir is not None:
            from pathlib import Path

            environ["CLAUDE_CONFIG_DIR"] = str(Path(config_dir).expanduser().absolute())
        home = environ.get("HOME", "")
        try:
            cwd = os.getcwd()  # noqa: PTH109 - a text is what is wanted
        except OSError:
            return
        if not home.startswith("/"):
            return
        kept = read(cache_folder(environ, home), cwd, environ)
        if kept is not None and self._draw(kept, sample=False):
            self.kept = kept

    def known(self, start: "StartContext", config: "Config", *, sample: bool) -> "StartContext":
        """The place is known: draw what its memory folder lists, unless something is drawn already.

        Returns:
            The start with the picture that was looked at, so that nobody looks again.
        """
        if self.kept is None:
            from memtui.tui.colours import theme_for
            from memtui.tui.startup.picture import load
            from memtui.tui.startup.sketch import kept, names

            theme = theme_for(config["theme"], start.location.switch("theme").value)
            self.kept = kept(start, load(start) or names(start), theme, config["glyphs"])
            self._draw(self.kept, sample=sample)
        return start.seen(self.kept)

    def _draw(self, kept: CachedFrame, *, sample: bool) -> bool:
        """Draw it, if the terminal is one that we know all about; whether it was drawn."""
        if any(os.environ.get(name) for name in _SAYS_OTHERWISE):
            return False
        glyphs, now, picture = (
            wanted_glyphs(kept.glyphs, sys.stdout.encoding, ascii_only=self._ascii),
            self._clock(),
            kept.picture,
        )
        place = PlaceFacts(
            project=kept.project,
            branch=picture.branch if picture else "",
            folder=kept.folder,
            problems=picture.problems if picture else 0,
            unlisted=picture.unlisted if picture else 0,
            last_dream=dreamt(picture.last_dream if picture else None, now),
            flags=flags(sample=sample, read_only=self._read_only, enabled=kept.enabled),
            notice=notice(picture, glyphs),
        )
        import termios

        try:
            painter = Painter(kept.theme, depth(os.environ), grey="NO_COLOR" in os.environ)
            rows = frame(Shown(picture, place, kept.enabled, now, glyphs), *size(os.environ))
            if rows is None or not _printable(rows):
                return False
            self.terminal.draw(painter.draw(rows))
        except (KeyError, OSError, termios.error, UnicodeEncodeError):
            return False  # Textual will draw it, a moment later
        return True


def _printable(rows: "list[list[tuple[str, str, str]]]") -> bool:
    """Whether no terminal would obey any of it, whoever wrote the file that it came from."""
    return all(piece.isprintable() for row in rows for piece, _, _ in row)
