"""Commands about what was done: undo, redo, activity, versions, restore of a file or the folder, compare."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from memtui.presentation.history_text import who_words, why_words
from memtui.services.questions import ask_over_edits
from memtui.tui.app_base import CommandContext
from memtui.tui.commands import registry
from memtui.tui.commands.questions import ask_until_done, confirm, left_words, merged_words
from memtui.tui.commands.registry import Command, declare
from memtui.tui.messages import SessionsChanged
from memtui.util.config import read_config
from memtui.util.diff import unified_diff
from memtui.util.errors import NotFound
from memtui.util.lazy_module import LazyModule
from memtui.util.text import age, pluralize, sentence

if TYPE_CHECKING:
    from memtui.history import together
    from memtui.history import versions as history_versions
    from memtui.history.store import RestorePlan, Store
    from memtui.services import history as services
    from memtui.tui import dialogs
else:
    history_versions, services = LazyModule("memtui.history.versions"), LazyModule("memtui.services.history")
    dialogs, together = LazyModule("memtui.tui.dialogs"), LazyModule("memtui.history.together")

MAX_NOTES = 6  # lines above a diff that say what it doesn't show


async def undo(context: CommandContext) -> None:
    await _undo(context, None)


async def _undo(context: CommandContext, operation_id: str | None, over: Collection[str] = ()) -> None:
    done = await context.in_thread(services.undo, context.workspace, operation_id, over=over)
    await _say(context, done)
    question = ask_over_edits(done.saved.left, "Undo")
    if question is not None and await confirm(context, question, no="Keep them"):
        await _undo(context, done.operation.id, [one.name for one in done.saved.left])


async def redo(context: CommandContext) -> None:
    await _say(context, await context.in_thread(services.redo, context.workspace))


async def _say(context: CommandContext, done: services.TakenBack) -> None:
    workspace = context.workspace
    if not all(change.name.endswith(".md") for change in done.operation.files):
        context.app.take_location(await context.in_thread(workspace.decide_again))
        context.app.take_config(await context.in_thread(read_config, workspace.dirs.config))
    context.done(f"{done.words}{merged_words(done.saved)}", problem=left_words(done.saved))
    if done.operation.subject != history_versions.FILES:
        context.app.post_message(SessionsChanged())


async def activity(context: CommandContext) -> None:
    workspace = context.workspace
    operations = await context.in_thread(workspace.operations)
    if not operations:
        raise NotFound("nothing was written yet", hint="every write of memtui will be listed here")
    chosen = await context.ask(dialogs.Choose("Activity: every write, newest first", _options(context, operations)))
    operation = next((one for one in operations if one.id == chosen), None)
    if operation is None:
        return
    recorded = (history_versions.FOUND, history_versions.KEPT)
    can_undo = operation.kind not in recorded and not operation.undone and not workspace.read_only
    yes: bool | None = False
    if operation.subject in (history_versions.FILES, together.SUBJECT):
        text = await context.in_thread(_version_diff, context, operation.id)
        title, does = sentence(why_words(operation)), "undo this" if can_undo else ""
        yes = await context.ask(dialogs.ShowDiff(title, text, yes=does))
    elif can_undo:
        yes = await context.ask(dialogs.Question("Undo this?", [why_words(operation)], yes="Undo", no="Back"))
    else:
        context.notify(why_words(operation))
    if yes:
        await _undo(context, operation.id)


def _options(context: CommandContext, operations: Sequence[history_versions.Operation]) -> list[dialogs.Option[str]]:
    options, now = [], context.workspace.now()
    for one in operations:
        undone = "  (undone)" if one.undone else ""
        label = f"{age(now - one.when):>4}  {who_words(one):<13} {why_words(one)}{undone}"
        added, removed = sum(file.added for file in one.files), sum(file.removed for file in one.files)
        several = f"{len(one.files)} files  " if len(one.files) > 1 else ""
        options.append(dialogs.Option(one.id, label, f"{several}+{added} -{removed}"))
    return options


def _version_diff(context: CommandContext, version_id: str, name: str | None = None) -> str:
    history = context.workspace.history
    parts = [_version_diff(context, part.id) for part in together.parts_of(history, history.operation(version_id))]
    if parts:
        return "".join(parts)
    names = [change.name for change in history.operation(version_id).files] if name is None else [name]
    return "".join(unified_diff(history.before(version_id, n), history.read(version_id, n), n) for n in names)


async def show_version(context: CommandContext, version_id: str) -> None:
    _, name = context.workspace.home_of(context.path)
    text = await context.in_thread(_version_diff, context, version_id, name)
    await context.ask(dialogs.ShowDiff(name, text))


async def restore(context: CommandContext) -> None:
    await restore_file(context, context.path)


async def restore_file(context: CommandContext, path: Path) -> None:
    versions = await context.in_thread(context.workspace.versions, path)
    if not versions:
        raise NotFound(f"no earlier version of {path.name} is known", hint="memtui records each write from now on")
    chosen = await context.ask(dialogs.Choose("Restore which version?", _options(context, versions)))
    if chosen is None:
        return
    planned = await context.in_thread(services.plan_restore, context.workspace, path, chosen)
    text = unified_diff(planned.now, planned.then, planned.name)
    if await context.ask(dialogs.ShowDiff(f"Restore {planned.name}", text, yes="restore this version")):
        saved = await context.in_thread(services.restore, context.workspace, planned)
        context.done(f"restored {planned.name}{merged_words(saved)}", path, left_words(saved))


async def restore_folder(context: CommandContext) -> None:
    """Bring the whole memory folder back to a time, or to what it was before an operation; shown first."""
    workspace = context.workspace
    await context.in_thread(services.record_outside_changes, workspace)
    store = workspace.store(workspace.location.folder)
    operations = await context.in_thread(store.log)
    if not operations:
        raise NotFound("nothing of this folder is known yet", hint="memtui records each write from now on")
    when = [dialogs.Option("", "as of a time or an age …", "2026-11-28 09:00, 3d")]
    when += [replace(one, label=f"before {one.label.lstrip()}") for one in _options(context, operations)]
    before = await context.ask(dialogs.Choose("Restore the folder to what it was", when))
    as_of = None
    if before == "":
        explain = "2026-11-28 09:00, or an age: 90m, 6h, 3d, 2w"
        check, does = services.time_problem, "show what changes"
        as_of = await context.ask(dialogs.Ask("Restore the folder as of", explain=explain, does=does, check=check))
    if before is None or (before == "" and as_of is None):
        return
    planned = await context.in_thread(services.plan_folder_restore, workspace, as_of=as_of, before=before or None)
    plan = planned.plan
    notes = [f"{one.name} can't be restored: {one.reason}" for one in plan.left]
    notes += [f"{name} stays: memtui first saw it later" for name in plan.unknown]
    if len(notes) > MAX_NOTES:
        notes[MAX_NOTES - 1 :] = [f"and {len(notes) - MAX_NOTES + 1} more: memtui restore -n lists them"]
    if not plan.files:
        context.notify("; ".join(["the folder is as it was", *notes]))
        return
    text = await context.in_thread(_folder_diff, store, plan)
    title = f"Restore the folder {planned.words}: {pluralize(len(plan.files), 'file')}"
    if not await context.ask(dialogs.ShowDiff(title, text, notes=notes, yes="restore these")):
        return
    saved = await ask_until_done(context, partial(services.restore_folder, workspace, planned), confirmed=True)
    if saved is not None:
        context.done(f"restored {pluralize(len(plan.files), 'file')} {planned.words}", problem=left_words(saved))


def _folder_diff(store: Store, plan: RestorePlan) -> str:
    return "".join(unified_diff((store.read(name) or (None,))[0], then, name) for name, then in plan.files)


async def compare(context: CommandContext) -> None:
    path = context.path
    versions = await context.in_thread(context.workspace.versions, path)
    options: list[dialogs.Option[str | Path]] = [
        dialogs.Option(option.key, option.label, "earlier version") for option in _options(context, versions)
    ]
    files = [file for scope in context.snapshot.scopes for file in scope.files if file.path != path]
    options += [dialogs.Option(file.path, file.name, "another file") for file in files]
    chosen = await context.ask(dialogs.Choose(f"Compare {path.name} with", options))
    if chosen is None:
        return
    store, name = context.workspace.home_of(path)
    if isinstance(chosen, Path):
        other = await context.in_thread(_on_disk, context, chosen)
    else:
        other = await context.in_thread(store.history.read, chosen, name)
    data = await context.in_thread(_on_disk, context, path)
    await context.ask(dialogs.ShowDiff(f"{name}: then to now", unified_diff(other, data, name)))


def _on_disk(context: CommandContext, path: Path) -> bytes | None:
    try:
        return context.workspace.text(path)[0]
    except NotFound:
        return None


declare(
    registry.EVERYWHERE,
    Command("history.restore_folder", "Restore the folder as of a time, or before a dream", "", restore_folder,
            disabled_reason=registry.no_memory_or_read_only),
)  # fmt: skip
