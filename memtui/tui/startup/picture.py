"""The last picture of a project, shown at once if nothing has changed since.

Reading 1,200 heads takes as long as Textual's own start. So what the list, the meter and the first line showed is kept
in the cache, with the size and time of every file and folder that it was made from, the settings that led to the memory
folder among them. The next start looks at those alone, some milliseconds; a single one that differs, and the picture is
not shown. The full reading follows in any case.

This is what a start imports first, so it stands on little: no dataclass, no engine. `sketch` makes pictures.
"""

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from zlib import crc32

from msgspec.structs import astuple

from memtui import __version__
from memtui.tui.glyphs import Glyphs
from memtui.tui.render.memory_rows import FileRow, GroupRow, Row
from memtui.tui.segments.budget_meter import Fill
from memtui.util.tabbed import pack, unpack

TYPE_CHECKING = False  # as in typing
if TYPE_CHECKING:
    from pathlib import Path

    from memtui.client.memory_location import MemoryLocation
    from memtui.tui.startup.start import StartContext

FIRST_ROWS = 200
"""Rows that are kept: more than any screen has; the rest comes with the reading, a moment later."""

Stamp = tuple[str, int, int]
"""Path, size in bytes (-1: not there), time of the last change in ns."""

_DECIDE = ("CLAUDE_", "XDG_", "HOME")
"""How the variables begin that decide which memory is shown, and where our own files are."""

_END = "end"
"""The last line of a file that is whole."""


class Picture(NamedTuple):
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


class CachedFrame(NamedTuple):
    """A picture, if there is one, with what was decided before it was made; all texts visible.

    `project` and `folder` are as the first line shows them; `memory` is the folder's path; `enabled` is auto memory.
    `theme` and `glyphs` are as our settings lead to them.
    """

    picture: Picture | None
    project: str
    folder: str
    memory: str
    enabled: bool
    theme: str
    glyphs: str

    def is_of(self, location: "MemoryLocation") -> bool:
        """Whether it was made of that place."""
        return self.memory == str(location.folder) and self.enabled == location.enabled


def notice(picture: Picture | None, glyphs: Glyphs) -> str:
    """What the first line says is going on while a picture is all that is shown."""
    return "" if picture and picture.whole else f"reading{glyphs.ellipsis}"


def _file(cache: "str | Path", cwd: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Where the picture of a directory is, and what has to stand in it: all that is known before anything is read."""
    decides = sorted(f"{name}={value}" for name, value in environ.items() if name.startswith(_DECIDE))
    key = "\0".join([__version__, cwd, *decides])
    return f"{cache}/first/{crc32(key.encode('utf-8', 'surrogatepass')):08x}", key


def stamp(path: str) -> Stamp:
    """The stamp of a file or folder as it is."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a thousand times on the way to the first picture
    except OSError:
        return path, -1, 0
    return path, found.st_size, found.st_mtime_ns


def _same(lines: list[str]) -> bool:
    """Whether all is as it was stamped: lines of size, time, path."""
    stat = os.stat
    for line in lines:
        size, time, path = line.split("\t", 2)
        if "\\" in path:
            path = path.encode("ascii").decode("unicode_escape")
        try:
            found = stat(path)
        except OSError:
            if size != "-1":
                return False
        else:
            if found.st_mtime_ns != int(time) or found.st_size != int(size):
                return False
    return True


def read(cache: "str | Path", cwd: str, environ: Mapping[str, str]) -> CachedFrame | None:
    """The last picture of a directory, if every file and folder is as it was then; `None` otherwise.

    Args:
        cache: Our cache folder.
        cwd: The directory's real path.
        environ: The environment in which the agent client's settings are decided.
    """
    file, key = _file(cache, cwd, environ)
    try:
        with open(file, "rb") as opened:  # noqa: PTH123 - without pathlib, see `rows`
            lines = opened.read().decode("ascii").split("\n")
        head, decided, counted, fill, *rest, end = lines
        said, count, stamps = unpack(head)
        if (said, end) != (key, _END) or len(rest) != count + stamps or not _same(rest[count:]):
            return None
        files, problems, unlisted, branch, last_dream = unpack(counted)
        picture = Picture(
            tuple(_row(line) for line in rest[:count]),
            files,
            Fill(*unpack(fill)) if fill else None,
            problems,
            unlisted,
            branch,
            last_dream,
        )
        return CachedFrame(picture, *unpack(decided))
    except (OSError, ValueError, TypeError):
        return None  # half a file, or of another program: the reading follows anyway


def _row(line: str) -> Row:
    values = unpack(line)
    return GroupRow(*values) if len(values) == len(GroupRow.__struct_fields__) else FileRow(*values)


def load(start: "StartContext") -> Picture | None:
    """The picture that somebody looked at already, else the last one of the project if nothing has changed since."""
    kept = start.kept or read(start.cache, str(start.location.cwd), start.environ)
    return kept.picture if kept and kept.is_of(start.location) else None


def save(start: "StartContext", picture: Picture, kept: CachedFrame, stamps: Iterable[Stamp]) -> None:
    """Keep a picture and what `kept` says was decided for the next start; a cache that can't be written is no fault."""
    from pathlib import Path

    from memtui.fs.atomic import replace_file

    name, key = _file(start.cache, str(start.location.cwd), start.environ)
    file = Path(name)
    rows = picture.rows[:FIRST_ROWS]
    counted = (picture.files, picture.problems, picture.unlisted, picture.branch, picture.last_dream)
    seen = list(stamps)
    head = pack([key, len(rows), len(seen)])
    lines = [
        head,
        pack(kept[1:]),
        pack(counted),
        pack(astuple(picture.fill) if picture.fill else ()),
        *(pack(astuple(row)) for row in rows),
    ]
    lines += [f"{size}\t{time}\t{path.encode('unicode_escape').decode('ascii')}" for path, size, time in seen]
    lines.append(_END)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, "\n".join(lines).encode("ascii"), mode=0o600)
    except OSError:
        return
