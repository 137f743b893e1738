"""Follow the disk: watched folders, and the nearest one that exists for those that do not exist yet."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.host.paths import config_dir
from memtui.tui.messages import DiskChanged, DreamsChanged, SessionsChanged

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp


def watched(roots: list[Path]) -> tuple[list[Path], list[Path]]:
    """The folders to watch with all below them, and those of which only the entries matter (a root is to come)."""
    deep, flat = [], []
    for root in roots:
        if root.is_dir():
            deep.append(root)
        else:
            flat.append(next((parent for parent in root.parents if parent.is_dir()), Path("/")))
    return list(dict.fromkeys(deep)), list(dict.fromkeys(flat))


async def follow(app: "MemtuiApp") -> None:
    """Report every change until the app ends or another project is opened.

    Imported late: watchfiles costs a quarter of Textual's own start. Where the system refuses another watch, the
    app's rescan is what is left, and the first line says so nowhere: nothing is lost but seconds.
    """
    from watchfiles import awatch

    workspace = app.workspace
    roots = [workspace.place.folder, *workspace.roots]
    deep, flat = watched(roots)

    async def watch(paths: list[Path], *, recursive: bool) -> None:
        if not paths:
            return
        async for _ in awatch(*paths, debounce=50, step=10, recursive=recursive, stop_event=None):
            if app.workspace is not workspace:
                return
            app.post_message(DiskChanged())

    await asyncio.gather(watch(deep, recursive=True), watch(flat, recursive=False))


async def follow_sessions(app: "MemtuiApp", folders: Sequence[Path], everywhere: Path | None) -> None:
    """Report what happens to transcripts, and which clients come and go, until another list is followed.

    Args:
        app: Where to report.
        folders: Project folders; only their own files count.
        everywhere: The folder of all projects, where all are listed: one watch with all below it.
    """
    from watchfiles import Change, awatch

    def matters(change: Change, path: str) -> bool:
        return path.endswith((".jsonl", ".json"))

    clients = config_dir(app.workspace.env) / "sessions"
    flat = [folder for folder in [*folders, clients] if folder.is_dir()]

    async def watch(paths: Sequence[Path], *, recursive: bool) -> None:
        if paths:
            async for _ in awatch(*paths, watch_filter=matters, debounce=50, step=10, recursive=recursive):
                app.post_message(SessionsChanged())

    await asyncio.gather(watch(flat, recursive=False), watch([everywhere] if everywhere else [], recursive=True))


async def follow_dreams(app: "MemtuiApp") -> None:
    """Report what is written to the files of runs, whoever's they are, until the app ends.

    The events of the run that is on are left out: they are followed by themselves.
    """
    from watchfiles import Change, awatch

    root = app.workspace.dirs.state / "runs"

    def matters(change: Change, path: str) -> bool:
        return path != app.dreams.followed

    while True:
        deep, flat = watched([root])
        async for _ in awatch(*deep, *flat, debounce=50, step=10, recursive=bool(deep), watch_filter=matters):
            app.post_message(DreamsChanged())
            if flat and watched([root])[1] != flat:
                break  # the folder, or one above it, is there now
        else:
            return
