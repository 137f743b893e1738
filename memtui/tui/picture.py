"""The last picture of a project, shown at once if nothing has changed since.

Reading 1,200 heads takes as long as Textual's own start. So what the list, the meter and the first line showed is kept
in the cache, with the size and time of every file and folder that it was made from. The next start looks at those
alone, some milliseconds; a single one that differs, and the picture is not shown. The full reading follows in any case.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui import __version__
from memtui.base.files import replace_file
from memtui.base.text import visible
from memtui.host.gitroot import branch_of
from memtui.host.paths import LOCK
from memtui.tui.arrange import Group, Item, Row, Wanted, arrange, unlisted
from memtui.tui.panels.budget_meter import Fill

if TYPE_CHECKING:
    from memtui.memory.world import World
    from memtui.tui.start import Start

FIRST_ROWS = 200
"""Rows that are kept: more than any screen has; the rest comes with the reading, a moment later."""

Stamp = tuple[str, int, int]
"""Path, size in bytes (-1: not there), time of the last change in ns."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What the first screen showed, apart from what is the same in every start; `files` counts the memory's files."""

    rows: tuple[Row, ...]
    files: int
    fill: Fill | None
    problems: int
    unlisted: int
    branch: str
    last_dream: float | None
    whole: bool = True
    """False: only what the folder lists, without anything that stands in a file."""


def _file(start: "Start") -> Path:
    key = f"{__version__}\0{start.place.cwd}\0{start.place.folder}\0{start.place.enabled}"
    return start.cache / "first" / f"{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"


def _stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)  # noqa: PTH116 - a thousand times on the way to the first picture
    except OSError:
        return path, -1, 0
    return path, found.st_size, found.st_mtime_ns


def _same(stamps: list[list[Any]]) -> bool:
    stat = os.stat
    for path, size, time in stamps:
        try:
            found = stat(path)
        except OSError:
            if size != -1:
                return False
        else:
            if found.st_mtime_ns != time or found.st_size != size:
                return False
    return True


def load(start: "Start") -> Picture | None:
    """The last picture, if every file and folder is as it was then; `None` otherwise, and where there is none."""
    try:
        kept = json.loads(_file(start).read_bytes())
        if not _same(kept["stamps"]):
            return None
        rows = tuple(Group(*row) if len(row) == 4 else _item(row) for row in kept["rows"])
        fill = Fill(*kept["fill"]) if kept["fill"] else None
        return Picture(
            rows, kept["files"], fill, kept["problems"], kept["unlisted"], kept["branch"], kept["last_dream"]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None  # of another version, or half a file of another program: the reading follows anyway


def names(start: "Start") -> Picture | None:
    """What the memory folder lists, for a start without a last picture; `None` where there is no folder.

    Its own level alone: names, sizes and times, not yet by type. The reading follows.
    """
    folder = start.place.folder
    try:
        listed = [name for name in os.listdir(folder) if name.endswith(".md")]  # noqa: PTH208 - no paths are needed
    except OSError:
        return None
    listed.sort(key=lambda name: (name != "MEMORY.md", name.casefold()))
    items = []
    for name in listed[:FIRST_ROWS]:
        path, size, time = _stamp(f"{folder}/{name}")
        items.append(Item(Path(path), visible(name, keep=""), "auto", max(size, 0), time / 1e9, ""))
    rows: tuple[Row, ...] = (Group("names", "memory", len(listed), False), *items) if items else ()
    _, size, time = _stamp(str(folder / LOCK))
    last_dream = time / 1e9 if size >= 0 else None
    return Picture(rows, len(listed), None, 0, 0, branch_of(start.place.cwd), last_dream, whole=False)


def _item(row: list[Any]) -> Item:
    return Item(Path(row[0]), *row[1:])


def save(start: "Start", picture: Picture, stamps: Iterable[Stamp]) -> None:
    """Keep a picture for the next start; a cache that cannot be written is no fault."""
    shown = picture.rows[:FIRST_ROWS]
    rows = [[str(value) if isinstance(value, Path) else value for value in astuple(row)] for row in shown]
    kept = {
        "stamps": list(stamps),
        "rows": rows,
        "files": picture.files,
        "fill": astuple(picture.fill) if picture.fill else None,
        "problems": picture.problems,
        "unlisted": picture.unlisted,
        "branch": picture.branch,
        "last_dream": picture.last_dream,
    }
    file = _file(start)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, json.dumps(kept).encode("ascii"), mode=0o600)
    except OSError:
        return


def of_world(world: "World", wanted: Wanted, branch: str, last_dream: float | None) -> Picture:
    """What the first screen shows of a world."""
    auto = world.auto
    return Picture(
        rows=arrange(world, wanted),
        files=len(auto.files) if auto else 0,
        fill=Fill.of(auto) if auto else None,
        problems=sum(p.severity != "info" and p.code != "orphan" for p in world.problems),
        unlisted=len(unlisted(auto)) if auto else 0,
        branch=branch,
        last_dream=last_dream,
    )


def stamps_of(world: "World", ours: Iterable[Path]) -> list[Stamp]:
    """The stamps of all that a world was read from: files as they were read, folders as they are.

    Args:
        world: A full reading.
        ours: Further files and folders that the picture depends on: drafts, pins, the lock, the branch.
    """
    folders = {world.place.folder, *ours}
    stamps: list[Stamp] = []
    for scope in world.scopes:
        folders.add(scope.root)
        folders.add(scope.root.parent)  # an agent that gets its first memory
        for file in scope.files:
            stamps.append((str(file.path), file.size, file.mtime_ns))
            folders.add(file.path.parent)
    for item in world.instructions:
        folders.add(item.path.parent)
        if item.exists:
            stamps.append((str(item.path), item.size, item.mtime_ns))
    return stamps + [_stamp(str(folder)) for folder in sorted(folders)]
