"""The person's own editor, for the command line and the screen alike.

A file is edited as a copy in the state folder (`editing/<id>/<name>`), so that neither a crash nor a signal loses what
was typed: `take_up_leftovers` finds it at the next start. An editor with a window of its own is told to wait. Where one
returns all the same too early, what is saved in its copy later is kept as a draft by the next `take_up_leftovers`.
"""

import json
import os
import shlex
import shutil
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from msgspec import Struct

from memtui.fs.atomic import digest, make_folders, replace_file, to_error
from memtui.memory.workspace import Workspace
from memtui.services.access import require_writable, require_writable_file
from memtui.services.memory import SaveOutcome, draft_hint, keep_draft, save_file
from memtui.services.questions import NOTHING_YET, Allow
from memtui.util.app_dirs import Dirs
from memtui.util.config import Config, read_config
from memtui.util.errors import MemtuiError, NotFound, Unsupported
from memtui.util.foreground import run_in_foreground
from memtui.util.json_object import load_json
from memtui.util.process import ProcessIdentity, current_process, is_alive

FOLDER = "editing"  # of the state folder, for the copies
AT_ONCE_S = 1.0  # seconds within which an editor that changed nothing is taken for one that didn't wait
LATE_CHANGES_S = 86_400.0  # seconds for which the copy of an editor that has returned is watched for later changes


class EditorStyle(Struct, frozen=True):
    """How an editor is told to wait (any of `wait` will do, the first is added) and to start on a line."""

    wait: tuple[str, ...] = ()
    line: tuple[str, ...] = ("+{line}", "{file}")


_GOTO = EditorStyle(("--wait", "-w"), ("--goto", "{file}:{line}"))
_COLON = EditorStyle(("--wait", "-w"), ("{file}:{line}",))
_JETBRAINS = EditorStyle(("--wait",), ("--line", "{line}", "{file}"))

STYLES: Mapping[str, EditorStyle] = {
    **dict.fromkeys(
        ("code", "code-insiders", "code-oss", "codium", "vscodium", "cursor", "windsurf", "positron", "trae", "kiro"),
        _GOTO,
    ),
    **dict.fromkeys(("zed", "zeditor", "zedit", "subl", "sublime_text", "atom", "pulsar", "lapce"), _COLON),
    **dict.fromkeys(
        ("idea", "pycharm", "webstorm", "phpstorm", "goland", "clion", "rubymine", "rider", "rustrover", "datagrip",
         "dataspell", "studio", "fleet"),
        _JETBRAINS,
    ),
    **dict.fromkeys(("gvim", "mvim", "gview"), EditorStyle(("-f", "--nofork"))),
    **dict.fromkeys(("kate", "kwrite"), EditorStyle(("--block", "-b"), ("--line", "{line}", "{file}"))),
    **dict.fromkeys(("gedit", "xed", "bbedit"), EditorStyle(("--wait", "-w"))),
    "gnome-text-editor": EditorStyle(("--standalone", "-s")),
    "geany": EditorStyle(("--new-instance", "-i")),
    "mate": EditorStyle(("--wait", "-w"), ("--line", "{line}", "{file}")),
    "neovide": EditorStyle(("--no-fork",)),
    "open": EditorStyle(("-W", "--wait-apps"), ("{file}",)),
    **dict.fromkeys(("hx", "helix"), EditorStyle(line=("{file}:{line}",))),
    "notepad": EditorStyle(line=("{file}",)),
}  # fmt: skip
"""Editors that need more than `EDITOR +LINE FILE`; emacsclient, vi, nano and most others don't."""


def editor_words(config: Config, environ: Mapping[str, str]) -> list[str]:
    """The command that edits: our `editor` setting, $VISUAL, $EDITOR, else `vi`; `Unsupported` if there is none."""
    for command in (config["editor"], environ.get("VISUAL", ""), environ.get("EDITOR", "")):
        if command.strip():
            try:
                return shlex.split(command)
            except ValueError as error:
                raise Unsupported(f"the editor's command can't be read: {command}", hint=str(error)) from error
    if shutil.which("vi", path=environ.get("PATH")):
        return ["vi"]
    raise Unsupported("no editor is known", hint="set $EDITOR, or: memtui config set editor 'nano'")


def command_for(words: Sequence[str], path: Path, line: int | None = None) -> list[str]:
    """The whole command for a file: told to wait unless the person did, and to start on a line (from 1)."""
    name = Path(words[0]).name.removesuffix(".exe")
    style = STYLES.get(name, EditorStyle())
    wait = [style.wait[0]] if style.wait and not set(style.wait) & set(words[1:]) else []
    if line is None:
        return [*words, *wait, str(path)]
    place = [word.format(file=path, line=line) for word in style.line]
    if place[0] in words:
        place = place[1:]  # `code --goto`, as the person wrote it
    return [*words, *wait, *place]


def _environ(workspace: Workspace) -> dict[str, str]:
    """Where $VISUAL and $EDITOR are looked up: the sample home has no editor of its own, so the person's counts."""
    return {**os.environ, **workspace.env.environ}


class ReturnedText(Struct, frozen=True):
    """What came back from an editor; `at_once`: without a change and at once, so it may still have `copy` open."""

    data: bytes
    start: bytes
    base: str | None
    at_once: bool = False
    copy: Path | None = None

    @property
    def changed(self) -> bool:
        return self.data != self.start


class EditorResult(Struct, frozen=True):
    """How an edit of a file ended: what came back, and what saving it gave; `outcome` is `None` if nothing changed."""

    returned: ReturnedText
    outcome: SaveOutcome | None = None


Suspend = Callable[[], AbstractContextManager[object]]
"""Gives the terminal away while another program has it; the screen hands in its own."""


def edit_file(
    workspace: Workspace, path: Path, *, line: int | None = None, suspend: Suspend = nullcontext
) -> EditorResult:  # fmt: skip
    """Edit a file, or its draft, in the person's editor and save what comes back, merged with what others did.

    `line` is where to start, from 1. A question that comes back is answered by calling `save_returned`. What was typed
    is a draft if this raises, or lies in the copy.
    """
    require_writable_file(workspace, path)
    # What the typing starts from has to be in the history, or what others do meanwhile couldn't be merged with it.
    workspace.home_of(path)[0].note_outside()
    start, base = starting_text(workspace, path)
    returned = run_editor(workspace, path, start, base, line=line, suspend=suspend)
    if not returned.changed and workspace.drafts.load(path) is None:
        return EditorResult(returned)
    return EditorResult(returned, save_returned(workspace, path, returned))


def save_returned(workspace: Workspace, path: Path, returned: ReturnedText, allow: Allow = NOTHING_YET) -> SaveOutcome:
    """Save what an editor gave back; called again with the answer to a question that came of it."""
    known = returned.start if digest(returned.start) == returned.base else None
    return save_file(workspace, path, returned.data, returned.base, base_data=known, allow=allow)


def starting_text(workspace: Workspace, path: Path) -> tuple[bytes, str | None]:
    """What an edit of a file begins with: its draft, else what is on disk; and the digest that this was made from."""
    draft = workspace.drafts.load(path)
    if draft is not None:
        return draft.text.encode("utf-8", "surrogateescape"), draft.base
    try:
        return workspace.text(path)
    except NotFound:
        return b"", None


def run_editor(
    workspace: Workspace, path: Path, start: bytes, base: str | None, *, line: int | None = None,
    suspend: Suspend = nullcontext,
) -> ReturnedText:  # fmt: skip
    """Let the person edit a text as a copy of a file; `Unsupported` if that fails, with what was typed as a draft."""
    command = editor_words(read_config(workspace.dirs.config), _environ(workspace))
    copy = _begin_copy(workspace.dirs, path, start, base)
    words = command_for(command, copy, line)
    began = time.monotonic()
    try:
        with suspend():
            code = run_in_foreground(words)
    except OSError as error:
        shutil.rmtree(copy.parent, ignore_errors=True)
        reason = f"{words[0]} can't be started: {error.strerror}"
        raise Unsupported(reason, hint="set $VISUAL or $EDITOR, or editor in the settings") from error
    except BaseException:  # a signal: what was typed must not go away with us, and the editor may outlive us
        data = _read(copy)
        if data is not None and (data == start or keep_draft(workspace, path, data, base)):
            _end_copy(copy, data, workspace.now())
        raise
    data = _read(copy)
    if code or data is None:
        if data is not None and data != start and not keep_draft(workspace, path, data, base):
            hint = f"what was typed is in {copy}"
        else:
            hint = "nothing was saved" if data in (None, start) else draft_hint(path.name)
            shutil.rmtree(copy.parent, ignore_errors=True)
        if data is None and not code:
            raise NotFound(f"the editor left no {path.name} behind", hint=hint)
        raise Unsupported(f"{words[0]} ended with {code}", hint=hint)
    at_once = data == start and time.monotonic() - began < AT_ONCE_S
    _end_copy(copy, data, workspace.now())
    return ReturnedText(data, start, base, at_once, copy if at_once else None)


def _begin_copy(dirs: Dirs, path: Path, start: bytes, base: str | None) -> Path:
    folder = dirs.state / FOLDER / uuid.uuid4().hex
    about = {"path": str(path), "base": base, "start": digest(start), "process": str(current_process())}
    try:
        make_folders(folder)
        replace_file(folder / "about.json", json.dumps(about).encode("ascii"), mode=0o600)
        folder.joinpath("file").mkdir(mode=0o700)
        copy = folder / "file" / path.name
        replace_file(copy, start, mode=0o600)
    except OSError as error:
        raise to_error(error, "the copy for the editor", outcome="nothing was edited") from error
    return copy


def _end_copy(copy: Path, data: bytes, now: float) -> None:
    """The editor has returned: what the copy holds later than this is a change that came late."""
    try:
        about = load_json(copy.parent.parent / "about.json")
        about |= {"start": digest(data), "ended": now}
        replace_file(copy.parent.parent / "about.json", json.dumps(about).encode("ascii"), mode=0o600)
    except (OSError, ValueError, TypeError):
        return  # then it counts as a leftover of this process, which holds nothing new


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def take_up_leftovers(workspace: Workspace) -> tuple[str, ...]:
    """Keep what a crash left in the copies of editors, or what was saved too late, as drafts; what to tell of each.

    A copy is left alone while we wait for its editor, and watched for a day afterwards, since an editor may outlive us.
    It takes the place of a draft that holds what it held before; beside any other draft it stays.
    """
    if workspace.read_only:
        return ()
    found = (_take_up(workspace, folder) for folder in sorted((workspace.dirs.state / FOLDER).glob("*")))
    return tuple(one for one in found if one is not None)


def _take_up(workspace: Workspace, folder: Path) -> str | None:
    try:
        about = load_json(folder / "about.json")
        path, base, start, ended = Path(about["path"]), about["base"], about["start"], about.get("ended")
        owner = ProcessIdentity.parse(about["process"])
        if owner is None or not (isinstance(base, str | None) and isinstance(ended, float | int | None)):
            return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # another program's, or one that is just being made
    if ended is None and is_alive(owner):
        return None
    copy = folder / "file" / path.name
    data, draft = _read(copy), workspace.drafts.load(path)
    if data is None or digest(data) == start:
        if data is None or (ended is not None and workspace.now() - ended > LATE_CHANGES_S):
            shutil.rmtree(folder, ignore_errors=True)
        elif ended is None:
            _end_copy(copy, data, workspace.now())  # its editor may still be open
        return None
    if draft is not None:
        if digest(draft.text.encode("utf-8", "surrogateescape")) != start:
            return None
        base = draft.base  # what was typed goes on from the draft
    elif ended is not None:  # made from what was saved then if history knows it, or from what stood there all along
        try:
            base = start if workspace.known_text(start) is not None else workspace.text(path)[1]
        except MemtuiError:
            base = None
    if not keep_draft(workspace, path, data, base):
        return None
    _end_copy(copy, data, workspace.now())
    how = "was left behind in an editor" if ended is None else "was saved after the editor had returned"
    return f"a text of {path.name} {how}: {draft_hint(path.name)}"


def edit_config(workspace: Workspace, *, suspend: Suspend = nullcontext) -> Config:
    """Open config.toml in the person's editor; the settings as they are then. `Unsupported` if there is no editor."""
    require_writable(workspace)
    folder = workspace.dirs.config
    config = read_config(folder)
    words = command_for(editor_words(config, _environ(workspace)), config.path)
    try:
        store, _ = workspace.own_settings()
        make_folders(store.root)
        store.note_outside()
        with suspend():
            code = run_in_foreground(words)
    except OSError as error:
        raise Unsupported(f"{words[0]} can't be started: {error.strerror}", hint="set $VISUAL or $EDITOR") from error
    store.note_edit(f"edit {config.path.name}")  # what was saved counts, however the editor ended
    if code:
        raise Unsupported(f"{words[0]} ended with {code}", hint=f"the file is {config.path}")
    return read_config(folder)
