"""Commands about dreams: start one, stop one, see what it changed, adopt or discard it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memtui.presentation import dream_text
from memtui.services.proposals import open_proposals
from memtui.services.questions import ask_over_edits
from memtui.tui import dialogs
from memtui.tui.app_base import CommandContext, Selection
from memtui.tui.commands import history, memory, questions, registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.messages import DreamsChanged, DreamStarts
from memtui.tui.render import preview
from memtui.tui.state import AppState, Dream, Starting
from memtui.util.diff import count_hunks, unified_diff
from memtui.util.errors import Conflict, MemtuiError, NotFound
from memtui.util.lazy_module import LazyModule
from memtui.util.text import pluralize

if TYPE_CHECKING:
    from memtui.dream.proposals import Proposal
    from memtui.dream.review import adoption, review
    from memtui.dream.review.adoption import Adopted, AdoptionItem
    from memtui.dream.run import spawn
    from memtui.dream.run.stop import StopResult
    from memtui.memory.snapshot import Snapshot
    from memtui.memory.workspace import Workspace
    from memtui.services import dreams as services
else:  # the engine, 1 MB: each command first uses it in a thread, and there it is imported
    services, spawn = LazyModule("memtui.services.dreams"), LazyModule("memtui.dream.run.spawn")
    adoption, review = LazyModule("memtui.dream.review.adoption"), LazyModule("memtui.dream.review.review")

KINDS = {
    "reflect": ("1  Reflect", "merges what belongs together"),
    "prune": ("2  Prune", "removes what is certainly of no use"),
    "dry": ("3  Dry run", "shows what it would do, adopts nothing"),
}


def _run_id(context: CommandContext) -> str:
    """The id of the run under the cursor, "" for another program's."""
    if context.selection.run is None:
        raise NotFound("no dream is under the cursor")
    return context.selection.run


def _dream(context: CommandContext) -> Dream:
    """The run under the cursor; of another program's we know none."""
    id = _run_id(context)
    if not id:
        raise Conflict("this dream is another program's: it writes the folder itself", hint="u restores a file")
    found = next((one for one in context.state.dreams if one.run.id == id), None)
    if found is None:
        raise NotFound(f"the dream {id} is not listed any more", hint="R reads the runs again")
    return found


def _file(context: CommandContext, hint: str) -> str:
    if not context.selection.file:
        raise NotFound("no file of the dream is under the cursor", hint=hint)
    return context.selection.file


def _names(dream: Dream, name: str) -> tuple[str, ...]:
    """A touched file by all its names: a rename has two."""
    file = dream.progress.files.get(name)
    return (file.old, name) if file is not None and file.old else (name,)


async def start(context: CommandContext) -> None:
    workspace = context.workspace
    check = await context.in_thread(lambda: services.check_start(workspace))
    explain = f"by hand: skips {', '.join(check.skipped)}" if check.skipped else "all checks are ready"
    replaces = f"\n{check.replaces}" if check.replaces else ""
    by = dream_text.engine_words(check.backend)
    explain = "" if check.blocked else f"{explain}{replaces}\n{by}: {check.why}"
    options = [dialogs.Option(kind, label, detail, check.blocked) for kind, (label, detail) in KINDS.items()]
    kind = await context.ask(dialogs.Choose("Dream now", options, explain=explain, digits=True))
    if kind is None:
        return
    request = spawn.RunRequest("reflect" if kind == "dry" else kind, force=True, dry_run=kind == "dry")
    started = await questions.ask_until_done(context, partial(services.start, workspace, request))
    if started is None:
        return
    context.app.follow_run(started)
    context.app.post_message(DreamStarts(Starting(workspace.now(), started.id)))  # its own files hold nothing yet
    await context.app.show_run(started.id)
    try:
        ended = await context.in_thread(services.wait_for_start, started)
        if ended is not None and ended.how == "gate":
            raise Conflict(f"no dream: {ended.reason}")
    except MemtuiError:
        context.app.post_message(DreamStarts(None))
        raise
    context.app.post_message(DreamsChanged())


async def stop_run(context: CommandContext) -> None:
    workspace = context.workspace
    run = await context.in_thread(lambda: services.current_run(workspace))
    if run is None:
        cleared = await questions.ask_until_done(context, partial(services.clear_lock, workspace))
        if cleared is not None:
            context.done(f"the lock is removed ({cleared.reason})")
        return
    question = await context.in_thread(services.describe_stop, workspace, run)
    if await questions.confirm(context, question, no="Keep running"):
        context.done(_stopped_words(await context.in_thread(services.stop, workspace, run)))


async def show_difference(context: CommandContext) -> None:
    """What the run changes, or changed: all of it, or the one file."""
    id, name = _run_id(context), context.selection.file
    if id:
        dream = _dream(context)
        item = None if context.state.read_only else _reviewed(context, dream, name)
        if item is not None:
            await review_file(context, dream, item)
            return
        names = _names(dream, name) if name else None
        text = await context.in_thread(preview.run_difference, dream.run, context.workspace, names)
        notes = [f"waits: {held.words}" for held in dream.progress.held]
    else:
        text = await context.in_thread(preview.foreign_difference, context.workspace, context.state.foreign, name)
        notes = []
    if not text:
        raise NotFound(f"nothing differs in {name}" if name else f"the dream {id} changed nothing")
    await context.ask(dialogs.ShowDiff(f"Changes in {name}" if name else f"Dream {id}", text, notes=notes))


def _reviewed(context: CommandContext, dream: Dream, name: str) -> AdoptionItem | None:
    """What adopting a file would do, where a person can choose hunks: not while the run is on, nor in a rename."""
    opened = context.state.open_dream
    items = opened.items if opened is not None and opened.id == dream.run.id and dream.kept else ()
    found = next((one for one in items if name in one.touched.names and len(one.files) == 1), None)
    return found if found is not None and found.state in ("clean", "merged", "conflict") else None


async def review_file(context: CommandContext, dream: Dream, item: AdoptionItem) -> None:
    file, over = item.files[0], item.state == "conflict"
    target = file.mine if over else file.result
    shown = unified_diff(file.disk, target, file.name, context=adoption.HUNK_CONTEXT)
    notes = [f"conflict: {item.words}; a takes the dream's side, the other stays in the history"] if over else []
    if not count_hunks(file.disk, target, context=adoption.HUNK_CONTEXT):
        raise NotFound(f"nothing differs in {file.name} that could be chosen", hint="a adopts it")
    taken = await context.ask(dialogs.ReviewFile(f"Changes in {file.name}", shown, notes=notes))
    if taken is not None:
        hunks = review.SomeHunks(file.name, taken, shown)
        done = await context.in_thread(lambda: services.adopt(context.workspace, dream.run, over=over, hunks=hunks))
        _say_adopted(context, done, left=0)


async def show_whole_difference(context: CommandContext) -> None:
    context.selection = Selection(run=context.selection.run)
    await show_difference(context)


async def compare(context: CommandContext) -> None:
    name = _file(context, "Tab goes to its files")
    workspace, run = context.workspace, _dream(context).run
    sides = await context.in_thread(lambda: review.versions_of_file(run, workspace.dirs, workspace, name))
    pairs = {
        "made": ("what the dream did", sides.before, sides.made),
        "adopt": ("from now to the dream's", sides.now, sides.made),
        "since": ("what others did since then", sides.before, sides.now),
    }
    differ = {key: words for key, (words, old, new) in pairs.items() if old != new}
    options = [dialogs.Option(key, f"{number}  {words}") for number, (key, words) in enumerate(differ.items(), 1)]
    if not options:
        raise NotFound(f"{name} is the same before the dream, after it, and now")
    chosen: str | None = options[0].key
    if len({(old, new) for _, old, new in pairs.values() if old != new}) > 1:
        chosen = await context.ask(dialogs.Choose(f"Compare {name}", options, digits=True))
    if chosen is not None:
        words, old, new = pairs[chosen]
        await context.ask(dialogs.ShowDiff(f"Compare {name}: {words}", unified_diff(old, new, name)))


async def adopt(context: CommandContext) -> None:
    """Adopt the file under the cursor; in a conflict the dream's side, if the person says so."""
    name = _file(context, "Tab goes to its files; A adopts all")
    workspace, run = context.workspace, _dream(context).run
    opened = context.state.open_dream
    items = opened.items if opened is not None and opened.id == run.id else ()
    over = any(item.touched.name == name and item.state == "conflict" for item in items)
    if over:
        text = await context.in_thread(preview.run_difference, run, workspace, (name,))
        notes = ["conflict: it was changed meanwhile; what this replaces stays in the history"]
        if not await context.ask(dialogs.ShowDiff(f"Adopt {name}", text, notes=notes, yes="take the dream's side")):
            return
    done = await context.in_thread(lambda: services.adopt(workspace, run, [name], over=over))
    _say_adopted(context, done, left=0)


async def adopt_all(context: CommandContext) -> None:
    workspace, run = context.workspace, _dream(context).run
    await context.in_thread(lambda: services.adoption_plan(workspace, run))  # says so if nothing is kept
    text = await context.in_thread(preview.run_difference, run, workspace)
    if await context.ask(dialogs.ShowDiff(f"Adopt all of dream {run.id}", text, yes="adopt all")):
        done = await context.in_thread(services.adopt, workspace, run)
        _say_adopted(context, done, left=len(done.left))


def _say_adopted(context: CommandContext, done: Adopted, left: int) -> None:
    """Say what was adopted, and how many files could not be though they were wanted."""
    if done.partly:
        context.done(f"adopted a part of {done.partly[0]}; the rest stays for later; z undoes it")
        return
    if not done.names:
        raise NotFound("nothing to adopt: the folder has all of it, or the rest conflicts")
    merged = f" (merged with what changed meanwhile: {', '.join(done.merged)})" if done.merged else ""
    what = done.names[0] if len(done.names) == 1 else pluralize(len(done.names), "file")
    problem = f"{pluralize(left, 'file')} left: they conflict" if left else ""
    context.done(f"adopted {what}{merged}; z undoes it", problem=problem)


async def restore(context: CommandContext) -> None:
    if context.selection.file:
        await restore_all(context, context.selection.file)


async def restore_all(context: CommandContext, name: str = "") -> None:
    """Show what bringing files back from before the run would do, and do it if the person says so."""
    workspace = context.workspace
    if name and not _run_id(context):
        await history.restore_file(context, workspace.location.folder / name)
        return
    dream = _dream(context)
    names = _names(dream, name) if name else None
    changes = await context.in_thread(lambda: review.restore_plan(dream.run, workspace, names))
    text = "".join(unified_diff(one.base_data, one.data, one.name) for one in changes)
    title = f"Restore {name or 'all'} from before dream {dream.run.id}"
    if await context.ask(dialogs.ShowDiff(title, text, yes="restore")):
        saved = await context.in_thread(lambda: services.restore(workspace, dream.run, changes))
        question = ask_over_edits(saved.left, "Restore")
        if question is not None and await questions.confirm(context, question, no="Keep them"):
            edited = [one.name for one in saved.left]
            saved = await context.in_thread(services.restore, workspace, dream.run, changes, over=edited)
        what = names[-1] if names else pluralize(len(changes) - len(saved.left), "file")
        words = f"restored {what} from before the dream{questions.merged_words(saved)}"
        context.done(words, problem=questions.left_words(saved))


async def discard(context: CommandContext) -> None:
    workspace, run = context.workspace, _dream(context).run
    if await questions.ask_until_done(context, lambda allow: services.discard(workspace, run, allow)):
        context.done(f"discarded: what the dream {run.id} drafted")


def left_to_judge(state: AppState) -> tuple[Proposal, ...]:
    """The proposals that the person has not dismissed; known once the folder is read whole."""
    return open_proposals(state.snapshot, state.dismissed) if state.snapshot and state.snapshot.full else ()


async def proposals(context: CommandContext) -> None:
    """List what the rules leave to the person, until Esc: open its topics, do it, or dismiss it."""
    workspace, start = context.workspace, 0
    while True:
        snapshot = await context.in_thread(partial(workspace.read, full=True, known=context.state.snapshot))
        dismissed = await context.in_thread(workspace.dismissals.of, workspace.location.folder)
        listed = open_proposals(snapshot, dismissed)
        if not listed:
            context.notify("nothing is left to your judgement")
            return
        evidence = await context.in_thread(_evidence, context.workspace, snapshot, listed)
        answer = await context.ask(dialogs.Proposals(listed, evidence, start, read_only=workspace.read_only))
        if answer is None:
            return
        start, proposal = answer.index, listed[answer.index]
        if answer.what == "open":
            await _open_topic(context, snapshot, proposal)
            return
        if answer.what == "dismiss":
            await context.in_thread(services.dismiss_proposals, workspace, snapshot, [proposal])
            context.done("dismissed until its files change; z brings it back")
        else:
            await _carry_out(context, snapshot, proposal)


def _evidence(workspace: Workspace, snapshot: Snapshot, listed: tuple[Proposal, ...]) -> list[str]:
    return [services.proposal_evidence(workspace, snapshot, one) for one in listed]


async def _open_topic(context: CommandContext, snapshot: Snapshot, proposal: Proposal) -> None:
    names = {str(at): name for at, name in enumerate(proposal.names, 1)}
    chosen: str | None = "1"
    if len(names) > 1:
        options = [dialogs.Option(at, f"{at}  {name}") for at, name in names.items()]
        chosen = await context.ask(dialogs.Choose("Open which?", options, digits=True))
    if chosen is not None and snapshot.auto is not None:
        (await context.app.show_view("memory")).go_to(str(snapshot.auto.root / names[chosen]))


async def _carry_out(context: CommandContext, snapshot: Snapshot, proposal: Proposal) -> None:
    changes = await context.in_thread(services.proposal_changes, context.workspace, snapshot, proposal)
    if not changes:
        raise NotFound("only an edit can settle this", hint="Enter opens it")
    chosen: int | None = 0
    if len(changes) > 1:
        options = [dialogs.Option(at, f"{at + 1}  {one.plan.title}") for at, one in enumerate(changes)]
        chosen = await context.ask(dialogs.Choose("How?", options, digits=True))
    if chosen is not None:
        await memory.apply(context, changes[chosen])


def _stopped_words(done: StopResult) -> str:
    how = f"{done.by}, {done.seconds:.1f} s" if done.by else "it was gone already"
    stored = f"{pluralize(done.end.drafted, 'change')} stored for review"
    drafted = stored if done.end.drafted else "nothing was drafted"
    folder = "adopted before it ended; z undoes it" if done.end.version else f"memory untouched; {drafted}"
    lock = f"; last dream {done.end.lock}" if done.end.lock else ""
    return f"dream stopped ({how}); {folder}{lock}"


def no_runs(state: AppState) -> str | None:
    return None if state.dreams or state.foreign else "no dream has run here yet"


WRITES = registry.read_only_or(no_runs)


def no_proposals(state: AppState) -> str | None:
    return None if left_to_judge(state) else "nothing is left to your judgement"


RUN = declare(
    registry.RUN,
    Command("dream.now", "Dream now: asks how", "D", start, "D dream now", disabled_reason=registry.read_only),
    Command("dream.stop", "Stop the dream that is running, or clear a stale lock", "x", stop_run, "x stop",
            disabled_reason=registry.read_only),
    Command("dream.adopt", "Adopt the file under the cursor", "a", adopt, "a adopt", disabled_reason=WRITES),
    Command("dream.adopt_all", "Adopt all that the run drafted", "A", adopt_all, "A adopt all", disabled_reason=WRITES),
    Command("dream.discard", "Discard what the run drafted", "X", discard, "X discard", disabled_reason=WRITES),
    Command("dream.restore", "Restore the file under the cursor from before the dream", "u", restore, "u restore",
            disabled_reason=WRITES),
    Command("dream.restore_all", "Restore all that the dream changed", "U", restore_all, "U restore all",
            disabled_reason=WRITES),
    Command("dream.compare", "Compare the file: before the dream, the dream's, now", "c", compare, "c compare",
            disabled_reason=no_runs),
    Command("dream.proposals", "What the rules leave to your judgement: near-duplicates, contradictions, copies", "i",
            proposals, "i proposals", disabled_reason=no_proposals),
)  # fmt: skip
