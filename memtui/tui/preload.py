"""Imports what the screen shows after its first frame, in a thread, so that no first key waits for it.

All of it takes about 400 ms; on the screen's own thread the first press of `3` or `:` would wait 150 ms or more.
"""

from importlib import import_module

from memtui.tui.views.table import VIEWS
from memtui.util.gc_tuning import release_memory

MODULES = (
    "memtui.tui.views.memory",
    "memtui.services.memory",
    "memtui.tui.dialogs",
    "memtui.tui.palette",
    "memtui.tui.screens.compare",
    "memtui.tui.loaders.sessions",
    "memtui.tui.views.sessions",
    "memtui.tui.screens.transcript",
    "memtui.tui.views.settings",
    "memtui.tui.views.dream",
    "memtui.tui.loaders.dreams",
    "memtui.tui.dialogs.watch_run",
    "textual.widgets._button",
)
"""Those that are most likely wanted first come first; views that are not named here come last."""


EDITOR = "memtui.tui.screens.editor"
"""With Textual's text area 1.5 MB, which nobody needs who only reads: imported in a thread with the first file."""


def load_likely() -> None:
    """Import what the next keys are likely to need."""
    for name in (*MODULES, *(view.module for view in VIEWS)):
        import_module(name)
    release_memory()


def load_all() -> None:
    """Import the editor as well; after that every command is in the registry."""
    load_likely()
    import_module(EDITOR)
