"""The tools of one run: what may be called, what has been read, one answer for every call.

Source: DESIGN.md D5; SAFETY.md F30 to F33, F46.
"""

import asyncio
import json
import os
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from memtui.agent.permissions import AllowedFolders, Decision, decide
from memtui.agent.shell.run import SECONDS, run
from memtui.agent.task import TOOLS
from memtui.agent.tools.files import LINES, FileEdit, Seen, edit_file, place_key, read_lines, write_file
from memtui.agent.tools.outcome import ToolResult
from memtui.agent.tools.schemas import SCHEMAS
from memtui.agent.tools.search import find, job_of, seek, whole
from memtui.fs.atomic import digest
from memtui.fs.boundary import PathVerdict
from memtui.fs.filesystem import REAL, FileSystem
from memtui.util.errors import MemtuiError

MOST = 64_000
"""Characters of any answer."""

T = TypeVar("T")
Given = Mapping[str, Any]


class Box:
    """Runs calls, one after the other.

    Args:
        scope: The folders that the run was given.
        allowed: Names of the tools that it may use.
    """

    def __init__(self, scope: AllowedFolders, allowed: Sequence[str] = TOOLS, *, fs: FileSystem = REAL) -> None:
        self._scope = scope
        self._allowed = [name for name in SCHEMAS if name in allowed]
        self._fs = fs
        self._seen: Seen = {}

    def schemas(self) -> list[dict[str, Any]]:
        """What the model is told."""
        return [SCHEMAS[name] for name in self._allowed]

    async def call(self, name: object, given: object) -> ToolResult:
        """Do what the model asks for, or say why not.

        Args:
            name: As the model wrote it.
            given: The same; any type.
        """
        if name not in self._allowed or not isinstance(name, str):
            return ToolResult.fault(f"there is no such tool; there are: {', '.join(self._allowed)}")
        if not isinstance(given, Mapping):
            return ToolResult.fault("the input is no JSON object")
        given = {key: value for key, value in given.items() if value is not None}
        for key in SCHEMAS[name]["input_schema"]["required"]:
            if key not in given:
                return ToolResult.fault(f"{key} is missing")
        decision = decide(name, given, self._scope)
        if not decision.allowed:
            return ToolResult.fault(f"denied: {decision.reason}")
        try:
            outcome = await _RUN[name](self, decision, given)
        except MemtuiError as fault:
            return ToolResult.fault(fault.message)
        except OSError as error:
            return ToolResult.fault(f"the disk says: {os.strerror(error.errno or 0)}")
        if len(outcome.text) <= MOST:
            return outcome
        text = outcome.text[:MOST] + "\n(cut here: ask for less)"
        return ToolResult(text, outcome.ok, outcome.reason, outcome.fresh, outcome.wrote)

    async def _read(self, decision: Decision, given: Given) -> ToolResult:
        place = _place(decision)
        offset = whole(given, "offset", 1, least=1, most=10**12)
        limit = whole(given, "limit", LINES, least=1, most=LINES)
        shown = await in_thread(lambda: read_lines(place, offset, limit))
        if shown.digest:
            self._seen[place_key(place)] = shown.digest
        return ToolResult(shown.text, fresh=f"{place_key(place)}:{shown.first}")

    async def _glob(self, decision: Decision, given: Given) -> ToolResult:
        place, pattern = _place(decision), given["pattern"]
        return ToolResult(await in_thread(lambda: find(place, pattern, self._scope)))

    async def _grep(self, decision: Decision, given: Given) -> ToolResult:
        place = _place(decision)
        return ToolResult(await seek(await in_thread(lambda: job_of(place, given, self._scope))))

    async def _bash(self, decision: Decision, given: Given) -> ToolResult:
        plan = decision.plan
        assert plan is not None
        seconds = whole(given, "timeout", int(SECONDS * 1000), least=100, most=int(SECONDS * 1000)) / 1000
        ran = await in_thread(lambda: run(plan, seconds=seconds))
        text = ran.output.rstrip("\n")
        fresh = f"output:{digest(text.encode())}" if text else ""
        if ran.stopped:
            why = "it took too long and was stopped" if ran.stopped == "time" else "it printed too much and was stopped"
            return ToolResult(f"{text}\n({why})".lstrip("\n"), False, why, fresh)
        if ran.code:
            text = f"{text}\n(exit code {ran.code})".lstrip("\n")
        return ToolResult(text or "(it printed nothing)", fresh=fresh)

    async def _edit(self, decision: Decision, given: Given) -> ToolResult:
        change = FileEdit(given["old_string"], given["new_string"], given.get("replace_all") is True)
        return ToolResult(edit_file(_place(decision), change, self._seen, fs=self._fs), wrote=True)

    async def _write(self, decision: Decision, given: Given) -> ToolResult:
        return ToolResult(write_file(_place(decision), given["content"], self._seen, fs=self._fs), wrote=True)


_RUN: dict[str, Callable[[Box, Decision, Given], Awaitable[ToolResult]]] = {
    "Read": Box._read,
    "Grep": Box._grep,
    "Glob": Box._glob,
    "Bash": Box._bash,
    "Edit": Box._edit,
    "Write": Box._write,
}

_TELLING = {"Read": "file_path", "Edit": "file_path", "Write": "file_path", "Bash": "command"}


def telling(name: str, given: object) -> str:
    """The argument that tells a call from others of its tool, as the model wrote it."""
    if not isinstance(given, Mapping):
        return ""
    if name in _TELLING:
        value = given.get(_TELLING[name], "")
    else:
        value = " in ".join(str(given[key]) for key in ("pattern", "path") if given.get(key) is not None)
    return value if isinstance(value, str) else json.dumps(value)


def _place(decision: Decision) -> PathVerdict:
    assert decision.path is not None
    return decision.path


async def in_thread(work: Callable[[], T]) -> T:
    """Do something slow that only reads, without holding up a stop.

    The thread is one that an ending process doesn't wait for, unlike those of `asyncio.to_thread`.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def done(result: T | None, error: BaseException | None) -> None:
        if future.done():  # nobody waits any more
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def target() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001 - handed to who waits
            error = raised
        try:
            loop.call_soon_threadsafe(done, result, error)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more

    threading.Thread(target=target, name="memtui-tool", daemon=True).start()
    return await future
