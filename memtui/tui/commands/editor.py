"""Commands that edit a file: in the built-in editor, or in $EDITOR."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memtui.services.questions import Allow
from memtui.tui.app_base import CommandContext
from memtui.tui.commands import questions
from memtui.util.errors import Refused
from memtui.util.lazy_module import LazyModule

if TYPE_CHECKING:
    from memtui.services import access
    from memtui.services import editor as services
    from memtui.services import memory as memory_services
    from memtui.tui import editor_model
    from memtui.tui.screens import editor as editor_screen
else:
    access = LazyModule("memtui.services.access")
    services, editor_model = LazyModule("memtui.services.editor"), LazyModule("memtui.tui.editor_model")
    editor_screen, memory_services = LazyModule("memtui.tui.screens.editor"), LazyModule("memtui.services.memory")


async def edit(context: CommandContext, line: int | None = None) -> None:
    """Edit the file under the cursor here; one that this editor would damage says why and offers $EDITOR."""
    path = context.path
    if context.workspace.read_only:
        raise Refused("memtui was started with --read-only", hint="0 focuses the preview")
    access.require_writable_file(context.workspace, path)
    try:
        make, opened = await context.in_thread(
            lambda: (editor_screen.Editor, editor_model.open_file(context.workspace, context.snapshot, path))
        )
    except editor_model.NotEditable as reason:
        raise Refused(f"{path.name} opens only in $EDITOR: {reason}", hint="e opens it there") from reason
    editor = make(context.workspace, opened, line=line)
    closed = await context.ask(editor)
    if closed and closed.external:
        await _external(context, path, line=closed.line)
    context.app.read_again()


async def external(context: CommandContext) -> None:
    await _external(context, context.path)


async def _external(context: CommandContext, path: Path, *, line: int | None = None) -> None:
    workspace = context.workspace
    # On the screen's own thread: the terminal is the editor's until it ends, and a signal has to reach us.
    edited = services.edit_file(workspace, path, line=line, suspend=context.app.suspend)
    returned, outcome = edited.returned, edited.outcome
    if returned.at_once:
        words = "the editor returned at once: what you save there later is kept as a draft"
        context.app.notify(words, severity="warning", markup=False)
    if outcome is None:
        if not returned.at_once:
            context.notify(f"{path.name}: nothing changed")
        return

    def save(allow: Allow) -> memory_services.SaveOutcome:
        """What the first try gave, then what comes of an answer."""
        return services.save_returned(workspace, path, returned, allow) if allow != Allow() else outcome

    saved = await questions.save(context, save)
    if saved is not None:
        questions.say_saved(context, saved)
    else:
        context.app.notify(memory_services.draft_hint(path.name), severity="warning", markup=False)
        context.app.read_again()


async def open_config(context: CommandContext) -> None:
    context.app.take_config(services.edit_config(context.workspace, suspend=context.app.suspend))
