"""The door to the screen: the command line hands over what it decided and gets an exit code back."""

import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.base.config import Config
from memtui.tui.start import Start

if TYPE_CHECKING:
    from memtui.memory.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line decided.

    `sample` says that the project is the made-up home; `open_sample` makes one, for "try with sample data".
    """

    start: Start
    config: Config
    open_sample: "Callable[[], Workspace] | None" = None
    sample: bool = False
    ascii: bool = False
    mouse: bool = True


def run(options: Options) -> int:
    """Run the screen until it is left; the terminal must have been checked by the caller.

    Returns:
        The exit code: 0, or 128 + the signal that ended it.
    """
    # Nothing that the start makes is garbage soon: collecting meanwhile costs a tenth of it. The app turns it on again.
    gc.disable()
    from memtui.tui.app import MemtuiApp
    from memtui.tui.theme import glyphs_for

    ascii_only = options.ascii or options.config["glyphs"] == "ascii"
    encoding = "utf-8" if options.config["glyphs"] == "unicode" else (sys.stdout.encoding or "ascii")
    app = MemtuiApp(
        options.start,
        options.config,
        glyphs=glyphs_for(encoding, ascii_only=ascii_only),
        sample=options.sample,
        open_sample=options.open_sample,
    )
    app.run(mouse=options.mouse)
    return app.return_code or 0
