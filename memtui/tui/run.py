"""The door to the screen: the command line hands over what it decided and gets an exit code back."""

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from memtui.tui.startup.start import StartContext
from memtui.util.config import Config

if TYPE_CHECKING:
    from memtui.memory.workspace import Workspace
    from memtui.tui.glyphs import Glyphs
    from memtui.tui.startup.terminal import Terminal


class Options(Struct, frozen=True):
    """What the command line decided.

    `glyphs` are the marks that the terminal can show; `terminal` has the first screen on it, if anything has. `sample`
    says that the project is the made-up home; `open_sample` makes one, for "try with sample data".
    """

    start: StartContext
    config: Config
    glyphs: "Glyphs"
    open_sample: "Callable[[], Workspace] | None" = None
    sample: bool = False
    terminal: "Terminal | None" = None
    mouse: bool = True


def run(options: Options) -> int:
    """Run the screen until it is left; the terminal must have been checked by the caller.

    Returns:
        The exit code: 0, or 128 + the signal that ended it.
    """
    from memtui.tui.app import MemtuiApp

    app = MemtuiApp(
        options.start,
        options.config,
        glyphs=options.glyphs,
        sample=options.sample,
        open_sample=options.open_sample,
    )
    if options.terminal is not None and options.terminal.drawn:
        from memtui.tui.startup.driver import taking_over

        app.driver_class = taking_over(options.terminal)
    gc.freeze()  # what Textual brought stays: who collects later need not look through it
    app.run(mouse=options.mouse)
    return app.return_code or 0
