"""What happened to the memory and the sessions, and taking it back."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import click

from memtui.cli.asking import answered, left_code, left_lines, may_write
from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.names import find
from memtui.cli.options import DIRECTORY, CliCommand, complete_names, pass_context
from memtui.cli.output import SHORT, Cell, Data, Line, StyledText, fields, iso
from memtui.cli.table import columns, table, when
from memtui.history.export_git import old_histories, write_git
from memtui.history.together import parts_of, whole_of
from memtui.history.versions import FOUND, Operation, Saved, Versions
from memtui.presentation.history_text import who_words, why_words
from memtui.services import history as services
from memtui.util.diff import unified_diff
from memtui.util.errors import NotFound, UsageError
from memtui.util.text import pluralize


def ready(context: CliContext) -> None:
    """Look the project's folders up, and record what others did meanwhile, so that it stands in its order."""
    context.workspace.read(full=False)
    if not context.options.dry_run:
        problem = services.record_outside_changes(context.workspace)
        context.out.warn([problem] if problem else [])


def version_data(version: Operation) -> Data:
    files = [fields(change, "name kind added removed before after") for change in version.files]
    known = fields(version, "id who why kind undoes undone")
    return {**known, "when": iso(version.when), "files": files, "extra": dict(version.extra or {})}


def version_diff(history: Versions, version: Operation, name: str | None = None, *, back: bool = False) -> str:
    parts = [version_diff(history, part, name, back=back) for part in parts_of(history, version)]
    for change in version.files:
        if name in (None, change.name):
            before, after = history.before(version.id, change.name), history.read(version.id, change.name)
            parts.append(unified_diff(after, before, change.name) if back else unified_diff(before, after, change.name))
    return "".join(parts)


@click.command("history", cls=CliCommand, short_help="List what happened, newest first.")
@click.argument("name", required=False, shell_complete=complete_names)
@click.option("-p", "--patch", is_flag=True, help="Show the diff of each.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many at most.")
@click.option("--git", type=DIRECTORY, metavar="DIR", help="Write it as a git repository instead.")
@pass_context
def history(context: CliContext, name: str | None, patch: bool, limit: int, git: Path | None) -> int:
    """List what happened, newest first: to everything, or to one file.

    That memtui saw a folder for the first time is listed for one file, and with -v. Ends with 1 if nothing is known.
    With --git, all of the project's history goes into a new git repository, which memtui itself never reads.
    """
    ready(context)
    if git is not None:
        return _write_git(context, git)
    past = context.workspace.history
    wanted: str | None = None
    if name is not None:
        store, wanted = context.workspace.home_of(_path(context, name))
        found = list(store.log(wanted, limit=limit))
    else:
        walk = past.walk(context.workspace.scopes())
        shown = (one for one in walk if not whole_of(one) and (context.out.verbose or one.kind != FOUND))
        found = list(islice(shown, limit))
    rows = [version_data(version) for version in found]
    for row, version in zip(rows, found, strict=True) if patch else ():
        row["diff"] = version_diff(past, version, wanted)

    def text() -> Iterator[Line]:
        if not patch:
            yield from _listed(context, found, wanted)
            return
        for row, version in zip(rows, found, strict=True):
            yield from _listed(context, [version], wanted)
            yield from diff_lines(row["diff"])
            yield ""

    context.out.result("history", rows, text(), page=True)
    folders = [scope.folder for scope in context.workspace.scopes()]
    for folder, path in old_histories(context.dirs.state, folders).items():
        context.out.status(f"what memtui 0.1 recorded of {folder} is kept: git --git-dir={path} log -p")
    if not rows:
        context.out.status("nothing is recorded yet: every write of memtui will be, and what others change in between")
    return int(not rows)


def _write_git(context: CliContext, target: Path) -> int:
    may_write(context)
    if context.options.dry_run:
        count = len(context.workspace.history.operations(context.workspace.scopes(), None))
        context.out.status(f"-n: would write {pluralize(count, 'commit')} to {target}")
        return 0
    count = write_git(context.workspace.history, target, context.workspace.scopes())
    context.out.result("git", {"folder": str(target), "commits": count}, [f"{pluralize(count, 'commit')} in {target}"])
    return 0


def _listed(context: CliContext, versions: list[Operation], name: str | None) -> Iterator[Line]:
    rows: list[list[Cell]] = []
    for version in versions:
        changes = [change for change in version.files if name in (None, change.name)]
        added, removed = sum(change.added for change in changes), sum(change.removed for change in changes)
        files = changes[0].name if len(changes) == 1 else f"{len(changes)} files"
        state, style = (" (undone)", "dim") if version.undone else ("", "")
        why, much = StyledText(why_words(version) + state, style), f"{files} +{added} -{removed}" if changes else ""
        rows.append([version.id[:SHORT], when(context, version.when), who_words(version), why, much])
    yield from table(context.out, columns("", ">", "", "*", ""), rows)


def _path(context: CliContext, name: str) -> Path:
    try:
        return find(context.read(full=False), name, context.cwd).path
    except NotFound:
        for word in (name, f"{name}.md"):
            path = context.location.folder / word
            store, key = context.workspace.home_of(path)
            if store.log(key, limit=1):
                return path
        raise


@click.command("undo", cls=CliCommand, short_help="Take back the newest operation, or any by its id.")
@click.argument("version", required=False, metavar="[ID]")
@click.option("--over", multiple=True, metavar="NAME", help="Take this file back even where later edits overlap.")
@pass_context
def undo(context: CliContext, version: str | None, over: Sequence[str]) -> int:
    """Take back the newest operation that still stands, a background run's included, or any by its id.

    What was done to a session, a move of the project and a pin count as well. What can't be taken back is listed, the
    rest is done; what is overwritten with --over stays in the history. Ends with 1 if some of it is left, with 4 if
    all of it is.
    """
    workspace = context.workspace
    return _take(context, "undo", "would undo: ", version, lambda one: services.undo(workspace, one.id, over=over))


@click.command("redo", cls=CliCommand)
@pass_context
def redo(context: CliContext) -> int:
    """Do again what was undone last, whatever it was about."""
    return _take(context, "redo", "would redo what was undone by: ", None, lambda one: services.redo(context.workspace))


def _take(
    context: CliContext, kind: str, would: str, word: str | None, act: Callable[[Operation], services.TakenBack]
) -> int:
    may_write(context)
    ready(context)
    dry_run = context.options.dry_run
    target = services.next_operation(context.workspace, word, redo=kind == "redo", end=not dry_run)
    diff = version_diff(context.workspace.history, target, back=True)
    done = None if dry_run else act(target)
    words = would + target.why if done is None else done.words
    return _tell(context, kind, words, target, None if done is None else done.saved, diff)


@click.command("restore", cls=CliCommand, short_help="Bring a file, or the folder, back to what it was.")
@click.argument("what", required=False, metavar="[NAME@ID]", shell_complete=complete_names)
@click.option("--as-of", metavar="TIME", help="The memory folder as it was then: 2026-11-30T18:00, or an age like 3d.")
@click.option("--before", metavar="ID", help="The memory folder as it was before an operation, such as a dream.")
@pass_context
def restore(context: CliContext, what: str | None, as_of: str | None, before: str | None) -> int | None:
    """Bring one file back to what it was after a version: memtui history NAME lists the ids.

    With --as-of or --before, the whole memory folder, with the times of its files. What is there now goes into the
    history first. What can't be restored is listed, and asked about; files that memtui first saw later stay.
    """
    if (what is not None) + (as_of is not None) + (before is not None) != 1:
        raise UsageError("restore wants NAME@ID, --as-of TIME or --before ID", hint="memtui history lists the ids")
    if what is None:
        return _restore_folder(context, as_of, before)
    name, at, version = what.rpartition("@")
    if not at or not name or not version:
        raise UsageError("restore wants NAME@ID", hint="memtui history NAME lists the ids")
    may_write(context)
    ready(context)
    planned = services.plan_restore(context.workspace, _path(context, name), version)
    diff = unified_diff(planned.now, planned.then, planned.name)
    saved = None if context.options.dry_run else services.restore(context.workspace, planned)
    words = f"{'would restore' if saved is None else 'restored'} {planned.name} from {planned.version.id[:SHORT]}"
    return _tell(context, "restore", words, planned.version, saved, diff)


def _restore_folder(context: CliContext, as_of: str | None, before: str | None) -> int:
    may_write(context)
    ready(context)
    planned = services.plan_folder_restore(context.workspace, as_of=as_of, before=before)
    plan = planned.plan
    lines: list[Line] = [f"{'remove' if data is None else 'restore'} {name}" for name, data in plan.files]
    lines += [[StyledText("can't be restored: ", "warn"), f"{one.name}: {one.reason}"] for one in plan.left]
    lines += [[StyledText("stays: ", "dim"), f"{name}: memtui first saw it later"] for name in plan.unknown]
    data: Data = {
        "done": False, "files": [{"name": name, "removed": text is None} for name, text in plan.files],
        "left": [fields(one, "name reason") for one in plan.left], "unknown": list(plan.unknown), "made": None,
    }  # fmt: skip
    if not plan.files or context.options.dry_run:
        context.out.result("restore", data, lines or ["the folder is as it was"])
        if context.options.dry_run:
            context.out.unwritten()
        return 0
    saved = answered(context, lambda allow: services.restore_folder(context.workspace, planned, allow))
    if saved is None:
        context.out.status("nothing was written")
        return 1
    data |= {"done": True, **_saved_data(saved)}
    context.out.result("restore", data, [f"restored {pluralize(len(plan.files), 'file')} {planned.words}"])
    return 0


def _saved_data(saved: Saved) -> Data:
    made = saved.operation
    left = [fields(one, "name reason") for one in saved.left]
    return {"made": None if made is None else version_data(made), "left": left}


def _tell(context: CliContext, kind: str, words: str, version: Operation, saved: Saved | None, diff: str) -> int:
    came = saved or Saved(None)
    data = {
        "done": saved is not None and not (saved.left and saved.operation is None), "words": words,
        "version": version_data(version), "diff": diff,
        "merged": list(came.merged), **_saved_data(came),
    }  # fmt: skip

    def text() -> Iterator[Line]:
        if saved is None or context.out.verbose:
            yield from diff_lines(diff)
        if not context.out.quiet:
            yield words + (f" (merged with later changes: {', '.join(came.merged)})" if came.merged else "")
        undo = f"memtui undo {version.id[:SHORT]}"
        yield from left_lines(came.left, lambda names: " --over ".join((undo, *names)))

    context.out.result(kind, data, text())
    if saved is None:
        context.out.unwritten()
    return left_code(came)
