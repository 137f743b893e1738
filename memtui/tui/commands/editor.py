"""Commands that edit a file: in the built-in editor, or in $EDITOR."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.tui.app_base import CommandContext
from memtui.tui.commands.history import merged_words
from memtui.util.config import read_config
from memtui.util.errors import Refused, Unsupported
from memtui.util.lazy_module import LazyModule

if TYPE_CHECKING:
    from memtui.history import store
    from memtui.tui import editor_model
    from memtui.tui.screens import editor as editor_screen
else:
    store = LazyModule("memtui.history.store")
    editor_model = LazyModule("memtui.tui.editor_model")
    editor_screen = LazyModule("memtui.tui.screens.editor")


async def edit(context: CommandContext, line: int | None = None) -> None:
    """Edit the file under the cursor here; one that this editor would damage says why and offers $EDITOR."""
    path = context.path
    if context.workspace.read_only:
        raise Refused("memtui was started with --read-only", hint="0 focuses the preview")
    try:
        opened = await context.in_thread(editor_model.open_file, context.workspace, context.snapshot, path)
    except editor_model.NotEditable as reason:
        raise Refused(f"{path.name} opens only in $EDITOR: {reason}", hint="e opens it there") from reason
    await _edit(context, opened, line)


async def _edit(context: CommandContext, opened: editor_model.OpenedFile, line: int | None) -> None:
    editor = editor_screen.Editor(context.workspace, opened, context.app.glyphs, line=line)
    closed = await context.ask(editor)
    if closed and closed.external:
        await _external(context, opened.path, editor.current().to_bytes(), opened.base)
    context.app.read_again()


async def external(context: CommandContext) -> None:
    """Edit in $EDITOR: a copy is edited, and what comes back is saved as any other edit, merged if need be."""
    path = context.path
    data, base = await context.in_thread(context.workspace.text, path)
    await _external(context, path, data, base)


async def _external(context: CommandContext, path: Path, data: bytes, base: str | None) -> None:
    with tempfile.TemporaryDirectory(prefix="memtui-") as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(data)
        code = _run_editor(context, copy)
        after = copy.read_bytes() if copy.is_file() else data
    if after == data:
        ended = f" (the editor ended with {code})" if code else ""
        context.notify(f"{path.name}: nothing changed{ended}")
        return
    try:
        saved = await context.in_thread(context.workspace.save, path, after, base, base_data=data)
    except store.Stale:
        text = after.decode("utf-8", errors="surrogateescape")
        await context.in_thread(context.workspace.drafts.save, path, text, base)
        opened = await context.in_thread(editor_model.open_file, context.workspace, context.snapshot, path)
        context.app.notify("the file changed on disk meanwhile: F9 compares", severity="warning", markup=False)
        await _edit(context, opened, None)
        return
    await context.in_thread(context.workspace.drafts.drop, path)
    context.done(f"saved {path.name}{merged_words(saved)}", path)


async def open_config(context: CommandContext) -> None:
    """Open config.toml in $EDITOR."""
    path = context.app.config.path
    path.parent.mkdir(parents=True, exist_ok=True)
    _run_editor(context, path)
    context.app.take_config(await context.in_thread(read_config, path.parent))


def _run_editor(context: CommandContext, path: Path) -> int:
    """Run the person's editor in the foreground with our screen put away."""
    environ = context.workspace.env.environ
    command = context.app.config["editor"] or environ.get("VISUAL") or environ.get("EDITOR") or "vi"
    try:
        words = [*shlex.split(command), str(path)]
        with context.app.suspend():
            return subprocess.run(words, env={**os.environ, **environ}, check=False).returncode
    except (OSError, ValueError) as error:
        raise Unsupported(f"{command!r} cannot be started", hint="set $EDITOR, or editor in 5 Settings") from error
