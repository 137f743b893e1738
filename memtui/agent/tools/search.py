"""Grep and Glob: find lines by a regular expression, files by a wildcard.

Names may be files below the allowed folders; no link is followed, and nothing that may hold a secret is named.
Wildcards are `*`, `?`, `[…]`, `{a,b}`, and `**` for any number of folders; none stands for a leading dot. Matching them
takes time in proportion to their length, so no pattern of a model's is slow.
"""

import asyncio
import contextlib
import fnmatch
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from memtui.agent.shell.grammar import Denied
from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.shell.run import ENVIRONMENT
from memtui.agent.tools.outcome import ToolFault
from memtui.fs.atomic import is_temp
from memtui.fs.boundary import PathVerdict, has_more_names, is_sensitive

MAX_NAMES = 50_000
MAX_FILES = 200
SEARCH_TIMEOUT_S = 10.0
MAX_OUTPUT_CHARS = 40_000
_MAX_DEPTH = 24
_MAX_PATTERN_CHARS = 1000
_MAX_ALTERNATIVES = 64
_DEFAULT_LINES = 250
_MAX_CONTEXT_LINES = 50
_MODES = ("files_with_matches", "content", "count")
_SEARCH_PROGRAM = Path(__file__).with_name("search_process.py")


def find_files(place: PathVerdict, pattern: str, scope: AllowedFolders) -> str:
    """Glob: the matching names, newest first, one a line; relative to the root if inside it, else absolute.

    `decide` has allowed the folder and the pattern, which is absolute or relative to the folder. Raises `ToolFault` if
    it isn't a folder, or there are too many files in it.
    """
    assert place.base is not None and place.name is not None
    top = place.base / place.name
    if pattern.startswith("/"):
        top, pattern = _split(pattern, scope)
    if not top.is_dir():
        raise ToolFault(f"{place.name} is not a folder" if top.exists() else f"there is no folder {place.name}")
    fits = name_matcher(pattern)
    found = sorted((-changed, name) for name, changed in walk_files(top) if fits(name))
    lead = name_prefix(top, scope)
    lines = [lead + name for _, name in found[:MAX_FILES]]
    if len(found) > MAX_FILES:
        lines.append(f"({len(found) - MAX_FILES} more)")
    return "\n".join(lines) or "(no file matches)"


def name_prefix(top: Path, scope: AllowedFolders) -> str:
    """The prefix of a name below a folder, with which Read finds it."""
    root = scope.root.resolve()
    if top == root:
        return ""
    return f"{top.relative_to(root) if top.is_relative_to(root) else top}/"


def _split(pattern: str, scope: AllowedFolders) -> tuple[Path, str]:
    """The folder that an absolute pattern starts in, and the rest of the pattern."""
    plain: list[str] = []
    parts = [part for part in pattern.split("/") if part]
    while len(parts) > 1 and not set(parts[0]) & set("*?[{"):
        plain.append(parts.pop(0))
    try:
        return scope.place("/" + "/".join(plain)), "/".join(parts)
    except Denied as denied:
        raise ToolFault(str(denied)) from None


def search_job(place: PathVerdict, given: Mapping[str, object], scope: AllowedFolders) -> dict[str, object]:
    """Grep: the input for the search process, for an allowed place and the tool's input; raises `ToolFault`."""
    assert place.base is not None and place.name is not None
    mode = given.get("output_mode") or "files_with_matches"
    if mode not in _MODES:
        raise ToolFault(f"output_mode is one of {', '.join(_MODES)}")
    if given.get("type") is not None:
        raise ToolFault("type isn't known here: use glob, such as *.md")
    top = place.base / place.name
    if top.is_dir():
        fits = _glob_filter(given.get("glob"))
        names = [name for name, _ in walk_files(top) if fits(name)]
    elif top.exists():
        top, names = top.parent, [top.name]
    else:
        raise ToolFault(f"there is no {place.name}")

    def context(key: str, default: int) -> int:
        return bounded_int(given, key, default, most=_MAX_CONTEXT_LINES)

    around = context("context", context("-C", 0))
    return {
        "top": str(top), "names": names, "lead": name_prefix(top, scope), "pattern": given["pattern"], "mode": mode,
        "ignore_case": given.get("-i") is True, "multiline": given.get("multiline") is True,
        "only": given.get("-o") is True, "before": context("-B", around), "after": context("-A", around),
        "skip": bounded_int(given, "offset", 0, most=10**9),
        "limit": bounded_int(given, "head_limit", _DEFAULT_LINES, least=1, most=1000), "most": MAX_OUTPUT_CHARS,
    }  # fmt: skip


def bounded_int(given: Mapping[str, object], key: str, default: int, *, least: int = 0, most: int) -> int:
    """A number of a tool's input, within bounds; a model may write 5.0 or 1e99."""
    value = given.get(key)
    if not isinstance(value, int | float):
        return default
    return int(min(max(value, least), most))


def _glob_filter(pattern: object) -> Callable[[str], bool]:
    """A test for the names that a `glob` selects; one without a slash applies in any folder."""
    if not isinstance(pattern, str) or not pattern:
        return lambda name: True
    wanted = not pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    fits = name_matcher(pattern if "/" in pattern else f"**/{pattern}")
    return lambda name: fits(name) is wanted


async def run_search(job: dict[str, object], *, seconds: float = SEARCH_TIMEOUT_S) -> str:
    """Grep: run the search process, which ends with the task that awaits it; raises `ToolFault` or `OSError`."""
    if not job["names"]:
        return "(no file to search)"
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        "-S",
        str(_SEARCH_PROGRAM),
        env=ENVIRONMENT,
        cwd="/",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            printed, _ = await child.communicate(json.dumps(job).encode())
    except TimeoutError:
        raise ToolFault("the search took too long: a simpler pattern, or a smaller folder") from None
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if not printed:
        raise ToolFault("the search took too much time or memory: a simpler pattern, or a smaller folder")
    answer = json.loads(printed)
    if "fault" in answer:
        raise ToolFault(answer["fault"])
    lines: list[str] = answer["lines"]
    if answer["more"]:
        lines.append("(more follows: narrow the pattern, or go on with offset)")
    return "\n".join(lines) or "(nothing found)"


def walk_files(top: Path) -> Iterator[tuple[str, float]]:
    """Yield name (below `top`, with slashes) and mtime of every regular file, by name; `ToolFault` if too many."""
    room = MAX_NAMES
    for folder, folders, files, fd in os.fwalk(top, follow_symlinks=False):
        above = os.path.relpath(folder, top)
        above = "" if above == "." else above + "/"
        room -= len(folders) + len(files)
        if room < 0:
            raise ToolFault(f"more than {MAX_NAMES} files: name a folder further down")
        deep = above.count("/") >= _MAX_DEPTH
        folders[:] = [] if deep else sorted(name for name in folders if not is_sensitive(name))
        for name in sorted(files):
            if is_sensitive(name) or is_temp(name):
                continue
            try:
                info = os.stat(name, dir_fd=fd, follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISREG(info.st_mode) and not has_more_names(info):
                yield above + name, info.st_mtime


def name_matcher(pattern: str) -> Callable[[str], bool]:
    """Compile a wildcard to a test for names with slashes; raises `ToolFault` if it is too long or too complex."""
    if len(pattern) > _MAX_PATTERN_CHARS:
        raise ToolFault("the pattern is too long")
    plain = [choice.split("/") for choice in _expand_braces(pattern)]
    choices = [[_part_matcher(part) for part in parts if part not in ("", ".")] for parts in plain]

    def matches(name: str) -> bool:
        parts = name.split("/")
        return any(_fits(tests, parts) for tests in choices)

    return matches


def _expand_braces(pattern: str) -> list[str]:
    """The patterns without braces that a pattern stands for."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        if len(done) + len(todo) > _MAX_ALTERNATIVES:
            raise ToolFault("the pattern has too many alternatives")
        choice = todo.pop()
        if match := re.search(r"\{([^{}]*,[^{}]*)\}", choice):
            todo += [choice[: match.start()] + part + choice[match.end() :] for part in match[1].split(",")]
        else:
            done.append(choice)
    return done


def _part_matcher(part: str) -> Callable[[str], bool] | None:
    """A test for one part of a name; `None` for `**`."""
    if part == "**":
        return None
    fits = re.compile(fnmatch.translate(part)).match
    hidden = part.startswith(".")
    return lambda name: (hidden or not name.startswith(".")) and fits(name) is not None


def _fits(tests: list[Callable[[str], bool] | None], parts: list[str]) -> bool:
    here = {0}  # positions in the pattern that the name so far may have reached
    for name in parts:
        after: set[int] = set()
        for at in _skip_any_folders(tests, here) - {len(tests)}:
            test = tests[at]
            if test is None:
                after |= set() if name.startswith(".") else {at}
            elif test(name):
                after.add(at + 1)
        here = after
    return len(tests) in _skip_any_folders(tests, here)


def _skip_any_folders(tests: list[Callable[[str], bool] | None], here: set[int]) -> set[int]:
    """The positions, with those behind a `**` that stands for no folder."""
    found = set(here)
    for at in sorted(here):
        while at < len(tests) and tests[at] is None:
            at += 1
            found.add(at)
    return found
