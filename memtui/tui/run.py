"""The door to the screen: the program hands over what it decided and gets an exit code back."""

import gc
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from memtui.tui.app import MemtuiApp
from memtui.tui.startup.driver import MemtuiDriver
from memtui.tui.startup.start import StartContext
from memtui.tui.startup.terminal import Terminal
from memtui.tui.theme import glyphs_for
from memtui.util.config import Config
from memtui.util.gc_tuning import limit_heaps

if TYPE_CHECKING:
    from memtui.memory.workspace import Workspace  # the engine: 140 ms that the first frame doesn't wait for


def run(
    start: StartContext, config: Config, *, ascii_only: bool, terminal: Terminal,
    open_sample: "Callable[[], Workspace] | None", sample: bool, mouse: bool, secrets: bool = False,
) -> int:  # fmt: skip
    """Run the screen until it is left; the terminal must have been checked by the caller.

    The first frame is on `terminal`, if anything was drawn; `open_sample` makes the sample home for "try with sample
    data"; with `secrets` these are shown from the start. Returns the exit code: 0, or 128 + the signal that ended it.
    Raises what the screen crashed of.
    """
    glyphs = glyphs_for(config["glyphs"], sys.stdout.encoding, ascii_only=ascii_only)
    app = MemtuiApp(start, config, glyphs=glyphs, sample=sample, open_sample=open_sample)
    if secrets:
        app.set_reactive(MemtuiApp.state, replace(app.state, secrets_shown=True))
    app.terminal, app.driver_class = terminal, MemtuiDriver
    limit_heaps()
    gc.freeze()  # what Textual brought stays: who collects later need not look through it
    code = app.run(mouse=mouse)
    if app.crash is not None:
        raise app.crash
    return code if isinstance(code, int) else 0
