"""Every command of the screen: what it is called, its keys, when it is off, and what it runs.

A command is declared once, with `declare`, in the module that carries it out: those about memory, sessions, dreams,
projects and settings in this package, those that only move or fold something beside the widget that does so. Textual's
bindings, the hints in the last line, help, palette, `memtui config keys` and dispatch are all made from here.

Rules: arrows and vim's letters both work; nothing destructive is on Ctrl; Esc goes one step back and never quits. An id
is what a person's `[keys]` table in config.toml names.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.keys import format_key
from textual.screen import Screen

from memtui.tui.app_base import AppBase, CommandContext
from memtui.tui.messages import CommandFailed
from memtui.tui.state import AppState


class Place(Struct, frozen=True):
    """Where commands work: `view` is the view that it belongs to, `only` why they are off elsewhere."""

    title: str
    view: str = ""
    only: str = ""


MEMORY_LIST = Place("Memory list", "memory")
MEMORY = Place("Memory", "memory")
SESSION_LIST = Place("Session list", "sessions")
SESSIONS = Place("Sessions", "sessions")
DREAM_LIST = Place("Dream runs", "dream")
RUN = Place("Dream run", "dream")
DREAM = Place("Dream", "dream")
WATCH = Place("Dream, full screen", only="only while a dream is shown full screen")
READER = Place("Preview", "memory")
TRANSCRIPT = Place("Transcript", "sessions")
SETTINGS = Place("Settings", "settings")
EDITOR = Place("Editor", only="only in the editor")
COMPARE = Place("Compare", only="only while two texts are compared")
PANES = Place("Panes")
LISTS = Place("Lists")
EVERYWHERE = Place("Everywhere")

PLACES = (
    MEMORY_LIST, MEMORY, SESSION_LIST, SESSIONS, DREAM_LIST, RUN, DREAM, WATCH, READER, TRANSCRIPT, SETTINGS, EDITOR,
    COMPARE, PANES, LISTS, EVERYWHERE,
)  # fmt: skip
"""In the order in which help lists them."""


class Command(Struct, frozen=True):
    """Something that a person can ask for."""

    id: str
    title: str
    keys: str  # Textual's names, with commas between them
    run: Callable[[CommandContext], object]
    hint: str = ""  # the short form in the last line; "" leaves it out
    disabled_reason: Callable[[AppState], str | None] = lambda _: None  # why it is off right now

    @property
    def display(self) -> str:
        """Its key as people write it; where an arrow is one of the first two, all of its keys."""
        keys = self.keys.split(",")
        several = any(key.endswith(ARROWS) for key in keys[:2])
        return " ".join(map(_written, keys if several else keys[:1]))


ARROWS = ("up", "down", "left", "right")
_WRITTEN = {"up": "↑", "down": "↓", "left": "←", "right": "→", "enter": "⏎", "escape": "Esc", "space": "Space",
            "tab": "Tab", "pageup": "PgUp", "pagedown": "PgDn"}  # fmt: skip


def _written(key: str) -> str:
    lead, plus, rest = key.partition("+")
    if plus and rest:
        return {"ctrl": "^", "shift": "⇧"}[lead] + (rest.upper() if len(rest) == 1 else _written(rest))
    return _WRITTEN.get(key) or (key.upper() if re.fullmatch(r"f\d+", key) else format_key(key))


_declared: dict[str, tuple[Place, Command]] = {}


def declare(place: Place, *commands: Command) -> tuple[Command, ...]:
    """Make commands known, and return them for the bindings of the widget in which they work."""
    for command in commands:
        if command.id in _declared:
            raise ValueError(f"two commands are called {command.id}")
        _declared[command.id] = place, command
    return commands


def find(id: str) -> Command:
    return _declared[id][1]


def place_of(command: Command) -> Place:
    return _declared[command.id][0]


def known(id: str | None) -> bool:
    """Whether a binding's id is that of a command; Textual's own bindings have others or none."""
    return id in _declared


def all_commands() -> list[Command]:
    """All commands that are known, by place; once `preload.load_all` has run those are all that there are."""
    ordered = sorted(_declared.values(), key=lambda entry: PLACES.index(entry[0]))
    return [command for _, command in ordered]


def run(app: AppBase, command: Command) -> None:
    reason = command.disabled_reason(app.state)
    if reason is None:
        app.perform(command.run)
    else:
        app.post_message(CommandFailed(reason))


def bindings(*tables: Iterable[Command], priority: bool = False) -> list[BindingType]:
    """Commands as Textual's bindings; `priority` for a screen in which a text field has the focus."""
    return [
        Binding(
            command.keys, f"app.command({command.id!r})", command.title, show=bool(command.hint), id=command.id,
            key_display=None if command.display == command.keys else command.display, priority=priority,
        )
        for table in tables
        for command in table
        if command.keys
    ]  # fmt: skip


def hints(screen: Screen[Any], state: AppState) -> dict[str, str]:
    """The short forms of what a key would reach now, the focused widget's first, each with its command's id.

    What is off about dreams is left out: until one has run that is nearly all. Other views are on before they are read.
    """
    keys: dict[str, str] = {}
    nodes: dict[DOMNode, None] = {}
    for key, active in screen.active_bindings.items():
        if active.binding.id in _declared:
            keys.setdefault(active.binding.id, key)
            nodes.setdefault(active.node)
    ids = dict.fromkeys(id for node in nodes for id in _bound(type(node)))
    shown = (find(id) for id in ids if id in keys and find(id).hint)
    return {
        _hint(one, keys[one.id]): one.id
        for one in shown
        if place_of(one).view != "dream" or one.disabled_reason(state) is None
    }


def _bound(kind: type[DOMNode]) -> list[str]:
    """The ids that a widget binds, in the order in which its class and those that it is made from list them."""
    tables = [base.__dict__.get("BINDINGS", ()) for base in reversed(kind.__mro__)]
    return [one.id for table in tables for one in table if isinstance(one, Binding) and one.id in _declared]


def _hint(command: Command, key: str) -> str:
    """The hint of a command; with the key that works where its first one types text, or a person chose others."""
    if key == command.keys.split(",")[0]:
        return command.hint
    return f"{_written(key)} {command.hint.partition(' ')[2]}"


# Reasons that several commands share.


def read_only(state: AppState) -> str | None:
    return "read only: memtui was started with --read-only" if state.read_only else None


def no_memory(state: AppState) -> str | None:
    return None if state.snapshot is not None else "the folder is still being read"


def read_only_or(reason: Callable[[AppState], str | None]) -> Callable[[AppState], str | None]:
    return lambda state: read_only(state) or reason(state)


no_memory_or_read_only = read_only_or(no_memory)
