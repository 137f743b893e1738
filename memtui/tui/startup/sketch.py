"""Pictures of a project made anew: of a world that was read, or of a folder's names while nothing is read yet."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.client.git import branch_of, head_file
from memtui.client.paths import LOCK_NAME, tilde_path
from memtui.tui.render.memory_rows import FileRow, GroupRow, Row
from memtui.tui.segments.budget_meter import Fill
from memtui.tui.startup.picture import FIRST_ROWS, CachedFrame, Picture, Stamp, stamp
from memtui.util.text import visible

if TYPE_CHECKING:
    from memtui.client.memory_location import MemoryLocation
    from memtui.memory.snapshot import Snapshot
    from memtui.tui.render.arrange import Wanted
    from memtui.tui.startup.start import StartContext


def names(start: "StartContext") -> Picture | None:
    """What the memory folder lists, for a start without a last picture; `None` where there is no folder.

    Its own level alone: names, sizes and times, not yet by type. The reading follows.
    """
    folder = start.location.folder
    try:
        listed = [name for name in os.listdir(folder) if name.endswith(".md")]  # noqa: PTH208 - no paths are needed
    except OSError:
        return None
    listed.sort(key=lambda name: (name != "MEMORY.md", name.casefold()))
    items = []
    for name in listed[:FIRST_ROWS]:
        path, size, time = stamp(f"{folder}/{name}")
        items.append(FileRow(path, visible(name, keep=""), "auto", max(size, 0), time / 1e9, ""))
    rows: tuple[Row, ...] = (GroupRow("names", "memory", len(listed), False), *items) if items else ()
    _, size, time = stamp(str(folder / LOCK_NAME))
    last_dream = time / 1e9 if size >= 0 else None
    return Picture(rows, len(listed), None, 0, 0, branch_of(start.location.cwd), last_dream, whole=False)


def kept(start: "StartContext", picture: Picture | None, theme: str, glyphs: str) -> CachedFrame:
    """The picture with what was decided before it; `theme` and `glyphs` are those in force."""
    location = start.location
    return CachedFrame(
        picture and picture._replace(branch=visible(picture.branch, keep="")),
        visible(location.root.name or str(location.root), keep=""),
        visible(tilde_path(location.folder, start.home), keep=""),
        str(location.folder),
        location.enabled,
        theme,
        glyphs,
    )


def of_world(snapshot: "Snapshot", wanted: "Wanted", branch: str, last_dream: float | None) -> Picture:
    """What the first screen shows of a world."""
    from memtui.tui.render.arrange import arrange, unlisted

    auto = snapshot.auto
    return Picture(
        rows=arrange(snapshot, wanted),
        files=len(auto.files) if auto else 0,
        fill=Fill.of(auto) if auto else None,
        problems=sum(p.severity != "info" and p.code != "orphan" for p in snapshot.problems),
        unlisted=len(unlisted(auto)) if auto else 0,
        branch=branch,
        last_dream=last_dream,
    )


def stamps_of(snapshot: "Snapshot", ours: Iterable[Path]) -> list[Stamp]:
    """The stamps of all that a world was read from: files as they were read, folders as they are.

    Args:
        world: A full reading.
        ours: Further files and folders that the picture depends on: drafts, pins, the lock, our own settings.
    """
    folders = {snapshot.location.folder, *ours, *_deciding(snapshot.location)}
    stamps: list[Stamp] = []
    for scope in snapshot.scopes:
        folders.add(scope.root)
        folders.add(scope.root.parent)  # an agent that gets its first memory
        for file in scope.files:
            stamps.append((str(file.path), file.size, file.mtime_ns))
            folders.add(file.path.parent)
    for item in snapshot.instructions:
        folders.add(item.path.parent)
        if item.exists:
            stamps.append((str(item.path), item.size, item.mtime_ns))
    return stamps + [stamp(str(folder)) for folder in sorted(folders)]


def _deciding(location: "MemoryLocation") -> set[Path]:
    """What the place and its branch were decided from: settings, and where git is or could come to be."""
    found = {layer.path for layer in location.layers if layer.path is not None}
    found |= {layer.path.with_suffix(".d") for layer in location.layers if layer.path and layer.name == "policy"}
    tree, head = head_file(location.cwd) or (None, None)
    for folder in (location.cwd, *location.cwd.parents):
        git = folder / ".git"
        if not git.is_dir():  # a folder's own time says only that git was busy; HEAD in it says what counts
            found.add(git)
        if folder == tree:
            break
    return found | {head} if head else found
