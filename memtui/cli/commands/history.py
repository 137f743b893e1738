"""What happened to the memory and the sessions, and taking it back."""

from collections.abc import Iterator
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
from memtui.util.text import age

if TYPE_CHECKING:
    from memtui.history.store import Saved, Store
    from memtui.history.versions import History, Version


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


def version_data(version: "Version") -> Data:
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


def version_diff(history: "History", version: "Version", name: str | None = None, *, back: bool = False) -> str:
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
@pass_context
def history(call: CliContext, name: str | None, patch: bool, limit: int) -> int:
    """List what happened, newest first: to everything, or to one file.

    That memtui saw a folder for the first time is listed for one file, and with -v. Ends with 1 if nothing is known.
    """
    from memtui.projects.activity import session_versions

    stores = histories(call)
    note_outside(call)
    wanted: str | None = None
    if name is not None:
        path = _path(call, name)
        store, wanted = call.workspace.home_of(path)
        stores = [store]
    found = [(version, store.history) for store in stores for version in store.log(wanted, limit=limit)]
    found.sort(key=lambda pair: -pair[0].when)
    if name is None:
        found += [(operation, stores[0].history) for operation in session_versions(call.workspace, limit)]
        found.sort(key=lambda pair: -pair[0].when)
        found = [pair for pair in found if call.out.verbose or pair[0].kind != FOUND]
    found = found[:limit]
    rows: list[Data] = []
    for version, past in found:
        row = version_data(version)
        rows.append({**row, "diff": version_diff(past, version, wanted)} if patch else row)

    def text() -> Iterator[Line]:
        if not patch:
            yield from _listed(call, [version for version, _ in found], wanted)
            return
        for row, (version, _) in zip(rows, found, strict=True):
            yield from _listed(call, [version], wanted)
            yield from diff_lines(row["diff"])
            yield ""

    call.out.answer("history", rows, text(), rows=rows, page=True)
    if not rows:
        call.out.note("nothing is recorded yet: every write of memtui will be, and what others change in between")
    return int(not rows)


def _listed(call: CliContext, versions: "list[Version]", name: str | None) -> Iterator[Line]:
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


@click.command("undo", cls=CliCommand, short_help="Take back the newest write, or any version.")
@click.argument("version", required=False, metavar="[ID]")
@pass_context
def undo(call: CliContext, version: str | None) -> None:
    """Take back the newest write that still stands, a background run's included, or any version by its id.

    What was done to a session of the project counts as well: a new name, archive, restore, rm.
    """
    from memtui.history.store import Saved
    from memtui.projects.activity import as_version, operation_to_undo, undo_operation

    call.may_write()
    histories(call)
    note_outside(call)
    operation = operation_to_undo(call.workspace, version)
    if operation is not None:
        words = as_version(operation)
        if call.asked.dry_run:
            _told(call, "undo", f"would undo: {words.why}", words, None, "")
            return
        _told(
            call,
            "undo",
            f"undone: {words.why}",
            words,
            Saved(as_version(undo_operation(call.workspace, operation))),
            "",
        )
        return
    past, target = call.workspace.next_undo() if version is None else _by_id(call, version)
    diff = version_diff(past, target, back=True)
    if call.asked.dry_run:
        _told(call, "undo", f"would undo: {target.why}", target, None, diff)
        return
    _told(call, "undo", f"undone: {target.why}", target, call.workspace.undo(target.id)[0], diff)


@click.command("redo", cls=CliCommand)
@pass_context
def redo(call: CliContext) -> None:
    """Do again what was undone last, be it done to memory or to a session of the project."""
    from memtui.history.store import Saved
    from memtui.projects.activity import as_version, operation_to_redo, redo_operation

    call.may_write()
    histories(call)
    note_outside(call)
    undone = operation_to_redo(call.workspace)
    if undone is not None:
        words = as_version(undone)
        if call.asked.dry_run:
            _told(call, "redo", f"would redo what was taken back by: {words.why}", words, None, "")
            return
        done = redo_operation(call.workspace, undone)
        _told(call, "redo", done.told, words, Saved(as_version(done)), "")
        return
    past, target = call.workspace.next_redo()
    diff = version_diff(past, target, back=True)
    if call.asked.dry_run:
        _told(call, "redo", f"would redo what was taken back by: {target.why}", target, None, diff)
        return
    saved = call.workspace.redo()[0]
    _told(call, "redo", f"done again: {target.why.removeprefix('undo: ')}", target, saved, diff)


@click.command("restore", cls=CliCommand, short_help="Bring one file back to an earlier version.")
@click.argument("what", metavar="NAME@ID", shell_complete=complete_names)
@pass_context
def restore(call: CliContext, what: str) -> None:
    """Bring one file back to what it was after a version: memtui history NAME lists the ids."""
    name, at, version = what.rpartition("@")
    if not at or not name or not version:
        raise UsageError("restore wants NAME@ID", hint="memtui history NAME lists the ids")
    call.may_write()
    histories(call)
    note_outside(call)
    path = _path(call, name)
    store, key = call.workspace.home_of(path)
    target = store.history.version(version)
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
        return
    saved = call.workspace.restore(path, target.id)
    _told(call, "restore", f"restored {key} from {target.id[:SHORT]}", target, saved, diff)


def _by_id(call: CliContext, word: str) -> "tuple[History, Version]":
    if len(word) < 4:
        raise UsageError("4 characters of an id at least", hint="memtui history lists the ids")
    return call.workspace.operation(word)


def _told(call: CliContext, kind: str, words: str, version: "Version", saved: "Saved | None", diff: str) -> None:
    """Say what was done, or would be."""
    made = saved.version if saved is not None else None
    data = {
        "done": saved is not None,
        "words": words,
        "version": version_data(version),
        "made": None if made is None else version_data(made),
        "merged": list(saved.merged) if saved is not None else [],
        "diff": diff,
    }

    def text() -> Iterator[Line]:
        if saved is None or call.out.verbose:
            yield from diff_lines(diff)
        if not call.out.quiet:
            merged = f" (merged with later changes: {', '.join(saved.merged)})" if saved and saved.merged else ""
            yield words + merged

    call.out.answer(kind, data, text())
    if saved is None:
        call.out.note("-n: nothing was written")
