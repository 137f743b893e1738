"""Follow the disk: watched folders, and the nearest one that exists for those that do not exist yet."""

from pathlib import Path
from typing import TYPE_CHECKING

from memtui.tui.messages import DiskChanged

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

    import asyncio

    await asyncio.gather(watch(deep, recursive=True), watch(flat, recursive=False))
