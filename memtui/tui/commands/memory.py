"""Commands about memory files: new, rename, delete, type, index, fix, pin."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from memtui.tui.app_base import CommandContext
from memtui.tui.commands import editor, history, questions, registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.render.memory_rows import TYPES
from memtui.util.errors import NotFound
from memtui.util.lazy_module import LazyModule

if TYPE_CHECKING:
    from memtui.services import memory as services
    from memtui.tui import dialogs
else:
    services, dialogs = LazyModule("memtui.services.memory"), LazyModule("memtui.tui.dialogs")


async def apply(context: CommandContext, change: services.PreparedChange, *, show: str = "") -> None:
    """Make a prepared change, and ask what the service wants to know; with `show` (what a yes does) show it first."""
    plan = change.plan
    if not plan.changes:
        context.notify("\n".join(plan.notes) or "nothing to change")
        return
    shown = bool(show) and change.question is None
    if shown and not await context.ask(dialogs.ShowDiff(plan.title, plan.diff(), notes=plan.notes, yes=show)):
        return
    call = partial(services.apply, context.workspace, change)
    applied = await questions.ask_until_done(context, call, confirmed=shown)
    if applied is not None:
        context.done(f"{applied.plan.title}{questions.merged_words(applied.saved)}", change.focus)


async def new(context: CommandContext) -> None:
    answer = await context.ask(dialogs.NewTopic(services.file_name))
    if answer is not None:
        fields = answer.name, answer.type, answer.description
        await apply(context, await context.in_thread(services.new_topic, context.snapshot, *fields))


async def rename(context: CommandContext) -> None:
    snapshot = context.snapshot
    file = snapshot.topic(context.path)
    explain, check = "MEMORY.md and links are updated too.", services.check_name
    name = await context.ask(dialogs.Ask("Rename", file.name, explain=explain, check=check, does="rename"))
    if name and name != file.name:
        await apply(context, await context.in_thread(services.rename_topic, snapshot, file, name), show="rename")


async def delete(context: CommandContext) -> None:
    snapshot = context.snapshot
    files = [snapshot.topic(path) for path in context.paths]
    change = await context.in_thread(services.delete_files, snapshot, files)
    question = change.question and replace(change.question, diff="")  # what all of a file says is known
    await apply(context, replace(change, question=question))


async def set_type(context: CommandContext) -> None:
    snapshot = context.snapshot
    files = [snapshot.topic(path) for path in context.paths]
    options = [dialogs.Option(type_, type_) for type_ in TYPES]
    type_ = await context.ask(dialogs.Choose("Type", options, start=files[0].type))
    if type_:
        await apply(context, await context.in_thread(services.set_fields, snapshot, files, {"type": type_}))


async def add_to_index(context: CommandContext) -> None:
    snapshot = context.snapshot
    files = [snapshot.topic(path) for path in context.paths]
    await apply(context, await context.in_thread(services.add_to_index, snapshot, files), show="add")


async def fix(context: CommandContext) -> None:
    snapshot, path = context.snapshot, context.path
    problem = next((one for one in snapshot.problems if one.path == path and one.fix), None)
    if problem is None:
        raise NotFound("nothing here that memtui can fix by itself")
    change = await context.in_thread(services.fix_problem, context.workspace, snapshot, problem)
    await apply(context, change, show=problem.fix)


async def tidy(context: CommandContext) -> None:
    """Bring the index down to 70 % of its limits, shown first."""
    await apply(context, await context.in_thread(services.tidy_index, context.workspace, context.snapshot))


async def rebuild(context: CommandContext) -> None:
    await apply(context, await context.in_thread(services.rebuild_index, context.workspace, context.snapshot))


async def pin(context: CommandContext) -> None:
    done = await context.in_thread(services.pin_files, context.workspace, context.paths)
    context.done(f"{len(done.names)} {'pinned' if done.pinned else 'unpinned'}")


def copy_path(context: CommandContext) -> None:
    context.app.copy_to_clipboard(str(context.path))
    context.notify("path sent to the clipboard")


async def go_to_origin(context: CommandContext) -> None:
    file = context.snapshot.topic(context.path)
    if not file.front.origin:
        raise NotFound(f"{file.name} doesn't say which session wrote it")
    (await context.app.show_view("sessions")).go_to(file.front.origin)


WRITES = registry.no_memory_or_read_only

COMMANDS = declare(
    registry.MEMORY,
    Command("memory.external", "Edit in $EDITOR", "e", editor.external, "e $EDITOR", disabled_reason=WRITES),
    Command("memory.new", "New topic file", "n", new, "n new", disabled_reason=WRITES),
    Command("memory.delete", "Delete (kept in history and trash)", "d", delete, "d delete", disabled_reason=WRITES),
    Command("memory.rename", "Rename; links are updated too", "r", rename, "r rename", disabled_reason=WRITES),
    Command("memory.type", "Change the type", "t", set_type, "t type", disabled_reason=WRITES),
    Command("memory.add", "Add to the index", "a", add_to_index, "a add to index", disabled_reason=WRITES),
    Command("memory.fix", "Fix the first problem of the file", "f", fix, disabled_reason=WRITES),
    Command("memory.compare", "Compare with an earlier version or another file", "c", history.compare,
            disabled_reason=registry.no_memory),
    Command("memory.restore", "Restore an earlier version", "u", history.restore, disabled_reason=WRITES),
    Command("memory.pin", "Pin: no background run may touch it", "P", pin, disabled_reason=WRITES),
    Command("memory.copy", "Copy the path", "y", copy_path),
    Command("memory.origin", "Go to the session that wrote it", "O", go_to_origin,
            disabled_reason=registry.no_memory),
    Command("memory.tidy", "Tidy the index to 70 % of its limits", "T", tidy, disabled_reason=WRITES),
    Command("memory.rebuild", "Rebuild the index from the topic files", "", rebuild, disabled_reason=WRITES),
)  # fmt: skip
