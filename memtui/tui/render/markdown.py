"""Markdown as drawn lines: cheap, line by line, good enough to read.

Textual's own Markdown widget needs ten seconds for 25 KB with headings, lists and fences, and foreign text must not
become markup. Nothing is interpreted but headings, lists, quotes, fences, emphasis, code and links.
"""

import re
from collections.abc import Iterator

from msgspec import Struct
from textual.content import Content, Span

from memtui.tui.theme import Glyphs
from memtui.util.text import visible

_INLINE = re.compile(
    r"(?P<code>`+)(?P<code_text>.+?)(?P=code)(?!`)"
    r"|(?P<strong>\*\*|__)(?P<strong_text>\S(?:.*?\S)?)(?P=strong)"
    r"|(?<![\w*])\*(?P<em_text>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])"
    r"|\[\[(?P<wiki>[^\[\]\n]+)\]\]"
    r"|\[(?P<label>[^\[\]\n]*)\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)[^()]*\)"
)
_STYLES = {"code_text": "$code", "strong_text": "bold", "em_text": "italic"}
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])\s+(.*)")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")


class MarkdownLine(Struct, frozen=True):
    """One drawn line. `source` is the 1-based line of the file that it came from; `links` what can be followed."""

    content: Content
    source: int
    links: tuple[str, ...] = ()


def inline(text: str, base: str = "") -> tuple[Content, tuple[str, ...]]:
    """One line of prose with its emphasis, code and links; returns the links' targets too."""
    parts: list[tuple[str, str]] = []
    links: list[str] = []
    end = 0
    for match in _INLINE.finditer(text):
        parts.append((text[end : match.start()], base))
        end = match.end()
        if (kind := match.lastgroup) in _STYLES:
            parts.append((match[kind], f"{_STYLES[kind]} {base}".strip()))
        else:
            target = match["wiki"] or match["target"]
            links.append(target)
            parts.append((match["wiki"] or match["label"] or target, "$link underline"))
    return Content.assemble(*parts, (text[end:], base)), tuple(links)


def shown_line(line: str) -> str:
    return visible(line.rstrip("\r"), keep="").replace("␉", "    ")


def draw(text: str, width: int, glyphs: Glyphs, *, first: int = 1) -> Iterator[MarkdownLine]:
    """Untrusted Markdown, wrapped to `width` cells; `first` is the number of its first line in its file."""
    width = max(1, width)
    fence = ""
    for number, raw in enumerate(text.split("\n"), first):
        line = shown_line(raw)
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and line.strip() == mark[1])):
            fence = "" if fence else mark[1]
            yield MarkdownLine(Content.styled(line, "$dim"), number)
        elif fence:
            yield from _wrapped(Content.styled("  " + line, "$code"), (), number, width, "  ")
        else:
            yield from _prose(line, number, width, glyphs)


def _prose(line: str, number: int, width: int, glyphs: Glyphs) -> Iterator[MarkdownLine]:
    stripped = line.strip()
    words, style, lead, hang = line if stripped else "", "", "", ""
    if len(stripped) >= 3 and set(stripped) == {"-"}:
        yield MarkdownLine(Content.styled(glyphs.rule * width, "$dim"), number)
        return
    if heading := _HEADING.match(stripped):
        words, style = heading[2], "bold $link" if len(heading[1]) == 1 else "bold"
    elif item := _ITEM.match(line):
        words, lead = item[3], f"{item[1]}{item[2] if item[2][0].isdigit() else glyphs.bullet} "
        hang = " " * len(lead)
    elif stripped.startswith(">"):
        words, style, lead = stripped[1:].lstrip(), "italic", f"{glyphs.quote} "
        hang = lead
    content, links = inline(words, style)
    yield from _wrapped(Content.styled(lead, "$dim") + content if lead else content, links, number, width, hang)


def _wrapped(content: Content, links: tuple[str, ...], number: int, width: int, hang: str) -> Iterator[MarkdownLine]:
    if content.cell_length <= width:
        yield MarkdownLine(content, number, links)
        return
    hang = hang if len(hang) < width // 2 else ""
    first, *rest = content.wrap(width)
    yield MarkdownLine(first, number, links)
    if hang and rest:
        rest = content[len(first.plain) :].wrap(width - len(hang))
    for part in rest:
        body = part[1:] if part.plain.startswith(" ") and hang else part
        yield MarkdownLine(Content.styled(hang, "$dim") + body if hang else body, number, links)


def draw_raw(text: str, width: int, *, first: int = 1) -> Iterator[MarkdownLine]:
    """The text as it is, with line numbers, wrapped; for frontmatter that cannot be read and for the index."""
    digits = len(str(first + text.count("\n")))
    room = max(1, width - digits - 1)
    for number, raw in enumerate(text.split("\n"), first):
        content = _marked(shown_line(raw))
        for part_number, part in enumerate(content.wrap(room) if content.cell_length > room else [content]):
            lead = f"{number:>{digits}} " if part_number == 0 else " " * (digits + 1)
            yield MarkdownLine(Content.styled(lead, "$dim") + part, number)


def _marked(line: str) -> Content:
    if line.startswith("#"):
        return Content.styled(line, "bold")
    labels = (match.span("label") for match in _INLINE.finditer(line) if match["label"])
    return Content(line, spans=[Span(start, end, "$link") for start, end in labels])
