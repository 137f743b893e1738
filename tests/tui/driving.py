"""How tests drive the app: press, then wait until every message is handled and every worker done; never for a time."""

import asyncio
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from textual import events
from textual.css import stylesheet
from textual.css.model import RuleSet
from textual.keys import REPLACED_KEYS, _character_to_key, key_to_character
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.widgets import Input

from memtui.tui.app import MemtuiApp

BUSY = {
    "read", "preview", "look", "rescan", "preload", "session-list", "session", "read-long", "search", "count", "dreams",
    "dream-change", "disk", "marks", "save-frame", "palette",
}  # fmt: skip
"""Groups of workers that end by themselves."""

_PARSED: dict[object, list[RuleSet]] = {}
_parse = stylesheet.parse


def _parse_once(scope: str, css: str, read_from: tuple[str, str], **more: Any) -> list[RuleSet]:
    """Textual's parser of stylesheets; what one app of this process has parsed, the next one need not."""
    variables = tuple((name, *(token.value for token in tokens)) for name, tokens in more["variable_tokens"].items())
    key = (scope, css, read_from, variables, more["is_default_rules"], more["tie_breaker"])
    if key not in _PARSED:
        _PARSED[key] = list(_parse(scope, css, read_from, **more))
    return _PARSED[key]


stylesheet.parse = _parse_once

POLL_S = 0.005
"""Seconds between two looks at a thread or timer that is waited for; no test's outcome depends on it."""


def _busy(app: MemtuiApp) -> bool:
    """Whether something goes on; a command that has opened a dialog waits for an answer."""
    groups = [worker.group for worker in app.workers if not worker.is_finished]
    answers = [screen._result_callbacks[-1].future for screen in app.screen_stack if screen._result_callbacks]
    asked = sum(bool(answer is not None and answer._callbacks) for answer in answers)  # somebody waits for it
    return bool(BUSY.intersection(groups)) or groups.count("command") > asked


def _pumps(app: MemtuiApp) -> list[MessagePump]:
    """All that handles messages: the app and the widgets of all screens, those behind a dialog too."""
    return [app, *(node for screen in app.screen_stack for node in screen.walk_children(with_self=True))]


def _waits(app: MemtuiApp) -> bool:
    """Whether a pause of one of our widgets runs, after which it goes on by itself (a repeated timer has no end)."""
    return any(
        timer._repeat is not None and timer._task is not None and not timer._task.done()
        for pump in _pumps(app)
        if type(pump).__module__.startswith("memtui.")
        for timer in pump._timers
    )


async def settle(pilot: "Pilot[int]") -> MemtuiApp:
    """Wait until nothing is read, drawn or asked any more; dialogs that wait for an answer don't count."""
    app = pilot.app
    assert isinstance(app, MemtuiApp)
    quiet = 0
    while quiet < 3:
        await pilot.pause(0)  # every widget has handled what had come until now, and the screen is drawn
        if _busy(app) or _waits(app):
            quiet = 0
            await asyncio.sleep(POLL_S)
        else:
            quiet = 0 if any(pump.message_queue_size for pump in _pumps(app)) else quiet + 1
    return app


async def go_to(pilot: "Pilot[int]", path: Path) -> MemtuiApp:
    """Put the cursor of the Memory view on a file."""
    app = await settle(pilot)
    app.memory_view.go_to(str(path))
    return app


async def until(pilot: "Pilot[int]", true: Callable[[], object]) -> MemtuiApp:
    """Let the app go on until a fact holds, and come to rest."""
    while not true():
        await pilot.pause(POLL_S)
    return await settle(pilot)


def key_event(name: str) -> events.Key:
    """What a terminal sends for a key: a character ("a", "/"), or Textual's name of a key ("slash", "ctrl+s")."""
    key = _character_to_key(name) if len(name) == 1 else name
    return events.Key(key, key_to_character(REPLACED_KEYS.get(key, key)))


async def press(pilot: "Pilot[int]", *keys: str) -> MemtuiApp:
    """Press keys one by one, letting the app come to rest after each, and after letters that are typed into a field.

    A digit may be a choice although a field has the focus.
    """
    app = pilot.app
    assert isinstance(app, MemtuiApp)
    for key, following in pairwise((*keys, "end")):
        app.post_message(key_event(key))
        if not (isinstance(app.focused, Input) and len(key) == len(following) == 1 and (key + following).isalpha()):
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
