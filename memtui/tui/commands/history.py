"""Commands about what was done: undo, redo, activity, versions, restore, compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.tui.app_base import CommandContext
from memtui.tui.messages import SessionsChanged
from memtui.util.errors import NotFound
from memtui.util.lazy_module import LazyModule
from memtui.util.text import age

if TYPE_CHECKING:
    from memtui.history import versions as history_versions
    from memtui.history.store import Saved
    from memtui.memory.workspace import Workspace
    from memtui.projects import activity as operations
    from memtui.sessions.operations_log import Operation
    from memtui.tui import dialogs
    from memtui.tui.render import preview
else:
    history_versions = LazyModule("memtui.history.versions")
    operations = LazyModule("memtui.projects.activity")
    dialogs, preview = LazyModule("memtui.tui.dialogs"), LazyModule("memtui.tui.render.preview")


def merged_words(saved: Saved) -> str:
    """Say which files were merged with somebody else's change."""
    return f" (merged with changes on disk: {', '.join(saved.merged)})" if saved.merged else ""


async def undo(context: CommandContext) -> None:
    """Undo the newest write that is not undone, a background run's included."""
    operation = await context.in_thread(operations.operation_to_undo, context.workspace)
    if operation is not None:
        await _invert(context, operations.undo_operation, operation)
        return
    saved, version = await context.in_thread(context.workspace.undo)
    context.done(f"undone: {version.why}{merged_words(saved)}")


async def redo(context: CommandContext) -> None:
    """Do again what was undone last."""
    operation = await context.in_thread(operations.operation_to_redo, context.workspace)
    if operation is not None:
        await _invert(context, operations.redo_operation, operation)
        return
    saved, version = await context.in_thread(context.workspace.redo)
    context.done(f"done again: {version.why}{merged_words(saved)}")


async def _invert(
    context: CommandContext, invert: Callable[[Workspace, Operation], Operation], operation: Operation
) -> None:
    """Undo what was done to sessions, or do it again."""
    done = await context.in_thread(invert, context.workspace, operation)
    context.done(done.told)
    context.app.post_message(SessionsChanged())


async def activity(context: CommandContext) -> None:
    """Every write, newest first; Enter shows its diff and offers to undo it."""
    workspace = context.workspace
    versions = [
        *await context.in_thread(workspace.operations),
        *await context.in_thread(operations.session_versions, workspace),
    ]
    versions.sort(key=lambda version: -version.when)
    if not versions:
        raise NotFound("nothing was written yet", hint="every write of memtui will be listed here")
    chosen = await context.ask(dialogs.Choose("Activity: every write, newest first", _options(context, versions)))
    if chosen is None:
        return
    version = next(version for version in versions if version.id == chosen)
    if version.kind.startswith("session-"):
        await _session_operation(context, version)
        return
    recorded = (history_versions.FOUND, history_versions.KEPT)
    can_undo = version.kind not in recorded and not version.undone and not workspace.read_only
    text = await context.in_thread(_version_diff, context, version.id)
    if await context.ask(dialogs.ShowDiff(version.why, text, yes="undo this" if can_undo else "")):
        saved, _ = await context.in_thread(workspace.undo, version.id)
        context.done(f"undone: {version.why}{merged_words(saved)}")


async def _session_operation(context: CommandContext, version: history_versions.Version) -> None:
    """Offer to undo what was done to sessions."""
    operation = await context.in_thread(operations.operation_to_undo, context.workspace, version.id)
    if operation is None or version.undone or context.workspace.read_only:
        context.notify(version.why)
    elif await context.ask(dialogs.Question("Undo this?", [version.why], yes="Undo", no="Back")):
        await _invert(context, operations.undo_operation, operation)


def _options(context: CommandContext, versions: Sequence[history_versions.Version]) -> list[dialogs.Option[str]]:
    now = context.workspace.now()
    return [
        dialogs.Option(
            v.id, f"{age(now - v.when):>4}  {v.who:<8} {v.why}{'  (undone)' if v.undone else ''}", _counts(v)
        )
        for v in versions
    ]


def _version_diff(context: CommandContext, version_id: str, name: str | None = None) -> str:
    history, version = context.workspace.operation(version_id)
    names = [change.name for change in version.files] if name is None else [name]
    return "\n".join(preview.diff(history.before(version_id, n), history.read(version_id, n), n) for n in names)


async def show_version(context: CommandContext, version_id: str) -> None:
    """Show what one version did to the file under the cursor."""
    _, name = context.workspace.home_of(context.path)
    text = await context.in_thread(_version_diff, context, version_id, name)
    await context.ask(dialogs.ShowDiff(name, text))


async def restore(context: CommandContext) -> None:
    """Choose an earlier version of the file under the cursor, see the difference, bring it back."""
    await restore_file(context, context.path)


async def restore_file(context: CommandContext, path: Path) -> None:
    """The same for any file."""
    chosen = await _choose_version(context, path, "Restore which version?")
    if chosen is None:
        return
    store, name = context.workspace.home_of(path)
    then = await context.in_thread(store.history.read, chosen, name)
    data = await context.in_thread(_on_disk, context, path)
    text = preview.diff(data, then, name)
    if await context.ask(dialogs.ShowDiff(f"Restore {name}", text, yes="restore this version")):
        saved = await context.in_thread(context.workspace.restore, path, chosen)
        context.done(f"restored {name}{merged_words(saved)}", path)


async def compare(context: CommandContext) -> None:
    """Compare with an earlier version, or with another file."""
    path = context.path
    versions = await context.in_thread(context.workspace.versions, path)
    options: list[dialogs.Option[str | Path]] = [
        dialogs.Option(option.key, option.label, "earlier version") for option in _options(context, versions)
    ]
    options += [
        dialogs.Option(file.path, file.name, "another file")
        for scope in context.snapshot.scopes
        for file in scope.files
        if file.path != path
    ]
    chosen = await context.ask(dialogs.Choose(f"Compare {path.name} with", options))
    if chosen is None:
        return
    store, name = context.workspace.home_of(path)
    if isinstance(chosen, Path):
        other = await context.in_thread(_on_disk, context, chosen)
    else:
        other = await context.in_thread(store.history.read, chosen, name)
    data = await context.in_thread(_on_disk, context, path)
    await context.ask(dialogs.ShowDiff(f"{name}: then to now", preview.diff(other, data, name)))


async def _choose_version(context: CommandContext, path: Path, title: str) -> str | None:
    versions = await context.in_thread(context.workspace.versions, path)
    if not versions:
        raise NotFound(f"no earlier version of {path.name} is known", hint="memtui records each write from now on")
    return await context.ask(dialogs.Choose(title, _options(context, versions)))


def _on_disk(context: CommandContext, path: Path) -> bytes | None:
    try:
        return context.workspace.text(path)[0]
    except NotFound:
        return None


def _counts(version: history_versions.Version) -> str:
    files = len(version.files)
    added, removed = sum(change.added for change in version.files), sum(change.removed for change in version.files)
    several = f"{files} files  " if files > 1 else ""
    return f"{several}+{added} -{removed}"
