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
_BULLET = re.compile(r"\s*(?:[-*+>]|\d{1,9}[.)])\s+|\s*#{1,6}\s+")
_NEGATION = re.compile(r"never|not|no|dont|cannot|avoid|without|\w+n't")
_MODAL = re.compile(r"do|always|must|should|please")
_WORD = re.compile(r"\x00|[^\W_](?:[\w'’-]*\w)?")


class _Sentence(Struct, frozen=True):
    """A sentence: its words without modal words and negations, NUL for each value in it; whether it forbids."""

    line: int
    text: str
    words: tuple[str, ...]
    values: tuple[str, ...]
    forbids: bool


@lru_cache(maxsize=512)
def _sentences(text: str) -> Mapping[tuple[str, ...], _Sentence | None]:
    """The sentences of a text by their words, values left open; None for words that occur more than once."""
    start = read_frontmatter(text).body_start
    blocks = code_blocks(text)
    found: dict[tuple[str, ...], _Sentence | None] = {}
    at = start
    for piece in _END.split(text[start:]):
        begin = text.find(piece, at)
        at = begin + len(piece)
        if not piece or len(piece) > MAX_SENTENCE_CHARS or any(a <= begin < b for a, b in blocks):
            continue
        sentence = _read(piece, text.count("\n", 0, begin) + 1)
        if len(sentence.words) - sentence.words.count("\x00") >= MIN_COMMON_WORDS:
            found[sentence.words] = None if sentence.words in found else sentence
    return found


def _read(piece: str, line: int) -> _Sentence:
    piece = _BULLET.sub("", piece, count=1)
    values = tuple(_CODE.findall(piece))
    plain = _MARKS.sub(r"\1", _CODE.sub("\x00", piece)).replace("’", "'").casefold()
    words = _WORD.findall(plain)
    numbers = tuple(word for word in words if word[0].isdigit())
    kept = tuple(
        "\x00" if word[0].isdigit() else word
        for word in words
        if not _NEGATION.fullmatch(word) and not _MODAL.fullmatch(word)
    )
    forbids = sum(_NEGATION.fullmatch(word) is not None for word in words) % 2 == 1
    return _Sentence(line, piece.strip(), kept, (*values, *numbers), forbids)


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
            in_topic = folder.scope.find(name) is not None
            is_other = not all(map(_is_same, mine.values, theirs.values))
            if theirs is mine or (mine.forbids == theirs.forbids and (in_topic or not is_other)):
                continue  # of two topics, another value may be that of another thing
            if is_other and (mine.forbids != theirs.forbids or words.count("\x00") > 1):
                continue  # "use A" and "never use B" agree; of several values one may follow from the other
            message = f'{name} line {theirs.line} says otherwise: "{theirs.text}"'
            yield Problem(
                folder.scope.id, file.name, file.path, mine.line, None, "contradiction", "warning", message,
                subject=name if in_topic else "",
            )  # fmt: skip


CHECK = Check(("contradiction",), TOPICS, find_in_folder=find_in_folder, order=310)
