"""The tools of one run: which may be called, what has been read, one answer for every call.

Each call goes through `permissions.decide`; file tools open the decided path again by descriptor, no link followed, so
that swapping a folder between decision and use leads nowhere.
"""

import asyncio
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from memtui.agent.permissions import Decision, decide
from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.shell.run import SHELL_TIMEOUT_S, run_plan
from memtui.agent.shell.validate import ShellPlan
from memtui.agent.task import TOOLS
from memtui.agent.tools.files import MAX_LINES, SeenDigests, edit_file, place_key, read_lines, write_file
from memtui.agent.tools.outcome import ToolResult
from memtui.agent.tools.schemas import SCHEMAS
from memtui.agent.tools.search import bounded_int, find_files, run_search, search_job
from memtui.fs.atomic import digest
from memtui.fs.filesystem import REAL, FileSystem
from memtui.util.errors import MemtuiError

MAX_ANSWER_CHARS = 64_000

T = TypeVar("T")


class Toolbox:
    """Makes a run's tool calls, one after the other; `allowed` are the tools that it may use."""

    def __init__(self, scope: AllowedFolders, allowed: Sequence[str] = TOOLS, *, fs: FileSystem = REAL) -> None:
        self._scope = scope
        self._allowed = [name for name in SCHEMAS if name in allowed]
        self._fs = fs
        self._seen: SeenDigests = {}

    def schemas(self) -> list[dict[str, Any]]:
        return [SCHEMAS[name] for name in self._allowed]

    async def call(self, name: object, given: object) -> ToolResult:
        """Do what the model asks for, or say why not; name and input may be anything."""
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
            outcome = await self._run(name, decision, given)
        except MemtuiError as fault:
            return ToolResult.fault(fault.message)
        except OSError as error:
            return ToolResult.fault(f"the disk says: {os.strerror(error.errno or 0)}")
        if len(outcome.text) <= MAX_ANSWER_CHARS:
            return outcome
        return replace(outcome, text=outcome.text[:MAX_ANSWER_CHARS] + "\n(cut here: ask for less)")

    async def _run(self, name: str, decision: Decision, given: Mapping[str, Any]) -> ToolResult:
        place = decision.path
        if place is None:
            assert decision.plan is not None
            return await self._bash(decision.plan, given)
        match name:
            case "Read":
                offset = bounded_int(given, "offset", 1, least=1, most=10**12)
                limit = bounded_int(given, "limit", MAX_LINES, least=1, most=MAX_LINES)
                shown = await run_in_thread(lambda: read_lines(place, offset, limit))
                if shown.digest:
                    self._seen[place_key(place)] = shown.digest
                return ToolResult(shown.text, fresh=f"{place_key(place)}:{shown.first}")
            case "Glob":
                return ToolResult(await run_in_thread(lambda: find_files(place, given["pattern"], self._scope)))
            case "Grep":
                return ToolResult(await run_search(await run_in_thread(lambda: search_job(place, given, self._scope))))
            case "Edit":
                old, new, every = given["old_string"], given["new_string"], given.get("replace_all") is True
                return ToolResult(edit_file(place, old, new, self._seen, every=every, fs=self._fs), wrote=True)
            case "Write":
                return ToolResult(write_file(place, given["content"], self._seen, fs=self._fs), wrote=True)
        raise AssertionError(name)

    async def _bash(self, plan: ShellPlan, given: Mapping[str, Any]) -> ToolResult:
        longest_ms = int(SHELL_TIMEOUT_S * 1000)
        seconds = bounded_int(given, "timeout", longest_ms, least=100, most=longest_ms) / 1000
        ran = await run_in_thread(lambda: run_plan(plan, seconds=seconds))
        text = ran.output.rstrip("\n")
        fresh = f"output:{digest(text.encode())}" if text else ""
        if ran.stopped:
            why = "it took too long and was stopped" if ran.stopped == "time" else "it printed too much and was stopped"
            return ToolResult(f"{text}\n({why})".lstrip("\n"), False, why, fresh)
        if ran.code:
            text = f"{text}\n(exit code {ran.code})".lstrip("\n")
        return ToolResult(text or "(it printed nothing)", fresh=fresh)


_MAIN_KEY = {"Read": "file_path", "Edit": "file_path", "Write": "file_path", "Bash": "command"}


def call_argument(name: str, given: object) -> str:
    """The argument that distinguishes a call from others of its tool, as the model wrote it."""
    if not isinstance(given, Mapping):
        return ""
    if name in _MAIN_KEY:
        value = given.get(_MAIN_KEY[name], "")
    else:
        value = " in ".join(str(given[key]) for key in ("pattern", "path") if given.get(key) is not None)
    return value if isinstance(value, str) else json.dumps(value)


def names_folder(given: object, folders: Sequence[Path]) -> bool:
    """Whether a call's input names one of these folders, or something below it."""
    words = given.values() if isinstance(given, Mapping) else ()
    return any(str(folder) in word for word in words if isinstance(word, str) for folder in folders)


async def run_in_thread(work: Callable[[], T]) -> T:
    """Run something slow that only reads, in a thread that, unlike `asyncio.to_thread`'s, no ending process awaits."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def done(result: T | None, error: BaseException | None) -> None:
        if future.done():  # the caller was cancelled
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def target() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001 - raised again by the caller
            error = raised
        try:
            loop.call_soon_threadsafe(done, result, error)
        except RuntimeError:
            pass  # the loop is closed, so the caller is gone

    threading.Thread(target=target, name="memtui-tool", daemon=True).start()
    return await future
