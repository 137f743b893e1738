"""Which two files are one topic. A false merge is worse than a missed one: in doubt they are two.

Three ways to be one, in files of one type and one folder:
- same: the same text, blanks apart.
- held: every line of one, headings apart, is in the other, and it is at least half of it.
- near: at least 90 of 100 alike, called alike, of numbers, code and paths at most one of the two has more than the
  other, and no two lines that are alike differ in a word of denial.

Files made from one template for different things are 85 alike in real folders, with names that differ; two versions
of one note are above 90, with one name. Short texts differ in a word that matters ("Use npm", "Use pnpm"), so only
those of 200 characters or more are near.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal

from msgspec import Struct

from memtui.dream.rules.context import plain
from memtui.memory.frontmatter import TYPES, read_frontmatter
from memtui.memory.links import slug
from memtui.memory.plans import stem_of
from memtui.util.text import nfc

Way = Literal["same", "held", "near"]

NEAR = 90.0
"""How alike (0 to 100) two texts are to be, of all their characters."""
LINE = 60.0
"""How alike two lines are to be, for one to be another wording of the other."""
SHORTEST_NEAR = 200
SHORTEST_HELD = 80
SHORTEST_SAME = 12
"""Characters below which a text is too little to tell."""
CALLED_ALIKE = 90.0
"""How alike two names are to be, whatever the order of their words."""
SHORTEST_NAME = 6
"""Characters below which a name that differs in one is another."""

MERGED = re.compile(r"^(?:Merged from `.*` and `.*`\.|`.*` was called \".*)$", re.MULTILINE)
"""What a merge writes about its sources."""

_PREFIX = re.compile(rf"^(?:{'|'.join(TYPES)})-(?=.)")
_COPY = re.compile(r"(?:-(?:copy|duplicate|\(?\d\)?))+$")
_TELLING = re.compile(r"`[^`\n]+`|\S*\d\S*|\S*[/\\]\S*")
_DENIAL = re.compile(
    r"\b(?:not?|never|none|neither|nor|without|avoid|cannot|except|only|always)\b|\b\w+n['’]t\b"
    r"|않|없|금지|말\s?것|마라|말라|아니|못|만\b",
    re.IGNORECASE,
)


class _Name(Struct, frozen=True):
    """A name as a slug without its type, the same without what marks a copy, its numbers, its words in order."""

    word: str
    base: str
    numbers: tuple[str, ...]
    words: str


class Text(Struct, frozen=True, dict=True):
    """One file as it is compared: `called` is its `name` field, "" without one."""

    name: str
    type: str | None
    called: str
    body: str

    @cached_property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]

    @cached_property
    def flat(self) -> str:
        """The body on one line, case kept, without what merges wrote."""
        return plain(MERGED.sub("", self.body))

    @cached_property
    def lines(self) -> frozenset[str]:
        """Its lines, headings apart."""
        lines = (plain(line) for line in MERGED.sub("", self.body).split("\n"))
        return frozenset(line for line in lines if line and not line.startswith("#"))

    @cached_property
    def telling(self) -> Counter[str]:
        """What tells one topic from another that is worded alike: numbers, code, paths."""
        return Counter(match[0].strip(".,;:()").casefold() for match in _TELLING.finditer(self.flat))

    @cached_property
    def names(self) -> "tuple[_Name, _Name]":
        """What it is called: the file, the `name` field."""
        return _name(stem_of(self.name)), _name(self.called)


def text_of(name: str, type: str | None, called: str | None, text: str) -> Text:
    """A file's text, front matter taken off."""
    front = read_frontmatter(text)
    return Text(name, type, called or "", nfc(text[front.body_start :]).replace("\r\n", "\n"))


def alike(one: Text, other: Text) -> Way | None:
    """In which way two files are one topic, `None` if they are two."""
    if one.type != other.type or one.folder != other.folder:
        return None
    short, long = sorted((one, other), key=lambda text: len(text.flat))
    if len(short.flat) < SHORTEST_SAME:
        return None
    if short.flat == long.flat:
        return "same"
    if _is_held(short, long):
        return "held"
    if _could_be_near(one, other) and _near(one, other):
        return "near"
    return None


def _could_be_near(one: Text, other: Text) -> bool:
    short, long = sorted((len(one.flat), len(other.flat)))
    return short >= SHORTEST_NEAR and short * (200 - NEAR) >= long * NEAR and _called_alike(one, other)


def _is_held(short: Text, long: Text) -> bool:
    enough = len(short.flat) >= SHORTEST_HELD and 2 * len(short.flat) >= len(long.flat)
    return enough and bool(short.lines) and short.lines <= long.lines


def _near(one: Text, other: Text) -> bool:
    from rapidfuzz import fuzz  # only where two names are alike

    if not (one.telling <= other.telling or other.telling <= one.telling):
        return False
    near = fuzz.ratio(one.flat.casefold(), other.flat.casefold(), score_cutoff=NEAR) >= NEAR
    return near and not _deny_each_other(one, other)


def _deny_each_other(one: Text, other: Text) -> bool:
    """Whether two lines that are alike differ in words that turn a sentence into its opposite."""
    from rapidfuzz import fuzz, process

    rest = sorted(other.lines - one.lines)
    for line in sorted(one.lines - other.lines):
        found = process.extractOne(line, rest, scorer=fuzz.ratio, score_cutoff=LINE)
        if found is not None and _denials(line) != _denials(found[0]):
            return True
    return False


def _denials(line: str) -> Counter[str]:
    return Counter(match[0].casefold() for match in _DENIAL.finditer(line))


def _called_alike(one: Text, other: Text) -> bool:
    return _same_words(one.names[0], other.names[0]) or _same_words(one.names[1], other.names[1])


def _name(words: str) -> _Name:
    word = _PREFIX.sub("", slug(words))
    numbers = tuple(sorted(re.findall(r"\d+", word)))
    return _Name(word, _COPY.sub("", word), numbers, " ".join(sorted(word.split("-"))))


def _same_words(one: _Name, other: _Name) -> bool:
    if not one.word or not other.word:
        return False
    if other.word in (one.word, one.base) or one.word == other.base:
        return True
    if one.numbers != other.numbers or min(len(one.word), len(other.word)) < SHORTEST_NAME:
        return False
    from rapidfuzz import fuzz  # only where names are near

    return fuzz.ratio(one.words, other.words, score_cutoff=CALLED_ALIKE) >= CALLED_ALIKE


def pairs(texts: Iterable[Text]) -> Iterator[tuple[Text, Text, Way]]:
    """The pairs that are one topic, by name; the same first, then held, then near.

    Texts are compared only where they could be: those with a line of their own in common, and those called alike.
    """
    ordered = sorted(texts, key=lambda text: text.name)
    found: list[tuple[Text, Text, Way]] = []
    for one, other in _candidates(ordered):
        way = alike(one, other)
        if way is not None:
            found.append((one, other, way))
    rank: Mapping[Way, int] = {"same": 0, "held": 1, "near": 2}
    yield from sorted(found, key=lambda pair: (rank[pair[2]], pair[0].name, pair[1].name))


def _candidates(texts: list[Text]) -> Iterator[tuple[Text, Text]]:
    """Pairs worth comparing, each once, in the order of their names."""
    by_line: dict[str, list[int]] = {}
    by_text: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        by_text.setdefault(text.flat, []).append(number)
        for line in text.lines:
            by_line.setdefault(line, []).append(number)
    seen: set[tuple[int, int]] = set()
    for number, text in enumerate(texts):
        rarest = min((by_line[line] for line in sorted(text.lines)), key=len, default=[])
        others = {*rarest, *by_text[text.flat]}
        others.update(later for later in range(number + 1, len(texts)) if _could_be_near(text, texts[later]))
        seen.update((min(number, other), max(number, other)) for other in others if other != number)
    for first, second in sorted(seen):
        yield texts[first], texts[second]
