"""How tests drive the app: press, then wait until every worker is done; never for a time."""

from textual.pilot import Pilot

from memtui.tui.app import MemtuiApp

BUSY = {"read", "preview", "look", "rescan", "shelf", "session", "read-long", "search", "count", "dreams"}
"""Groups of workers that end by themselves; a wish may wait for an answer, but then its dialog is on the screen."""


async def settle(pilot: "Pilot[int]") -> MemtuiApp:
    """Wait until nothing is read, drawn or asked any more; dialogs that wait for an answer don't count."""
    app = pilot.app
    assert isinstance(app, MemtuiApp)
    quiet = 0
    while quiet < 3:
        groups = BUSY | ({"wish"} if len(app.screen_stack) == 1 else set())
        busy = any(not worker.is_finished for worker in app.workers if worker.group in groups)
        quiet = 0 if busy else quiet + 1
        await pilot.pause()
    return app


async def press(pilot: "Pilot[int]", *keys: str) -> MemtuiApp:
    """Press keys one by one, letting the app come to rest after each."""
    app = pilot.app
    assert isinstance(app, MemtuiApp)
    for key in keys:
        await pilot.press(key)
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
