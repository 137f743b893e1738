"""Carrying out what a command wants to write: shown with `-n`, asked for where it needs asking, told at the end."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.output import Data, Line, StyledText
from memtui.util.diff import unified_diff
from memtui.util.errors import MemtuiError, Refused

if TYPE_CHECKING:
    from pathlib import Path

    from memtui.cli.names import NamedFile
    from memtui.history.versions import Saved
    from memtui.memory.plans import Plan


def carry_out(call: CliContext, kind: str, plan: "Plan", *, question: str = "", shown: bool = False) -> int:
    """Do what a plan says.

    Args:
        call: The call.
        kind: What the answer is, for scripts.
        plan: What to do.
        question: Asked first; "" for what is done at a word, because it can be undone at a word.
        shown: Whether the difference is shown before the question.

    Returns:
        0, or 1 if the person said no.
    """
    diff = plan.diff()
    if not plan.changes or call.asked.dry_run:
        _told(call, kind, plan, None, diff)
        return 0
    if question:
        if shown and not call.asked.yes and not call.out.structured and call.out.interactive():
            call.out.say(*diff_lines(diff), *(StyledText(note, "warn") for note in plan.notes))
        if not call.out.ask(question):
            call.out.note("nothing was written")
            return 1
    _told(call, kind, plan, call.workspace.carry_out(plan), diff)
    return 0


def _told(call: CliContext, kind: str, plan: "Plan", saved: "Saved | None", diff: str) -> None:
    data = {
        "title": plan.title,
        "written": saved is not None and saved.operation is not None,
        "version": saved.operation.id if saved is not None and saved.operation is not None else None,
        "merged": list(saved.merged) if saved is not None else [],
        "changes": [{"name": change.name, "kind": _kind(change.base, change.data)} for change in plan.changes],
        "notes": list(plan.notes),
        "diff": diff,
    }

    def text() -> Iterator[Line]:
        if saved is None or call.out.verbose:
            yield from diff_lines(diff)
        if not call.out.quiet:
            if saved is not None:
                merged = f" (merged with changes on disk: {', '.join(saved.merged)})" if saved.merged else ""
                yield plan.title + merged
            yield from (StyledText(f"  {note}", "dim") for note in plan.notes)

    call.out.answer(kind, data, text())
    if not plan.changes:
        call.out.note("nothing to change")
    elif saved is None:
        call.out.note("-n: nothing was written")


def _kind(base: str | None, data: bytes | None) -> str:
    return "new" if base is None else "deleted" if data is None else "changed"


def save_text(
    call: CliContext, kind: str, named: "NamedFile", before: bytes | None, after: bytes, *, base: str | None, why: str
) -> int:
    """Write one file that a person typed; a text that can't be written is kept as a draft.

    Args:
        call: The call.
        kind: What the answer is, for scripts.
        named: The file.
        before: What the file held when the typing began, for the difference; `None` for a new one.
        after: What it shall hold.
        base: The digest of what the typing began with.
        why: One line for the history.

    Raises:
        Refused: If the text holds something like a secret that wasn't there before and nobody says yes.
        MemtuiError: If it can't be written.
    """
    path, name = named.path, named.name
    diff = unified_diff(before, after, name)
    data: Data = {"name": name, "path": str(path), "written": False, "version": None, "merged": [], "diff": diff}
    if not diff or call.asked.dry_run:
        call.out.answer(kind, data, diff_lines(diff))
        call.out.note("nothing to change" if not diff else "-n: nothing was written")
        return 0
    text = after.decode("utf-8", "surrogateescape")
    try:
        check_secrets(call, name, before, after)
        saved = call.workspace.save(path, after, base, why=why)
    except MemtuiError as error:
        merged = getattr(error, "merged", None)
        disk = getattr(error, "disk", None)
        if isinstance(merged, bytes) and isinstance(disk, bytes):
            from memtui.fs.atomic import digest

            # The next edit starts from both texts, with marks where they overlap, and from the disk as it is.
            text, base = merged.decode("utf-8", "surrogateescape"), digest(disk)
        keep_draft(call, path, text, base)
        error.hint = f"the text is kept: memtui edit {name} goes on with it"
        raise
    call.workspace.drafts.drop(path)
    data |= {"written": saved.operation is not None, "merged": list(saved.merged)}
    data["version"] = None if saved.operation is None else saved.operation.id

    def lines() -> Iterator[Line]:
        if call.out.verbose:
            yield from diff_lines(diff)
        if not call.out.quiet:
            added = sum(line.startswith("+") and not line.startswith("+++") for line in diff.split("\n"))
            removed = sum(line.startswith("-") and not line.startswith("---") for line in diff.split("\n"))
            merged = " (merged with changes on disk)" if saved.merged else ""
            yield f"saved {name}  +{added} -{removed}{merged}"

    call.out.answer(kind, data, lines())
    return 0


def keep_draft(call: CliContext, path: "Path", text: str, base: str | None) -> None:
    """Keep a text that could not be saved."""
    call.workspace.drafts.save(path, text, base)


def check_secrets(call: CliContext, name: str, before: bytes | None, after: bytes) -> None:
    """Stop before something that looks like a secret is written which wasn't there before.

    Raises:
        Refused: If nobody says yes.
    """
    from memtui.secrets.scanner import scan

    known = {found.fingerprint for found in scan((before or b"").decode("utf-8", "replace"))}
    found = scan(after.decode("utf-8", "replace"), allowed=known)
    if not found:
        return
    for one in found:
        where = StyledText(f"{name}:{one.line}:{one.column} ", "bold")
        call.out.note([where, f"looks like a secret ({one.rule}): {one.masked}"])
    if not call.out.ask(f"Save {name} with {'a secret' if len(found) == 1 else f'{len(found)} secrets'} in it?"):
        raise Refused(f"{name} holds what looks like a secret: nothing was written")
