"""Grep: lines that match a regular expression, looked for by a process of its own (`seek`).

Glob: files whose names match, the latest first.

Names below a folder: no link is followed, nothing that may hold a secret is named.

Wildcards for names: `*`, `?`, `[…]`, `{a,b}`, and `**` for any number of folders.

A wildcard doesn't stand for a leading dot. Matching takes time in proportion to the pattern's length, whatever it is.
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

from msgspec import Struct

from memtui.agent.permissions import AllowedFolders
from memtui.agent.shell.plan import Denied
from memtui.agent.shell.run import ENVIRONMENT
from memtui.agent.tools.outcome import ToolFault
from memtui.fs.atomic import is_temp
from memtui.fs.boundary import PathVerdict, is_sensitive

_LONGEST = 1000
_ALTERNATIVES = 64


def matcher(pattern: str) -> Callable[[str], bool]:
    """A test for names with slashes.

    Raises:
        ToolFault: If the pattern is too long or has too many alternatives.
    """
    if len(pattern) > _LONGEST:
        raise ToolFault("the pattern is too long")
    ways = [[_part(part) for part in way.split("/") if part not in ("", ".")] for way in _ways(pattern)]

    def matches(name: str) -> bool:
        parts = name.split("/")
        return any(_fits(way, parts) for way in ways)

    return matches


def _ways(pattern: str) -> list[str]:
    """The pattern without braces, once for each choice."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        if len(done) + len(todo) > _ALTERNATIVES:
            raise ToolFault("the pattern has too many alternatives")
        way = todo.pop()
        if match := re.search(r"\{([^{}]*,[^{}]*)\}", way):
            todo += [way[: match.start()] + choice + way[match.end() :] for choice in match[1].split(",")]
        else:
            done.append(way)
    return done


def _part(part: str) -> Callable[[str], bool] | None:
    """A test for one part of a name; `None` stands for any number of folders."""
    if part == "**":
        return None
    fits = re.compile(fnmatch.translate(part)).match
    hidden = part.startswith(".")
    return lambda name: (hidden or not name.startswith(".")) and fits(name) is not None


def _fits(way: list[Callable[[str], bool] | None], parts: list[str]) -> bool:
    here = {0}  # how many parts of the pattern may be used up so far
    for name in parts:
        here = _beyond(way, here)
        after: set[int] = set()
        for at in here:
            if at == len(way):
                continue
            test = way[at]
            if test is None:
                if not name.startswith("."):
                    after.add(at)
            elif test(name):
                after.add(at + 1)
        here = after
    return len(way) in _beyond(way, here)


def _beyond(way: list[Callable[[str], bool] | None], here: set[int]) -> set[int]:
    """The same, where "any number of folders" is none."""
    found = set(here)
    for at in sorted(here):
        while at < len(way) and way[at] is None:
            at += 1
            found.add(at)
    return found


MOST_NAMES = 50_000
"""Names that one call looks at."""
_DEEPEST = 24


class FoundFile(Struct, frozen=True):
    """A regular file: its name below the folder, with slashes, and when it was last changed (seconds)."""

    name: str
    changed: float


def walk(top: Path) -> Iterator[FoundFile]:
    """Every regular file below a folder, by name.

    Args:
        top: A folder that may be read, links in its own path resolved.

    Raises:
        ToolFault: If there are too many.
    """
    room = MOST_NAMES
    for folder, folders, files, fd in os.fwalk(top, follow_symlinks=False):
        above = os.path.relpath(folder, top)
        above = "" if above == "." else above + "/"
        room -= len(folders) + len(files)
        if room < 0:
            raise ToolFault(f"more than {MOST_NAMES} files: name a folder further down")
        deep = above.count("/") >= _DEEPEST
        folders[:] = [] if deep else sorted(name for name in folders if not is_sensitive(name))
        for name in sorted(files):
            if is_sensitive(name) or is_temp(name):
                continue
            try:
                info = os.stat(name, dir_fd=fd, follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISREG(info.st_mode):
                yield FoundFile(above + name, info.st_mtime)


MAX_FILES = 200
"""Names of one answer."""


def find(place: PathVerdict, pattern: str, scope: AllowedFolders) -> str:
    """The names, one a line: below the stage as seen from there, elsewhere whole.

    Args:
        place: The folder that `decide` allowed.
        pattern: What `decide` allowed; absolute or relative to the folder.

    Raises:
        ToolFault: If it isn't a folder, or there are too many files in it.
    """
    assert place.base is not None and place.name is not None
    top = place.base / place.name
    if pattern.startswith("/"):
        top, pattern = _split(pattern, scope)
    if not top.is_dir():
        raise ToolFault(f"{place.name} is not a folder" if top.exists() else f"there is no folder {place.name}")
    fits = matcher(pattern)
    found = sorted((one for one in walk(top) if fits(one.name)), key=_latest)
    lead = lead_of(top, scope)
    lines = [lead + one.name for one in found[:MAX_FILES]]
    if len(found) > MAX_FILES:
        lines.append(f"({len(found) - MAX_FILES} more)")
    return "\n".join(lines) or "(no file matches)"


def lead_of(top: Path, scope: AllowedFolders) -> str:
    """What is put in front of a name below a folder, so that Read finds it."""
    root = scope.root.resolve()
    if top == root:
        return ""
    return f"{top.relative_to(root) if top.is_relative_to(root) else top}/"


def _latest(found: FoundFile) -> tuple[float, str]:
    return -found.changed, found.name


def _split(pattern: str, scope: AllowedFolders) -> tuple[Path, str]:
    """The folder that an absolute pattern starts in, and the rest."""
    plain: list[str] = []
    parts = [part for part in pattern.split("/") if part]
    while len(parts) > 1 and not set(parts[0]) & set("*?[{"):
        plain.append(parts.pop(0))
    try:
        return scope.place("/" + "/".join(plain)), "/".join(parts)
    except Denied as denied:
        raise ToolFault(str(denied)) from None


SECONDS = 10.0
"""How long one search may take."""
MAX_OUTPUT_CHARS = 40_000
"""Characters of one answer."""
_LINES = 250
_AROUND = 50
_MODES = ("files_with_matches", "content", "count")
_SEEK = Path(__file__).with_name("search_process.py")


def job_of(place: PathVerdict, given: Mapping[str, object], scope: AllowedFolders) -> dict[str, object]:
    """What the process is told.

    Args:
        place: The file or folder that `decide` allowed.
        given: The input that it allowed.

    Raises:
        ToolFault: If the input asks for what there isn't.
    """
    assert place.base is not None and place.name is not None
    mode = given.get("output_mode") or "files_with_matches"
    if mode not in _MODES:
        raise ToolFault(f"output_mode is one of {', '.join(_MODES)}")
    if given.get("type") is not None:
        raise ToolFault("type isn't known here: use glob, such as *.md")
    top = place.base / place.name
    if top.is_dir():
        fits = _chosen(given.get("glob"))
        names = [found.name for found in walk(top) if fits(found.name)]
    elif top.exists():
        top, names = top.parent, [top.name]
    else:
        raise ToolFault(f"there is no {place.name}")
    around = whole(given, "context", whole(given, "-C", 0, most=_AROUND), most=_AROUND)
    return {
        "top": str(top), "names": names, "lead": lead_of(top, scope), "pattern": given["pattern"], "mode": mode,
        "ignore_case": given.get("-i") is True, "multiline": given.get("multiline") is True,
        "only": given.get("-o") is True, "before": whole(given, "-B", around, most=_AROUND),
        "after": whole(given, "-A", around, most=_AROUND), "skip": whole(given, "offset", 0, most=10**9),
        "limit": whole(given, "head_limit", _LINES, least=1, most=1000), "most": MAX_OUTPUT_CHARS,
    }  # fmt: skip


def whole(given: Mapping[str, object], key: str, default: int, *, least: int = 0, most: int) -> int:
    """A number of the input, within bounds; a model may write 5.0 or 1e99."""
    value = given.get(key)
    if not isinstance(value, int | float):
        return default
    return int(min(max(value, least), most))


def _chosen(pattern: object) -> Callable[[str], bool]:
    """Which names a `glob` chooses: one without a slash is for names in any folder."""
    if not isinstance(pattern, str) or not pattern:
        return lambda name: True
    wanted = not pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    fits = matcher(pattern if "/" in pattern else f"**/{pattern}")
    return lambda name: fits(name) is wanted


async def seek(job: dict[str, object], *, seconds: float = SECONDS) -> str:
    """Run the process; it ends with the task that waits for it.

    Raises:
        ToolFault: If the pattern is none, or it takes too long.
        OSError: If the process can't be started.
    """
    if not job["names"]:
        return "(no file to look into)"
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        "-S",
        str(_SEEK),
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
