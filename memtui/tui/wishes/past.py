"""Wishes about what was: undo, redo, activity, versions, restore, compare."""

from pathlib import Path

from memtui.base.errors import NotFound
from memtui.base.text import age
from memtui.memory.history import Version
from memtui.memory.workspace import Deed
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.dialogs.show_diff import ShowDiff
from memtui.tui.messages import Wish, Written
from memtui.tui.preview import diff
from memtui.tui.wishes.hands import Hands, merged_words


class PastWishes(Hands):
    """History as a person uses it."""

    async def wish_undo(self, wish: Wish) -> None:
        """Undo the newest write that is not undone, a background run's included."""
        saved, deed = await self.off(self.workspace.undo)
        self.app.post_message(Written(f"undone: {deed.version.why}{merged_words(saved)}"))

    async def wish_redo(self, wish: Wish) -> None:
        """Do again what was undone last."""
        saved, deed = await self.off(self.workspace.redo)
        self.app.post_message(Written(f"done again: {deed.version.why}{merged_words(saved)}"))

    async def wish_activity(self, wish: Wish) -> None:
        """Every write, newest first; Enter shows its diff and offers to undo it."""
        deeds = await self.off(self.workspace.deeds)
        now = self.workspace.now()
        options = [Option(deed.version.id, self._words(deed, now), _counts(deed.version)) for deed in deeds]
        if not options:
            raise NotFound("nothing was written yet", hint="every write of memtui will be listed here")
        chosen = await self.app.push_screen_wait(Choose("Activity: every write, newest first", options))
        if chosen is None:
            return
        deed = next(deed for deed in deeds if deed.version.id == chosen)
        text = await self.off(self._deed_diff, deed)
        ours = deed.version.kind != "baseline" and not deed.version.undone and not self.workspace.read_only
        if await self.app.push_screen_wait(ShowDiff(deed.version.why, text, yes="undo this" if ours else "")):
            saved, _ = await self.off(self.workspace.undo, deed.version.id)
            self.app.post_message(Written(f"undone: {deed.version.why}{merged_words(saved)}"))

    @staticmethod
    def _words(deed: Deed, now: float) -> str:
        version = deed.version
        state = "  (undone)" if version.undone else ""
        return f"{age(now - version.when):>4}  {version.who:<8} {version.why}{state}"

    def _deed_diff(self, deed: Deed) -> str:
        history = self.workspace.history(deed.root)
        return "\n".join(
            diff(history.before(deed.version.id, change.name), history.read(deed.version.id, change.name), change.name)
            for change in deed.version.files
        )

    async def wish_version(self, wish: Wish, version_id: str) -> None:
        """Show what one version did to the file."""
        store, name = self.workspace.home_of(self.one(wish))
        history = self.workspace.history(store.root)
        before = await self.off(history.before, version_id, name)
        after = await self.off(history.read, version_id, name)
        await self.app.push_screen_wait(ShowDiff(name, diff(before, after, name)))

    async def wish_restore(self, wish: Wish) -> None:
        """Choose an earlier version of the file, see the difference, bring it back."""
        path = self.one(wish)
        chosen = await self._choose_version(path, "Restore which version?")
        if chosen is None:
            return
        store, name = self.workspace.home_of(path)
        then = await self.off(self.workspace.history(store.root).read, chosen, name)
        data = await self.off(self._on_disk, path)
        if await self.app.push_screen_wait(ShowDiff(f"Restore {name}", diff(data, then, name), yes="restore it")):
            saved = await self.off(self.workspace.restore, path, chosen)
            self.app.post_message(Written(f"restored {name}{merged_words(saved)}", path))

    async def wish_compare(self, wish: Wish) -> None:
        """Compare with an earlier version, or with another file."""
        path = self.one(wish)
        versions = await self.off(self.workspace.versions, path)
        now = self.workspace.now()
        options = [
            Option(f"version:{v.id}", f"{age(now - v.when):>4}  {v.who:<8} {v.why}", "earlier version") for v in versions
        ]
        options += [
            Option(f"file:{file.path}", file.name, "another file")
            for scope in self.world.scopes
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
            other = await self.off(self.workspace.history(store.root).read, key, name)
        data = await self.off(self._on_disk, path)
        await self.app.push_screen_wait(ShowDiff(f"{name}: then to now", diff(other, data, name)))

    async def _choose_version(self, path: Path, title: str) -> str | None:
        versions = await self.off(self.workspace.versions, path)
        if not versions:
            raise NotFound(f"no earlier version of {path.name} is known", hint="memtui records each write from now on")
        now = self.workspace.now()
        options = [Option(v.id, f"{age(now - v.when):>4}  {v.who:<8} {v.why}", _counts(v)) for v in versions]
        return await self.app.push_screen_wait(Choose(title, options))

    def _on_disk(self, path: Path) -> bytes | None:
        try:
            return self.workspace.text(path)[0]
        except NotFound:
            return None


def _counts(version: Version) -> str:
    files = len(version.files)
    added, removed = (sum(getattr(change, side) for change in version.files) for side in ("added", "removed"))
    names = version.files[0].name if files == 1 else f"{files} files"
    return f"{names}  +{added} -{removed}"
