"""Follow the disk: watched folders, and the nearest one that exists for those that do not exist yet."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

from memtui.client.paths import config_dir
from memtui.sessions.listing import project_folders as projects_in
from memtui.tui import preload
from memtui.tui.app_base import AppBase
from memtui.tui.messages import DiskChanged, DreamsChanged, SessionsChanged

FALLBACK_INTERVAL_S = 10.0  # seconds between two looks where the system can't watch
QUIET_INTERVAL_S = 5.0  # seconds without a change after which the watcher says that there was none


async def changes(
    *paths: Path, recursive: bool, matters: Callable[[Any, str], bool] | None = None, beats: bool = False
) -> AsyncGenerator[bool, None]:
    """Something changed in these folders, which exist, again and again: True for each time.

    Where the system doesn't watch for us (it has no watches left, or a name there is no text) it is said every
    `FALLBACK_INTERVAL_S` seconds instead, and watching is tried again.

    Args:
        matters: Whether a change counts, by its kind and path; if left out all do but those of editors' own files.
        beats: Whether it is said too that nothing changed for `QUIET_INTERVAL_S` seconds, with False.
    """
    from watchfiles import DefaultFilter  # late: its import costs a tenth of Textual's own start
    from watchfiles._rust_notify import WatchfilesRustInternalError

    seen = matters or DefaultFilter()
    while paths:
        try:
            async with aclosing(_watch(*paths, matters=seen, recursive=recursive)) as reports:
                async for changed in reports:
                    if changed or beats:
                        yield changed
        except (OSError, UnicodeEncodeError, WatchfilesRustInternalError):
            await asyncio.sleep(FALLBACK_INTERVAL_S)
            yield True
        else:
            return


async def _watch(*paths: Path, matters: Callable[[Any, str], bool], recursive: bool) -> AsyncGenerator[bool, None]:
    """Say when the watcher saw something, or saw nothing for a while; what it raises is raised here.

    It waits in a thread of its own: `awatch` would load all of anyio for that, 1.4 MB, and the loop's own threads are
    few.
    """
    from watchfiles import watch

    loop = asyncio.get_running_loop()
    reports: asyncio.Queue[BaseException | bool] = asyncio.Queue()
    stop = Event()

    def report(what: BaseException | bool) -> None:
        with suppress(RuntimeError):  # the loop has ended, no reader is left
            loop.call_soon_threadsafe(reports.put_nowait, what)

    def wait() -> None:
        try:
            for found in watch(
                *paths, watch_filter=matters, debounce=50, step=10, recursive=recursive, stop_event=stop,
                rust_timeout=int(QUIET_INTERVAL_S * 1000), yield_on_timeout=True,
            ):  # fmt: skip
                report(bool(found))
        except BaseException as error:  # noqa: BLE001 - handed to who waits
            report(error)

    Thread(target=wait, name="watch", daemon=True).start()
    try:
        while True:
            if isinstance(what := await reports.get(), BaseException):
                raise what
            yield what
    finally:
        stop.set()  # seen within one step


def watched(roots: list[Path]) -> tuple[list[Path], list[Path]]:
    """The folders to watch with all below them, and those of which only the entries matter (a root is to come)."""
    deep, flat = [], []
    for root in roots:
        if root.is_dir():
            deep.append(root)
        else:
            flat.append(next((parent for parent in root.parents if parent.is_dir()), Path("/")))
    return list(dict.fromkeys(deep)), list(dict.fromkeys(flat))


async def follow(app: AppBase) -> None:
    workspace = app.workspace
    deep, flat = watched([workspace.location.folder, *workspace.roots])

    async def watch(paths: list[Path], *, recursive: bool) -> None:
        async with aclosing(changes(*paths, recursive=recursive)) as reports:
            async for _ in reports:
                if app.workspace is not workspace:
                    return
                app.post_message(DiskChanged())

    await asyncio.gather(watch(deep, recursive=True), watch(flat, recursive=False))


async def follow_sessions(app: AppBase, folders: Sequence[Path], everywhere: Path | None) -> None:
    """Report what happens to transcripts, and which clients come and go, until another list is followed.

    Each folder is watched by itself, or where it is to come: what lies below, the files of sub-agents, is ten times as
    many folders. With `everywhere`, the folder of all projects, those that come are watched too.
    """
    clients, moved = config_dir(app.workspace.env) / "sessions", False
    coming: list[str] = []

    def matters(change: object, path: str) -> bool:
        nonlocal moved
        moves = everywhere is not None and path.rpartition("/")[0] == str(everywhere)
        moves = moves or any(f"{folder}/".startswith(f"{path}/") for folder in coming)
        moved = moved or moves
        return moves or path.endswith((".jsonl", ".json"))

    def look() -> tuple[list[Path], list[Path], list[str]]:
        wanted = [*folders, clients, *([everywhere, *projects_in(everywhere)] if everywhere is not None else [])]
        there, above = watched(wanted)
        return there, above, [str(folder) for folder in {*wanted} - {*there}]

    while True:
        again, moved = moved, False
        there, above, coming = await asyncio.to_thread(look)
        if again:
            app.post_message(SessionsChanged())  # what a new folder has that is not watched yet
        async with aclosing(changes(*there, *above, matters=matters, recursive=False, beats=True)) as reports:
            async for changed in reports:
                if changed:
                    app.post_message(SessionsChanged())
                if moved or (not changed and (there, above) != (await asyncio.to_thread(look))[:2]):
                    moved = True  # a folder came or went, maybe between the look and the watch
                    break
            else:
                return


async def follow_dreams(app: AppBase, followed: Callable[[], str]) -> None:
    """Report what is written to the files of runs, whoever's they are, but for the one that is `followed` already."""
    root = app.workspace.dirs.state / "runs"

    def matters(change: object, path: str) -> bool:
        return path != followed()

    while True:
        deep, flat = watched([root])
        async with aclosing(changes(*deep, *flat, matters=matters, recursive=bool(deep))) as reports:
            async for _ in reports:
                if deep or root.is_dir():
                    await preload.load("memtui.tui.loaders.dreams")
                    app.post_message(DreamsChanged())
                if flat and watched([root])[1] != flat:
                    break  # the folder, or one above it, is there now
            else:
                return
