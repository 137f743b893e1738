"""What the widgets of the first frame were given, as data: with it Textual draws the saved frame again, and keys work.

It is saved with the frame (see `frame_cache`) and shown until the disk is read. Ages in texts are those of that time.
"""

import re
from collections.abc import Sequence

import msgspec
from msgspec import Struct
from textual.content import Content, Span

from memtui.tui.render.markdown import MarkdownLine
from memtui.tui.render.memory_rows import Row
from memtui.tui.widgets.budget_meter import IndexFill
from memtui.tui.widgets.properties import Pair
from memtui.tui.widgets.title_bar import TitleFacts


class FirstState(Struct, frozen=True):
    """The first frame's texts, all visible; `folder` is the memory folder that they are of."""

    folder: str
    title: TitleFacts
    budget: IndexFill | None
    budget_note: str
    files: int
    rows: tuple[Row, ...]
    preview_title: str
    preview: Sequence[MarkdownLine]
    pairs: Sequence[Pair]
    notes: Sequence[Content]


def encode(state: FirstState) -> bytes:
    """The state for the cache; empty if it holds what could not be read back as it is."""
    try:
        data = msgspec.json.encode(state, enc_hook=_plain)
    except (NotImplementedError, UnicodeEncodeError):
        return b""  # a style that is no name, or a path that is no text
    return b"" if _has_controls(data) else data


def decode(data: bytes) -> FirstState | None:
    """The state of the cache; `None` if there is none."""
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
