"""Commands about memory files: new, rename, delete, type, index, fix, pin."""

from pathlib import Path
from typing import TYPE_CHECKING

from memtui.tui.app_base import CommandContext
from memtui.tui.commands import editor, history, registry, sessions
from memtui.tui.commands.history import merged_words
from memtui.tui.commands.registry import Command, declare
from memtui.tui.render.arrange import TYPES
from memtui.util.errors import MemtuiError, NotFound
from memtui.util.lazy_module import LazyModule

if TYPE_CHECKING:
    from memtui.history import store
    from memtui.memory import plans
    from memtui.memory.checks import fixes
    from memtui.tui import dialogs
else:
    store, plans = LazyModule("memtui.history.store"), LazyModule("memtui.memory.plans")
    fixes = LazyModule("memtui.memory.checks.fixes")
    dialogs = LazyModule("memtui.tui.dialogs")


async def offer(context: CommandContext, plan: "plans.Plan", *, yes: str, focus: Path | None = None) -> bool:
    """Show a plan and carry it out if the person says so."""
    if not plan.changes:
        context.notify("\n".join(plan.notes) or "nothing to change")
        return False
    if not await context.ask(dialogs.ShowDiff(plan.title, plan.diff(), notes=plan.notes, yes=yes)):
        return False
    return await apply(context, plan, focus=focus)


async def apply(context: CommandContext, plan: "plans.Plan", *, focus: Path | None = None) -> bool:
    """Carry a plan out; a file that changed meanwhile stops all of it."""
    try:
        saved = await context.in_thread(context.workspace.carry_out, plan)
    except store.Stale as stale:
        raise MemtuiError(
            f"{stale.name} changed on disk meanwhile: nothing was written", hint="look again and repeat it"
        ) from stale
    context.done(f"{plan.title}{merged_words(saved)}", focus)
    return True


async def new(context: CommandContext) -> None:
    """A new topic file, listed in the index."""
    answer = await context.ask(dialogs.NewTopic(plans.file_name))
    if answer is None:
        return
    plan = await context.in_thread(plans.plan_new, context.snapshot, answer.name, answer.type, answer.description)
    await apply(context, plan, focus=context.workspace.location.folder / plans.file_name(answer.type, answer.name))


async def rename(context: CommandContext) -> None:
    """Rename; index entry and links follow and are shown first."""
    snapshot = context.snapshot
    file = snapshot.topic(context.path)
    name = await context.ask(
        dialogs.Ask("Rename", file.name, explain="MEMORY.md and links are updated too.", check=plans.check_name,
                    does="rename")
    )  # fmt: skip
    if name and name != file.name:
        plan = await context.in_thread(plans.plan_rename, snapshot, file, name)
        await offer(context, plan, yes="rename", focus=plan.root / name)


async def delete(context: CommandContext) -> None:
    """Delete; what is deleted stays in history and goes to the trash."""
    snapshot = context.snapshot
    files = [snapshot.topic(path) for path in context.paths]
    plan = await context.in_thread(plans.plan_delete, snapshot, files)
    lines = [f"  {file.name}" for file in files[:8]] + ([f"  and {len(files) - 8} more"] if len(files) > 8 else [])
    lines += ["", *plan.notes, "z brings everything back."]
    if await context.ask(dialogs.Question(plan.title, lines, yes="Delete", no="Keep")):
        await apply(context, plan)


async def set_type(context: CommandContext) -> None:
    """Choose one of the four types."""
    snapshot = context.snapshot
    files = [snapshot.topic(path) for path in context.paths]
    options = [dialogs.Option(type_, type_) for type_ in TYPES]
    type_ = await context.ask(dialogs.Choose("Type", options, start=files[0].type))
    if type_:
        await apply(context, await context.in_thread(plans.plan_type, snapshot, files, type_))


async def add_to_index(context: CommandContext) -> None:
    """List the files in MEMORY.md."""
    snapshot = context.snapshot
    files = [snapshot.topic(path) for path in context.paths]
    await offer(context, await context.in_thread(plans.plan_add_to_index, snapshot, files), yes="add")


async def fix(context: CommandContext) -> None:
    """Fix the first problem of the file that can be fixed."""
    snapshot, path = context.snapshot, context.path
    for problem in snapshot.problems:
        if problem.path == path and problem.fix:
            plan = await context.in_thread(fixes.plan_fix, snapshot, problem, pinned=context.workspace.pinned)
            await offer(context, plan, yes=problem.fix)
            return
    raise NotFound("nothing here that memtui can fix by itself")


async def tidy(context: CommandContext) -> None:
    """Bring the index down to 70 % of its limits, shown first."""
    plan = await context.in_thread(plans.plan_tidy, context.snapshot, pinned=context.workspace.pinned)
    await offer(context, plan, yes="tidy the index")


async def rebuild(context: CommandContext) -> None:
    """Make the index anew from the topic files, shown first."""
    plan = await context.in_thread(plans.plan_rebuild, context.snapshot, pinned=context.workspace.pinned)
    await offer(context, plan, yes="rebuild the index")


async def pin(context: CommandContext) -> None:
    """Pin or unpin: no background run may touch a pinned file."""
    workspace, paths = context.workspace, context.paths
    pinned = await context.in_thread(workspace.pins.toggle, workspace.location.folder, paths)
    context.done(f"{len(paths)} {'pinned' if pinned else 'unpinned'}")


def copy_path(context: CommandContext) -> None:
    """Send the path to the clipboard."""
    context.app.copy_to_clipboard(str(context.path))
    context.notify("path sent to the clipboard")


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
    Command("memory.origin", "Go to the session that wrote it", "O", sessions.go_to_origin,
            disabled_reason=registry.no_memory),
    Command("memory.tidy", "Tidy the index to 70 % of its limits", "T", tidy, disabled_reason=WRITES),
    Command("memory.rebuild", "Rebuild the index from the topic files", "", rebuild, disabled_reason=WRITES),
)  # fmt: skip
