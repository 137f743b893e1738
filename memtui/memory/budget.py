r"""How much of an index the agent client loads, exactly: text, cut line, and which limit made the cut.

Seen on client 2.1.332, in the order in which it happens, one rule a line:
- The bytes are decoded as UTF-8, bad ones as U+FFFD. A byte order mark hides nothing but a comment on its own line.
- Front matter is what stands between a first line of `---` and the next `---` *anywhere*, mid-line included, with the
  white space behind it.
- Comments that are blocks of their own are taken out (`comments`); only if one was, CR and CRLF become LF.
- The rest is stripped of white space at both ends (JavaScript's `trim`), then measured: lines end in LF alone, and the
  CR of a CRLF is a unit like any other.
- Of more than 200 lines, 200 stay. Of what stays, if it is over 25,000 UTF-16 code units, all up to the last line end
  at or before unit 25,000 stays, or 25,000 units of a first line that is longer. Nothing is stripped after the cut.
- What is sent has LF for CRLF, CR and U+2028/9, and control, format, private-use and default-ignorable characters are
  left out, but for tab and what joins or selects emoji, and white space that this leaves at an uncut end: counting was
  before that.
- What is sent has a backslash behind the `<` of a tag that is the client's own (`</system-reminder>`).
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal

from msgspec import Struct

from memtui.util.text import JS_SPACE

MAX_LINES = 200
MAX_UNITS = 25_000  # UTF-16 code units

Limit = Literal["lines", "units"]

_OPENING = re.compile(f"---[{JS_SPACE}]*\n")
_BLANKS = re.compile(f"[{JS_SPACE}]*")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_LEFT_OUT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U0001fffe\U0001ffff\U000e0000-\U0010ffff]"
)
_LINE_END = re.compile("[\r\u2028\u2029]")
_OWN_TAGS = re.compile(
    r"<(?=\s*/?\s*(?:antml:|(?:system[-_]reminder|tool[-_]use[-_]error|command[-_](?:name|message|args)"
    r"|local[-_]command[-_](?:stdout|stderr|caveat)|bash[-_](?:input|stdout|stderr)|user[-_]prompt[-_]submit[-_]hook"
    r"|(?:task[-_]notification|agent[-_]message|teammate[-_]message|cross[-_]session[-_]message|remote[-_]review)"
    r"|function[-_]results|persisted[-_]output|tick|total[-_]tokens)(?![\w-])))",
    re.IGNORECASE,
)


class IndexBudget(Struct, frozen=True, dict=True):
    """How full an index is, without front matter and comments, and where it is cut."""

    lines: int
    units: int  # UTF-16 code units
    max_lines: int
    max_units: int
    loaded: str  # what the agent gets
    cut_line: int | None  # the first line, from 1 in the counted text, that isn't wholly loaded
    cut_line_in_file: int | None  # the same in the file (lines end in LF)
    limit: Limit | None  # what decided where the cut is

    @property
    def used(self) -> float:
        """The share of the limit that is nearer to its end; 1.0 is full, above is cut."""
        return max(self.lines / self.max_lines, self.units / self.max_units)

    @property
    def over(self) -> bool:
        return self.cut_line is not None

    @property
    def lines_left(self) -> int:
        """Lines that still fit; negative if there are too many. `units_left` is the same for code units."""
        return self.max_lines - self.lines

    @property
    def units_left(self) -> int:
        return self.max_units - self.units

    @property
    def first_limit(self) -> Limit:
        """The limit that the index reaches first if it grows as it is."""
        return "lines" if self.lines / self.max_lines >= self.units / self.max_units else "units"

    @property
    def lost_lines(self) -> int:
        return 0 if self.cut_line is None else self.lines - self.cut_line + 1


class CountedText(Struct, frozen=True, dict=True):
    """The part of an index that counts: pieces of `source` by offset. `file` is as long and has the file's lines."""

    source: str
    pieces: tuple[tuple[int, int], ...]
    file: str

    @cached_property
    def text(self) -> str:
        return "".join(self.source[start:end] for start, end in self.pieces)

    def lines_at(self, offsets: Iterable[int]) -> Iterator[int]:
        """The file's lines (from 1) in which ascending offsets of the counted text stand."""
        pieces = iter((*self.pieces, (len(self.file), len(self.file))))
        start, end = next(pieces)
        line, at, before = 1, 0, 0
        for offset in offsets:
            while offset - before >= end - start and end < len(self.file):
                before += end - start
                start, end = next(pieces)
            position = min(start + offset - before, len(self.file))
            line, at = line + self.file.count("\n", at, position), position
            yield line

    def lines_in_file(self) -> set[int]:
        """The file's lines (from 1) of which something counts."""
        found: set[int] = set()
        for start, end in self.pieces:
            first = self.file.count("\n", 0, start) + 1
            found.update(range(first, first + self.file.count("\n", start, end - 1) + 1))
        return found


def decode_index(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def units(text: str) -> int:
    """UTF-16 code units: characters beyond U+FFFF count two."""
    return len(text) if text.isascii() else len(text) + sum(1 for _ in _ASTRAL.finditer(text))


def counted_text(text: str) -> CountedText:
    start = body_start(text)
    if "<!--" in text[start:]:
        from memtui.memory.comments import comment_spans  # 20 ms, and most indexes have no comment

        head, body = text[:start].replace("\r\n", "\n"), text[start:].replace("\r\n", "\n")
        plain = body.replace("\r", "\n")
        pieces, at = [], 0
        for from_, to in comment_spans(plain):
            pieces.append((len(head) + at, len(head) + from_))
            at = to
        if pieces:
            source = head + plain
            pieces.append((len(head) + at, len(source)))
            return CountedText(source, _stripped(source, pieces), head + body)
    return CountedText(text, _stripped(text, [(start, len(text))]), text)


def body_start(text: str) -> int:
    """Where the client takes the body of a file to start: behind front matter and the white space that follows it."""
    opening = _OPENING.match(text, int(text.startswith("\ufeff")))
    closing = text.find("---", opening.end()) if opening is not None else -1
    if closing < 0:
        return 0
    blanks = _BLANKS.match(text, closing + 3)
    return closing + 3 if blanks is None else blanks.end()


def _stripped(source: str, pieces: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The pieces without white space at both ends of what they are together."""
    start = next(
        (end - len(left) for begin, end in pieces if (left := source[begin:end].lstrip(JS_SPACE))), len(source)
    )
    stop = next((begin + len(left) for begin, end in pieces[::-1] if (left := source[begin:end].rstrip(JS_SPACE))), 0)
    clipped = ((max(begin, start), min(end, stop)) for begin, end in pieces)
    return tuple((begin, end) for begin, end in clipped if begin < end)


def measure_index(text: str, *, max_lines: int = MAX_LINES, max_units: int = MAX_UNITS) -> IndexBudget:
    """Measure an index file, decoded with bad bytes as U+FFFD, against the limits (1 or more) for what is loaded."""
    if max_lines < 1 or max_units < 1:
        raise ValueError(f"limits must be 1 or more, got {max_lines=} {max_units=}")
    count = counted_text(text)
    whole = count.text
    lines = whole.count("\n") + 1 if whole else 0
    total = units(whole)
    limit: Limit | None = None
    end = len(whole)
    if lines > max_lines:
        limit, end = "lines", len("\n".join(whole.split("\n", max_lines)[:max_lines]))
    if total > max_units and units(whole[:end]) > max_units:
        limit, end = "units", _units_end(whole, max_units)
    if limit is None:
        return IndexBudget(lines, total, max_lines, max_units, as_sent(whole).strip(JS_SPACE), None, None, None)
    first_lost = end + 1 if whole.startswith("\n", end) else end  # else a first line that is cut inside
    cut_line = whole.count("\n", 0, first_lost) + 1
    in_file = next(count.lines_at([first_lost]))
    loaded = as_sent(whole[:end].removesuffix("\r")).lstrip(JS_SPACE)
    return IndexBudget(lines, total, max_lines, max_units, loaded, cut_line, in_file, limit)


def _units_end(text: str, max_units: int) -> int:
    """Where a text is cut so that at most so many units stay: at a line end, or inside the first line."""
    head = text[: max_units + 1]
    if not head.isascii():
        head = head.encode("utf-16-le", "surrogatepass")[: 2 * (max_units + 1)].decode("utf-16-le", "surrogatepass")
    at = head.rfind("\n")
    return at if at > 0 else len(head) - 1  # the unit beyond the limit, or the pair that the limit splits


def as_sent(text: str) -> str:
    """A text as the agent gets it: hidden characters left out, tags that only the client may write made harmless."""
    text = _LEFT_OUT.sub("", _LINE_END.sub("\n", text.replace("\r\n", "\n")))
    return _OWN_TAGS.sub(r"<\\", text) if "<" in text else text
