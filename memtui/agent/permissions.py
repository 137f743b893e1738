"""Whether a tool may be called with this input: the one function that decides.

Our own loop asks it before a tool runs, the client's hook asks it for the client's tools of the same names, and
`memtui explain permission` shows its answer. The input is a model's: any type, any key, any text.

    Read, Grep, Glob   in the root and the folders given for reading
    Edit, Write        memory files in the root, by the rules of `fs.boundary`, after resolving links, `..`, Unicode
                       normal forms and case
    Bash               lines that only read (`agent.shell`)
    anything else      denied

Source: names of tools and keys are those of Claude Code's own tools.
"""

import os
import re
from collections.abc import Mapping

from msgspec import Struct

from memtui.agent.shell.grammar import Denied
from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.shell.validate import ShellPlan, check_line
from memtui.fs.boundary import PathVerdict, check_path, is_sensitive
from memtui.util.text import clip, visible


class Decision(Struct, frozen=True):
    """The answer."""

    allowed: bool
    reason: str  # for people and the model
    path: PathVerdict | None = None  # for an allowed file tool
    plan: ShellPlan | None = None  # for an allowed Bash: what runs instead of the line


MAX_REASON_CELLS = 300  # a reason quotes what a model wrote

_TEXT, _INT, _FLAG = (str,), (int, float), (bool,)

TOOL_KEYS: dict[str, dict[str, tuple[type, ...]]] = {
    "Read": {"file_path": _TEXT, "offset": _INT, "limit": _INT},
    "Grep": {
        "pattern": _TEXT, "path": _TEXT, "glob": _TEXT, "type": _TEXT, "output_mode": _TEXT, "-A": _INT, "-B": _INT,
        "-C": _INT, "-i": _FLAG, "-n": _FLAG, "-o": _FLAG, "context": _INT, "multiline": _FLAG,
        "head_limit": _INT, "offset": _INT,
    },
    "Glob": {"pattern": _TEXT, "path": _TEXT},
    "Edit": {"file_path": _TEXT, "old_string": _TEXT, "new_string": _TEXT, "replace_all": _FLAG},
    "Write": {"file_path": _TEXT, "content": _TEXT},
    "Bash": {"command": _TEXT, "description": _TEXT, "timeout": _INT, "run_in_background": _FLAG},
}  # fmt: skip
"""Every tool with the keys that its input may have, and their types; any other key is denied."""


def decide(tool: object, given: object, scope: AllowedFolders) -> Decision:
    """Decide whether a tool may be called, by name and input as the model gave them, complete or not; never raises."""
    if not isinstance(tool, str) or tool not in TOOL_KEYS:
        return Decision(False, f"no such tool: {', '.join(TOOL_KEYS)}")
    if not isinstance(given, Mapping):
        return Decision(False, "the input is no object")
    keys = TOOL_KEYS[tool]
    for key, value in given.items():
        if key not in keys:
            return Decision(False, clip(f"{tool} has no {key!r}", MAX_REASON_CELLS))
        if value is not None and "path" not in key and not _fits(value, keys[key]):
            return Decision(False, f"{key} is not {keys[key][0].__name__}")
    try:
        return _decide(tool, given, scope)
    except Denied as denied:
        return Decision(False, clip(visible(str(denied), keep=""), MAX_REASON_CELLS))
    except OSError as error:
        return Decision(False, f"the disk says: {os.strerror(error.errno or 0)}")


def _fits(value: object, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and (not isinstance(value, bool) or bool in types)


def _decide(tool: str, given: Mapping[str, object], scope: AllowedFolders) -> Decision:
    match tool:
        case "Read":
            verdict = scope.verdict(given.get("file_path"))
        case "Grep" | "Glob":
            if isinstance(wildcard := given.get("glob" if tool == "Grep" else "pattern"), str):
                _check_wildcard(wildcard, scope)
            path = given.get("path")
            verdict = scope.verdict("." if path is None else path)
        case "Edit" | "Write":
            path = given.get("file_path")
            verdict = check_path(scope.root, path, op="write", actor=scope.actor, casefold=scope.casefold)
        case "Bash":
            return _bash(given, scope)
        case _:
            raise Denied(f"no such tool: {tool}")
    return Decision(verdict.allowed, verdict.reason, verdict if verdict.allowed else None)


def _check_wildcard(pattern: str, scope: AllowedFolders) -> None:
    """Deny a name pattern that reaches what a path may not."""
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
    return Decision(True, "only reads, inside the folders", plan=check_line(command, scope))
