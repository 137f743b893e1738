r"""Where an instruction file imports another: `@path` in running text, as the agent client takes it.

Recorded on Claude Code 2.1.332, one rule a line:
- `@` counts at the start of a text, behind white space (as JavaScript has it), a quote's `>`, and where running text
  starts
  again: behind bold, italic or inline code, a link, a tag or a backslash with its sign, and at the start of a link's
  text.
- Nothing counts in fenced, indented or inline code, in comments, in HTML blocks, in an image's text, in a `[name]:
  path` line.
- The path goes on to the next white space; `\ ` is a blank in it, any other backslash ends it, so does the end of
  bold text,
  inline code, a tag or a link. A comma or full stop behind it belongs to it: `@a.md,` names a file that hardly exists.
- A `#` and what follows is left out; the rest begins with `./`, `~/`, `/`, a letter or digit of ASCII, `.`, `_` or `-`.
- Only files with a known ending of text, or with none, are taken.
"""

import re
from bisect import bisect_right
from pathlib import PurePosixPath

from msgspec import Struct

from memtui.memory.budget import counted
from memtui.memory.markdown import code_spans
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
_HTML_BLOCK = re.compile(
    r"^[ >]*(?:[-*+]|\d{1,9}[.)])?[ ]{0,3}(?:</?(?:address|article|aside|blockquote|body|center|details|dialog|dir|"
    r"div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|p|section|"
    r"summary|table|tbody|td|tfoot|th|thead|title|tr|ul|script|pre|style|textarea)\b|<\?)"
    r"[^\n]*(?:\n(?![ \t]*(?:\n|\Z))[^\n]*)*"
    r"|(?:\A|(?<=\n\n)) {0,3}</?[A-Za-z][\w-]*(?: [^<>\n]*)?>[ \t]*(?:\n(?![ \t]*(?:\n|\Z))[^\n]*)*",
    re.MULTILINE | re.IGNORECASE,
)
_COMMENT_STARTS = re.compile(r"^ {0,3}<!--", re.MULTILINE)
_ITEM = re.compile(r" *(?:[-*+]|\d{1,9}[.)]) {1,4}")
_IMAGE = re.compile(r"!\[[^\[\]\n]*\]\(")
_DEFINITION = re.compile(r"(?:\A|(?<=\n\n)) {0,3}\[[^\[\]\n]+\]:[^\n]*(?:\n {0,3}\[[^\[\]\n]+\]:[^\n]*)*")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_TAG_BEFORE = re.compile(r"(?<!\\)</?[A-Za-z][^<>\n]*>\Z")
_LINK = re.compile(r"\[[^\[\]]*\]\(")
_LINK_BEFORE = re.compile(r"\[[^\[\]\n]*\]\([^()\s]*\)\Z")
_ESCAPE_BEFORE = re.compile(r"(?<!\\)(?:\\\\)*\\[!-/:-@\[-`{-~]\Z")
_MARKS_BEFORE = re.compile(r"(?<![*_\\])(\*{1,3}|_{1,3})\Z")
NEAR = 400
"""Characters before and behind an `@` that are looked at: a line may be as long as the file."""
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
    """Every `@path` that counts, in the order of the text.

    Args:
        text: The whole file, decoded; front matter and comments do not count.
    """
    if "@" not in text:
        return ()
    count = counted(text)
    source = count.source
    skip = code_spans(source)
    code_ends = {end for _, end in skip}
    for pattern, sign in ((_HTML_BLOCK, "<"), (_IMAGE, "!["), (_DEFINITION, "]:")):
        if sign in source:
            skip += [match.span() for match in pattern.finditer(source)]
    open_comment = _COMMENT_STARTS.search(source, source.rfind("-->") + 1)
    if open_comment is not None:
        skip.append((open_comment.start(), len(source)))
    skip += _code_in_lists(source)
    skip.sort()
    starts = [start for start, _ in skip]
    found = []
    line, counted_to = 1, 0
    for start, end in count.pieces:
        for match in _AT.finditer(source, start, end):
            at = match.start()
            near = bisect_right(starts, at)
            if any(from_ <= at < to for from_, to in skip[max(0, near - 6) : near]):
                continue
            if at == start or source[at - 1] in JS_SPACE or at in code_ends or _starts_again(source, at):
                line += source.count("\n", counted_to, at)
                counted_to = at
                word = _word(source, match, line)
                found += [word] if word is not None else []
    return tuple(found)


def _code_in_lists(source: str) -> list[tuple[int, int]]:
    """Lines that a blank line and four blanks beyond their list item's text make code."""
    spans: list[tuple[int, int]] = []
    contents: list[int] = []  # where the text of the list items begins that are open
    at, after_blank, in_code = 0, False, False
    for line in source.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        if line.strip():
            while contents and indent < contents[-1] and (after_blank or _ITEM.match(line)):
                contents.pop()
            item = _ITEM.match(line)
            in_code = bool(contents) and indent >= contents[-1] + 4 and (after_blank or in_code)
            if in_code:
                spans.append((at, at + len(line)))
            elif item is not None:
                contents.append(item.end() if line[item.end() :].strip() else indent + 2)
        after_blank = not line.strip()
        at += len(line) + 1
    return spans


def _line_before(source: str, at: int) -> str:
    return source[max(source.rfind("\n", max(0, at - NEAR), at) + 1, at - NEAR, 0) : at]


def _starts_again(source: str, at: int) -> bool:
    """Whether running text starts at an offset that has no white space before it."""
    sign = source[at - 1]
    before = _line_before(source, at)
    if _ESCAPE_BEFORE.search(before) is not None:
        return True
    if sign == ">":
        return not before.strip("> \t") or _TAG_BEFORE.search(before) is not None
    if sign == "[":
        return not before.endswith(("![", "[[")) and _LINK.match(source, at - 1) is not None
    if sign == ")":
        return _LINK_BEFORE.search(before) is not None
    marks = _MARKS_BEFORE.search(before)
    if marks is None:
        return False
    behind = source[at : at + NEAR].partition("\n\n")[0]
    same = re.compile(rf"(?<![*_]){re.escape(marks[1])}(?![*_])")  # a run of just as many
    if not before[: marks.start()][-1:].isalnum() and same.search(behind) is not None:
        return True  # it opens
    return before[: marks.start()][-1:].isalnum() and same.search(before[: marks.start()]) is not None  # it closes


def _word(source: str, match: re.Match[str], line: int) -> ImportWord | None:
    path = match[1]
    before = _line_before(source, match.start())
    for other in (_TAG, _LINK):  # running text ends where either begins
        found = other.search(path)
        path = path[: found.start()] if found is not None else path
    if before.endswith("["):
        path = path.partition("](")[0]
    if before.count("*") % 2 and "*" in path:
        path = path[: path.index("*")]
    for mark in ("**", "__", "_"):  # inside bold or italic text its end is no part of the path
        if path.endswith(mark) and before.count(mark) % 2:
            path = path.removesuffix(mark)
    path = path.partition("#")[0].replace("\\ ", " ")
    if not path or _STARTS.match(path) is None:
        return None
    path = path.rstrip("/") or path
    trimmed = path.rstrip(_PUNCTUATION)
    return ImportWord(path, line, trimmed if trimmed and trimmed != path else None)


def is_text(path: str) -> bool:
    """Whether the client would import a file of such a name."""
    ending = PurePosixPath(path).suffix.removeprefix(".").lower()
    return not ending or ending in TEXT_ENDINGS
