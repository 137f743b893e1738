"""Wishes about what was: undo, redo, activity, versions, restore, compare."""

from collections.abc import Collection, Sequence
from pathlib import Path

from memtui.history.versions import FILES, FOUND, KEPT, Operation, Saved
from memtui.projects.activity import undo_order
from memtui.tui.commands.base import CommandHandler, left_words, merged_words
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
        """Undo the newest operation that is not undone, whatever it was about."""
        await self._undo(None)

    async def wish_redo(self, wish: CommandRequested) -> None:
        """Do again what was undone last."""
        saved, undone = await self.off(lambda: undo_order(self.workspace).redo())
        await self._tell(f"done again: {undone.why.removeprefix('undo: ')}", saved, undone)

    async def wish_activity(self, wish: CommandRequested) -> None:
        """Every operation, newest first; Enter shows what it did and offers to undo it."""
        operations = await self.off(self.workspace.operations)
        if not operations:
            raise NotFound("nothing was written yet", hint="every write of memtui will be listed here")
        chosen = await self.app.push_screen_wait(
            Choose("Activity: every write, newest first", self._options(operations))
        )
        if chosen is None:
            return
        operation = next(one for one in operations if one.id == chosen)
        can_undo = operation.kind not in (FOUND, KEPT) and not operation.undone and not self.workspace.read_only
        yes: bool | None
        if operation.subject == FILES:
            text = await self.off(self._version_diff, operation.id)
            shown = ShowDiff(operation.why, text, yes="undo this" if can_undo else "")
            yes = await self.app.push_screen_wait(shown)
        elif can_undo:
            question = Question("Undo this?", [operation.why], yes="Undo", no="Leave it")
            yes = await self.app.push_screen_wait(question)
        else:
            self.app.notify(operation.why, markup=False)
            return
        if yes:
            await self._undo(operation.id)

    async def _undo(self, operation_id: str | None, over: Collection[str] = ()) -> None:
        saved, operation = await self.off(lambda: undo_order(self.workspace).undo(operation_id, over=over))
        await self._tell(f"undone: {operation.why}", saved, operation)
        names = [one.name for one in saved.left if one.overridable]
        lines = [*names, "They were edited since. What they hold now stays in the history."]
        question = Question("Undo these as well?", lines, yes="Undo them", no="Leave them")
        again: bool | None = await self.app.push_screen_wait(question) if names else None
        if again:
            await self._undo(operation.id, names)

    async def _tell(self, words: str, saved: Saved, operation: Operation) -> None:
        """Say what was done, and what was left as it is."""
        self.app.post_message(CommandDone(f"{words}{merged_words(saved)}", problem=left_words(saved)))
        if operation.subject != FILES:
            self.app.sessions.again()

    def _options(self, operations: Sequence[Operation]) -> list[Option[str]]:
        now = self.workspace.now()
        return [
            Option(v.id, f"{age(now - v.when):>4}  {v.who:<8} {v.why}{'  (undone)' if v.undone else ''}", _counts(v))
            for v in operations
        ]

    def _version_diff(self, operation_id: str, name: str | None = None) -> str:
        history = self.workspace.history
        names = [change.name for change in history.operation(operation_id).files] if name is None else [name]
        return "".join(unified_diff(history.before(operation_id, n), history.read(operation_id, n), n) for n in names)

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


def _counts(version: Operation) -> str:
    files = len(version.files)
    added, removed = (sum(getattr(change, side) for change in version.files) for side in ("added", "removed"))
    several = f"{files} files  " if files > 1 else ""
    return f"{several}+{added} -{removed}"
