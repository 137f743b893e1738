"""What happened to the memory and the sessions, and taking it back."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.names import find
from memtui.cli.options import CliCommand, complete_names, pass_context
from memtui.cli.output import SHORT, Data, Line, StyledText, iso
from memtui.cli.table import Column, table
from memtui.history.versions import FOUND
from memtui.util.diff import unified_diff
from memtui.util.errors import MemtuiError, NotFound, UsageError
from memtui.util.text import age, pluralize

if TYPE_CHECKING:
    from memtui.history.store import Store
    from memtui.history.versions import Operation, Saved, Versions


def histories(call: CliContext) -> "list[Store]":
    """The stores of the project; the folders are looked up first."""
    call.workspace.read(full=False)
    return list(call.workspace.stores())


def note_outside(call: CliContext) -> None:
    """Record what others did meanwhile, so that it stands in the history in its order; not in read-only mode."""
    if call.asked.read_only or call.asked.dry_run:
        return
    try:
        call.workspace.note_outside()
    except MemtuiError as error:
        call.out.warn([f"what others changed is not recorded: {error.message}"])


def version_data(version: "Operation") -> Data:
    """A version for scripts."""
    return {
        "id": version.id,
        "when": iso(version.when),
        "who": version.who,
        "why": version.why,
        "kind": version.kind,
        "files": [
            {
                "name": change.name,
                "kind": change.kind,
                "added": change.added,
                "removed": change.removed,
                "before": change.before,
                "after": change.after,
            }
            for change in version.files
        ],
        "undoes": version.undoes,
        "undone": version.undone,
        "extra": dict(version.extra or {}),
    }


def version_diff(history: "Versions", version: "Operation", name: str | None = None, *, back: bool = False) -> str:
    """What a version did, or what taking it back would do, as a unified diff."""
    parts = []
    for change in version.files:
        if name in (None, change.name):
            before, after = history.before(version.id, change.name), history.read(version.id, change.name)
            parts.append(unified_diff(after, before, change.name) if back else unified_diff(before, after, change.name))
    return "".join(parts)


@click.command("history", cls=CliCommand, short_help="List what happened, newest first.")
@click.argument("name", required=False, shell_complete=complete_names)
@click.option("-p", "--patch", is_flag=True, help="With the difference that each made.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many at most.")
@click.option("--git", type=click.Path(path_type=Path), metavar="DIR", help="Write it as a git repository instead.")
@pass_context
def history(call: CliContext, name: str | None, patch: bool, limit: int, git: Path | None) -> int:
    """List what happened, newest first: to everything, or to one file.

    That memtui saw a folder for the first time is listed for one file, and with -v. Ends with 1 if nothing is known.
    With --git, all of the project's history goes into a new git repository, which memtui itself never reads.
    """
    histories(call)
    note_outside(call)
    if git is not None:
        return _write_git(call, git)
    past = call.workspace.history
    wanted: str | None = None
    if name is not None:
        store, wanted = call.workspace.home_of(_path(call, name))
        found = list(store.log(wanted, limit=limit))
    else:
        scopes = call.workspace.scopes()
        listed = (one for one in past.walk(scopes) if call.out.verbose or one.kind != FOUND)
        found = list(islice(listed, limit))
    rows: list[Data] = []
    for version in found:
        row = version_data(version)
        rows.append({**row, "diff": version_diff(past, version, wanted)} if patch else row)

    def text() -> Iterator[Line]:
        if not patch:
            yield from _listed(call, found, wanted)
            return
        for row, version in zip(rows, found, strict=True):
            yield from _listed(call, [version], wanted)
            yield from diff_lines(row["diff"])
            yield ""

    call.out.answer("history", rows, text(), rows=rows, page=True)
    _old_histories(call)
    if not rows:
        call.out.note("nothing is recorded yet: every write of memtui will be, and what others change in between")
    return int(not rows)


def _write_git(call: CliContext, target: Path) -> int:
    from memtui.history.export_git import write_git

    call.may_write()
    if call.asked.dry_run:
        count = len(call.workspace.history.operations(call.workspace.scopes(), None))
        call.out.note(f"-n: would write {pluralize(count, 'commit')} to {target}")
        return 0
    count = write_git(call.workspace.history, target, call.workspace.scopes())
    call.out.answer("git", {"folder": str(target), "commits": count}, [f"{pluralize(count, 'commit')} in {target}"])
    return 0


def _old_histories(call: CliContext) -> None:
    """Say where memtui 0.1.0 kept the history of these folders."""
    from memtui.history.export_git import old_histories

    folders = [scope.folder for scope in call.workspace.scopes()]
    for folder, path in old_histories(call.dirs.state, folders).items():
        call.out.note(f"what memtui 0.1 recorded of {folder} is kept: git --git-dir={path} log -p")


def _listed(call: CliContext, versions: "list[Operation]", name: str | None) -> Iterator[Line]:
    columns = [Column(""), Column("", right=True), Column(""), Column("", rest=1), Column("")]
    rows: list[list[str | StyledText]] = []
    for version in versions:
        changes = [change for change in version.files if name in (None, change.name)]
        added, removed = sum(change.added for change in changes), sum(change.removed for change in changes)
        files = changes[0].name if len(changes) == 1 else f"{len(changes)} files"
        when = (iso(version.when) or "") if call.out.plain or call.out.verbose else age(call.now() - version.when)
        state = " (undone)" if version.undone else ""
        style = "dim" if version.undone else ""
        much = f"{files} +{added} -{removed}" if changes else ""
        rows.append([version.id[:SHORT], when, version.who, StyledText(version.why + state, style), much])
    yield from table(call.out, columns, rows)


def _path(call: CliContext, name: str) -> Path:
    """The file that a name means; one that is gone is called by its name in the memory folder."""
    try:
        return find(call.read(full=False), name, call.cwd).path
    except NotFound:
        for word in (name, f"{name}.md"):
            path = call.location.folder / word
            store, key = call.workspace.home_of(path)
            if store.log(key, limit=1):
                return path
        raise


@click.command("undo", cls=CliCommand, short_help="Take back the newest operation, or any by its id.")
@click.argument("version", required=False, metavar="[ID]")
@click.option("--over", multiple=True, metavar="NAME", help="Take this file back even where later edits overlap.")
@pass_context
def undo(call: CliContext, version: str | None, over: Sequence[str]) -> None:
    """Take back the newest operation that still stands, a background run's included, or any by its id.

    What was done to a session, a move of the project and a pin count as well. What can't be taken back is listed, the
    rest is done; what is overwritten with --over stays in the history.
    """
    from memtui.projects.activity import undo_order

    call.may_write()
    histories(call)
    note_outside(call)
    order = undo_order(call.workspace)
    if not call.asked.dry_run:
        order.end_interrupted()
    target = order.find(version) if version is not None else order.next_undo()
    diff = version_diff(call.workspace.history, target, back=True)
    if call.asked.dry_run:
        _told(call, "undo", f"would undo: {target.why}", target, None, diff)
        return
    _told(call, "undo", f"undone: {target.why}", target, order.undo(target.id, over=over)[0], diff)


@click.command("redo", cls=CliCommand)
@pass_context
def redo(call: CliContext) -> None:
    """Do again what was undone last, whatever it was about."""
    from memtui.projects.activity import undo_order

    call.may_write()
    histories(call)
    note_outside(call)
    order = undo_order(call.workspace)
    if not call.asked.dry_run:
        order.end_interrupted()
    target = order.next_redo()
    diff = version_diff(call.workspace.history, target, back=True)
    if call.asked.dry_run:
        _told(call, "redo", f"would redo what was taken back by: {target.why}", target, None, diff)
        return
    saved, _ = order.redo()
    _told(call, "redo", f"done again: {target.why.removeprefix('undo: ')}", target, saved, diff)


@click.command("restore", cls=CliCommand, short_help="Bring a file, or the folder, back to what it was.")
@click.argument("what", required=False, metavar="[NAME@ID]", shell_complete=complete_names)
@click.option("--as-of", metavar="TIME", help="The memory folder as it was then: 2026-11-30T18:00, or an age like 3d.")
@click.option("--before", metavar="ID", help="The memory folder as it was before an operation, such as a dream.")
@pass_context
def restore(call: CliContext, what: str | None, as_of: str | None, before: str | None) -> int | None:
    """Bring one file back to what it was after a version: memtui history NAME lists the ids.

    With --as-of or --before, the whole memory folder, with the times of its files. What is there now goes into the
    history first. What can't be restored is listed, and asked about; files that memtui first saw later stay.
    """
    if (what is not None) + (as_of is not None) + (before is not None) != 1:
        raise UsageError("restore wants NAME@ID, --as-of TIME or --before ID", hint="memtui history lists the ids")
    if what is None:
        return _restore_folder(call, as_of, before)
    name, at, version = what.rpartition("@")
    if not at or not name or not version:
        raise UsageError("restore wants NAME@ID", hint="memtui history NAME lists the ids")
    call.may_write()
    histories(call)
    note_outside(call)
    path = _path(call, name)
    store, key = call.workspace.home_of(path)
    target = store.history.operation(version)
    then = store.history.read(target.id, key)
    if then is None:
        then = store.history.before(target.id, key)
    try:
        now: bytes | None = call.workspace.text(path)[0]
    except NotFound:
        now = None
    diff = unified_diff(now, then, key)
    if call.asked.dry_run:
        _told(call, "restore", f"would restore {key} from {target.id[:SHORT]}", target, None, diff)
        return None
    saved = call.workspace.restore(path, target.id)
    _told(call, "restore", f"restored {key} from {target.id[:SHORT]}", target, saved, diff)
    return None


def _restore_folder(call: CliContext, as_of: str | None, before: str | None) -> int:
    call.may_write()
    histories(call)
    note_outside(call)
    store = call.workspace.store(call.location.folder)
    until = _moment(as_of, call.now()) if as_of is not None else None
    plan = store.plan_restore_as_of(until=until, before=before)
    lines: list[Line] = [f"{'remove' if data is None else 'restore'} {name}" for name, data in plan.files]
    lines += [[StyledText("can't be restored: ", "warn"), f"{one.name}: {one.reason}"] for one in plan.left]
    lines += [[StyledText("stays: ", "dim"), f"{name}: memtui first saw it later"] for name in plan.unknown]
    data: Data = {
        "done": False,
        "files": [{"name": name, "removed": text is None} for name, text in plan.files],
        "left": [{"name": one.name, "reason": one.reason} for one in plan.left],
        "unknown": list(plan.unknown),
        "made": None,
    }
    if not plan.files or call.asked.dry_run:
        call.out.answer("restore", data, lines or ["the folder is as it was"])
        if call.asked.dry_run:
            call.out.note("-n: nothing was written")
        return 0
    if plan.left:
        if not call.asked.yes and not call.out.structured:
            call.out.say(*lines)
        if not call.out.ask(f"Restore the other {pluralize(len(plan.files), 'file')}?"):
            call.out.note("nothing was written")
            return 1
    when = f"as of {iso(until)}" if until is not None else f"before {before}"
    saved = store.restore_as_of(until=until, before=before, why=f"restore the folder {when}")
    made = saved.operation
    data |= {"done": True, "made": None if made is None else version_data(made)}
    data["left"] = [{"name": one.name, "reason": one.reason} for one in saved.left]
    call.out.answer("restore", data, [f"restored {pluralize(len(plan.files), 'file')} {when}"])
    return 0


def _moment(word: str, now: float) -> float:
    """A time that a person gave, in seconds since 1970: ISO 8601, here where nothing else is said; or an age."""
    unit = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}.get(word[-1:])
    if unit is not None and word[:-1].isdecimal():
        return now - int(word[:-1]) * unit
    try:
        return datetime.fromisoformat(word).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(f"{word!r} is no time", hint="2026-11-30T18:00, or an age: 90m, 6h, 3d, 2w") from None


def _told(call: CliContext, kind: str, words: str, version: "Operation", saved: "Saved | None", diff: str) -> None:
    """Say what was done, or would be."""
    made = saved.operation if saved is not None else None
    data = {
        "done": saved is not None,
        "words": words,
        "version": version_data(version),
        "made": None if made is None else version_data(made),
        "merged": list(saved.merged) if saved is not None else [],
        "left": [{"name": one.name, "reason": one.reason} for one in saved.left] if saved is not None else [],
        "diff": diff,
    }

    def text() -> Iterator[Line]:
        if saved is None or call.out.verbose:
            yield from diff_lines(diff)
        if not call.out.quiet:
            merged = f" (merged with later changes: {', '.join(saved.merged)})" if saved and saved.merged else ""
            yield words + merged
        for one in saved.left if saved is not None else ():
            yield [StyledText("left as it is: ", "warn"), f"{one.name}: {one.reason}"]

    call.out.answer(kind, data, text())
    if saved is None:
        call.out.note("-n: nothing was written")
