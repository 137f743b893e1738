"""What every kind of wish needs: a thread for the engine, plans offered and carried out."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from memtui.history.store import Stale
from memtui.history.versions import Saved
from memtui.memory.plans import Plan
from memtui.memory.snapshot import Snapshot
from memtui.memory.workspace import Workspace
from memtui.tui.dialogs.show_diff import ShowDiff
from memtui.tui.messages import CommandDone, CommandRequested
from memtui.util.errors import MemtuiError, NotFound

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp

Args = ParamSpec("Args")
Result = TypeVar("Result")


class CommandHandler:
    """Base of the wishes; holds the app and no state of its own."""

    def __init__(self, app: "MemtuiApp") -> None:
        self.app = app

    @staticmethod
    async def off(function: Callable[Args, Result], *args: Args.args, **kwargs: Args.kwargs) -> Result:
        """Run engine code in a thread, so that no key waits for a disk."""
        return await asyncio.to_thread(function, *args, **kwargs)

    @property
    def workspace(self) -> Workspace:
        """The project that is open."""
        return self.app.workspace

    @property
    def snapshot(self) -> Snapshot:
        """The world on the screen.

        Raises:
            NotFound: Before the first reading.
        """
        state = self.app.state
        if state is None or state.snapshot is None:
            raise NotFound("the folder is still being read", hint="try again in a moment")
        return state.snapshot

    @staticmethod
    def one(wish: CommandRequested) -> Path:
        """The file that the wish is about.

        Raises:
            NotFound: If the cursor was on none.
        """
        if not wish.paths:
            raise NotFound("no file is under the cursor")
        return wish.paths[0]

    async def offer(self, plan: Plan, *, yes: str, focus: Path | None = None) -> bool:
        """Show a plan and carry it out if the person says so."""
        if not plan.changes:
            self.app.notify("\n".join(plan.notes) or "nothing to change", markup=False)
            return False
        if not await self.app.push_screen_wait(ShowDiff(plan.title, plan.diff(), notes=plan.notes, yes=yes)):
            return False
        return await self.do(plan, focus=focus)

    async def do(self, plan: Plan, *, focus: Path | None = None) -> bool:
        """Carry a plan out; a file that changed meanwhile stops all of it."""
        try:
            saved = await self.off(self.workspace.carry_out, plan)
        except Stale as stale:
            raise MemtuiError(
                f"{stale.name} changed on disk meanwhile: nothing was written", hint="look again and repeat it"
            ) from stale
        self.app.post_message(CommandDone(f"{plan.title}{merged_words(saved)}", focus))
        return True


def left_words(saved: Saved) -> str:
    """Says which files were left as they are, and why."""
    return "; ".join(f"{one.name} stays: {one.reason}" for one in saved.left)


def merged_words(saved: Saved) -> str:
    """Says which files were merged with somebody else's change."""
    return f" (merged with changes on disk: {', '.join(saved.merged)})" if saved.merged else ""
