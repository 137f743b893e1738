"""What a person wants done: asked back where it needs asking, shown as a diff, then carried out.

One method `wish_<name>` a wish, gathered by what they are about: `files`, `editing`, `past` (undo, history, compare),
`settings`, `sessions`, `dreams`, `moving` (of a project), `around` (projects, palette, help, quitting). Each asks on
screen, has the engine make a plan in a thread, shows it, and has the workspace carry it out; the app hears of the end
by `Written` or `Failed` and reads the disk again.
"""

from collections.abc import Awaitable, Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from memtui.tui.messages import Failed, Wish
from memtui.util.errors import MemtuiError

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp
    from memtui.tui.commands.app import AroundWishes
    from memtui.tui.commands.base import Hands
    from memtui.tui.commands.dreams import DreamWishes
    from memtui.tui.commands.editor import EditingWishes
    from memtui.tui.commands.history import PastWishes
    from memtui.tui.commands.memory import FileWishes
    from memtui.tui.commands.projects import MovingWishes
    from memtui.tui.commands.sessions import SessionWishes
    from memtui.tui.commands.settings import SettingWishes


class Wishes:
    """Finds who can grant a wish; each is imported when there is the first for them."""

    def __init__(self, app: "MemtuiApp") -> None:
        self.app = app

    @cached_property
    def files(self) -> "FileWishes":
        """Those about memory files."""
        from memtui.tui.commands.memory import FileWishes

        return FileWishes(self.app)

    @cached_property
    def editing(self) -> "EditingWishes":
        """Those about a file in the editor."""
        from memtui.tui.commands.editor import EditingWishes

        return EditingWishes(self.app)

    @cached_property
    def around(self) -> "AroundWishes":
        """Those about the program itself."""
        from memtui.tui.commands.app import AroundWishes

        return AroundWishes(self.app)

    @cached_property
    def settings(self) -> "SettingWishes":
        """Those about settings."""
        from memtui.tui.commands.settings import SettingWishes

        return SettingWishes(self.app)

    @cached_property
    def past(self) -> "PastWishes":
        """Those about what was done."""
        from memtui.tui.commands.history import PastWishes

        return PastWishes(self.app)

    @cached_property
    def sessions(self) -> "SessionWishes":
        """Those about sessions."""
        from memtui.tui.commands.sessions import SessionWishes

        return SessionWishes(self.app)

    @cached_property
    def dreams(self) -> "DreamWishes":
        """Those about dreams."""
        from memtui.tui.commands.dreams import DreamWishes

        return DreamWishes(self.app)

    @cached_property
    def moving(self) -> "MovingWishes":
        """Those about a project that moved."""
        from memtui.tui.commands.projects import MovingWishes

        return MovingWishes(self.app)

    def method(self, name: str) -> Callable[..., Awaitable[None]]:
        """The method for a wish."""
        for hands in self._who(name):
            if found := getattr(hands, f"wish_{name}", None):
                method: Callable[..., Awaitable[None]] = found
                return method
        raise LookupError(name)

    def _who(self, name: str) -> "Iterator[Hands]":
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

    async def run(self, wish: Wish) -> None:
        """Grant a wish; a fault that we foresee is shown, all others stay loud."""
        name, *rest = wish.what.split(":")
        await self.guarded(self.method(name)(wish, *rest))

    async def guarded(self, wish: Awaitable[None]) -> None:
        """Wait for it; a fault that we foresee becomes `Failed`."""
        try:
            await wish
        except MemtuiError as error:
            self.app.post_message(Failed(error.message, error.hint))
