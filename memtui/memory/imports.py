r"""Where an instruction file imports another: `@path` in running text, as the agent client takes it.

Recorded on Claude Code 2.1.332 (220 contexts), one rule a line:
- Front matter and comments that are blocks of their own don't count.
- Nothing counts in fenced, indented or inline code, in HTML blocks, in an image's text, in a `[name]: path` line.
- `@` counts behind white space (as JavaScript has it) and where a piece of running text begins: at the start of a
  line, of a quote, of a link's text, behind bold, italic or inline code, a link, a tag or a backslash with its sign.
- The path goes on to the next white space; `\ ` is a blank in it, any other backslash ends it, so does the end of the
  piece of running text. A comma or full stop behind it belongs to it: `@a.md,` names a file that hardly exists.
- A `#` and what follows is left out; the rest begins with `./`, `~/`, `/`, a letter or digit of ASCII, `.`, `_` or `-`.
- Only files with a known ending of text, or with none, are taken.

- The text of a list item is looked through twice: first as it is written, code and tags included (`- a ``b @c.md d`` `
  imports c.md), then as above. So an item's plain paths come before those in its bold text.

What running text is, and where a piece of it ends, is CommonMark without extensions; pulldown-cmark (pyromark) gives
the recorded answer in all contexts.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec import Struct

from memtui.memory.budget import body_start, counted_text
from memtui.util.text import JS_SPACE

TEXT_ENDINGS = frozenset(
    """
    md txt text json yaml yml toml xml csv html htm css scss sass less js jsx mjs cjs ts tsx mts cts py pyi pyw
    rb erb rake go rs java kt kts scala gradle sbt c cc cpp cxx h hpp hxx cs swift sh bash zsh fish ps1 bat cmd
    env ini cfg conf config properties sql graphql gql proto vue svelte astro ejs hbs pug jade php pl pm lua r
    dart ex exs erl hrl clj cljs cljc edn hs lhs elm ml mli f f90 f95 for cmake make makefile rst adoc asciidoc
    org tex latex lock log diff patch
    """.split()  # noqa: SIM905  (a hundred quoted words would be noise)
)
"""Endings that the client imports; recorded by trying some 230 of them."""

_AT = re.compile(rf"@((?:[^{JS_SPACE}\\`]|\\ )+)")
_AT_AS_WRITTEN = re.compile(rf"@((?:[^{JS_SPACE}\\]|\\ )+)")
_STARTS = re.compile(r"\./|~/|/.|[A-Za-z0-9._-]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_QUOTES = "\"'<"
_PUNCTUATION = ".,;:!?)]}\"'*_~>"


class ImportWord(Struct, frozen=True):
    """An `@path` in a text."""

    path: str  # as the client reads it
    line: int  # from 1
    trimmed: str | None = None  # without punctuation directly behind it: the file that a person meant
    as_written: bool = False  # only found in a list item as written, where its end may be Markdown

    @property
    def is_quoted(self) -> bool:
        """Whether it stands in quotes or angle brackets: the client takes no such path."""
        return self.path[0] in _QUOTES

    @property
    def means_a_file(self) -> bool:
        """Whether it was surely meant as a file, and not as a package `@scope/name` or a person `@name`."""
        if self.as_written:
            return False
        path = self.trimmed or self.path
        ending = PurePosixPath(path).suffix.removeprefix(".").lower()
        return path.startswith(("./", "../", "~/", "/")) or ending in TEXT_ENDINGS - {"r", "f", "c", "h", "go", "for"}


def find_imports(text: str) -> tuple[ImportWord, ...]:
    """Every `@path` of a whole file, decoded, that counts, in the order of the text."""
    if "@" not in text:
        return ()
    count = counted_text(text)
    if not count.pieces:
        return ()
    start = count.pieces[0][0]
    before = count.source[body_start(count.source) : start]
    indent = before[len(before.rstrip(" \t")) :]  # four blanks make the first line code
    data = _SURROGATE.sub("\ufffd", indent + count.text).encode()
    words: dict[tuple[int, str], bool] = {}
    for at, path, is_piece in _words(data):
        words[at, path] = is_piece or words.get((at, path), False)
    offsets = {}
    chars, done = -len(indent), 0
    for at, _ in sorted(words):
        chars, done = chars + len(data[done:at].decode()), at
        offsets[at] = chars
    lines = dict(zip(offsets, count.lines_at(offsets.values()), strict=True))
    found = (_word(path, lines[at], not is_piece) for (at, path), is_piece in words.items())
    return tuple(word for word in found if word is not None)


def _words(data: bytes) -> Iterator[tuple[int, str, bool]]:
    """Every `@path` in the client's order: the byte at which it stands, the path, whether it is in running text."""
    pieces, items = _running_text(data)
    searched = [(begin, 0, begin, end) for begin, end in items]
    ends = iter(items)
    item = next(ends, None)
    for begin, end in pieces:
        while item is not None and item[1] <= begin:
            item = next(ends, None)
        inside = item is not None and item[0] <= begin
        searched.append((item[0] if item is not None and inside else begin, 1, begin, end))
    for _, is_piece, begin, end in sorted(searched):
        text = data[begin:end].decode()
        # Behind a backslash the first character of a piece is an escaped sign.
        first = int(bool(is_piece) and data[begin - 1 : begin] == b"\\")
        for match in (_AT if is_piece else _AT_AS_WRITTEN).finditer(text):
            at = match.start()
            if (at == first or (at > first and text[at - 1] in JS_SPACE)) and "`" not in match[1]:
                yield begin + len(text[:at].encode()), match[1], bool(is_piece)


_BLOCKS = frozenset({"Paragraph", "BlockQuote", "HtmlBlock", "Item", "Heading", "CodeBlock", "List"})


def _name(tag: object) -> str:
    return next(iter(tag)) if isinstance(tag, dict) else str(tag)


def _running_text(data: bytes) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The pieces of running text, in bytes, and the texts of list items, as written: these go up to the next block.

    A piece goes up to the next line end, code, link, tag, escape or end of emphasis.
    """
    import pyromark  # 5 ms, needed only where a file holds an `@`

    pieces: list[tuple[int, int]] = []
    items: list[tuple[int, int]] = []
    blocks: list[str] = []
    is_open = is_item_open = False
    images = 0
    for event, span in pyromark.events_with_range(data.decode()):
        begin, end = span["start"], span["end"]
        started = _name(event["Start"]) if isinstance(event, dict) and "Start" in event else ""
        ended = _name(event["End"]) if isinstance(event, dict) and "End" in event else ""
        images += (started == "Image") - (ended == "Image")
        if started in _BLOCKS or ended in _BLOCKS or event == "Rule":
            is_open = is_item_open = False
            if started in _BLOCKS:
                blocks.append(started)
            elif ended in _BLOCKS:
                blocks.pop()
            continue
        if blocks[-1:] == ["Item"] or blocks[-2:] == ["Item", "Paragraph"]:
            if is_item_open:
                items[-1] = (items[-1][0], max(items[-1][1], end))
            else:
                items.append((begin - (data[begin - 1 : begin] == b"\\"), end))
            is_item_open = True
        is_text = isinstance(event, dict) and "Text" in event and not images and blocks[-1:] not in _SILENT
        if is_text and is_open and pieces[-1][1] == begin:
            pieces[-1] = (pieces[-1][0], end)
        elif is_text:
            pieces.append((begin, end))
        is_open = is_text
    return pieces, items


_SILENT = (["HtmlBlock"], ["CodeBlock"])


def _word(path: str, line: int, as_written: bool) -> ImportWord | None:
    path = path.partition("#")[0].replace("\\ ", " ")
    trimmed = path.rstrip(_PUNCTUATION)
    if trimmed and trimmed[0] in _QUOTES:
        word = ImportWord(path, line, trimmed.lstrip(_QUOTES), as_written)
        return word if word.trimmed and _STARTS.match(word.trimmed) and word.means_a_file else None
    if not path or _STARTS.match(path) is None:
        return None
    path = path.rstrip("/") or path
    trimmed = path.rstrip(_PUNCTUATION)
    return ImportWord(path, line, trimmed if trimmed and trimmed != path else None, as_written)


def is_text(path: str) -> bool:
    ending = PurePosixPath(path).suffix.removeprefix(".").lower()
    return not ending or ending in TEXT_ENDINGS
