"""What a change loses: the terms of a text that stand nowhere afterwards.

Counting deleted files says little: a run that leaves every file in place and writes "See the code." into each deletes
nothing and loses everything, and one that merges fifty files into twenty deletes thirty and loses little. So texts are
compared by their terms. What moved to another file is not lost, and neither is what was said in other words as long as
it names the same things.

Measured (`tests/bench/review.py` on 11 folders of real memory): an agent's compaction of 51 files to 23 loses 9 % of a
changed file's terms in the median, 18 % at most, and 7 % of the folder's. Of 407 honest edits (merges, renames, splits,
corrections, texts with 30 % other words, whole dreams) these limits hold none. Of 176 cuts (a sentence in place of a
text, half of it, two thirds of it, the last 15 % of all files, a file removed) they let two pass, both in one file of
which another topic says half of what was cut. With a quarter in place of a fifth for a file eight cuts pass, with a
third nineteen; with 15 % for the folder six that take the end of every file. With 15 % for a file, or 5 % for the
folder, the compaction is held. `MIN_LOST_TERMS` from 2 to 12 and `MAX_REWRITE_LOSS` from 0.3 to 0.7 change nothing.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise

from msgspec import Struct

from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.index import INDEX_NAME
from memtui.util.text import nfc

Terms = frozenset[str]

MIN_WORD_CHARS = 5  # shorter words tell one text from another only as numbers, names or code
MAX_FILE_LOSS = 0.2  # share of a file's terms that may be lost without a person's yes
MAX_REWRITE_LOSS = 0.5  # the same where as many new terms came in their place: a correction, or another text
MAX_FOLDER_LOSS = 0.1  # share of the terms of all files together
MIN_COVERED = 0.5  # share of a file's missing terms that one other file must have to count as saying the same
MIN_LOST_TERMS = 5  # fewer lost terms in a file that is still there are a correction; in a folder they are nothing
MAX_BLOCK_LOSS = 0.5  # share of the terms of a paragraph, item or row from which it is lost itself
MIN_BLOCK_TERMS = 4

_BLOCK_END = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+>|#]|\d+[.)])[ \t])")
_LINK_TARGET = re.compile(r"\]\([^)\n]*\)")
_HIDDEN = re.compile(
    r"<!--.*?-->|^[ \t]*<!--.*\Z|(?<!~)~~(?!~)(?:[^\n~]|\n(?!\s*\n))+~~(?!~)"
    r"|^ {0,3}\[[^\]\n]*\]:[ \t]*<?#?>?[ \t][^\n]*$",
    re.DOTALL | re.MULTILINE,
)
"""Comments, what is struck out, definitions of links that lead nowhere."""
_UNSEEN = r"\shidden\b|display:\s*none|visibility:\s*hidden|opacity:\s*0|font-size:\s*0"
_UNSEEN_MARK = re.compile(rf"<(?:template|script|style|noscript)\b|{_UNSEEN}", re.IGNORECASE)
_UNSEEN_ELEMENT = re.compile(
    r"<(template|script|style|noscript)\b[^>\n]*>.*?</\1>"
    rf"|<([a-z]\w*)\b[^>\n]*(?:{_UNSEEN})[^>\n]*>.*(?:</\2>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
"""Elements that a page doesn't show."""
_CODE = re.compile(r"`+([^`\n]+)`+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3々]+")
_TOKEN = re.compile(r"[^\W_]+(?:[._/:-]+[^\W_]+)*")
_JOINTS = re.compile(r"[._/:-]+")
_AFTER_A_WORD = re.compile(r"(?<=[^\W_] )[^\W_]+(?:[._/:-]+[^\W_]+)*")
_EDGE = ".,;:!?()[]{}<>\"'“”‘’*_~|=`"


class Words(Struct, frozen=True):
    """A text as it is compared: its terms, and its tokens: everything that a term can be found again as."""

    terms: Terms
    tokens: Terms


def find_terms(text: str) -> Terms:
    """The terms of a topic or index: what must be found again for its meaning to be there.

    Words of five letters or more, numbers, names (a capital letter inside a sentence or a word), code spans word by
    word; for Chinese, Japanese and Korean each pair of neighbouring characters. Front matter counts with its
    description only, a link with its text only, a comment and what is struck out not at all.
    """
    front = read_frontmatter(text)
    return _body_terms(f"{front.description or ''}\n{text[front.body_start :]}")


def _body_terms(body: str) -> Terms:
    body = _LINK_TARGET.sub("]", nfc(_without_hidden(body)))
    names = {word.casefold() for word in _AFTER_A_WORD.findall(body) if word[0].isupper() and len(word) > 1}
    words = chain.from_iterable(map(_word_terms, set(body.split())))
    return frozenset(chain(words, names, code_terms(body)))


def read_words(text: str) -> Words:
    """Read a text for comparison; its tokens are also those of file names, link targets and front matter."""
    terms = find_terms(text)
    text = nfc(_without_hidden(text))
    words = chain.from_iterable(map(_word_tokens, set(text.split())))
    return Words(terms, frozenset(chain(words, code_terms(text), terms)))


def all_tokens(text: str) -> Terms:
    return read_words(text).tokens


def _without_hidden(text: str) -> str:
    """The text without what nobody sees who reads the page."""
    if "<!--" in text or "~~" in text or "]:" in text:
        text = _HIDDEN.sub(" ", text)
    return _UNSEEN_ELEMENT.sub(" ", text) if "</" in text and _UNSEEN_MARK.search(text) else text


def code_terms(text: str) -> Terms:
    """The words of the code spans of a text."""
    words = {word for code in _CODE.findall(text) for word in code.split()}
    return frozenset(part for word in words for part in _word_tokens(word) if len(part) > 1)


def _union(sets: Iterable[Terms]) -> Terms:
    return frozenset().union(*sets)


@lru_cache(maxsize=1 << 15)  # the words of a folder; a term is looked at once for all files that have it
def _word_terms(word: str) -> tuple[str, ...]:
    """The terms that a word between blanks holds, wherever it stands."""
    found = list(_pairs(word))
    for token in _TOKEN.findall(_CJK.sub(" ", word)):
        if any(char.isdigit() for char in token) or any(char.isupper() for char in token[1:]):
            found.append(token.casefold())
        for part in _JOINTS.split(token):
            if len(part) >= MIN_WORD_CHARS or any(char.isdigit() for char in part):
                found.append(part.casefold())
    return tuple(found)


@lru_cache(maxsize=1 << 15)
def _word_tokens(word: str) -> tuple[str, ...]:
    """A word between blanks as it stands, and the parts that it is made of."""
    stripped = word.strip(_EDGE).casefold()
    found = [stripped, *_pairs(word)] if stripped else []
    for token in _TOKEN.findall(_CJK.sub(" ", stripped)):
        found += [token, *_JOINTS.split(token)]
    return tuple(dict.fromkeys(found))


def _pairs(text: str) -> Iterator[str]:
    for chars in _CJK.findall(text):
        yield from map("".join, pairwise(chars)) if len(chars) > 1 else (chars,)


EarlierChange = Mapping[str, tuple[str, str]]
"""What an earlier run made of files, by name: their texts before and after, "" for no file."""


class Loss(Struct, frozen=True):
    """The terms that are lost of one file or of the folder: how many of how many."""

    name: str  # "" for the folder
    lost: int
    total: int
    earlier: int = 0  # how many of them were lost to earlier runs of the same week
    examples: tuple[str, ...] = ()  # some of them, for people
    fresh: int = 0  # terms that the file has now and no file had
    is_gone: bool = False

    @property
    def share(self) -> float:
        return self.lost / self.total if self.total else 0.0

    @property
    def is_too_much(self) -> bool:
        unreplaced = self.lost - self.fresh
        if not self.name:
            return unreplaced >= MIN_LOST_TERMS and unreplaced > MAX_FOLDER_LOSS * self.total
        if self.is_gone:
            return self.lost > MAX_FILE_LOSS * self.total
        if self.lost < MIN_LOST_TERMS:
            return unreplaced > MAX_REWRITE_LOSS * self.total
        return unreplaced > MAX_FILE_LOSS * self.total or self.lost > MAX_REWRITE_LOSS * self.total


def worst_losses(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """The losses that need a person's yes, the largest share first, the folder at the end."""
    found = [one for one in losses if one.is_too_much]
    return tuple(sorted(found, key=lambda loss: (not loss.name, -loss.share, loss.name)))


def measure_losses(
    before: Mapping[str, str],
    after: Mapping[str, str],
    *,
    renamed: Mapping[str, str],
    earlier: Sequence[EarlierChange] = (),
    read: Callable[[str], Words] = read_words,
) -> tuple[Loss, ...]:
    """Measure what each changed file loses, by name, and last the folder (`name` is "").

    A term of a file is kept if the file has it still, or a line that the run wrote anywhere; what stood in two places
    is kept if one other file has at least half of what is missing. That other files happen to use the same words, each
    a few, is not enough, except for the index, which repeats them all.

    What runs of the last days (`earlier`) lost is added, unless it stands somewhere now: eight small losses are a large
    one. A run that loses nothing is not held for what others lost. `renamed` are old names by new name; `read` is
    `read_words`, or one that remembers its answers.
    """
    names = {old: new for new, old in renamed.items()}
    known = _union(read(text).tokens for text in before.values())
    now = {name: read(text).tokens for name, text in after.items()}
    everywhere = _union(now.values())
    written = written_tokens(before, after, renamed)
    lost_earlier, terms_earlier = _earlier_losses(earlier, everywhere)
    found: list[Loss] = []
    for name in sorted(before.keys() | terms_earlier.keys()):
        text, result = before.get(name, ""), after.get(names.get(name, name))
        terms, missing, fresh = read(text).terms, frozenset[str](), 0
        if text != result:
            missing = terms - written - now.get(names.get(name, name), frozenset())
            others = [words for other, words in now.items() if other != names.get(name, name)]
            missing = missing - everywhere if name == INDEX_NAME else not_in_one(missing, others)
            fresh = len(read(result or "").terms - known)
        ago = lost_earlier.get(name, frozenset())
        total = len(terms | terms_earlier.get(name, frozenset()))
        found.append(Loss(name, len(missing | ago), total, len(ago - missing), _examples(missing), fresh, not result))
    losses = [loss for loss in found if loss.examples]
    whole = Loss(
        "", sum(loss.lost for loss in found if losses), sum(loss.total for loss in found),
        sum(loss.earlier for loss in found), _examples([term for loss in losses for term in loss.examples]),
        sum(loss.fresh for loss in found),
    )  # fmt: skip
    return (*losses, whole)


def written_tokens(before: Mapping[str, str], after: Mapping[str, str], renamed: Mapping[str, str]) -> Terms:
    """The tokens of all lines that are new in their file; `renamed` has old names by new ones."""
    changed = ((name, text) for name, text in after.items() if before.get(name) != text)
    return _union(all_tokens(_new_lines(before.get(renamed.get(name, name), ""), text)) for name, text in changed)


def _new_lines(before: str, after: str) -> str:
    known = set(before.split("\n"))
    return "\n".join(line for line in after.split("\n") if line not in known)


def not_in_one(missing: Terms, others: Sequence[Terms], least: float = MIN_COVERED) -> Terms:
    """What is left of missing terms after those that one other file has, as long as it has that share of them."""
    while missing:
        best = max((missing & tokens for tokens in others), key=len, default=frozenset[str]())
        if len(best) < least * len(missing):
            break
        missing -= best
    return missing


def lost_blocks(before: str, after: str, is_lost: Callable[[str, Terms], bool]) -> tuple[list[str], int]:
    """The blocks of a body (paragraphs, items, rows) that say nothing any more, and how many it had.

    `is_lost` judges a block and its terms that doesn't stand there as it is; one with few terms tells nothing.
    """
    same = {" ".join(block.split()) for block in _BLOCK_END.split(after)}
    blocks = [block for part in _BLOCK_END.split(before) if (block := " ".join(part.split()))]
    gone = ((block, _body_terms(block)) for block in blocks if block not in same)
    return [block for block, terms in gone if len(terms) >= MIN_BLOCK_TERMS and is_lost(block, terms)], len(blocks)


def _earlier_losses(earlier: Sequence[EarlierChange], now: Terms) -> tuple[dict[str, Terms], dict[str, Terms]]:
    """By name: the terms that earlier runs lost and that stand nowhere now, and all terms of those files before."""
    lost: dict[str, Terms] = {}
    all_terms: dict[str, Terms] = {}
    for change in earlier:
        rest = now | _union(all_tokens(after) for _, after in change.values())
        for name, (before, _) in change.items():
            terms = find_terms(before)
            all_terms[name] = all_terms.get(name, frozenset()) | terms
            lost[name] = lost.get(name, frozenset()) | (terms - rest)
    return lost, all_terms


def _examples(terms: Collection[str]) -> tuple[str, ...]:
    """The longest few: numbers and short words say little by themselves."""
    return tuple(sorted(terms, key=lambda term: (-len(term), term))[:4])
