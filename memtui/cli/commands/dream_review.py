"""Judging a dream: what it changed, adopting all or some of it, discarding it, taking it back."""

from collections.abc import Iterator

import click

from memtui.cli.asking import answered, left_code, left_lines, may_write
from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.dream_data import adoption_data, claim_data, claim_lines, file_line, held_data
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import Line, StyledText, fields
from memtui.dream.review.adoption import HUNK_CONTEXT, plan_adoption
from memtui.dream.review.decisions import adopted_operations
from memtui.dream.review.review import POLICY_RULES, SomeHunks, restore_plan, texts_changed
from memtui.dream.run.runs import events_of, run_progress
from memtui.dream.run.stage import has_stage, open_stage
from memtui.services import dreams
from memtui.util.diff import unified_diff
from memtui.util.errors import UsageError

_STATES = {
    "clean": "", "merged": "merged", "conflict": "conflict", "same": "there already", "refused": "never adopted",
    "adopted": "adopted",
}  # fmt: skip


@click.command("diff", cls=CliCommand, short_help="What a dream changed, or would.")
@click.argument("words", nargs=-1, metavar="[RUN] [FILE]…")
@click.option("--claims", is_flag=True, help="By claim: what is lost, changed, moved, merged and new.")
@pass_context
def diff(context: CliContext, words: tuple[str, ...], claims: bool) -> int:
    """What a dream changed, or would change if it were adopted now: the newest, or the one named.

    Hunks of a file are numbered, as adopt --hunk wants them. Ends with 1 if there is no difference.
    """
    run, names = dreams.split_words(context.workspace, words)
    if has_stage(context.dirs, run.id):
        adoption = plan_adoption(open_stage(context.dirs, run.id), context.workspace)
        data = adoption_data(adoption)
        known = [name for item in adoption.items for name in item.touched.names]
        policy = [one for one in run_progress(events_of(run)).held if one.rule in POLICY_RULES]
        data["holds"] = [*held_data(policy), *data["holds"]]
        data["adopted"] = False
    else:
        made = adopted_operations(run, context.workspace)
        known = [change.name for version in made for change in version.files]
        files = [
            {
                **fields(change, "name kind added removed"), "old": None, "emptied": False, "state": "adopted",
                "words": f"version {version.id[:8]}",
            } for version in made for change in version.files
        ]  # fmt: skip
        data = {"run": run.id, "holds": [], "left_out": {}, "files": files, "adopted": bool(made)}
    chosen = dreams.match_files(names, known)
    texts = texts_changed(run, context.dirs, context.workspace)
    wanted = (one for one in texts if chosen is None or one[0] in chosen)
    lines = 3 if data["adopted"] else HUNK_CONTEXT
    data["diff"] = "".join(unified_diff(before, after, name, context=lines) for name, before, after in wanted)
    found = dreams.claims(context.workspace, run) if claims else ()
    found = tuple(one for one in found if chosen is None or one.name in chosen or one.to in chosen)
    if claims:
        data["claims"] = [claim_data(one) for one in found]

    def text() -> Iterator[Line]:
        yield StyledText(f"dream {run.id}", "bold")
        for hold in data["holds"]:
            yield StyledText(f"waits for you: {hold['words']}", "warn")
        for file in data["files"]:
            line = file_line(context, file)
            word = _STATES.get(file["state"], "")
            style = "dim" if file["state"] == "adopted" else "warn"
            yield [*line, StyledText(f"  {word}: {file['words']}", style)] if word else line
        if claims:
            yield from claim_lines(found)
            return
        if data["files"]:
            yield ""
        yield from diff_lines(data["diff"], numbered=not data["adopted"])

    context.out.result("dream-diff", data, text(), page=True)
    if not data["files"]:
        context.out.status(f"the dream {run.id} changed nothing that is still known")
    return int(not data["diff"])


@click.command("adopt", cls=CliCommand, short_help="Put what a dream drafted into the memory folder.")
@click.argument("words", nargs=-1, metavar="[RUN] [FILE]…")
@click.option("--over", is_flag=True, help="In a conflict take the dream's side; the other stays in the history.")
@click.option("--hunk", "hunks", default="", metavar="N[,M]…", help="Only these hunks of the one file named.")
@pass_context
def adopt(context: CliContext, words: tuple[str, ...], over: bool, hunks: str) -> int:
    """Put what a dream drafted (held for review, killed, dry run) into the memory folder: all, or the files named.

    It is one version: memtui undo takes it back. With --hunk only those hunks, as dream diff numbers them; the others
    stay for later. Ends with 4 if a named file conflicts, with 1 if some are left.
    """
    may_write(context)
    run, names = dreams.split_words(context.workspace, words)
    adoption = dreams.adoption_plan(context.workspace, run)
    chosen = dreams.match_files(names, [name for item in adoption.items for name in item.touched.names])
    some = _some_hunks(hunks, chosen) if hunks else None
    if context.options.dry_run:
        would = [item for item in adoption.items if chosen is None or set(item.touched.names) & set(chosen)]
        part = f"hunk {hunks} of " if some is not None else ""
        lines: list[Line] = [f"would adopt {part}{item.touched.name}: {item.state}, {item.words}" for item in would]
        context.out.result("adopt", {"done": False, **adoption_data(adoption)}, lines)
        return 0
    done = dreams.adopt(context.workspace, run, chosen, over=over, hunks=some)
    data = {
        "done": bool(done.names or done.partly), "run": run.id, "version": done.version, "adopted": list(done.names),
        "partly": list(done.partly), "merged": list(done.merged), "left": list(done.left),
    }  # fmt: skip

    def text() -> Iterator[Line]:
        for name in done.names:
            yield f"adopted {name}" + (" (merged with what changed meanwhile)" if name in done.merged else "")
        for name in done.partly:
            yield f"adopted hunk {hunks} of {name}; the other hunks stay for later"
        if done.version is not None:
            yield StyledText(f"memtui undo {done.version[:8]} takes it back", "dim")
        for name in done.left if some is None else ():
            yield StyledText(f"left: {name}", "warn")

    context.out.result("adopt", data, text())
    if not data["done"]:
        context.out.status("nothing to adopt: the folder has all of it, or the rest conflicts")
    return int(bool(done.left) and chosen is None)


def _some_hunks(words: str, chosen: list[str] | None) -> SomeHunks:
    if chosen is None or len(chosen) != 1:
        raise UsageError("--hunk is about one file: name it", hint="memtui dream adopt RUN FILE --hunk 1,3")
    try:
        numbers = frozenset(int(word) for word in words.split(","))
    except ValueError:
        raise UsageError(f"--hunk wants numbers with commas between them, got {words}") from None
    return SomeHunks(chosen[0], numbers)


@click.command("discard", cls=CliCommand, short_help="Discard what a dream drafted.")
@click.argument("run", required=False, metavar="[RUN]")
@pass_context
def discard(context: CliContext, run: str | None) -> int:
    """Discard what a dream drafted (held for review, killed, dry run); the memory folder is not touched."""
    may_write(context)
    workspace = context.workspace
    found = dreams.pick_run(workspace, run) if run is not None else dreams.split_words(workspace, ())[0]
    done = False
    if context.options.dry_run:
        dreams.adoption_plan(workspace, found)
    else:
        done = answered(context, lambda allow: dreams.discard(workspace, found, allow)) is not None
    words = f"discarded: what the dream {found.id} drafted" if done else "nothing was discarded"
    context.out.result("discard", {"done": done, "run": found.id}, [words])
    return 0 if done or context.options.dry_run else 1


@click.command("restore", cls=CliCommand, short_help="Bring files back to what they were before a dream.")
@click.argument("words", nargs=-1, metavar="[RUN] [FILE]…")
@click.option("--over", is_flag=True, help="Also where later edits overlap; what stands there stays in the history.")
@pass_context
def restore(context: CliContext, words: tuple[str, ...], over: bool) -> int:
    """Bring files back to what they were before a dream was adopted: all that it changed, or those named.

    Their times come back, too. What was written to them since stays; where it overlaps, the file is left as it is and
    listed. Ends with 1 if some are left, with 4 if all are.
    """
    may_write(context)
    run, names = dreams.split_words(context.workspace, words) if words else (dreams.last_adopted(context.workspace), [])
    changes = restore_plan(run, context.workspace)
    chosen = dreams.match_files(names, [change.name for change in changes])
    changes = tuple(change for change in changes if chosen is None or change.name in chosen)
    diff = "".join(unified_diff(change.base_data, change.data, change.name) for change in changes)
    shown = [change.name for change in changes]
    if context.options.dry_run:
        context.out.result("restore", {"done": False, "run": run.id, "files": shown, "diff": diff}, diff_lines(diff))
        return 0
    saved = dreams.restore(context.workspace, run, changes, over=shown if over else ())
    data = {
        "done": saved.operation is not None, "run": run.id, "files": shown, "merged": list(saved.merged), "diff": diff,
        "version": None if saved.operation is None else saved.operation.id,
        "left": [fields(one, "name reason") for one in saved.left],
    }  # fmt: skip
    left = {one.name for one in saved.left}

    def text() -> Iterator[Line]:
        yield from left_lines(saved.left, lambda names: f"memtui dream restore {run.id} {' '.join(names)} --over")
        if saved.operation is None:
            yield "nothing was restored" if left else "nothing to do: they are as they were before the dream"
            return
        for name in (name for name in shown if name not in left):
            merged = " (what was written since stays)" if name in saved.merged else ""
            yield f"restored {name} from before the dream {run.id}{merged}"

    context.out.result("restore", data, text())
    return left_code(saved)
