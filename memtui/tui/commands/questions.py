"""Puts the questions of a service to the person, by a dialog for each kind, and calls it again with the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from memtui.services.questions import Allow, NeedsConfirmation, SaveConflict, SecretFound
from memtui.tui.app_base import CommandContext
from memtui.util.lazy_module import LazyModule

if TYPE_CHECKING:
    from memtui.history.versions import Saved
    from memtui.services import memory as services
    from memtui.tui import dialogs
    from memtui.tui.screens import compare as compare_screen
else:
    services, dialogs = LazyModule("memtui.services.memory"), LazyModule("memtui.tui.dialogs")
    compare_screen = LazyModule("memtui.tui.screens.compare")

Result = TypeVar("Result")


async def ask_until_done(
    context: CommandContext,
    call: Callable[[Allow], Result | SecretFound | NeedsConfirmation],
    *,
    confirmed: bool = False,
) -> Result | None:
    """Call a service, in a thread, with what the person has said yes to, until it has no question left.

    `confirmed` if the person has seen already what is going to be done. None if they said no.
    """
    allow = Allow(confirmed=confirmed)
    while True:
        result = await context.in_thread(call, allow)
        if isinstance(result, SecretFound):
            choice = await context.ask(dialogs.SecretQuestion(result))
            if choice is None:
                return None
            allow = replace(allow, secret=choice)
        elif isinstance(result, NeedsConfirmation):
            if not await confirm(context, result):
                return None
            allow = replace(allow, confirmed=True)
        else:
            return result


async def confirm(context: CommandContext, question: NeedsConfirmation, *, no: str = "Cancel") -> bool:
    dialog: dialogs.Dialog[bool] = dialogs.Question(question.title, question.lines, yes=question.yes, no=no)
    if question.diff:
        dialog = dialogs.ShowDiff(question.title, question.diff, notes=question.lines, yes=question.yes.lower())
    answer = await context.ask(dialog)
    return bool(answer)


async def save(
    context: CommandContext,
    call: Callable[[Allow], services.SaveOutcome],
) -> services.SavedFile | None:
    """Save a text with a service, and ask what it wants to know; None if the person said no: it is a draft then."""
    outcome: services.SavedFile | SaveConflict | None = await ask_until_done(context, call)
    return await decide(context, outcome) if isinstance(outcome, SaveConflict) else outcome


async def decide(context: CommandContext, conflict: SaveConflict) -> services.SavedFile | None:
    """Show both texts of a conflict, and carry out what the person decides; None if that is nothing.

    Who says no to what a decision asks, such as markers where overlaps are open, is back at it with all choices.
    """
    base = conflict.base if conflict.base is not None else conflict.disk
    texts = _decoded(base), _decoded(conflict.mine), _decoded(conflict.disk)
    decision = await context.ask(compare_screen.Compare(conflict.name, *texts))
    while decision is not None:
        saved = await _resolve(context, conflict, decision)
        if saved is not None:
            return saved
        decision = await context.ask(compare_screen.Compare(conflict.name, *texts, decision.choices))
    return None


async def _resolve(
    context: CommandContext, conflict: SaveConflict, decision: compare_screen.CompareResult
) -> services.SavedFile | None:
    text = decision.text.encode("utf-8", "surrogateescape")
    return await save(
        context, lambda allow: services.resolve_conflict(context.workspace, conflict, decision.what, text, allow=allow)
    )


def _decoded(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def say_saved(context: CommandContext, saved: services.SavedFile) -> None:
    lost = saved.not_loaded
    verb = "line is" if lost == 1 else "lines are"
    problem = f"{lost} {verb} not loaded: T in the list tidies the index" if lost else ""
    context.done(f"saved {saved.name}{merged_words(saved.saved)}", saved.path, problem)


def merged_words(saved: Saved) -> str:
    return f" (merged with changes on disk: {', '.join(saved.merged)})" if saved.merged else ""


def left_words(saved: Saved) -> str:
    return "; ".join(f"{one.name} stays: {one.reason}" for one in saved.left)
