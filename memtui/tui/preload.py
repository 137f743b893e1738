"""Imports what the screen shows after its first frame, in a thread, so that no first key waits for it.

All of it takes about 100 ms of processor time, more than a key may wait. What is larger than it is likely to be wanted
comes when it is asked for, in a thread as well.
"""

import asyncio
import sys
from importlib import import_module

from memtui.util.gc_tuning import release_memory

LIKELY = (
    "memtui.tui.views.memory",
    "memtui.services.memory",
    "memtui.tui.dialogs",
    "memtui.tui.palette",
    "memtui.tui.screens.compare",
    "memtui.tui.loaders.sessions",
    "memtui.tui.views.sessions",
    "memtui.tui.screens.transcript",
    "memtui.tui.views.search",
    "textual.widgets._button",
)
"""Those that are most likely wanted first come first."""
ON_DEMAND = (
    "memtui.tui.screens.editor", "memtui.tui.views.dream", "memtui.tui.views.settings", "memtui.tui.dialogs.watch_run",
    "memtui.tui.loaders.dreams",
)  # fmt: skip
"""About 1 of the 20 MB that the list of sessions may take, most of it Textual's text area."""


def load_likely() -> None:
    """Import what the next keys are likely to need."""
    for name in LIKELY:
        import_module(name)
    release_memory()


def load_all() -> None:
    """Import all of them; after that every command is in the registry."""
    for name in (*LIKELY, *ON_DEMAND):
        import_module(name)


async def load(name: str) -> None:
    """Import one that is wanted now, in a thread if it isn't there."""
    if name not in sys.modules:
        await asyncio.to_thread(import_module, name)
