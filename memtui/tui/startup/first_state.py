"""What the widgets of the first frame are given, as data, until the disk is read.

It is saved with the frame (see `frame_cache`): Textual draws the same again, and keys work. Ages in its texts are those
of that time. Without a saved frame it is made of the names in the memory folder: to read 1,200 files takes three times
as long as Textual's start.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from textual.content import Content, Span

from memtui.tui.render.markdown import MarkdownLine
from memtui.tui.render.memory_rows import FileRow, GroupRow, Row
from memtui.tui.startup.frame_cache import stamp
from memtui.tui.widgets.budget_meter import IndexFill
from memtui.tui.widgets.properties import Pair
from memtui.tui.widgets.title_bar import ProjectStatus
from memtui.util.text import visible

MAX_NAMES = 200  # files of which the names are shown: more than any screen has


class FirstState(Struct, frozen=True):
    """The first frame's texts, all visible; `folder` is the memory folder that they are of.

    `title` is None where only names are known. Of the preview there is a screenful, and how many lines it has: to
    decode all of an index of 1,200 entries takes 50 ms.
    """

    folder: str
    files: int
    rows: tuple[Row, ...]
    title: ProjectStatus | None = None
    budget: IndexFill | None = None
    budget_note: str = ""
    preview_title: str = ""
    preview: Sequence[MarkdownLine] = ()
    preview_length: int = 0
    pairs: Sequence[Pair] = ()
    notes: Sequence[Content] = ()

    @property
    def preview_lines(self) -> list[MarkdownLine]:
        """As many lines as the preview had; those below the screen are blank until the file is read."""
        return [*self.preview, *[MarkdownLine(Content(""), 1)] * (self.preview_length - len(self.preview))]


def names_in(folder: Path) -> FirstState | None:
    """The names, sizes and times of the files in a memory folder, not yet by type; `None` where there is no folder."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".md"))  # noqa: PTH208
    except OSError:
        return None
    names.sort(key=lambda name: (name != "MEMORY.md", name.casefold()))
    stamps = [(name, stamp(f"{folder}/{name}")) for name in names[:MAX_NAMES]]
    files = [
        FileRow(path, visible(name, keep=""), "auto", max(size, 0), time / 1e9, "")
        for name, (path, size, time, _) in stamps
    ]
    rows: tuple[Row, ...] = (GroupRow("names", "memory", len(names), False), *files) if files else ()
    return FirstState(str(folder), len(names), rows)


def encode(state: FirstState) -> bytes:
    """The state for the cache; empty if it holds what could not be read back as it is."""
    try:
        data = msgspec.json.encode(state, enc_hook=_plain)
    except (NotImplementedError, UnicodeEncodeError):
        return b""  # a style that is no name, or a path that is no text
    return b"" if _has_controls(data) else data


def decode(data: bytes) -> FirstState | None:
    if not data or _has_controls(data):
        return None
    try:
        return msgspec.json.decode(data, type=FirstState, dec_hook=_content)
    except msgspec.MsgspecError:
        return None


def _has_controls(data: bytes) -> bool:
    """Whether a text has control characters that a terminal would obey: as JSON writes them, or as they are."""
    return re.search(rb"\\u00|\x7f|\xc2[\x80-\x9f]", data) is not None


def _plain(content: object) -> list[object]:
    if not isinstance(content, Content) or not all(isinstance(span.style, str) for span in content.spans):
        raise NotImplementedError
    return [content.plain, content.spans]


def _content(type: object, data: list[object]) -> Content:
    plain, spans = msgspec.convert(data, tuple[str, list[tuple[int, int, str]]])
    return Content(plain, spans=[Span(*span) for span in spans])
