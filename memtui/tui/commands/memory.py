"""Commands about memory files: new, rename, delete, type, index, fix, pin."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from memtui.client.paths import tilde_path
from memtui.services.questions import NeedsConfirmation
from memtui.tui.app_base import CommandContext
from memtui.tui.commands import editor, history, questions, registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.render.memory_rows import TYPES
from memtui.util.errors import NotFound
from memtui.util.lazy_module import LazyModule
from memtui.util.text import sentence

if TYPE_CHECKING:
    from memtui.services import memory as services
    from memtui.services import stores
    from memtui.tui import dialogs
else:
    services, dialogs = LazyModule("memtui.services.memory"), LazyModule("memtui.tui.dialogs")
    stores = LazyModule("memtui.services.stores")


async def apply(context: CommandContext, change: services.PreparedChange, *, show: str = "") -> None:
    """Make a prepared change, and ask what the service wants to know; with `show` (what a yes does) show it first."""
    plan = change.plan
    if not plan.changes and not change.then:
        context.notify("\n".join(plan.notes) or "nothing to change")
        return
    shown = bool(show) and change.question is None
    if shown and not await context.ask(dialogs.ShowDiff(sentence(plan.title), plan.diff(), notes=plan.notes, yes=show)):
        return
    call = partial(services.apply, context.workspace, change)
    applied = await questions.ask_until_done(context, call, confirmed=shown)
    if applied is not None:
        context.done(f"{applied.plan.title}{questions.merged_words(applied.saved)}", change.focus)


async def new(context: CommandContext) -> None:
    answer = await context.ask(dialogs.NewTopic(services.file_name))
    if answer is not None:
        fields = answer.name, answer.type, answer.description
        change = await context.in_thread(services.new_topic, context.snapshot, *fields)
        await apply(context, change)
        await _offer_above_cut(context, change)


async def _offer_above_cut(context: CommandContext, change: services.PreparedChange) -> None:
    if change.focus is None or not services.is_below_cut(change):
        return
    question = NeedsConfirmation(f"Move the entry of {change.focus.name} above the cut?", change.plan.notes, yes="Move")
    if await questions.confirm(context, question, no="Leave it"):
        snapshot = await context.in_thread(partial(context.workspace.read, full=True))
        await apply(context, await context.in_thread(services.raise_entry, snapshot, snapshot.topic(change.focus)))


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


async def describe(context: CommandContext) -> None:
    snapshot = context.snapshot
    file = snapshot.topic(context.path)
    text = await context.ask(dialogs.Ask("Description", file.description or "", does="set"))
    if text is None or text == (file.description or ""):
        return
    follows = False
    if services.is_described_in_index(snapshot, file, text):
        question = NeedsConfirmation("Give the entry in MEMORY.md this description too?", yes="Yes")
        follows = await questions.confirm(context, question, no="No")
    fields = {"description": text}
    await apply(context, await context.in_thread(partial(services.set_fields, snapshot, [file], fields, index=follows)))


async def set_expiry(context: CommandContext) -> None:
    snapshot = context.snapshot
    file = snapshot.topic(context.path)
    explain = "A day such as 2026-12-31; empty: no end. A check tells when it is past; nothing is deleted by itself."
    field = file.front.placed(services.EXPIRY_FIELD)
    value = (field.value if field is not None else None) or ""
    text = await context.ask(dialogs.Ask("Valid until", value, explain=explain, does="set", check=services.check_day))
    if text is not None and text != value:
        await apply(
            context, await context.in_thread(services.set_fields, snapshot, [file], {services.EXPIRY_FIELD: text})
        )


async def merge(context: CommandContext) -> None:
    snapshot = context.snapshot
    file = snapshot.topic(context.path)
    if file.kind != "topic":
        raise NotFound(f"{file.name} is no topic file", hint="choose a topic to merge another into")
    others = {one.name: one for one in services.merge_candidates(snapshot, file)}
    if not others:
        raise NotFound("there is no other topic in this folder")
    options = [dialogs.Option(name, name, one.title) for name, one in others.items()]
    name = await context.ask(dialogs.Choose(f"Merge into {file.name}", options))
    if name is not None:
        await apply(context, await context.in_thread(services.merge_topics, snapshot, file, others[name]))


async def promote(context: CommandContext) -> None:
    snapshot = context.snapshot
    file = snapshot.topic(context.path)
    scopes = [dialogs.Option(one.id, one.label, one.id) for one in services.promotion_scopes(snapshot, file)]
    if not scopes:
        raise NotFound("there is no other scope here: no agent memory, no team memory")
    scope = await context.ask(dialogs.Choose(f"Move {file.name} to", scopes))
    if scope is not None:
        await apply(context, await context.in_thread(services.promote_topic, snapshot, file, scope))


async def merge_stores(context: CommandContext) -> None:
    """Merge memory of the project or of an agent that lies in several folders; two texts of a topic are asked about."""
    workspace = context.workspace
    found = {one.name: one for one in await context.in_thread(stores.find_fragments, workspace)}
    if not found:
        raise NotFound("every memory lies in one folder")
    options = [dialogs.Option(name, name, f"{len(one.sources) + 1} folders") for name, one in found.items()]
    name = await context.ask(dialogs.Choose("Merge which memory?", options))
    if name is None:
        return
    files = await context.in_thread(stores.fragment_files, workspace, found[name])
    choices = {}
    for file in files:
        if file.state != "collides":
            continue
        folder = tilde_path(Path(file.source), workspace.env.home)
        explain = f"{file.name} has another text in {folder}."
        ways = [dialogs.Option(one, f"{at}  {words}") for at, (one, words) in enumerate(stores.COLLISIONS.items(), 1)]
        choice = await context.ask(dialogs.Choose(f"Two texts of {file.name}", ways, explain=explain, digits=True))
        if choice is None:
            return
        choices[file.source, file.name] = choice
    ways_after = [
        dialogs.Option(keep, words) for keep, words in ((True, "1  leave them as they are"), (False, "2  empty them"))
    ]
    keep = await context.ask(dialogs.Choose("What of the other folders?", ways_after, digits=True))
    if keep is not None:
        merged = partial(stores.merge_fragments, workspace, found[name], files, choices, keep_sources=keep)
        await apply(context, await context.in_thread(merged))


async def raise_entry(context: CommandContext) -> None:
    snapshot = context.snapshot
    change = await context.in_thread(services.raise_entry, snapshot, snapshot.topic(context.path))
    await apply(context, change, show="move")


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


async def split(context: CommandContext) -> None:
    await apply(context, await context.in_thread(services.split_index, context.snapshot))


async def tidy(context: CommandContext) -> None:
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
    Command("memory.describe", "Change the description", "", describe, disabled_reason=WRITES),
    Command("memory.expiry", "Set until when it is valid", "", set_expiry, disabled_reason=WRITES),
    Command("memory.merge", "Merge another topic into this one; links are updated too", "", merge,
            disabled_reason=WRITES),
    Command("memory.promote", "Move to another scope: an agent's or the team's memory", "", promote,
            disabled_reason=WRITES),
    Command("memory.stores", "Merge memory that lies in several folders", "", merge_stores, disabled_reason=WRITES),
    Command("memory.above_cut", "Move the index entry above the cut", "", raise_entry, disabled_reason=WRITES),
    Command("memory.add", "Add to the index", "a", add_to_index, "a add to index", disabled_reason=WRITES),
    Command("memory.fix", "Fix the first problem of the file", "f", fix, disabled_reason=WRITES),
    Command("memory.compare", "Compare with an earlier version or another file", "c", history.compare,
            disabled_reason=registry.no_memory),
    Command("memory.restore", "Restore an earlier version", "u", history.restore, disabled_reason=WRITES),
    Command("memory.pin", "Pin: no background run may touch it", "P", pin, disabled_reason=WRITES),
    Command("memory.copy", "Copy the path", "y", copy_path),
    Command("memory.origin", "Go to the session that wrote it", "O", go_to_origin, disabled_reason=registry.no_memory),
    Command("memory.tidy", "Tidy the index to 70 % of its limits", "T", tidy, disabled_reason=WRITES),
    Command("memory.split", "Make sections of the index topics, until it fits", "", split, disabled_reason=WRITES),
    Command("memory.rebuild", "Rebuild the index from the topic files", "", rebuild, disabled_reason=WRITES),
)  # fmt: skip
