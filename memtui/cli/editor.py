"""The person's own editor, run in the foreground on a file."""

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from memtui.util.errors import Unsupported
from memtui.util.foreground import run_in_foreground

_AT_LINE = {
    "code": ("--wait", "--goto", "{file}:{line}"),
    "codium": ("--wait", "--goto", "{file}:{line}"),
    "subl": ("--wait", "{file}:{line}"),
    "hx": ("{file}:{line}",),
    "helix": ("{file}:{line}",),
    "zed": ("--wait", "{file}:{line}"),
}
_WAIT = {"code": "--wait", "codium": "--wait", "subl": "--wait", "zed": "--wait"}
"""Editors with a window of their own come back at once unless they are told to wait."""


def editor_words(setting: str, environ: Mapping[str, str]) -> list[str]:
    """The command that edits, in words: our setting, $VISUAL, $EDITOR, else `vi`.

    Raises:
        Unsupported: If there is none.
    """
    for command in (setting, environ.get("VISUAL", ""), environ.get("EDITOR", "")):
        if command.strip():
            try:
                return shlex.split(command)
            except ValueError as error:
                raise Unsupported(f"the editor's command can't be read: {command}", hint=str(error)) from error
    if shutil.which("vi"):
        return ["vi"]
    raise Unsupported("no editor is known", hint="set $EDITOR, or: memtui config set editor 'nano'")


def run_editor(words: list[str], path: Path, line: int | None = None) -> None:
    """Edit a file and wait for the end.

    Args:
        words: As from `editor_words`.
        path: The file.
        line: Where to start, from 1.

    Raises:
        Unsupported: If the editor can't be started or ends with a fault.
    """
    name = Path(words[0]).name
    if line is not None and name in _AT_LINE:
        rest = [word.format(file=path, line=line) for word in _AT_LINE[name] if word not in words]
    else:
        rest = [_WAIT[name]] if name in _WAIT and _WAIT[name] not in words else []
        rest += [*([f"+{line}"] if line is not None else []), str(path)]
    try:
        code = run_in_foreground([*words, *rest])
    except OSError as error:
        reason = f"{words[0]} can't be started: {error.strerror}"
        raise Unsupported(reason, hint="set $VISUAL or $EDITOR") from error
    if code:
        raise Unsupported(f"{words[0]} ended with {code}", hint="nothing was saved")
