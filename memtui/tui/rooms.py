"""What the app is made of beside its state: the project, who reads for it, who grants wishes, and its views.

All but the first view is imported and made when it is first wanted: the first picture waits for nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.tui.app_base import TerminalApp
from memtui.tui.startup.start import StartContext
from memtui.tui.theme import Glyphs
from memtui.tui.views.memory import MemoryView

if TYPE_CHECKING:
    from memtui.memory.workspace import Workspace
    from memtui.tui.app import MemtuiApp
    from memtui.tui.commands import Commands
    from memtui.tui.loaders.dreams import DreamLoader
    from memtui.tui.loaders.memory import MemoryLoader
    from memtui.tui.loaders.sessions import SessionLoader
    from memtui.tui.views.dream import DreamView
    from memtui.tui.views.sessions import SessionsView


class Rooms(TerminalApp):
    """The rooms of the app, each opened when somebody goes in.

    Args:
        start: The project to open first.
        glyphs: What the terminal can show.
    """

    def __init__(self, start: StartContext, glyphs: Glyphs) -> None:
        super().__init__(glyphs, lambda: self.start.now())
        self.start = start
        self._workspace: Workspace | None = None
        self._wishes: Commands | None = None
        self._reading: MemoryLoader | None = None
        self._sessions: SessionLoader | None = None
        self._dreams: DreamLoader | None = None

    @property
    def _app(self) -> MemtuiApp:
        from memtui.tui.app import MemtuiApp

        assert isinstance(self, MemtuiApp)
        return self

    @property
    def workspace(self) -> Workspace:
        """The project that is open; made, and the engine imported, behind the first picture."""
        if self._workspace is None:
            self._workspace = self.start.make()
        return self._workspace

    @property
    def wishes(self) -> Commands:
        """Who grants wishes; imported behind the first picture."""
        from memtui.tui.commands import Commands

        if self._wishes is None:
            self._wishes = Commands(self._app)
        return self._wishes

    @property
    def reading(self) -> MemoryLoader:
        """Who reads the disk; imported behind the first picture."""
        from memtui.tui.loaders.memory import MemoryLoader

        if self._reading is None:
            self._reading = MemoryLoader(self._app)
        return self._reading

    @property
    def sessions(self) -> SessionLoader:
        """Who reads sessions; imported when somebody wants to see them."""
        from memtui.tui.loaders.sessions import SessionLoader

        if self._sessions is None:
            self._sessions = SessionLoader(self._app)
        return self._sessions

    @property
    def dreams(self) -> DreamLoader:
        """Who reads runs of dreams; imported behind the first picture."""
        from memtui.tui.loaders.dreams import DreamLoader

        if self._dreams is None:
            self._dreams = DreamLoader(self._app)
        return self._dreams

    @property
    def reads_dreams(self) -> bool:
        """Whether runs are read: from the first on."""
        return self._dreams is not None

    @property
    def followed_run(self) -> str:
        """The file of the run that is followed event by event, "" for none."""
        return self._dreams.followed if self._dreams is not None else ""

    @property
    def memory(self) -> MemoryView:
        """The Memory view, which is always mounted."""
        return self.screen_stack[0].query_one(MemoryView)

    @property
    def sessions_view(self) -> SessionsView:
        """The Sessions view; there once it was shown."""
        from memtui.tui.views.sessions import SessionsView

        return self.screen_stack[0].query_one(SessionsView)

    @property
    def dream_view(self) -> DreamView:
        """The Dream view; there once it was shown."""
        from memtui.tui.views.dream import DreamView

        return self.screen_stack[0].query_one(DreamView)
