"""What a person wants done: asked back where it needs asking, shown as a diff, then carried out.

One method `wish_<name>` a wish, gathered by what they are about: `files`, `editing`, `past` (undo, history, compare),
`settings`, `sessions`, `dreams`, `moving` (of a project), `around` (projects, palette, help, quitting). Each asks on
screen, has the engine make a plan in a thread, shows it, and has the workspace carry it out; the app hears of the end
by `Written` or `CommandFailed` and reads the disk again.
"""

from collections.abc import Awaitable, Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from memtui.tui.messages import CommandFailed, CommandRequested
from memtui.util.errors import MemtuiError

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp
    from memtui.tui.commands.app import AppCommands
    from memtui.tui.commands.base import CommandHandler
    from memtui.tui.commands.dreams import DreamCommands
    from memtui.tui.commands.editor import EditorCommands
    from memtui.tui.commands.history import HistoryCommands
    from memtui.tui.commands.memory import MemoryCommands
    from memtui.tui.commands.projects import ProjectCommands
    from memtui.tui.commands.sessions import SessionCommands
    from memtui.tui.commands.settings import SettingsCommands


class Commands:
    """Finds who can grant a wish; each is imported when there is the first for them."""

    def __init__(self, app: "MemtuiApp") -> None:
        self.app = app

    @cached_property
    def files(self) -> "MemoryCommands":
        """Those about memory files."""
        from memtui.tui.commands.memory import MemoryCommands

        return MemoryCommands(self.app)

    @cached_property
    def editing(self) -> "EditorCommands":
        """Those about a file in the editor."""
        from memtui.tui.commands.editor import EditorCommands

        return EditorCommands(self.app)

    @cached_property
    def around(self) -> "AppCommands":
        """Those about the program itself."""
        from memtui.tui.commands.app import AppCommands

        return AppCommands(self.app)

    @cached_property
    def settings(self) -> "SettingsCommands":
        """Those about settings."""
        from memtui.tui.commands.settings import SettingsCommands

        return SettingsCommands(self.app)

    @cached_property
    def past(self) -> "HistoryCommands":
        """Those about what was done."""
        from memtui.tui.commands.history import HistoryCommands

        return HistoryCommands(self.app)

    @cached_property
    def sessions(self) -> "SessionCommands":
        """Those about sessions."""
        from memtui.tui.commands.sessions import SessionCommands

        return SessionCommands(self.app)

    @cached_property
    def dreams(self) -> "DreamCommands":
        """Those about dreams."""
        from memtui.tui.commands.dreams import DreamCommands

        return DreamCommands(self.app)

    @cached_property
    def moving(self) -> "ProjectCommands":
        """Those about a project that moved."""
        from memtui.tui.commands.projects import ProjectCommands

        return ProjectCommands(self.app)

    def method(self, name: str) -> Callable[..., Awaitable[None]]:
        """The method for a wish."""
        for hands in self._who(name):
            if found := getattr(hands, f"wish_{name}", None):
                method: Callable[..., Awaitable[None]] = found
                return method
        raise LookupError(name)

    def _who(self, name: str) -> "Iterator[CommandHandler]":
        """Who may have the method; asked one after the other, those first whom people ask most."""
        if name.startswith("session_"):
            yield self.sessions
        elif name.startswith("dream_"):
            yield self.dreams
        elif name == "bring":
            yield self.moving
        else:
            yield self.files
            yield self.around
            yield self.editing
            yield self.settings
            yield self.past

    async def run(self, wish: CommandRequested) -> None:
        """Grant a wish; a fault that we foresee is shown, all others stay loud."""
        name, *rest = wish.what.split(":")
        await self.guarded(self.method(name)(wish, *rest))

    async def guarded(self, wish: Awaitable[None]) -> None:
        """Wait for it; a fault that we foresee becomes `CommandFailed`."""
        try:
            await wish
        except MemtuiError as error:
            self.app.post_message(CommandFailed(error.message, error.hint))
