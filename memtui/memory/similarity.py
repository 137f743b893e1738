"""Which two files are about one topic. A false merge is worse than a missed one: in doubt they are two.

Two files of one type and one folder match in one of three ways:
- same: the same text, white space apart.
- contained: every line of one, headings apart, is in the other, and it is at least half of it.
- similar: texts of 200 characters or more that are at least 90 % alike, with similar names; at most one of them has
  numbers, code or paths that the other lacks, and no two similar lines differ in a negation.

In real folders, files made from one template for different things are 85 % alike, with names that differ; two versions
of one note are above 90 %, with one name. Short texts differ in one word that matters ("Use npm", "Use pnpm").
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal

from msgspec import Struct

from memtui.memory.frontmatter import TYPES, read_frontmatter
from memtui.memory.links import slug
from memtui.memory.topic import stem_of
from memtui.util.text import nfc

Match = Literal["same", "contained", "similar"]

# How alike (0 to 100) two texts, two lines or two names have to be.
MIN_TEXT_SIMILARITY, MIN_LINE_SIMILARITY, MIN_NAME_SIMILARITY = 90.0, 60.0, 90.0
# Characters below which a text or a name is too short to tell.
MIN_SIMILAR_CHARS, MIN_CONTAINED_CHARS, MIN_SAME_CHARS, MIN_NAME_CHARS = 200, 80, 12, 6

MERGE_NOTE = re.compile(r"^(?:Merged from `.*` and `.*`\.|`.*` was called \".*)$", re.MULTILINE)

_PREFIX = re.compile(rf"^(?:{'|'.join(TYPES)})-(?=.)")
_COPY = re.compile(r"(?:-(?:copy|duplicate|\(?\d\)?))+$")
_SPECIFIC = re.compile(r"`[^`\n]+`|\S*\d\S*|\S*[/\\]\S*")
_NEGATION = re.compile(
    r"\b(?:not?|never|none|neither|nor|without|avoid|cannot|except|only|always)\b|\b\w+n['’]t\b"
    r"|않|없|금지|말\s?것|마라|말라|아니|못|만\b",
    re.IGNORECASE,
)


def normalized(line: str) -> str:
    """A line as lines are compared: composed, white space collapsed, none at its ends."""
    return " ".join(nfc(line).split())


class _Name(Struct, frozen=True):
    """A name as a slug without its type; `base` without what marks a copy, `words` in alphabetical order."""

    word: str
    base: str
    numbers: tuple[str, ...]
    words: str


class TopicText(Struct, frozen=True, dict=True):
    """One file as it is compared: `name_field` is its `name` field, "" without one."""

    name: str
    type: str | None
    name_field: str
    body: str

    @cached_property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]

    @cached_property
    def one_line(self) -> str:
        """The body on one line, case kept, without what merges wrote."""
        return normalized(MERGE_NOTE.sub("", self.body))

    @cached_property
    def lines(self) -> frozenset[str]:
        """Its lines, headings apart."""
        lines = (normalized(line) for line in MERGE_NOTE.sub("", self.body).split("\n"))
        return frozenset(line for line in lines if line and not line.startswith("#"))

    @cached_property
    def specifics(self) -> Counter[str]:
        """Numbers, code and paths: they tell one topic from another in the same words."""
        return Counter(match[0].strip(".,;:()").casefold() for match in _SPECIFIC.finditer(self.one_line))

    @cached_property
    def names(self) -> "tuple[_Name, _Name]":
        return _name(stem_of(self.name)), _name(self.name_field)


def topic_text(name: str, type: str | None, name_field: str | None, text: str) -> TopicText:
    front = read_frontmatter(text)
    return TopicText(name, type, name_field or "", nfc(text[front.body_start :]).replace("\r\n", "\n"))


def match_topics(one: TopicText, other: TopicText) -> Match | None:
    """How two files match, `None` if they are about two topics."""
    if one.type != other.type or one.folder != other.folder:
        return None
    short, long = sorted((one, other), key=lambda text: len(text.one_line))
    if len(short.one_line) < MIN_SAME_CHARS:
        return None
    if short.one_line == long.one_line:
        return "same"
    is_enough = len(short.one_line) >= MIN_CONTAINED_CHARS and 2 * len(short.one_line) >= len(long.one_line)
    if is_enough and short.lines and short.lines <= long.lines:
        return "contained"
    if not _may_be_similar(one, other) or not (one.specifics <= other.specifics or other.specifics <= one.specifics):
        return None
    texts = one.one_line.casefold(), other.one_line.casefold()
    return "similar" if _are_alike(*texts, MIN_TEXT_SIMILARITY) and not _contradict(one, other) else None


def _may_be_similar(one: TopicText, other: TopicText) -> bool:
    short, long = sorted((len(one.one_line), len(other.one_line)))
    if short < MIN_SIMILAR_CHARS or short * (200 - MIN_TEXT_SIMILARITY) < long * MIN_TEXT_SIMILARITY:
        return False
    return any(_same_words(*names) for names in zip(one.names, other.names, strict=True))


def _are_alike(one: str, other: str, least: float) -> bool:
    """Whether two texts are as alike as that, from 0 to 100."""
    size = len(one) + len(other)
    if 200 * min(len(one), len(other)) < least * size or 200 * (Counter(one) & Counter(other)).total() < least * size:
        return False  # they don't even have enough characters in common
    from rapidfuzz import fuzz  # 4 MB that a folder without near-duplicates doesn't need

    return fuzz.ratio(one, other, score_cutoff=least) >= least


def _contradict(one: TopicText, other: TopicText) -> bool:
    from rapidfuzz import fuzz, process  # as in `_are_alike`

    rest = sorted(other.lines - one.lines)
    for line in sorted(one.lines - other.lines):
        found = process.extractOne(line, rest, scorer=fuzz.ratio, score_cutoff=MIN_LINE_SIMILARITY)
        if found is not None and _negations(line) != _negations(found[0]):
            return True
    return False


def _negations(line: str) -> Counter[str]:
    return Counter(match[0].casefold() for match in _NEGATION.finditer(line))


def _name(words: str) -> _Name:
    word = _PREFIX.sub("", slug(words))
    numbers = tuple(sorted(re.findall(r"\d+", word)))
    return _Name(word, _COPY.sub("", word), numbers, " ".join(sorted(word.split("-"))))


def _same_words(one: _Name, other: _Name) -> bool:
    if not one.word or not other.word:
        return False
    if other.word in (one.word, one.base) or one.word == other.base:
        return True
    if one.numbers != other.numbers or min(len(one.word), len(other.word)) < MIN_NAME_CHARS:
        return False
    return _are_alike(one.words, other.words, MIN_NAME_SIMILARITY)


def matching_pairs(texts: Iterable[TopicText]) -> Iterator[tuple[TopicText, TopicText, Match]]:
    """The likely pairs that are about one topic: the same first, then contained, then similar; by name."""
    ordered = sorted(texts, key=lambda text: text.name)
    found = [(one, other, match) for one, other in _candidates(ordered) if (match := match_topics(one, other))]
    rank: Mapping[Match, int] = {"same": 0, "contained": 1, "similar": 2}
    yield from sorted(found, key=lambda pair: (rank[pair[2]], pair[0].name, pair[1].name))


def _candidates(texts: list[TopicText]) -> Iterator[tuple[TopicText, TopicText]]:
    """Pairs worth comparing, each once, in the order of their names."""
    by_line: dict[str, list[int]] = {}
    by_text: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        by_text.setdefault(text.one_line, []).append(number)
        for line in text.lines:
            by_line.setdefault(line, []).append(number)
    seen: set[tuple[int, int]] = set()
    for number, text in enumerate(texts):
        rarest = min((by_line[line] for line in sorted(text.lines)), key=len, default=[])
        others = {*rarest, *by_text[text.one_line]}
        others.update(later for later in range(number + 1, len(texts)) if _may_be_similar(text, texts[later]))
        seen.update((min(number, other), max(number, other)) for other in others if other != number)
    for first, second in sorted(seen):
        yield texts[first], texts[second]
