"""Grep: lines that match a regular expression, looked for by a process of its own (`seek`)."""

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from memtui.agent.permissions import Scope
from memtui.agent.shell.run import ENVIRONMENT
from memtui.agent.tools.glob import lead_of
from memtui.agent.tools.outcome import ToolFault
from memtui.agent.tools.patterns import matcher
from memtui.agent.tools.walk import walk
from memtui.base.boundary import Verdict

SECONDS = 10.0
"""How long one search may take."""
MAX_OUTPUT_CHARS = 40_000
"""Characters of one answer."""
_LINES = 250
_AROUND = 50
_MODES = ("files_with_matches", "content", "count")
_SEEK = Path(__file__).with_name("seek.py")


def job_of(place: Verdict, given: Mapping[str, object], scope: Scope) -> dict[str, object]:
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
