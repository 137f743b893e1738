"""A service's questions put to the person; a change of memory shown with `-n`, made, and reported."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace

from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.output import Data, Line, StyledText
from memtui.history.versions import NotRestored, Saved
from memtui.services import access
from memtui.services.editor import take_up_leftovers
from memtui.services.memory import PreparedChange, SavedFile, apply, draft_hint, keep_merged_draft
from memtui.services.questions import Allow, NeedsConfirmation, SaveConflict, SecretChoice, SecretFound
from memtui.util.diff import unified_diff
from memtui.util.errors import Conflict, Refused

Answer = TypeVar("Answer")

_CHOICES: dict[str, SecretChoice] = {"r": "redact", "k": "keep", "y": "keep", "a": "always"}


def may_write(context: CliContext) -> None:
    """Finish what a crash interrupted, before anything is read for a write; nothing with `-n`.

    `Refused` with `--read-only`.
    """
    if not context.options.dry_run:
        context.out.status(*access.prepare_to_write(context.workspace))
        context.out.warn(take_up_leftovers(context.workspace))


def settle(context: CliContext) -> None:
    """Before dreams are looked at: finish what was stopped, and say so; nothing with `-n`."""
    if not context.options.dry_run:
        context.out.status(*access.settle(context.workspace))


def answered(
    context: CliContext, act: Callable[[Allow], Answer | NeedsConfirmation | SecretFound | SaveConflict]
) -> Answer | None:
    """Call a service, put its questions to the person, and call again with the answers; `-y` is a yes to all.

    Returns:
        What the service gave; `None` if the person said no to what isn't about a typed text.

    Raises:
        Refused: If nobody is there to be asked, or the person said no to saving a text.
        Conflict: If a file changed meanwhile; the draft holds both texts then.
    """
    yes = context.options.yes
    allow = Allow(confirmed=yes, secret="keep" if yes else "")
    while True:
        result = act(allow)
        if isinstance(result, NeedsConfirmation):
            if not _confirmed(context, result):
                return None
            allow = replace(allow, confirmed=True)
        elif isinstance(result, SecretFound):
            allow = replace(allow, secret=_choose(context, result))
        elif isinstance(result, SaveConflict):
            kept = keep_merged_draft(context.workspace, result)
            raise Conflict(result.message, hint=draft_hint(result.name) if kept else result.hint)
        else:
            return result


def _confirmed(context: CliContext, question: NeedsConfirmation) -> bool:
    if not context.options.yes and context.out.interactive():
        context.out.status(*diff_lines(question.diff), *question.lines)
    hint = draft_hint("NAME") if question.draft_kept else ""
    try:
        confirmed = context.out.ask(question.title)
    except Refused as error:
        error.hint = f"{error.hint}; {hint}" if hint else error.hint
        raise
    if hint and not confirmed:
        raise Refused("nothing was written", hint=hint)
    return confirmed


def _choose(context: CliContext, found: SecretFound) -> SecretChoice:
    for one in found.secrets:
        where = StyledText(f"{found.name}:{one.line}:{one.column} ", "bold")
        context.out.status([where, f"looks like a secret ({one.rule}): {one.masked}"])
    hint = draft_hint(found.name) if found.draft_kept else ""
    if not context.out.interactive():
        words = f"Refused: {found.count} in {found.name} and no terminal to confirm; use --yes to save"
        raise Refused(words, hint=hint)
    word = context.out.choose(f"Save {found.name}? redact, keep once, always allow, or no", "r/k/a/N")
    choice = _CHOICES.get(word[:1], "")
    if not choice:
        raise Refused(f"{found.name} holds what looks like a secret: nothing was written", hint=hint)
    return choice


def carry_out(context: CliContext, kind: str, change: PreparedChange) -> int:
    """Make a prepared change; 0, or 1 if the person said no. `kind` is what the answer is, for scripts."""
    plan = change.plan
    saved = None
    has_changes = bool(plan.changes or change.then)
    if has_changes and not context.options.dry_run:
        applied = answered(context, lambda allow: apply(context.workspace, change, allow))
        if applied is None:
            context.out.status("nothing was written")
            return 1
        plan, saved = applied.plan, applied.saved
    diff = "".join(one.diff() for one in (plan, *change.then))
    changes = [
        {"name": one.name, "kind": "new" if one.base is None else "deleted" if one.data is None else "changed"}
        for one in plan.changes
    ]
    data = {"title": plan.title, **saved_data(saved), "changes": changes, "notes": list(plan.notes), "diff": diff}

    def text() -> Iterator[Line]:
        if saved is None or context.out.verbose:
            yield from diff_lines(diff)
        if not context.out.quiet:
            if saved is not None:
                merged = f" (merged with changes on disk: {', '.join(saved.merged)})" if saved.merged else ""
                yield plan.title + merged
            yield from (StyledText(f"  {note}", "dim") for note in plan.notes)

    context.out.result(kind, data, text())
    if not has_changes:
        context.out.status("nothing to change")
    elif saved is None:
        context.out.unwritten()
    return 0


def left_lines(left: Sequence[NotRestored], over: Callable[[list[str]], str]) -> Iterator[Line]:
    """What an undo or a restore left as it is; `over` makes the words that do it all the same of the names."""
    for one in left:
        yield [StyledText("left as it is: ", "warn"), f"{one.name}: {one.reason}"]
    if names := [one.name for one in left if one.overridable]:
        yield StyledText(f"  {over(names)} takes these back all the same; the edits stay in the history", "dim")


def left_code(saved: Saved) -> int:
    """0 if nothing was left, 1 if something was, 4 if all was."""
    return 0 if not saved.left else 1 if saved.operation is not None else Conflict.exit_code


def saved_data(saved: Saved | None) -> Data:
    saved = saved or Saved(None)
    made = saved.operation
    return {"written": made is not None, "version": made.id if made else None, "merged": list(saved.merged)}


def tell_saved(context: CliContext, kind: str, before: bytes | None, done: SavedFile, name: str) -> None:
    diff = unified_diff(before, done.data, name)
    data: Data = {"name": name, "path": str(done.path), **saved_data(done.saved), "diff": diff}

    def lines() -> Iterator[Line]:
        if context.out.verbose:
            yield from diff_lines(diff)
        if not context.out.quiet:
            listed = diff.split("\n")
            added = sum(line.startswith("+") and not line.startswith("+++") for line in listed)
            removed = sum(line.startswith("-") and not line.startswith("---") for line in listed)
            yield f"saved {name}  +{added} -{removed}{' (merged with changes on disk)' if done.merged else ''}"

    context.out.result(kind, data, lines())
