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
_STARTS = re.compile(r"\./|~/|/.|[A-Za-z0-9._-]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PUNCTUATION = ".,;:!?)]}\"'*_~>"


class ImportWord(Struct, frozen=True):
    """An `@path` in a text: the path as the client reads it, and the line (from 1) it stands in.

    `trimmed` is the path without the punctuation that stands directly behind it, where there is some: then a person
    meant another file than the client looks for.
    """

    path: str
    line: int
    trimmed: str | None = None

    @property
    def means_a_file(self) -> bool:
        """Whether it was surely meant as a file, and not as a package `@scope/name` or a person `@name`."""
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
    paths, offsets = [], []
    chars = -len(indent)
    done = 0
    for begin, end in _running_text(data):
        chars, done = chars + len(data[done:begin].decode()), begin
        piece = data[begin:end].decode()
        first = int(data[begin - 1 : begin] == b"\\")  # behind a backslash the first character is an escaped sign
        for match in _AT.finditer(piece):
            if match.start() == first or (match.start() > first and piece[match.start() - 1] in JS_SPACE):
                paths.append(match[1])
                offsets.append(chars + match.start())
    words = (_word(path, line) for path, line in zip(paths, count.lines_at(offsets), strict=True))
    return tuple(word for word in words if word is not None)


def _running_text(data: bytes) -> Iterator[tuple[int, int]]:
    """The pieces of running text, in bytes: up to the next line end, code, link, tag, escape or end of emphasis."""
    import pyromark  # 5 ms, needed only where a file holds an `@`

    begin = end = closed = 0
    for event, span in pyromark.events_with_range(data.decode()):
        if isinstance(event, dict):
            tag, closing = event.get("Start"), event.get("End")
            closed += tag == "HtmlBlock" or (isinstance(tag, dict) and ("CodeBlock" in tag or "Image" in tag))
            closed -= closing in ("HtmlBlock", "CodeBlock", "Image")
            if "Text" in event and not closed and span["start"] == end:
                end = span["end"]
                continue
        if begin < end:
            yield begin, end
        begin = end = -1
        if isinstance(event, dict) and "Text" in event and not closed:
            begin, end = span["start"], span["end"]
    if begin < end:
        yield begin, end


def _word(path: str, line: int) -> ImportWord | None:
    path = path.partition("#")[0].replace("\\ ", " ")
    if not path or _STARTS.match(path) is None:
        return None
    path = path.rstrip("/") or path
    trimmed = path.rstrip(_PUNCTUATION)
    return ImportWord(path, line, trimmed if trimmed and trimmed != path else None)


def is_text(path: str) -> bool:
    ending = PurePosixPath(path).suffix.removeprefix(".").lower()
    return not ending or ending in TEXT_ENDINGS
