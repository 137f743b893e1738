"""What a change loses: the terms of a text that stand nowhere afterwards.

Counting deleted files says little: a run that leaves every file in place and writes "See the code." into each deletes
nothing and loses everything, and one that merges fifty files into twenty deletes thirty and loses little. So texts are
compared by their terms. What moved to another file is not lost, and neither is what was said in other words as long as
it names the same things.

Measured: an agent's compaction of 51 real files to 23 loses 9 % of a changed file's terms in the median and 18 % at
most, 16 % of the folder's. In 16 other folders cutting each topic to its first half loses 27 % of the folder's terms or
more where the topics don't repeat each other, and writing one sentence into each loses 41 % or more.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from memtui.memory.frontmatter import read_frontmatter
from memtui.util.text import nfc

Terms = frozenset[str]

MIN_WORD_CHARS = 5
"""Shorter words tell one text from another only as numbers, names or code."""
MAX_FILE_LOSS = 0.25
"""Share of a file's terms that may be lost without a person's yes."""
MAX_REWRITE_LOSS = 0.5
"""The same where as many new terms came in their place: a correction, or another text."""
MAX_FOLDER_LOSS = 0.2
"""Share of all terms of the folder."""
MIN_LOST_TERMS = 5
"""Fewer lost terms in a file that is still there are a correction; in a folder they are nothing."""

_LINK_TARGET = re.compile(r"\]\([^)\n]*\)")
_CODE = re.compile(r"`+([^`\n]+)`+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3々]+")
_TOKEN = re.compile(r"[^\W_]+(?:[._/:-]+[^\W_]+)*")
_EDGE = ".,;:!?()[]{}<>\"'“”‘’*_~|="


def find_terms(text: str) -> Terms:
    """The terms of a topic or index: what must be found again for its meaning to be there.

    Words of five letters or more, numbers, names (a capital letter inside a sentence or a word), code spans word by
    word; for Chinese, Japanese and Korean each pair of neighbouring characters. Front matter counts with its
    description only, a link with its text only.
    """
    return frozenset(_terms(_body(text)))


def all_tokens(text: str) -> Terms:
    """Everything in a text that a term can be found again as, file names and front matter included."""
    words = frozenset(part for word in _words(nfc(text)) for part in _parts(word))
    return words | find_terms(text) | frozenset(_terms(nfc(text)))


def _body(text: str) -> str:
    front = read_frontmatter(text)
    return _LINK_TARGET.sub("]", nfc(f"{front.description or ''}\n{text[front.body_start :]}"))


def _terms(text: str) -> Iterator[str]:
    yield from _pairs(text)
    for code in _CODE.finditer(text):
        yield from (part for word in _words(code[1]) for part in _parts(word) if len(part) > 1)
    plain = _CJK.sub(" ", text)
    for token in _TOKEN.finditer(plain):
        word = token[0]
        if any(char.isdigit() for char in word) or _is_name(plain, token):
            yield word.casefold()
        for part in re.split(r"[._/:-]+", word):
            if len(part) >= MIN_WORD_CHARS or any(char.isdigit() for char in part):
                yield part.casefold()


def _is_name(text: str, token: re.Match[str]) -> bool:
    """Whether a word has a capital that no start of a sentence explains."""
    word = token[0]
    if len(word) > 1 and any(char.isupper() for char in word[1:]):
        return True
    before = text[max(0, token.start() - 2) : token.start()]
    return len(word) > 1 and word[0].isupper() and len(before) == 2 and before[1] == " " and before[0].isalnum()


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        if stripped := word.strip(_EDGE):
            yield stripped


def _parts(word: str) -> Iterator[str]:
    """A word as it stands and the parts it is made of."""
    yield word.casefold()
    for token in _TOKEN.finditer(word):
        yield token[0].casefold()
        yield from (part.casefold() for part in re.split(r"[._/:-]+", token[0]))


def _pairs(text: str) -> Iterator[str]:
    for run in _CJK.finditer(text):
        chars = run[0]
        yield from (chars[at : at + 2] for at in range(len(chars) - 1)) if len(chars) > 1 else (chars,)


def tokens_of(texts: Iterable[str]) -> Terms:
    """The tokens of several texts together."""
    return frozenset().union(*(all_tokens(text) for text in texts))


class EarlierChange(Struct, frozen=True):
    """What an earlier run made of the files that it changed: their texts before and after, "" for no file."""

    texts: Mapping[str, tuple[str, str]]


class Loss(Struct, frozen=True):
    """The terms that are lost of one file, or (`name` is "") of the folder: how many of how many.

    `earlier` of them were lost to earlier runs of the same week. `examples` are some, for people.
    """

    name: str
    lost: int
    total: int
    earlier: int = 0
    examples: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.lost / self.total if self.total else 0.0


def find_losses(
    before: Mapping[str, str],
    after: Mapping[str, str],
    *,
    renamed: Mapping[str, str],
    earlier: Sequence[EarlierChange] = (),
) -> tuple[Loss, ...]:
    """Find the files, and the folder, that lose more than may be lost unasked.

    A file that is gone, or a file whose terms become fewer, may lose a quarter of its terms, one in which new terms
    stand for the lost ones half of them, the folder a fifth. What runs of the last days lost is added, unless it stands
    somewhere now: eight small losses are a large one. A run that loses nothing is not held for what others lost.

    Args:
        before: The texts that the run was given, by name.
        after: The texts that the folder would hold.
        renamed: Old names by new name.
        earlier: The runs adopted in the last days, in any order.

    Returns:
        The losses over a limit, the largest share first, the folder at the end.
    """
    now = tokens_of(after.values())
    known = tokens_of(before.values())
    lost_earlier, terms_earlier = _earlier_losses(earlier, now)
    losses, all_lost, all_terms, lost_now = [], set[str](), set[str](), False
    new_names = {old: new for new, old in renamed.items()}
    for name in before.keys() | terms_earlier.keys():
        terms = find_terms(before.get(name, ""))
        missing = terms - now
        lost_now = lost_now or bool(missing)
        ago = lost_earlier.get(name, frozenset())
        total = terms | terms_earlier.get(name, frozenset())
        lost = missing | ago
        all_lost |= lost
        all_terms |= total
        result = after.get(new_names.get(name, name))
        fresh = len(find_terms(result) - known) if result is not None else 0
        if missing and _is_too_much(len(lost), fresh, len(total), has_text=bool(result)):
            losses.append(Loss(name, len(lost), len(total), len(ago - missing), _examples(missing)))
    losses.sort(key=lambda loss: (-loss.share, loss.name))
    folder = Loss("", len(all_lost), len(all_terms), len(all_lost - _all_missing(before, now)), _examples(all_lost))
    fresh = len(find_terms("\n\n".join(after.values())) - known)
    if lost_now and folder.lost - fresh >= MIN_LOST_TERMS and (folder.lost - fresh) > MAX_FOLDER_LOSS * folder.total:
        losses.append(folder)
    return tuple(losses)


def _is_too_much(lost: int, fresh: int, total: int, *, has_text: bool) -> bool:
    if not has_text:
        return lost > MAX_FILE_LOSS * total
    if lost < MIN_LOST_TERMS:
        return lost - fresh > MAX_REWRITE_LOSS * total
    return lost - fresh > MAX_FILE_LOSS * total or lost > MAX_REWRITE_LOSS * total


def _all_missing(before: Mapping[str, str], now: Terms) -> Terms:
    return frozenset().union(*(find_terms(text) - now for text in before.values()))


def _earlier_losses(earlier: Sequence[EarlierChange], now: Terms) -> tuple[dict[str, Terms], dict[str, Terms]]:
    """By name: the terms that earlier runs lost and that stand nowhere now, and all terms of those files before."""
    lost: dict[str, Terms] = {}
    all_terms: dict[str, Terms] = {}
    for change in earlier:
        rest = now | tokens_of(after for _, after in change.texts.values())
        for name, (before, _) in change.texts.items():
            terms = find_terms(before)
            all_terms[name] = all_terms.get(name, frozenset()) | terms
            lost[name] = lost.get(name, frozenset()) | (terms - rest)
    return lost, all_terms


def _examples(terms: Collection[str], limit: int = 4) -> tuple[str, ...]:
    """The longest few: numbers and short words say little by themselves."""
    return tuple(sorted(terms, key=lambda term: (-len(term), term))[:limit])
