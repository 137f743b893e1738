"""May a tool be called with this input: the one function that decides.

Our own loop asks it before a tool runs, the client's hook asks it for the client's tools of the same names, and
`memtui explain permission` shows what it says. The input is a model's: any type, any key, any text.

    Read, Grep, Glob   on the root and the folders given for reading
    Edit, Write        files of the memory in the root, by the rules of `base.boundary`
    Bash               lines that only read (`shell`)
    anything else      denied

Source: DESIGN.md D5; SAFETY.md 3.1, 3.2, F46. Names of tools and keys: Claude Code's own tools.
"""

import os
import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.shell.plan import Denied, ShellPlan
from memtui.agent.shell.validate import check_line
from memtui.fs.boundary import PathVerdict, check_path, is_sensitive
from memtui.util.text import clip, visible

__all__ = ["KEYS", "AllowedFolders", "Decision", "decide"]


class Decision(Struct, frozen=True):
    """The answer. `reason` is for people and for the model.

    For an allowed file tool `path` is the boundary's verdict (where the file is), for an allowed Bash `plan` is what to
    run in place of the line.
    """

    allowed: bool
    reason: str
    path: PathVerdict | None = None
    plan: ShellPlan | None = None


LONGEST = 300
"""Cells of a reason: it quotes what a model wrote."""

_TEXT, _WHOLE, _FLAG = (str,), (int, float), (bool,)

KEYS: dict[str, dict[str, tuple[type, ...]]] = {
    "Read": {"file_path": _TEXT, "offset": _WHOLE, "limit": _WHOLE},
    "Grep": {
        "pattern": _TEXT, "path": _TEXT, "glob": _TEXT, "type": _TEXT, "output_mode": _TEXT, "-A": _WHOLE, "-B": _WHOLE,
        "-C": _WHOLE, "-i": _FLAG, "-n": _FLAG, "-o": _FLAG, "context": _WHOLE, "multiline": _FLAG,
        "head_limit": _WHOLE, "offset": _WHOLE,
    },
    "Glob": {"pattern": _TEXT, "path": _TEXT},
    "Edit": {"file_path": _TEXT, "old_string": _TEXT, "new_string": _TEXT, "replace_all": _FLAG},
    "Write": {"file_path": _TEXT, "content": _TEXT},
    "Bash": {"command": _TEXT, "description": _TEXT, "timeout": _WHOLE, "run_in_background": _FLAG},
}  # fmt: skip
"""Every tool with the keys that its input may have, and their types; a key that isn't here may mean anything."""


def decide(tool: object, given: object, scope: AllowedFolders) -> Decision:
    """Decide whether a tool may be called.

    Args:
        tool: Its name, as the model gave it.
        given: Its input, as the model gave it: whether it is complete is the tool's own affair, whether what is there
            may be done is decided here.
        scope: The folders that the run was given.

    Returns:
        A decision; no exception leaves this function because of an input or of the state of the disk.
    """
    if not isinstance(tool, str) or tool not in _DECIDE:
        return Decision(False, f"no such tool: {', '.join(_DECIDE)}")
    if not isinstance(given, Mapping):
        return Decision(False, "the input is no object")
    keys = KEYS[tool]
    for key, value in given.items():
        if key not in keys:
            return Decision(False, clip(f"{tool} has no {key!r}", LONGEST))
        if value is not None and "path" not in key and not _fits(value, keys[key]):
            return Decision(False, f"{key} is not {keys[key][0].__name__}")
    try:
        return _DECIDE[tool](given, scope)
    except Denied as denied:
        return Decision(False, clip(visible(str(denied), keep=""), LONGEST))
    except OSError as error:
        return Decision(False, f"the disk says: {os.strerror(error.errno or 0)}")


def _fits(value: object, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and (not isinstance(value, bool) or bool in types)


def _verdict(verdict: PathVerdict) -> Decision:
    return Decision(verdict.allowed, verdict.reason, verdict if verdict.allowed else None)


def _read(given: Mapping[str, object], scope: AllowedFolders) -> Decision:
    return _verdict(scope.verdict(given.get("file_path")))


def _write(given: Mapping[str, object], scope: AllowedFolders) -> Decision:
    path = given.get("file_path")
    return _verdict(check_path(scope.root, path, op="write", actor=scope.actor, casefold=scope.casefold))


def _grep(given: Mapping[str, object], scope: AllowedFolders) -> Decision:
    if isinstance(wildcard := given.get("glob"), str):
        _check_wildcard(wildcard, scope)
    return _where(given, scope)


def _glob(given: Mapping[str, object], scope: AllowedFolders) -> Decision:
    if isinstance(pattern := given.get("pattern"), str):
        _check_wildcard(pattern, scope)
    return _where(given, scope)


def _where(given: Mapping[str, object], scope: AllowedFolders) -> Decision:
    path = given.get("path")
    return _verdict(scope.verdict("." if path is None else path))


def _check_wildcard(pattern: str, scope: AllowedFolders) -> None:
    """A pattern for names leads nowhere that a path couldn't lead."""
    if pattern.startswith("!"):
        return
    pieces = re.split(r"[/{},|()\\]", pattern)
    if ".." in pieces or pattern.startswith("~"):
        raise Denied(f"{pattern}: steps out of the folder")
    for piece in pieces:
        if is_sensitive(piece):
            raise Denied(f"{pattern}: {piece} may hold a secret")
    start = re.split(r"[*?\[{]", pattern, maxsplit=1)[0]
    if start != pattern:
        start = start.rpartition("/")[0] or ("/" if pattern.startswith("/") else "")
    if start:
        scope.place(start)


def _bash(given: Mapping[str, object], scope: AllowedFolders) -> Decision:
    command = given.get("command")
    if not isinstance(command, str):
        return Decision(False, "command is no text")
    if given.get("run_in_background"):
        return Decision(False, "nothing runs in the background")
    plan = check_line(command, scope)
    return Decision(True, "only reads, inside the folders", plan=plan)


_DECIDE: dict[str, Callable[[Mapping[str, object], AllowedFolders], Decision]] = {
    "Read": _read,
    "Grep": _grep,
    "Glob": _glob,
    "Edit": _write,
    "Write": _write,
    "Bash": _bash,
}
