r"""Which HTML comments the agent client takes out of a memory file before it loads it.

The rule in one sentence: a comment goes when it starts a block of its own at the top level of the Markdown text, that
is, where a line begins with `<!--` after at most three blanks and no list item, quote, paragraph (unless the line
starts in its first column), fenced or indented code, other HTML block or setext heading already owns the line.
What is taken is the whole block with the blank lines behind it if nothing but comments is in it, else only the
comments; a comment that is never closed, `<!-->` and `<!--->` stay.

Where blocks begin and end is therefore exact here, oddities included: block rules as in marked 16.2 to 17.0
(https://marked.js.org, (c) 2018+ MarkedJS, (c) 2011-2018 Christopher Jeffrey, MIT licence) with GFM off, quotes as the
client's own lexer has them. Found by feeding random documents to client 2.1.332 and comparing (tests hold a copy).
"""

import re

from msgspec import Struct

from memtui.util.text import JS_SPACE

_S = f"[{JS_SPACE}]"
_DOT = "[^\n\r\u2028\u2029]"
_TAG = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|meta|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|"
    "tr|track|ul"
)
_RULE = r"(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|\Z)"
_FENCE_STARTS = r" {0,3}(?:`{3,}(?=[^`\n]*\n)|~{3,})[^\n]*\n"
_HTML_STARTS = rf"(?:</?(?:{_TAG})(?: +|\n|/?>)|<(?:script|pre|style|textarea|!--))"
_STARTS = rf" {{0,3}}{_RULE}| {{0,3}}#{{1,6}}(?:{_S}|\Z)| {{0,3}}>|{_FENCE_STARTS}"

_SPACE = re.compile(r"(?:[ \t]*\n)+(?:[ \t]+\Z)?|[ \t]+\Z")
_CODE = re.compile(r"(?:(?: {4}| {0,3}\t)[^\n]+(?:\n(?:[ \t]*\n)*(?:[ \t]+\Z)?)?)+")
_FENCE = re.compile(
    r" {0,3}(`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})[^\n]*(?:\n|\Z)(?:|[\s\S]*?(?:\n|\Z))(?: {0,3}\1[~`]* *(?=\n|\Z)|\Z)"
)
_HEADING = re.compile(rf" {{0,3}}#{{1,6}}(?={_S}|\Z){_DOT}*(?:\n+|\Z)")
_HR = re.compile(rf" {{0,3}}{_RULE}")
_QUOTE = re.compile(r" {0,3}>[ \t]?")
_LIST = re.compile(r" {0,3}([*+-]|\d{1,9}[.)])(?:[ \t][^\n]+?)?(?:\n|\Z)", re.ASCII)
_HTML = re.compile(
    rf" {{0,3}}(?:<(script|pre|style|textarea)[{JS_SPACE}>][\s\S]*?(?:</\1>[^\n]*\n+|\Z)"
    r"|<!--(?:-?>|[\s\S]*?(?:-->|\Z))[^\n]*(?:\n+|\Z)"
    r"|<\?[\s\S]*?(?:\?>\n*|\Z)"
    r"|<![A-Z][\s\S]*?(?:>\n*|\Z)"
    r"|<!\[CDATA\[[\s\S]*?(?:\]\]>\n*|\Z)"
    rf"|</?(?:{_TAG})(?: +|\n|/?>)[\s\S]*?(?:(?:\n[ \t]*)+\n|\Z)"
    r"|<(?!script|pre|style|textarea)[a-z][\w-]*"
    rf"(?: +[a-z:_][\w.:-]*(?: *= *\"[^\"\n]*\"| *= *'[^'\n]*'| *= *[^{JS_SPACE}\"'=<>`]+)?)*? */?>(?=[ \t]*(?:\n|\Z))"
    r"[\s\S]*?(?:(?:\n[ \t]*)+\n|\Z)"
    rf"|</(?!script|pre|style|textarea)[a-z][\w-]*{_S}*>(?=[ \t]*(?:\n|\Z))[\s\S]*?(?:(?:\n[ \t]*)+\n|\Z))",
    re.IGNORECASE | re.ASCII,
)
_DEF = re.compile(
    rf" {{0,3}}\[(?!{_S}*\])(?:\\[\s\S]|[^\[\]\\])+\]: *(?:\n[ \t]*)?(?:[^<{JS_SPACE}][^{JS_SPACE}]*|<{_DOT}*?>)"
    r"(?:(?: +(?:\n[ \t]*)?| *\n[ \t]*)"
    r"(?:\"(?:\\\"?|[^\"\\])*\"|'[^'\n]*(?:\n[^'\n]+)*\n?'|\([^()]*\)))? *(?:\n+|\Z)"
)
_NO_SETEXT = re.compile(
    r"(?:[*+-]|\d{1,9}[.)]) | {4}| {0,3}\t| {0,3}(?:`{3,}|~{3,})| {0,3}>| {0,3}#{1,6}| {0,3}<[^\n>]+>\n", re.ASCII
)
_BLANK = re.compile(rf"{_S}*?\n")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+) *(?:\n+|\Z)")
_LINE_BREAKER = re.compile("[\r\u2028\u2029]")
_PARAGRAPH = re.compile(rf"[^\n]+(?:\n(?!{_STARTS}| {{0,3}}(?:[*+-]|1[.)]) |{_HTML_STARTS}| +\n)[^\n]+)*")
_TEXT = re.compile(r"[^\n]+")
# What ends the lazy lines behind a quote: more than what ends a paragraph (an indented comment, a bare list marker).
_NOT_LAZY = re.compile(
    rf"{_STARTS}| {{0,3}}(?:[*+-]|\d{{1,9}}[.)])(?:[ \t]|\n|\Z)| {{0,3}}{_HTML_STARTS}|[ \t]*(?:\n|\Z)",
    re.IGNORECASE | re.ASCII,
)
_QUOTED_RULE = re.compile(r" {0,3}(?=(?:=+|-+) *\Z)")
_COMMENT = re.compile(r"<!--[\s\S]*?-->")
_MAX_REREAD_CHARS = 300_000  # what quotes with lazy lines may make us read again, far more than in any real file


class _MarkdownBlock(Struct, frozen=True):
    """A block of a text: its kind and its offsets; `items` are the texts of a list's items or of a quote."""

    kind: str
    start: int
    end: int
    items: tuple[str, ...] = ()


class _Effort(Struct):
    left: int = _MAX_REREAD_CHARS


def comment_spans(text: str) -> list[tuple[int, int]]:
    r"""Spans that the client takes out of a text, in order; the text's line ends must be "\n" already."""
    spans: list[tuple[int, int]] = []
    if "<!--" not in text:
        return spans
    for block in _blocks(text, True, _Effort()):
        if block.kind != "html":
            continue
        raw = text[block.start : block.end]
        if "-->" not in raw or not raw.lstrip(JS_SPACE).startswith("<!--"):
            continue
        if _COMMENT.sub("", raw).strip(JS_SPACE):
            spans += [(block.start + m.start(), block.start + m.end()) for m in _COMMENT.finditer(raw)]
        else:
            spans.append((block.start, block.end))
    return spans


def _blocks(text: str, top: bool, effort: _Effort) -> list[_MarkdownBlock]:
    """Cut a text into blocks; `top` is False inside a list item, where running text is no paragraph."""
    blocks: list[_MarkdownBlock] = []
    no_setext_before = 0
    at = 0
    while at < len(text):
        block, no_setext_before = _next_block(text, at, top, no_setext_before, effort)
        at = block.end
        if blocks and blocks[-1].kind == "paragraph" and block.kind in ("code", "def"):
            continue  # part of the paragraph before
        blocks.append(block)
    return blocks


def _next_block(text: str, at: int, top: bool, no_setext: int, effort: _Effort) -> tuple[_MarkdownBlock, int]:
    for kind, pattern in (("space", _SPACE), ("code", _CODE), ("code", _FENCE), ("heading", _HEADING)):
        if match := pattern.match(text, at):
            return _MarkdownBlock(kind, at, match.end()), no_setext
    if match := _HR.match(text, at):
        return _MarkdownBlock("hr", at, at + len(match[0].rstrip("\n"))), no_setext
    if block := _quote(text, at, effort) or _list(text, at):
        return block, no_setext
    for kind, pattern in (("html", _HTML), ("def", _DEF)):
        if match := pattern.match(text, at):
            return _MarkdownBlock(kind, at, match.end()), no_setext
    if at >= no_setext:
        end, no_setext = _setext(text, at)
        if end:
            return _MarkdownBlock("heading", at, end), no_setext
    match = (_PARAGRAPH if top else _TEXT).match(text, at)
    return _MarkdownBlock("paragraph", at, match.end() if match is not None else at + 1), no_setext


def _setext(text: str, at: int) -> tuple[int, int]:
    """End of the underlined heading that starts here, or 0 and the offset before which none starts either."""
    if _NO_SETEXT.match(text, at) is not None:
        return 0, at
    while True:
        line_end = text.find("\n", at)
        if line_end < 0:
            return 0, len(text)
        if _LINE_BREAKER.search(text, at, line_end) is not None:
            return 0, line_end
        at = line_end + 1
        underline = _UNDERLINE.match(text, at)
        if underline is not None:
            return underline.end(), 0
        if _BLANK.match(text, at) is not None or _NO_SETEXT.match(text, at) is not None:
            return 0, at


def _quote(text: str, at: int, effort: _Effort) -> _MarkdownBlock | None:
    """The quote that starts here: its `>` lines and, while a paragraph is open at its end, the lazy lines behind."""
    if _QUOTE.match(text, at) is None:
        return None
    start, inner = at, []
    is_open: bool | None = None
    while at < len(text):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        marker = _QUOTE.match(text, at, line_end)
        if marker is not None:
            inner.append(text[marker.end() : line_end])
            is_open = None
        elif _NOT_LAZY.match(text, at) is not None:
            break
        else:
            if is_open is None:
                is_open = _open_paragraph("\n".join(inner), True, effort)
            if not is_open:
                break
            inner.append(_QUOTED_RULE.sub("    ", text[at:line_end], count=1))  # no underline of a lazy heading
        at = line_end + 1
    return _MarkdownBlock("quote", start, min(at, len(text)) - (text[at - 1 : at] == "\n"), ("\n".join(inner),))


def _open_paragraph(text: str, top: bool, effort: _Effort) -> bool:
    """Whether a further line would go on with a paragraph that stands at the very end of a text."""
    if not text.rpartition("\n")[2].strip(" \t"):
        return False
    effort.left -= len(text)
    blocks = _blocks(text, top, effort) if effort.left > 0 else []
    if not blocks:
        return False
    last = blocks[-1]
    if last.kind in ("paragraph", "def"):
        return True
    if last.kind == "list":
        return _open_paragraph(last.items[-1], False, effort)
    return last.kind == "quote" and _open_paragraph(last.items[0], True, effort)


def _list(text: str, at: int) -> _MarkdownBlock | None:
    first = _LIST.match(text, at)
    if first is None:
        return None
    marker = first[1]
    bullet = rf"\d{{1,9}}{re.escape(marker[-1])}" if len(marker) > 1 else re.escape(marker)
    item = re.compile(rf"( {{0,3}}{bullet})((?:[\t ][^\n]*)?(?:\n|\Z))", re.ASCII)
    start, items = at, []
    while at < len(text):
        match = item.match(text, at)
        if match is None or _HR.match(text, at) is not None:
            break
        content, at = _item(text, match)
        items.append(content)
    if not items:
        return None
    end = start + len(text[start : min(at, len(text))].rstrip(JS_SPACE))
    return _MarkdownBlock("list", start, end, (*items[:-1], items[-1].rstrip(JS_SPACE)))


def _ends(indent: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The lines that end a list item whose text has this indent: any, and those behind which no text goes on."""
    lead = f" {{0,{min(3, indent - 1)}}}"
    rule = r"(?:(?:- *){3,}|(?:_ *){3,}|(?:\* *){3,})(?:\n+|\Z)"
    marker = r"(?:[*+-]|\d{1,9}[.)])(?:[ \t][^\n]*)?(?:\n|\Z)"
    html = f"<(?:[a-z]{_DOT}*>|!--)"
    ends = re.compile(rf"{lead}(?:```|~~~|#|{html}|{marker}|{rule})", re.IGNORECASE | re.ASCII)
    return ends, re.compile(rf"{lead}(?:```|~~~|#|{rule})")


_ENDS = {indent: _ends(indent) for indent in range(1, 5)}


def _blanks(line: str) -> int:
    """How many blanks a line begins with; -1 if there is nothing else."""
    return len(line) - len(line.lstrip(" ")) if line.strip(" ") else -1


def _item(text: str, match: re.Match[str]) -> tuple[str, int]:
    """The text of a list item without its indent, and where the next item may start."""
    at = match.end()
    first = match[2].partition("\n")[0]
    line = re.sub(r"\A\t+", lambda tabs: " " * (3 * len(tabs[0])), first)
    blank = not line.strip(JS_SPACE)
    next_end = text.find("\n", at)
    next_line = text[at : len(text) if next_end < 0 else next_end]
    content = ""
    if blank:
        indent = len(match[1]) + 1
    else:
        indent = _blanks(match[2])
        indent = 1 if indent > 4 else indent
        content = line[indent:] if indent >= 0 else line[-1:]
        indent += len(match[1])
    if blank and not next_line.strip(" \t"):  # an item begins with at most one blank line
        return content, at + len(next_line) + 1
    ends, ends_text = _ENDS[max(1, min(4, indent))]
    parts = [content]
    while at < len(text):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        raw = text[at:line_end]
        if ends.match(raw) is not None:
            break
        spaced = raw.replace("\t", "    ")
        if _blanks(spaced) >= indent or not raw.strip(JS_SPACE):
            parts.append(spaced[indent:])
        else:
            if blank:
                break
            if _blanks(line.replace("\t", "    ")) >= 4 or ends_text.match(line) is not None:
                break
            parts.append(raw)
        blank = blank or not raw.strip(JS_SPACE)
        at = line_end + 1
        line = spaced[indent:]
    return "\n".join(parts), at
