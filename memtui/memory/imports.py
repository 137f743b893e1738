r"""Where an instruction file imports another: `@path` in running text, exactly as the agent client takes it.

Recorded on Claude Code 2.1.332, one rule a line:
- `@` counts at the start of a text or behind white space (as JavaScript has it), a quote's `>`, the `*` or `_` of
  bold and italic text and the `[` of a link; a bracket or a quotation mark before it makes it no import.
- Nothing counts in fenced, indented or inline code, in comments, in HTML blocks, nor in an image's text.
- The path goes on to the next white space; `\ ` is a blank in it, any other backslash ends it, so does inline code or a
  tag. A comma or full stop behind it belongs to it: `@a.md,` names a file that hardly exists.
- A `#` and what follows is left out; the rest begins with `./`, `~/`, `/`, a letter or digit of ASCII, `.`, `_` or `-`.
- Only files with a known ending of text, or with none, are taken.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import PurePosixPath

from memtui.memory.budget import counted
from memtui.memory.comments import JS_SPACE
from memtui.memory.markdown import code_spans

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

_AT = re.compile(rf"(?:(?<=[{JS_SPACE}*_>\[])|\A)@((?:[^{JS_SPACE}\\`]|\\ )+)")
_STARTS = re.compile(r"\./|~/|/.|[A-Za-z0-9._-]")
_HTML_BLOCK = re.compile(
    r"^ {0,3}</?(?:address|article|aside|blockquote|body|center|details|dialog|dir|div|dl|dt|fieldset|figure|footer|"
    r"form|h[1-6]|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul|"
    r"script|pre|style|textarea)\b[^\n]*(?:\n(?![ \t]*(?:\n|\Z))[^\n]*)*",
    re.MULTILINE | re.IGNORECASE,
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_TAG_BEFORE = re.compile(r"</?[A-Za-z][^<>]*>\Z")
_LINK = re.compile(r"\[[^\[\]]*\]\(")
_PUNCTUATION = ".,;:!?)]}\"'*_~>"


@dataclass(frozen=True, slots=True)
class ImportWord:
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
    """Every `@path` that counts, in the order of the text.

    Args:
        text: The whole file, decoded; front matter and comments do not count.
    """
    if "@" not in text:
        return ()
    count = counted(text)
    source = count.source
    skip = code_spans(source)
    if "<" in source:
        skip = sorted(skip + [match.span() for match in _HTML_BLOCK.finditer(source)])
    starts = [start for start, _ in skip]
    found = []
    for start, end in count.pieces:
        for match in _AT.finditer(source, start, end):
            at = bisect_right(starts, match.start())
            if any(from_ <= match.start() < to for from_, to in skip[max(0, at - 4) : at]):
                continue
            word = _word(source, match)
            if word is not None:
                found.append(word)
    return tuple(found)


def _word(source: str, match: re.Match[str]) -> ImportWord | None:
    path = match[1]
    line_start = source.rfind("\n", 0, match.start()) + 1
    before = source[line_start : match.start()]
    for other in (_TAG, _LINK):  # running text ends where either begins
        found = other.search(path)
        path = path[: found.start()] if found is not None else path
    if before.endswith("["):
        close = path.find("](")
        if before.endswith("![") or close < 0:
            return None
        path = path[:close]
    elif before.endswith(("*", "_")) and before.rstrip("*_")[-1:].isalnum():
        return None  # in the middle of a word
    elif before.endswith(">") and before.strip("> \t") and _TAG_BEFORE.search(before) is None:
        return None
    for mark in ("**", "__", "*", "_"):  # inside bold or italic text its end is no part of the path
        if path.endswith(mark) and before.count(mark) % 2:
            path = path.removesuffix(mark)
    path = path.partition("#")[0].replace("\\ ", " ")
    if not path or _STARTS.match(path) is None:
        return None
    path = path.rstrip("/") or path
    trimmed = path.rstrip(_PUNCTUATION)
    line = source.count("\n", 0, match.start()) + 1
    return ImportWord(path, line, trimmed if trimmed and trimmed != path else None)


def is_text(path: str) -> bool:
    """Whether the client would import a file of such a name."""
    ending = PurePosixPath(path).suffix.removeprefix(".").lower()
    return not ending or ending in TEXT_ENDINGS
