"""Wishes about what was: undo, redo, activity, versions, restore, compare."""

from collections.abc import Callable, Sequence
from pathlib import Path

from memtui.history.versions import FOUND, KEPT, Version
from memtui.memory.workspace import Workspace
from memtui.projects.activity import (
    operation_to_redo,
    operation_to_undo,
    redo_operation,
    session_versions,
    undo_operation,
)
from memtui.sessions.operations_log import Operation
from memtui.tui.commands.base import CommandHandler, merged_words
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.dialogs.question import Question
from memtui.tui.dialogs.show_diff import ShowDiff
from memtui.tui.messages import CommandDone, CommandRequested
from memtui.util.diff import unified_diff
from memtui.util.errors import NotFound
from memtui.util.text import age


class HistoryCommands(CommandHandler):
    """History as a person uses it."""

    async def wish_undo(self, wish: CommandRequested) -> None:
        """Undo the newest write that is not undone, a background run's included."""
        operation = await self.off(operation_to_undo, self.workspace)
        if operation is not None and not self.workspace.read_only:
            await self._turn_deed(undo_operation, operation)
            return
        saved, version = await self.off(self.workspace.undo)
        self.app.post_message(CommandDone(f"undone: {version.why}{merged_words(saved)}"))

    async def _turn_deed(self, turn: Callable[[Workspace, Operation], Operation], operation: Operation) -> None:
        """Take back what was done to sessions, or do it again."""
        done = await self.off(turn, self.workspace, operation)
        self.app.post_message(CommandDone(done.told))
        self.app.sessions.again()

    async def wish_redo(self, wish: CommandRequested) -> None:
        """Do again what was undone last."""
        operation = await self.off(operation_to_redo, self.workspace)
        if operation is not None and not self.workspace.read_only:
            await self._turn_deed(redo_operation, operation)
            return
        saved, version = await self.off(self.workspace.redo)
        self.app.post_message(CommandDone(f"done again: {version.why}{merged_words(saved)}"))

    async def wish_activity(self, wish: CommandRequested) -> None:
        """Every write, newest first; Enter shows its diff and offers to undo it."""
        versions = [*await self.off(self.workspace.operations), *await self.off(session_versions, self.workspace)]
        versions.sort(key=lambda version: -version.when)
        if not versions:
            raise NotFound("nothing was written yet", hint="every write of memtui will be listed here")
        chosen = await self.app.push_screen_wait(Choose("Activity: every write, newest first", self._options(versions)))
        if chosen is None:
            return
        version = next(version for version in versions if version.id == chosen)
        can_undo = version.kind not in (FOUND, KEPT) and not version.undone and not self.workspace.read_only
        if version.kind.startswith("session-"):
            await self._session_deed(version)
            return
        text = await self.off(self._version_diff, version.id)
        if await self.app.push_screen_wait(ShowDiff(version.why, text, yes="undo this" if can_undo else "")):
            saved, _ = await self.off(self.workspace.undo, version.id)
            self.app.post_message(CommandDone(f"undone: {version.why}{merged_words(saved)}"))

    async def _session_deed(self, version: Version) -> None:
        """Offer to take back what was done to sessions."""
        operation = await self.off(operation_to_undo, self.workspace, version.id)
        if operation is None or version.undone or self.workspace.read_only:
            self.app.notify(version.why, markup=False)
        elif await self.app.push_screen_wait(Question("Undo this?", [version.why], yes="Undo", no="Leave it")):
            await self._turn_deed(undo_operation, operation)

    def _options(self, versions: Sequence[Version]) -> list[Option[str]]:
        now = self.workspace.now()
        return [
            Option(v.id, f"{age(now - v.when):>4}  {v.who:<8} {v.why}{'  (undone)' if v.undone else ''}", _counts(v))
            for v in versions
        ]

    def _version_diff(self, version_id: str, name: str | None = None) -> str:
        history, version = self.workspace.operation(version_id)
        names = [change.name for change in version.files] if name is None else [name]
        return "".join(unified_diff(history.before(version_id, n), history.read(version_id, n), n) for n in names)

    async def wish_version(self, wish: CommandRequested, version_id: str) -> None:
        """Show what one version did to the file."""
        _, name = self.workspace.home_of(self.one(wish))
        text = await self.off(self._version_diff, version_id, name)
        await self.app.push_screen_wait(ShowDiff(name, text))

    async def wish_restore(self, wish: CommandRequested) -> None:
        """Choose an earlier version of the file, see the difference, bring it back."""
        path = self.one(wish)
        chosen = await self._choose_version(path, "Restore which version?")
        if chosen is None:
            return
        store, name = self.workspace.home_of(path)
        then = await self.off(store.history.read, chosen, name)
        data = await self.off(self._on_disk, path)
        if await self.app.push_screen_wait(
            ShowDiff(f"Restore {name}", unified_diff(data, then, name), yes="restore it")
        ):
            saved = await self.off(self.workspace.restore, path, chosen)
            self.app.post_message(CommandDone(f"restored {name}{merged_words(saved)}", path))

    async def wish_compare(self, wish: CommandRequested) -> None:
        """Compare with an earlier version, or with another file."""
        path = self.one(wish)
        versions = await self.off(self.workspace.versions, path)
        options = [Option(f"version:{o.key}", o.label, "earlier version") for o in self._options(versions)]
        options += [
            Option(f"file:{file.path}", file.name, "another file")
            for scope in self.snapshot.scopes
            for file in scope.files
            if file.path != path
        ]
        chosen = await self.app.push_screen_wait(Choose(f"Compare {path.name} with", options))
        if chosen is None:
            return
        kind, _, key = chosen.partition(":")
        store, name = self.workspace.home_of(path)
        if kind == "file":
            other = await self.off(self._on_disk, Path(key))
        else:
            other = await self.off(store.history.read, key, name)
        data = await self.off(self._on_disk, path)
        await self.app.push_screen_wait(ShowDiff(f"{name}: then to now", unified_diff(other, data, name)))

    async def _choose_version(self, path: Path, title: str) -> str | None:
        versions = await self.off(self.workspace.versions, path)
        if not versions:
            raise NotFound(f"no earlier version of {path.name} is known", hint="memtui records each write from now on")
        return await self.app.push_screen_wait(Choose(title, self._options(versions)))

    def _on_disk(self, path: Path) -> bytes | None:
        try:
            return self.workspace.text(path)[0]
        except NotFound:
            return None


def _counts(version: Version) -> str:
    files = len(version.files)
    added, removed = (sum(getattr(change, side) for change in version.files) for side in ("added", "removed"))
    several = f"{files} files  " if files > 1 else ""
    return f"{several}+{added} -{removed}"
