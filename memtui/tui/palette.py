"""What the palette and the help list, from the command registry and from the open project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct

from memtui.client.paths import tilde_path
from memtui.client.projects import list_projects
from memtui.client.session_files import UNTITLED
from memtui.sessions.catalog import Catalogue
from memtui.tui.app_base import AppBase, CommandContext
from memtui.tui.commands import projects, registry
from memtui.tui.commands.registry import Command
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.render.memory_rows import MARK_WORDS
from memtui.tui.theme import Glyphs
from memtui.util.config import SETTINGS

Run = Callable[[CommandContext], object]


class RunCommand(Struct, frozen=True):
    """Carries a command out where it works: the view that it belongs to is shown first."""

    command: Command

    async def __call__(self, context: CommandContext) -> None:
        place = registry.place_of(self.command)
        if place.view and place.view != context.state.view and len(context.app.screen_stack) == 1:
            await context.app.show_view(place.view)
        registry.run(context.app, self.command)


class GoTo(Struct, frozen=True):
    view: str
    key: str

    async def __call__(self, context: CommandContext) -> None:
        (await context.app.show_view(self.view)).go_to(self.key)


def options(context: CommandContext) -> list[Option[Run]]:
    """Every command: what can be chosen first, of that the view's own; then files and settings to go to.

    All must be known: `preload.load_all` first.
    """
    view, app = context.state.view, context.app
    commands = [one for one in registry.all_commands() if registry.place_of(one) is not registry.LISTS]
    commands.sort(key=lambda one: {view: 0, "": 1}.get(registry.place_of(one).view, 2))
    listed: list[Option[Run]] = []
    for one in commands:
        if one.id != "app.palette":
            detail = f"{registry.place_of(one).title}  {_keys(one, app)}".rstrip()
            listed.append(Option(RunCommand(one), one.title, detail, _why_off(one, context)))
    listed.sort(key=lambda option: bool(option.off))
    snapshot = context.state.snapshot
    for scope in snapshot.scopes if snapshot is not None else ():
        listed += [Option(GoTo("memory", str(file.path)), file.name, scope.label or "file") for file in scope.files]
    keys = [switch.key for switch in context.state.location.switches] + [setting.key for setting in SETTINGS]
    return listed + [Option(GoTo("settings", key), key, "setting") for key in keys]


async def load_more(context: CommandContext, dialog: Choose[Run]) -> None:
    dialog.add(await context.in_thread(_sessions, context))
    dialog.add(await context.in_thread(_projects, context))


def _sessions(context: CommandContext) -> list[Option[Run]]:
    if context.state.session_list is not None:
        sessions = context.state.session_list.sessions
    else:
        with Catalogue(context.app.start.cache) as catalogue:
            folder = context.workspace.location.transcripts
            catalogue.refresh([folder])
            sessions = catalogue.compressed([folder])
    return [Option(GoTo("sessions", one.id), one.title or UNTITLED, "session") for one in sessions]


def _projects(context: CommandContext) -> list[Option[Run]]:
    listed: list[Option[Run]] = []
    for one in list_projects(context.workspace.env):
        if one.cwd is not None:
            name, off = tilde_path(one.cwd, context.workspace.env.home), "the folder is gone" if one.gone else ""
            listed.append(Option(partial(projects.open_project, cwd=one.cwd), name, "project", off))
    return listed


def _keys(command: Command, app: AppBase) -> str:
    key = app.config.keys.get(command.id) or command.display
    return app.glyphs.spell(key.split(",")[0])


def _why_off(command: Command, context: CommandContext) -> str:
    """Why a command can't be chosen in the palette, "" where it can."""
    place, over = registry.place_of(command), len(context.app.screen_stack) > 1
    if place.only:
        here = {one.binding.id for one in context.app.screen.active_bindings.values()} if over else set()
        return (command.disabled_reason(context.state) or "") if command.id in here else place.only
    if over and place is not registry.EVERYWHERE:
        return "Esc goes back to the views first"
    return command.disabled_reason(context.state) or ""


def live_keys(app: AppBase) -> list[Option[Run]]:
    """The bindings that a key would reach now, the focused pane's first; below them what marks and columns mean."""
    found: dict[str, list[str]] = {}
    for active in app.screen.active_bindings.values():
        binding = active.binding
        if registry.known(binding.id) and binding.id is not None:
            shown = binding.key_display or app.get_key_display(binding)
            found.setdefault(binding.id, []).append(app.glyphs.spell(shown))
    listed: list[Option[Run]] = []
    for one in registry.all_commands():
        if one.id in found:
            label = f"{' '.join(dict.fromkeys(found[one.id])):<9} {one.title}"
            listed.append(Option(RunCommand(one), label, registry.place_of(one).title))
    legend = legend_of(app.state.view, app.glyphs) if len(app.screen_stack) == 1 else ()
    return listed + [Option(lambda _: None, f"{mark:<9} {words}", what) for mark, words, what in legend]


def legend_of(view: str, glyphs: Glyphs) -> Sequence[tuple[str, str, str]]:
    """What the marks and columns of a view mean: mark, meaning, and which of the two it is."""
    marked = (glyphs.tick, "marked with Space", "mark")
    match view:
        case "memory":
            return (
                *((getattr(glyphs, mark), words, "mark") for mark, words in MARK_WORDS.items()),
                marked,
                ("47", "the line of MEMORY.md that names it", "column"),
                ("1.2k", "size in bytes; of an index its lines", "column"),
                ("2d", "time since the last change", "column"),
            )
        case "sessions":
            return (
                (glyphs.changed, "open in Claude Code now", "mark"),
                (glyphs.problem, "has lines that can't be read, or messages that a resume would not send", "mark"),
                marked,
                ("34", "messages", "column"),
                ("2.4M", "size of the transcript", "column"),
                ("2d", "time since the last message", "column"),
            )
        case "dream":
            return (
                (glyphs.tick, "check: ready", "mark"),
                (glyphs.cross, "check: waiting", "mark"),
                (glyphs.changed, "awaits review", "mark"),
                ("3", "files that the run touched", "column"),
                ("2d", "time since it started", "column"),
            )
    return ()
