"""What a record says, as drawn rows: the text in full, calls in one line, results by their first lines.

Cheap whatever a record holds: of every part only so many lines are drawn as are shown. Each piece of foreign text
passes `visible`.
"""

import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from memtui.presentation.secrets import mask_secrets, mask_texts
from memtui.transcripts.content import ContentKind, ContentPart, MessageContent
from memtui.transcripts.entries import parse_timestamp
from memtui.tui.render.markdown import draw
from memtui.tui.theme import Glyphs
from memtui.util.text import cells, clip, pluralize, visible

OPENED: Final = 200  # lines of a part that are shown when it is unfolded; each further Enter shows as many more
FOLDED: Final[dict[ContentKind, int]] = {"text": OPENED, "summary": 6, "result": 3, "bad": 1}
"""Lines of a part's body that are shown while it is folded; none of the others."""
WIDE: Final = 100  # characters a line that are drawn on the average; a part of longer lines shows fewer of them
BETWEEN: Final = -2  # the part of the empty row above a record
_STYLES: Final[dict[ContentKind, str]] = {
    "thinking": "$dim italic", "machine": "$dim", "note": "$dim", "media": "$dim", "repeats": "$dim",
}  # fmt: skip
_DIFF_STYLES: Final = {"+": "$good", "-": "$problem", "@": "$link"}
_ROLES: Final = {"you": "bold $mark", "assistant": "bold $link", "task": "bold $mark"}

Limit = Callable[[int, ContentKind], int]  # how many lines of a part's body are to be shown, by its number and kind


class Row(Struct, frozen=True):
    """One drawn row."""

    content: Content
    part: int = -1  # of which it is; -1: of none, `BETWEEN`: the empty row above
    line: int = -1  # of the part's body; -1: none
    more: int = 0  # this row counts what isn't shown, and so many lines have to be shown to see more of it
    folds: bool = False  # whether its part can be folded


def draw_said(
    said: MessageContent, width: int, glyphs: Glyphs, limit: Limit, *, secrets: bool = False
) -> Iterator[Row]:
    """The rows of a record, at least one, in `width` cells (1 or more); without `secrets` these are masked."""
    if not said.parts or said.parts[0].kind == "text":
        yield Row(Content(""), BETWEEN)
        yield Row(_header(said, width))
    for number, part in enumerate(said.parts):
        yield from _part(part, number, width, glyphs, limit(number, part.kind), said.cwd, secrets=secrets)


def clock(stamp: str) -> str:
    """A timestamp as the time here, "" without one."""
    moment = parse_timestamp(stamp)
    if moment is None:
        return ""
    try:
        return time.strftime("%H:%M:%S", time.localtime(moment))
    except (OverflowError, OSError, ValueError):  # a year that the system has no calendar for
        return ""


def _header(said: MessageContent, width: int) -> Content:
    stamp = clock(said.stamp)
    gap = width - len(said.role) - len(stamp)
    head = Content.styled(said.role, _ROLES.get(said.role, "$dim"))
    return head + Content.styled(" " * gap + stamp, "$dim") if gap > 0 else head


def _part(
    part: ContentPart, number: int, width: int, glyphs: Glyphs, shown: int, cwd: str, *, secrets: bool
) -> Iterator[Row]:
    opened = shown > FOLDED.get(part.kind, 0)
    folds = part.kind == "repeats" or (bool(part.body) and part.kind != "text")
    lines, left = part.first_lines(shown)
    taken = _taken(lines, shown)
    if not secrets:
        head = mask_secrets(part.body[:500]) if part.kind == "thinking" else part.body
        taken, part = (
            mask_texts(taken),
            replace(part, line=mask_secrets(part.line), name=mask_secrets(part.name), body=head),
        )
    left += len(lines) - len(taken)
    if part.kind == "result" and part.name:
        words = f"  {glyphs.quote} result of {_shown(part.name)}"
        yield Row(Content.styled(clip(words, width, ellipsis=glyphs.ellipsis), "$dim"), number)
    if part.kind == "boundary":
        yield Row(_rule(part.line, width, glyphs), number)
    elif part.kind == "result" and not part.body:
        yield Row(_quoted(part.line, width, glyphs, "$problem" if part.failed else ""), number)
    elif part.kind not in ("text", "result"):
        mark = glyphs.bullet if not folds else glyphs.opened if opened else glyphs.closed
        yield Row(_line(part, mark, width, glyphs, cwd, opened=opened), number, folds=folds)
    if part.kind in ("text", "summary"):
        for drawn in draw("\n".join(taken), max(1, width - 2), glyphs, first=0) if taken else ():
            yield Row(Content("  ") + drawn.content, number, drawn.source, folds=folds)
    else:
        for at, line in enumerate(taken):
            style = "$problem" if part.failed else _DIFF_STYLES.get(line[:1], "") if part.diff else ""
            pieces = _wrapped(line, width, glyphs, style) if opened else [_quoted(line, width, glyphs, style)]
            yield from (Row(piece, number, at, folds=folds) for piece in pieces)
    if taken and left:
        words = clip(f"  {glyphs.quote} {glyphs.ellipsis} {pluralize(left, 'more line')}", width)
        yield Row(Content.styled(words, "$dim"), number, len(taken) - 1, shown // OPENED * OPENED + OPENED, folds)


def _taken(lines: list[str], shown: int) -> list[str]:
    room = max(shown, 1) * WIDE
    fitting = sum(end <= room for end in accumulate(map(len, lines)))
    return lines[: max(fitting, 1)]


def _line(part: ContentPart, mark: str, width: int, glyphs: Glyphs, cwd: str, *, opened: bool) -> Content:
    """A part in one line: the mark, a call's tool, and the line; a path below `cwd` without it."""
    style = "$problem" if part.failed else _STYLES.get(part.kind, "")
    lead = Content.styled(f"{mark} ", "$problem" if part.failed else "$dim")
    if part.name:
        name = clip(_shown(part.name), max(1, width // 2), ellipsis=glyphs.ellipsis)
        lead += Content.styled(f"{name}  ", "bold")
    room = width - lead.cell_length
    words = _shown(part.line)
    if part.path:
        words = _end_of_path(words.removeprefix(f"{_shown(cwd)}/"), room, glyphs)
    if part.kind == "thinking" and not opened:
        words += f"  {_shown(part.body[:500].strip())}"
    return lead + Content.styled(clip(words, room, ellipsis=glyphs.ellipsis), style)


def _end_of_path(path: str, room: int, glyphs: Glyphs) -> str:
    """A path, its first folders left out where there isn't room for all."""
    if cells(path) <= room:
        return path
    while "/" in path and cells(path) + 1 + cells(glyphs.ellipsis) > room:
        path = path.partition("/")[2]
    return f"{glyphs.ellipsis}/{path}"


def _rule(words: str, width: int, glyphs: Glyphs) -> Content:
    said = clip(f"{glyphs.rule * 3} {_shown(words)} ", width, ellipsis=glyphs.ellipsis)
    return Content.styled(said + glyphs.rule * max(0, width - cells(said)), "$mark bold")


def _quoted(line: str, width: int, glyphs: Glyphs, style: str) -> Content:
    lead = f"  {glyphs.quote} "
    words = clip(_shown(line), max(0, width - len(lead)), ellipsis=glyphs.ellipsis)
    return Content.styled(lead, "$dim") + Content.styled(words, style)


def _wrapped(line: str, width: int, glyphs: Glyphs, style: str) -> list[Content]:
    lead = Content.styled(f"  {glyphs.quote} ", "$dim")
    room = max(1, width - 4)
    content = Content.styled(_shown(line), style)
    return [lead + piece for piece in (content.wrap(room) if content.cell_length > room else [content])]


def _shown(words: str) -> str:
    return visible(words, keep="").replace("␉", "    ").replace("␊", " ")
