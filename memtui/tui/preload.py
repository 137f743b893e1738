"""Imports what the screen shows after its first frame, in a thread, so that no first key waits for it.

All of it takes about 400 ms; on the screen's own thread the first press of `3` or `:` would wait 150 ms or more.
"""

from importlib import import_module

from memtui.tui.views.table import VIEWS

_OURS = (
    "views.memory dialogs palette screens.editor screens.compare loaders.sessions views.sessions screens.transcript "
    "views.settings views.dream loaders.dreams dialogs.watch_run"
)
MODULES = (*(f"memtui.tui.{name}" for name in _OURS.split()), "textual.widgets._text_area", "textual.widgets._button")
"""Those that are most likely wanted first come first; views that are not named here come last."""


def load_all() -> None:
    """Import all of them; after that every command is in the registry."""
    for name in (*MODULES, *(view.module for view in VIEWS)):
        import_module(name)
