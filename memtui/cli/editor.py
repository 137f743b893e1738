"""The person's own editor, run in the foreground on a file."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memtui.base.errors import Unsupported

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


def _usual_signals() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


@contextmanager
def _ends_wait() -> Iterator[None]:
    """Hold SIGTERM back for a moment: raised inside `Popen` it could be lost, and nobody would end the waiting."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _leaving_interrupts_to_the_editor() -> Iterator[None]:
    """^C on the terminal reaches both; what it means while somebody edits is the editor's business."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # not the main thread: signals don't come here
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


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
    sys.stdout.flush()
    with _leaving_interrupts_to_the_editor():
        try:
            # The editor itself starts with its signals as usual; there are no threads for the hook to stumble over.
            with _ends_wait():
                run = subprocess.Popen([*words, *rest], env=dict(os.environ), preexec_fn=_usual_signals)
        except OSError as error:
            reason = f"{words[0]} can't be started: {error.strerror}"
            raise Unsupported(reason, hint="set $VISUAL or $EDITOR") from error
        code = run.wait()
    if code:
        raise Unsupported(f"{words[0]} ended with {code}", hint="nothing was saved")
