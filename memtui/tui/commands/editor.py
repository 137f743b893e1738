"""Wishes about text: the editor, $EDITOR, and what to do when the disk moved meanwhile."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.fs.atomic import digest
from memtui.history.store import Stale
from memtui.memory.budget import measure_index
from memtui.tui.commands.base import CommandHandler, merged_words
from memtui.tui.dialogs.ask import Ask
from memtui.tui.editor_model import NotEditable, OpenedFile, open_file
from memtui.tui.messages import CommandDone, CommandRequested
from memtui.util.config import read_config
from memtui.util.errors import MemtuiError, Refused, Unsupported
from memtui.util.text import pluralize

if TYPE_CHECKING:
    from memtui.tui.screens.compare import CompareResult
    from memtui.tui.screens.editor import Editor


def _decoded(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", errors="surrogateescape")


class EditorCommands(CommandHandler):
    """Opens, saves, compares."""

    async def wish_edit(self, wish: CommandRequested) -> None:
        """Edit here; a file that this editor would damage says why and offers $EDITOR."""
        path = self.one(wish)
        if self.workspace.read_only:
            raise Refused("memtui was started with --read-only", hint="0 goes to the preview")
        try:
            opened = await self.off(open_file, self.workspace, self.snapshot, path)
        except NotEditable as reason:
            raise Refused(f"{path.name} opens only in $EDITOR: {reason}", hint="e opens it there") from reason
        await self._edit(opened, wish.line)

    async def _edit(self, opened: OpenedFile, line: int | None) -> None:
        # Imported when it is needed: the text field and its grammar cost a tenth of the start.
        from memtui.tui.screens.editor import Editor

        editor = Editor(self.workspace, opened, self.app.glyphs, line=line)
        closed = await self.app.push_screen_wait(editor)
        if closed and closed.external:
            await self._external(opened.path, editor.current().to_bytes(), opened.base)
        self.app.reading.again()

    async def save_editor(self, editor: "Editor") -> None:
        """Write what the editor holds; text that cannot be written stays as a draft and on the screen."""
        opened, data = editor.opened, editor.current().to_bytes()
        if data == opened.data and opened.base is not None:
            self.app.notify("nothing changed since the last save", markup=False)
            return
        try:
            saved = await self.off(self.workspace.save, opened.path, data, opened.base, base_data=opened.data)
        except Stale:
            await self.compare_editor(editor)
            return
        except MemtuiError:
            await self.off(self.workspace.drafts.save, opened.path, editor.current().exact, opened.base)
            raise
        await self._after_save(editor, f"saved {opened.name}{merged_words(saved)}")

    async def _after_save(self, editor: "Editor", words: str) -> None:
        await self.off(self.workspace.drafts.drop, editor.path)
        opened = await self.off(open_file, self.workspace, editor.opened.snapshot, editor.path, draft=False)
        editor.saved(opened)
        self.app.post_message(CommandDone(words, problem=self._over(opened)))

    @staticmethod
    def _over(opened: OpenedFile) -> str:
        budget = measure_index(opened.sheet.text)
        if not opened.is_index or budget.cut_line is None:
            return ""
        lost = budget.lines - budget.cut_line + 1
        return f"{pluralize(lost, 'line')} {'is' if lost == 1 else 'are'} not loaded: T in the list tidies the index"

    async def compare_editor(self, editor: "Editor") -> None:
        """Mine against the disk: choose, and write what was chosen."""
        from memtui.tui.screens.compare import Compare

        opened, mine = editor.opened, editor.current().to_bytes()
        on_disk = await self.off(self._disk, opened.path)
        base = await self.off(self.workspace.known_text, opened.path, opened.base)
        decision = await self.app.push_screen_wait(
            Compare(opened.name, _decoded(base if base is not None else on_disk), _decoded(mine), _decoded(on_disk))
        )
        if decision is not None:
            await self._decide(editor, decision, mine, on_disk)

    async def _decide(self, editor: "Editor", decision: "CompareResult", mine: bytes, on_disk: bytes | None) -> None:
        path, base = editor.path, digest(on_disk) if on_disk is not None else None
        name = editor.opened.name
        if decision.what == "drop":
            await self.off(self.workspace.remember, path, mine, f"dropped text of {name}")
            await self._after_save(editor, f"{name}: the disk's text is shown, yours is in the history")
        elif decision.what == "copy":
            copy = path.with_name(f"{path.stem}.local.md")
            await self.off(self.workspace.save, copy, mine, None, why=f"keep my text of {name} beside it")
            await self._after_save(editor, f"saved as {copy.name}")
        else:
            data = decision.text.encode("utf-8", errors="surrogateescape")
            await self.off(self.workspace.save, path, data, base, why=f"merge {name}")
            await self._after_save(editor, f"saved {name}, merged")

    def _disk(self, path: Path) -> bytes | None:
        try:
            return self.workspace.text(path)[0]
        except MemtuiError:
            return None

    async def find_in_editor(self, editor: "Editor") -> None:
        """Find text from the cursor on, around the end."""
        text = await self.app.push_screen_wait(Ask("Find", ""))
        if not text:
            return
        body = editor.body
        row, column = body.cursor_location
        lines = body.text.lower().split("\n")
        order = [(row, column + 1), *((r % len(lines), 0) for r in range(row + 1, row + 1 + len(lines)))]
        for number, start in order:
            at = lines[number].find(text.lower(), start)
            if at >= 0:
                body.move_cursor((number, at), center=True)
                body.selection = type(body.selection)((number, at), (number, at + len(text)))
                return
        self.app.notify("not found", markup=False)

    async def wish_external(self, wish: CommandRequested) -> None:
        """Edit in $EDITOR: a copy is edited, and what comes back is saved as any other edit, merged if need be."""
        path = self.one(wish)
        if self.workspace.read_only:
            raise Refused("memtui was started with --read-only")
        data, base = await self.off(self.workspace.text, path)
        await self._external(path, data, base)

    async def wish_config(self, wish: CommandRequested) -> None:
        """Open config.toml in $EDITOR."""
        path = self.app.config.path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._run_editor(path)
        self.app.take_config(await self.off(read_config, path.parent))

    async def _external(self, path: Path, data: bytes, base: str | None) -> None:
        with tempfile.TemporaryDirectory(prefix="memtui-") as folder:
            copy = Path(folder) / path.name
            copy.write_bytes(data)
            code = self._run_editor(copy)
            after = copy.read_bytes() if copy.is_file() else data
        if after == data:
            ended = f" (the editor ended with {code})" if code else ""
            self.app.notify(f"{path.name}: nothing changed{ended}", markup=False)
            return
        try:
            saved = await self.off(self.workspace.save, path, after, base, base_data=data)
        except Stale:
            await self.off(self.workspace.drafts.save, path, _decoded(after), base)
            opened = await self.off(open_file, self.workspace, self.snapshot, path)
            self.app.notify("the file changed on disk meanwhile: F9 compares", severity="warning", markup=False)
            await self._edit(opened, None)
            return
        await self.off(self.workspace.drafts.drop, path)
        self.app.post_message(CommandDone(f"saved {path.name}{merged_words(saved)}", path))

    def _run_editor(self, path: Path) -> int:
        """Run the person's editor in the foreground with our screen put away."""
        environ = self.workspace.env.environ
        command = self.app.config["editor"] or environ.get("VISUAL") or environ.get("EDITOR") or "vi"
        try:
            words = [*shlex.split(command), str(path)]
            with self.app.suspend():
                return subprocess.run(words, env={**os.environ, **environ}, check=False).returncode
        except (OSError, ValueError) as error:
            raise Unsupported(f"{command!r} cannot be started", hint="set $EDITOR, or editor in 5 Settings") from error
