"""Judging a dream: what it changed, adopting all or some of it, throwing it away, taking it back."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import click

from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.dream_data import adoption_data, file_line, pick, runs, split_words
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import Data, Line, StyledText
from memtui.util.diff import unified_diff
from memtui.util.errors import NotFound, UsageError

if TYPE_CHECKING:
    from memtui.dream.run.runs import Run
    from memtui.history.versions import Operation

_STATES = {
    "clean": "",
    "merged": "merged",
    "conflict": "conflict",
    "same": "there already",
    "refused": "never adopted",
    "adopted": "adopted",
}


@click.command("diff", cls=CliCommand, short_help="What a dream changed, or would.")
@click.argument("words", nargs=-1, metavar="[RUN] [FILE]…")
@pass_context
def diff(call: CliContext, words: tuple[str, ...]) -> int:
    """What a dream changed, or would change if it were adopted now: the newest, or the one named.

    Ends with 1 if there is no difference.
    """
    from memtui.dream.review.adoption import adopted_operations, plan_adoption
    from memtui.dream.review.review import texts_changed
    from memtui.dream.run.stage import has_stage, open_stage

    run, names = split_words(call, words)
    if has_stage(call.dirs, run.id):
        adoption = plan_adoption(open_stage(call.dirs, run.id), call.workspace)
        data = adoption_data(adoption)
        known = [name for item in adoption.items for name in item.touched.names]
        data["adopted"] = False
    else:
        made = adopted_operations(run, call.workspace)
        known = [change.name for version in made for change in version.files]
        data = {"run": run.id, "holds": [], "left_out": {}, "files": _version_files(made), "adopted": bool(made)}
    chosen = _files(names, known)
    parts = [
        unified_diff(before, after, name)
        for name, before, after in texts_changed(run, call.dirs, call.workspace)
        if chosen is None or name in chosen
    ]
    data["diff"] = "".join(parts)

    def text() -> Iterator[Line]:
        yield StyledText(f"dream {run.id}", "bold")
        for hold in data["holds"]:
            yield StyledText(f"waits for you: {hold['words']}", "warn")
        for file in data["files"]:
            line = file_line(call, file)
            word = _STATES.get(file.get("state", ""), "")
            style = "dim" if file["state"] == "adopted" else "warn"
            yield [*line, StyledText(f"  {word}: {file['words']}", style)] if word else line
        if data["files"]:
            yield ""
        yield from diff_lines(data["diff"])

    call.out.answer("dream-diff", data, text(), page=True)
    if not data["files"]:
        call.out.note(f"the dream {run.id} changed nothing that is still known")
    return int(not data["diff"])


def _version_files(made: "tuple[Operation, ...]") -> list[Data]:
    return [
        {"name": change.name, "old": None, "kind": change.kind, "added": change.added, "removed": change.removed,
         "emptied": False, "state": "adopted", "words": f"version {version.id[:8]}"}
        for version in made
        for change in version.files
    ]  # fmt: skip


def _files(words: Collection[str], known: Collection[str]) -> list[str] | None:
    """The files that words mean, by name or stem; `None` if there are no words.

    Raises:
        NotFound, Usage: If one means none or several.
    """
    if not words:
        return None
    found = []
    for word in words:
        fits = [name for name in known if word in (name, name.removesuffix(".md"), name.rpartition("/")[2])]
        fits = fits or [name for name in known if name.removesuffix(".md").rpartition("/")[2] == word]
        fits = fits or [name for name in known if name.startswith(word)]
        if not fits:
            raise NotFound(f"the dream didn't change {word}", hint="memtui dream diff lists what it did")
        if len(set(fits)) > 1:
            raise UsageError(f"{word} fits {', '.join(sorted(set(fits)))}", hint="give more of the name")
        found.append(fits[0])
    return found


@click.command("adopt", cls=CliCommand, short_help="Put what a dream drafted into the memory folder.")
@click.argument("words", nargs=-1, metavar="[RUN] [FILE]…")
@click.option("--over", is_flag=True, help="In a conflict take the dream's side; the other stays in the history.")
@pass_context
def adopt(call: CliContext, words: tuple[str, ...], over: bool) -> int:
    """Put what a held, killed or dry dream drafted into the memory folder: all of it, or the files named.

    It is one version: memtui undo takes it back. Ends with 4 if a named file conflicts, with 1 if some are left.
    """
    from memtui.dream.review.adoption import plan_adoption
    from memtui.dream.review.review import adopt_run, stage_for_review

    call.may_write()
    run, names = split_words(call, words)
    adoption = plan_adoption(stage_for_review(run, call.dirs), call.workspace)
    chosen = _files(names, [name for item in adoption.items for name in item.touched.names])
    if call.asked.dry_run:
        would = [item for item in adoption.items if chosen is None or set(item.touched.names) & set(chosen)]
        lines: list[Line] = [f"would adopt {item.touched.name}: {item.state}, {item.words}" for item in would]
        call.out.answer("adopt", {"done": False, **adoption_data(adoption)}, lines)
        return 0
    done = adopt_run(run, call.dirs, call.workspace, chosen, over=over)
    data = {
        "done": bool(done.names), "run": run.id, "version": done.version, "adopted": list(done.names),
        "merged": list(done.merged), "left": list(done.left),
    }  # fmt: skip

    def text() -> Iterator[Line]:
        for name in done.names:
            yield f"adopted {name}" + (" (merged with what changed meanwhile)" if name in done.merged else "")
        if done.version is not None:
            yield StyledText(f"memtui undo {done.version[:8]} takes it back", "dim")
        for name in done.left:
            yield StyledText(f"left: {name}", "warn")

    call.out.answer("adopt", data, text())
    if not done.names:
        call.out.note("nothing to adopt: the folder has all of it, or the rest conflicts")
    return int(bool(done.left) and chosen is None)


@click.command("discard", cls=CliCommand, short_help="Throw away what a dream drafted.")
@click.argument("run", required=False, metavar="[RUN]")
@pass_context
def discard(call: CliContext, run: str | None) -> int:
    """Throw away what a held, killed or dry dream drafted; the memory folder is not touched."""
    from memtui.dream.review.review import discard_run, stage_for_review

    call.may_write()
    found = pick(call, run) if run is not None else split_words(call, ())[0]
    stage_for_review(found, call.dirs)
    if call.asked.dry_run or not call.out.ask(f"Throw away what the dream {found.id} drafted?"):
        call.out.answer("discard", {"done": False, "run": found.id}, ["nothing was thrown away"])
        return 0 if call.asked.dry_run else 1
    discard_run(found, call.dirs, call.workspace)
    call.out.answer("discard", {"done": True, "run": found.id}, [f"thrown away: what the dream {found.id} drafted"])
    return 0


@click.command("restore", cls=CliCommand, short_help="Bring files back to what they were before a dream.")
@click.argument("words", nargs=-1, metavar="[RUN] [FILE]…")
@pass_context
def restore(call: CliContext, words: tuple[str, ...]) -> None:
    """Bring files back to what they were before a dream was adopted: all that it changed, or those named.

    What was written to them since stays; where it overlaps, the file is left as it is and listed.
    """
    from memtui.dream.review.review import restore_plan, restore_run

    call.may_write()
    run, names = split_words(call, words) if words else (_adopted(call), [])
    changes = restore_plan(run, call.workspace)
    chosen = _files(names, [change.name for change in changes])
    changes = tuple(change for change in changes if chosen is None or change.name in chosen)
    diff = "".join(unified_diff(change.base_data, change.data, change.name) for change in changes)
    shown = [change.name for change in changes]
    if call.asked.dry_run:
        call.out.answer("restore", {"done": False, "run": run.id, "files": shown, "diff": diff}, diff_lines(diff))
        return
    saved = restore_run(run, call.workspace, changes)
    data = {
        "done": saved.operation is not None, "run": run.id, "files": shown, "merged": list(saved.merged), "diff": diff,
        "version": None if saved.operation is None else saved.operation.id,
        "left": [{"name": one.name, "reason": one.reason} for one in saved.left],
    }  # fmt: skip
    left = {one.name for one in saved.left}

    def text() -> Iterator[Line]:
        for one in saved.left:
            yield [StyledText("left as it is: ", "warn"), f"{one.name}: {one.reason}"]
        if saved.operation is None:
            yield "nothing to do: they are as they were before the dream"
            return
        for name in (name for name in shown if name not in left):
            merged = " (what was written since stays)" if name in saved.merged else ""
            yield f"restored {name} from before the dream {run.id}{merged}"

    call.out.answer("restore", data, text())


def _adopted(call: CliContext) -> "Run":
    """The newest run of which something is in the folder."""
    from memtui.dream.review.adoption import adopted_operations

    for run in runs(call):
        if any(not version.undone for version in adopted_operations(run, call.workspace)):
            return run
    raise NotFound("no dream changed anything here", hint="memtui dream log lists them")
