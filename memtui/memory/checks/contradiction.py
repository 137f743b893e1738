"""A rule of a topic that an instruction file or another topic gives the other way round: the agent gets both.

Only what is surely about one thing counts: two sentences of the same words, one with a negation and one without; or the
same words around one code span, number or name of another value, where each text has that sentence once. Of two topics
only the first counts, since another value may be that of another thing.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

from memtui.memory.checks.base import TOPICS, Check, CheckedFolder, Problem
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.markdown import code_blocks

MIN_COMMON_WORDS = 4
MAX_SENTENCE_CHARS = 240
_CODE = re.compile(r"`([^`\n]+)`")
_MARKS = re.compile(r"\*\*?|__?(?=\w)|(?<=\w)__?|\[([^\]\n]*)\]\([^)\n]*\)")
_END = re.compile(r"(?<=[.!?。])\s+|[;；]\s*|\n")
_BULLET = re.compile(r"^[ \t]*(?:[-*+>]|\d{1,9}[.)]|#{1,6})[ \t]+", re.MULTILINE)
_NEGATIONS = frozenset({"never", "not", "no", "dont", "cannot", "avoid", "without"})
_MODALS = frozenset({"do", "always", "must", "should", "please"})
_WORD = re.compile(r"\x00|[^\W_](?:[\w'’-]*\w)?")


class _Sentence(Struct, frozen=True):
    line: int
    text: str
    forbids: bool

    @property
    def values(self) -> tuple[str, ...]:
        """What stands in the places that its words leave open: code spans and numbers."""
        words = _WORD.findall(_plain(self.text))
        return (*_CODE.findall(self.text), *(word for word in words if word[0].isdigit()))


@lru_cache(maxsize=512)
def _sentences(text: str) -> Mapping[tuple[str, ...], _Sentence | None]:
    """The sentences of a text by their words without modal words and negations, NUL for each value; None for words
    that occur more than once.
    """
    at = start = read_frontmatter(text).body_start
    blocks = code_blocks(text)
    line, pieces, lines = text.count("\n", 0, start) + 1, list[str](), list[int]()
    for piece in _END.split(text[start:]):
        begin = text.find(piece, at)
        line += text.count("\n", at, begin)
        at = begin + len(piece)
        if piece and len(piece) <= MAX_SENTENCE_CHARS and not any(a <= begin < b for a, b in blocks):
            pieces.append(piece)
            lines.append(line)
    found: dict[tuple[str, ...], _Sentence | None] = {}
    bare = _BULLET.sub("", "\n".join(pieces))  # no piece has a line end, so that all are read at once
    words_of = map(_WORD.findall, _plain(bare).split("\n"))
    for piece, number, words in zip(bare.split("\n"), lines, words_of, strict=False):
        if len(words) < MIN_COMMON_WORDS:
            continue
        negations = [word for word in words if word in _NEGATIONS or (word.endswith("n't") and len(word) > 3)]
        left_out = _MODALS.union(negations)
        kept = tuple("\x00" if word[0].isdigit() else word for word in words if word not in left_out)
        if len(kept) - kept.count("\x00") >= MIN_COMMON_WORDS:
            found[kept] = None if kept in found else _Sentence(number, piece.strip(), len(negations) % 2 == 1)
    return found


def _plain(text: str) -> str:
    return _MARKS.sub(r"\1", _CODE.sub("\x00", text)).replace("’", "'").casefold()


def _is_same(one: str, other: str) -> bool:
    """Whether two values are spellings of one: punctuation apart, or a path with and without its first folders."""
    if re.sub(r"\W+", " ", one).strip() == re.sub(r"\W+", " ", other).strip():
        return True
    short, long = sorted((one.split("/"), other.split("/")), key=len)
    return len(short) > 1 and long[-len(short) :] == short


def find_in_folder(folder: CheckedFolder) -> Iterator[Problem]:
    rules: dict[tuple[str, ...], tuple[str, _Sentence]] = {}
    for path, text in folder.around.instruction_texts.items():
        for words, sentence in _sentences(text).items():
            if sentence is not None:
                rules[words] = path.name, sentence
    for file in folder.scope.topics:
        for words, mine in _sentences(folder.texts.get(file.name, "")).items():
            if mine is None:
                continue
            name, theirs = rules.setdefault(words, (file.name, mine))
            if theirs is mine or theirs.text == mine.text:
                continue
            in_topic = folder.scope.find(name) is not None
            is_other = not all(map(_is_same, mine.values, theirs.values))
            if mine.forbids == theirs.forbids and (in_topic or not is_other):
                continue  # of two topics, another value may be that of another thing
            if is_other and (mine.forbids != theirs.forbids or words.count("\x00") > 1):
                continue  # "use A" and "never use B" agree; of several values one may follow from the other
            message = f'{name} line {theirs.line} says otherwise: "{theirs.text}"'
            yield Problem(
                folder.scope.id, file.name, file.path, mine.line, None, "contradiction", "warning", message,
                subject=name if in_topic else "",
            )  # fmt: skip


CHECK = Check(("contradiction",), TOPICS, find_in_folder=find_in_folder, order=310)
