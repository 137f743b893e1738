"""How tests drive the app: press, then wait until every worker is done; never for a time."""

from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input

from memtui.tui.app import MemtuiApp

BUSY = {
    "read", "preview", "look", "rescan", "preload", "session-list", "session", "read-long", "search", "count", "dreams",
    "dream-change", "marks", "save-frame", "palette",
}  # fmt: skip
"""Groups of workers that end by themselves."""


def _busy(app: MemtuiApp) -> bool:
    """Whether something goes on; a command that has opened a dialog waits for an answer."""
    groups = {worker.group for worker in app.workers if not worker.is_finished}
    return bool(groups & BUSY) or ("command" in groups and len(app.screen_stack) == 1)


async def settle(pilot: "Pilot[int]") -> MemtuiApp:
    """Wait until nothing is read, drawn or asked any more; dialogs that wait for an answer don't count."""
    app = pilot.app
    assert isinstance(app, MemtuiApp)
    quiet = 0
    while quiet < 3:
        quiet = 0 if _busy(app) else quiet + 1
        await pilot.pause()
    return app


async def go_to(pilot: "Pilot[int]", path: Path) -> MemtuiApp:
    """Put the cursor of the Memory view on a file."""
    app = await settle(pilot)
    app.memory_view.go_to(str(path))
    return app


async def until(pilot: "Pilot[int]", true: Callable[[], object]) -> MemtuiApp:
    """Let the app go on until a fact holds, and come to rest."""
    while not true():
        await pilot.pause(0.02)
    return await settle(pilot)


async def press(pilot: "Pilot[int]", *keys: str) -> MemtuiApp:
    """Press keys one by one, letting the app come to rest after each, and after a text that is typed into a field."""
    app = pilot.app
    assert isinstance(app, MemtuiApp)
    for number, key in enumerate(keys, 1):
        await pilot.press(key)
        if number == len(keys) or len(key) > 1 or not isinstance(app.focused, Input):
            await settle(pilot)
    return app


def screen_text(app: MemtuiApp) -> str:
    """The screen as a terminal would show it, line by line."""
    width, height = app.size
    lines = [[" "] * width for _ in range(height)]
    for y, strip in enumerate(app.screen._compositor.render_strips()):
        if y < height:
            lines[y] = list(strip.text)
    return "\n".join("".join(line).rstrip() for line in lines)
