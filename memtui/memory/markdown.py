"""Links, headings and code in a Markdown text, each with its span, and edits of links.

What counts, one rule a line:
- Nothing inside fenced or indented code, inline code or a closed `<!-- comment -->` is a link or a heading.
- `[label](target "title")` and `[label]: target` are Markdown links; an image is none, inside a link it is the label.
- `[[target]]`, `[[target|label]]` and `[[target#heading]]` are wiki links.
- An `@path` is none: `imports` has the rules of those.

This is no CommonMark parser, for three reasons. An edit needs the spans of label and target, which parsers don't give.
Some texts mean links that CommonMark takes for code or HTML: an entry indented by four blanks, text beside a comment,
below a comment that is never closed, in an HTML block; the agent reads them, so they are links here. And a folder of
hundreds of files is read at once: this takes about as long as iterating over the events of a parser.
"""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal
from urllib.parse import quote, unquote

from msgspec import Struct

LinkKind = Literal["markdown", "wiki"]

_CANDIDATE = re.compile(r"[`~<\[\\]")
_LINK = re.compile(
    r"\[((?:[^\[\]\\\n]|\\.|\n(?![ \t]*\r?\n)|\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\])*)\]"
    r"\([ \t]*(<[^<>\n]*>|(?:[^\s()<\\]|\\.|\([^\s()]*\))(?:[^\s()\\]|\\.|\([^\s()]*\))*)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\)"
)
_WIKI = re.compile(r"\[\[([^\[\]\n|#]+)(?:#([^\[\]\n|]*))?(?:\|([^\[\]\n]*))?\]\]")
_DEFINITION = re.compile(r"\[((?:[^\[\]\\\n]|\\.)+)\]:[ \t]+(<[^<>\n]*>|[^\s<][^\s]*)")
_FENCE_OPEN = re.compile(r"(`{3,})[^`\n]*(?:\n|\Z)|(~{3,})[^\n]*(?:\n|\Z)")
_BEFORE_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*\Z")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\r?\n")
_INDENTED = re.compile(r"(?:\A|\n[ \t]*\r?\n)(?: {4}|\t)")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\r?\Z)")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?$", re.MULTILINE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_NEVER_BARE = re.compile("[\x00-\x1f\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3000\ufeff\udc80-\udcff]")
"""Control, invisible and bidi characters, blanks that Markdown doesn't know, and bytes that are no text."""
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


class Link(Struct, frozen=True):
    """A link in a text."""

    kind: LinkKind
    target: str  # decoded, without `<>`, fragment and query
    label: str
    line: int  # from 1
    column: int  # from 1, in characters
    start: int  # `start` and `end` span the whole link
    end: int
    target_start: int  # the span of the target as written, `<>` and fragment included
    target_end: int
    fragment: str = ""
    query: str = ""

    @property
    def external(self) -> bool:
        """Whether it points out of the file system: `https:`, `mailto:` …"""
        return _SCHEME.match(self.target) is not None or self.target.startswith("//")


class Heading(Struct, frozen=True):
    """A `#` heading; `line` counts from 1, `start` and `end` span its line without the line end."""

    level: int
    text: str
    line: int
    start: int
    end: int


class _LinePositions:
    """Line and column of an offset; the line starts are looked up only when there is a hit."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def at(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1


def find_links(text: str) -> list[Link]:
    """All links of a text in their order; takes time in proportion to the text, whatever it holds."""
    if "[" not in text:
        return []
    lines = _LinePositions(text)
    links: list[Link] = []
    for at in _candidates(text, []):
        link = _link_at(text, at, lines)
        if link is not None and (not links or link.start >= links[-1].end):
            links.append(link)
    return links


def headings(text: str) -> list[Heading]:
    """The `#` headings of a text that stand outside code and comments."""
    if "#" not in text:
        return []
    lines = _LinePositions(text)
    spans = code_spans(text) if "`" in text or "~~~" in text or "<!--" in text else []
    return [
        Heading(len(match[1]), (match[2] or "").strip(), lines.at(match.start())[0], *match.span())
        for match in _HEADING.finditer(text)
        if not is_inside(spans, match.start())
    ]


def write_target(target: str, like: str = "") -> str:
    """Write a path as a link's target, so that `find_links` reads it back; `like` is what it replaces: `<>` stay."""
    special = "%#?\\" if like.startswith("<") else "%#?\\ ()\t\n\r"
    written = "".join(f"%{ord(c):02X}" if c in special or c in "<>" else c for c in target)
    written = _NEVER_BARE.sub(lambda match: quote(match[0], safe="", errors="surrogateescape"), written)
    return f"<{written}>" if like.startswith("<") else written


Edit = tuple[int, int, str]  # a replacement: start and end of the span, and the text to put there


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Replace spans of a text; they must not overlap."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def target_edit(text: str, link: Link, path: str) -> Edit:
    """The edit that lets a Markdown link lead to another path; `<>` and fragment stay."""
    written = text[link.target_start : link.target_end]
    target = write_target(path, written)
    if link.fragment:
        fragment = written.rstrip(">").partition("#")[2]
        target = f"{target[:-1]}#{fragment}>" if target.startswith("<") else f"{target}#{fragment}"
    return link.target_start, link.target_end, target


def write_label(label: str) -> str:
    """Write a text as the label of a Markdown link: on one line, brackets, backslashes and backticks escaped."""
    text = re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", label)
    return re.sub(r"([\\\[\]`])", r"\\\1", " ".join(text.split()))


def is_inside(spans: list[tuple[int, int]], offset: int) -> bool:
    """Whether an offset lies in one of some spans, which are sorted."""
    index = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return index >= 0 and offset < spans[index][1]


def code_spans(text: str) -> list[tuple[int, int]]:
    """Spans of fenced, indented and inline code and of closed comments, by offset."""
    spans: list[tuple[int, int]] = []
    deque(_candidates(text, spans), maxlen=0)
    return sorted(spans)


def code_blocks(text: str) -> list[tuple[int, int]]:
    """Those of `code_spans` that go over several lines."""
    return [(start, end) for start, end in code_spans(text) if "\n" in text[start:end]]


def _candidates(text: str, skip: list[tuple[int, int]]) -> Iterator[int]:
    """Offsets of `[` outside code and comments, whose spans go into `skip`."""
    indented = _indented_code(text)
    skip += indented
    block = 0
    last_comment = text.rfind("-->")
    paragraph = _Paragraph(text)
    search = _CANDIDATE.search
    at = 0
    while (match := search(text, at)) is not None:
        at = match.start()
        while block < len(indented) and indented[block][1] <= at:
            block += 1
        if block < len(indented) and indented[block][0] <= at:
            at = indented[block][1]
            continue
        char = text[at]
        if char == "[":
            yield at
            at += 1
        elif char == "\\":
            at += 2
        elif char == "<":
            end = text.find("-->", at + 4) + 3 if at < last_comment and text.startswith("<!--", at) else 0
            if end > 3:
                skip.append((at, end))
            at = max(at + 1, end)
        else:
            end = _fence_end(text, at) or (paragraph.code_end(at) if char == "`" else 0)
            if end:
                skip.append((at, end))
            at = end or _run_end(text, at)


def _run_end(text: str, at: int) -> int:
    char, end = text[at], at + 1
    while text.startswith(char, end):
        end += 1
    return end


class _Paragraph:
    """Inline code ends in the paragraph it starts in; the paragraph's end is looked up once for all its backticks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = 0

    def code_end(self, at: int) -> int:
        """Where the inline code that opens at an offset ends: behind the next run of as many backticks, or 0."""
        text = self.text
        if at >= self.end:
            stop = _PARAGRAPH_END.search(text, at)
            self.end = len(text) if stop is None else stop.start() + 1
        end = _run_end(text, at)
        run = text[at:end]
        position = end
        while (found := text.find(run, position, self.end)) >= 0:
            position = _run_end(text, found)
            if position - found == len(run):
                return position
        return 0


def _fence_end(text: str, at: int) -> int:
    """Where the fenced block that opens at an offset ends; 0 if none opens there."""
    opening = _FENCE_OPEN.match(text, at)
    if opening is None or _BEFORE_FENCE.match(text, text.rfind("\n", 0, at) + 1, at) is None:
        return 0
    run = opening[1] or opening[2]
    position = opening.end()
    while True:
        found = text.find(run, position)
        if found < 0:
            return len(text)
        line_start = text.rfind("\n", 0, found) + 1
        line_end = text.find("\n", found)
        line_end = len(text) if line_end < 0 else line_end
        rest = text[found:line_end].strip(" \t\r")
        if line_start >= opening.end() - 1 and not text[line_start:found].strip(" \t>") and rest == run[0] * len(rest):
            return line_end
        position = line_end


def _indented_code(text: str) -> list[tuple[int, int]]:
    """Blocks of lines that four blanks or a tab make code: after a blank line, and in no list."""
    if _INDENTED.search(text) is None:
        return []
    spans: list[tuple[int, int]] = []
    in_list, was_blank, in_code = False, True, False
    at = 0
    for line in text.split("\n"):
        blank = not line.strip()
        deep = line.startswith(("    ", "\t"))
        if not blank:
            # CommonMark takes a deep list item for code too; but a person means a list, and the agent reads it as one.
            if deep and not in_list and (was_blank or in_code) and _LIST_ITEM.match(line) is None:
                spans.append((spans.pop()[0] if in_code else at, at + len(line)))
                in_code = True
            else:
                in_code = False
                if _LIST_ITEM.match(line) is not None:
                    in_list = True
                elif was_blank and not line.startswith((" ", "\t")):
                    in_list = False
        was_blank = blank
        at += len(line) + 1
    return spans


def _link_at(text: str, at: int, lines: _LinePositions) -> Link | None:
    match = _LINK.match(text, at)
    if match is not None:
        if at and text[at - 1] == "!" and (at < 2 or text[at - 2] != "\\"):
            return None
        return _markdown_link(match, lines)
    if text.startswith("[[", at):
        match = _WIKI.match(text, at)
        if match is None:
            return None
        line, column = lines.at(at)
        target = match[1].strip()
        lead = len(match[1]) - len(match[1].lstrip())
        start = match.start(1) + lead
        return Link(
            "wiki", target, (match[3] or target).strip(), line, column, at, match.end(),
            start, start + len(target), (match[2] or "").strip(),
        )  # fmt: skip
    before = text[max(0, at - 4) : at]
    if before.rpartition("\n")[2].strip(" ") or (len(before) == 4 and "\n" not in before):
        return None  # only at the start of a line is it a definition
    match = _DEFINITION.match(text, at)
    return None if match is None else _markdown_link(match, lines)


def _markdown_link(match: re.Match[str], lines: _LinePositions) -> Link:
    label, written = match[1], match[2]
    line, column = lines.at(match.start())
    target = written[1:-1] if written.startswith("<") else written
    target = _ESCAPED.sub(r"\1", target)
    fragment = query = ""
    if _SCHEME.match(target) is None:
        target, _, fragment = target.partition("#")
        target, _, query = target.partition("?")
        target = unquote(target, errors="surrogateescape")
    label = _ESCAPED.sub(r"\1", " ".join(label.split())) if "\\" in label or "\n" in label else label
    return Link("markdown", target, label, line, column, match.start(), match.end(), *match.span(2), fragment, query)
