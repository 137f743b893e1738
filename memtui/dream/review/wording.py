"""What a change does to the words that terms don't show: their order, a rule's direction, whose words they are, links.

`meaning` compares texts as sets of terms, so a text whose words are all there, in another order or with a "never"
that became an "always", loses nothing. These functions look at sentences and links instead.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from urllib.parse import urlsplit

from memtui.dream.review.meaning import Terms, find_terms
from memtui.memory.index import local_name
from memtui.memory.markdown import find_links
from memtui.util.text import nfc

MIN_PAIRS = 20
"""Fewer neighbouring words tell nothing of their order."""
MIN_UNSUPPORTED_TERMS = 3
"""Terms of a sentence that nobody said, from which it needs a source; at least half of its terms have to be such."""
MIN_LIKE = 0.6
"""Share of words that two sentences have in common, from which one is the other, changed."""
_STEM_CHARS = 5
_MIN_SENTENCE_WORDS = 3

_EDGE = ".,;:!?()[]{}<>\"'“”‘’*_~|=`。、！？"
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[*_)\"”]*\s+(?=\S)|(?<=[。！？])|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+>|#]|\d+[.)])[ \t])"
)
_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}|\d\d?")
_NEGATION = re.compile(
    r"\b(?:never|not|no|cannot|nor|neither|nothing|without|avoid|forbid\w*|disallow\w*|refuse|nie|niemals|nicht|keine?|ohne"
    r"|jamais|nunca|sin)\b|n[’']t\b|금지|지\s*(?:않|말|마)|말\s*것|안\s*된|없이|ない|なし|禁止|ません|不[要可得能准会]?|禁|勿|别",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:.!?](?=\s|\Z)")
_FILLERS = frozenset({
    "a", "an", "the", "this", "that", "any", "ever", "be", "been", "is", "are", "was", "to", "of", "it", "do", "does",
    "must", "should", "just", "very", "also", "always",
})  # fmt: skip
_MARK = re.compile(r"^(?:>|[-*+]|\d+[.)]|#+)\s+")


def sentences(text: str) -> tuple[str, ...]:
    """The sentences, list items and headings of a text, each on one line and without its mark."""
    found = (_MARK.sub("", " ".join(part.split())) for part in _SENTENCE_END.split(nfc(text)))
    return tuple(one for one in found if one)


def neighbours(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(_words(text)))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for one in nfc(text).split() if (word := one.strip(_EDGE).casefold()))


def find_unsupported(text: str, before: str, known: Terms, said: Callable[[], Terms]) -> Iterator[str]:
    """Yield new sentences of which half of the terms or more stand neither in `known` nor, by their stem, in `said`.

    Dates don't count: a dream makes them absolute. `said` is called where it is needed.
    """
    known_stems: frozenset[str] | None = None
    old = set(sentences(before))
    for sentence in sentences(text):
        if sentence in old:
            continue
        terms = find_terms(sentence)
        new = {term for term in terms - known if not _DATE.fullmatch(term)}
        if len(new) < MIN_UNSUPPORTED_TERMS or len(new) * 2 < len(terms):
            continue
        if known_stems is None:
            known_stems = stems(said())
        new = {term for term in new if term not in said() and term[:_STEM_CHARS] not in known_stems}
        if len(new) >= MIN_UNSUPPORTED_TERMS and len(new) * 2 >= len(terms):
            yield sentence


def stems(terms: Iterable[str]) -> frozenset[str]:
    """The beginnings of terms, for "release" and "releases" to be the same."""
    return frozenset(term[:_STEM_CHARS] for term in terms if len(term) >= _STEM_CHARS)


def find_flips(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of sentences, old and new, that say nearly the same, but what one negates the other says plainly."""
    old, new = sentences(before), sentences(after)
    gone = [(one, _plain_words(one)) for one in dict.fromkeys(old) if one not in set(new)]
    for one in dict.fromkeys(new):
        if one in set(old):
            continue
        words = _plain_words(one)
        for other, other_words in gone:
            like = len(words & other_words) / max(len(words), len(other_words), 1)
            if like >= MIN_LIKE and (_is_plain_in(other, one) or _is_plain_in(one, other)):
                yield other, one
                break


def _is_plain_in(one: str, other: str) -> bool:
    """Whether a word that a sentence negates stands in the other one, which doesn't negate it."""
    negated, other_negated = _negated(one), _negated(other)
    is_at_end = "" in negated and not other_negated  # in Korean and Japanese the negation comes last
    return is_at_end or bool((negated - other_negated) & set(_words(other)))


def _negated(sentence: str) -> frozenset[str]:
    """The words that stand behind the negations of a sentence: "push" for "do not push" and "never push"."""
    rests = (_words(_CLAUSE_END.split(sentence[found.end() :], 1)[0]) for found in _NEGATION.finditer(sentence))
    return frozenset(next((word for word in rest if word not in _FILLERS), "") for rest in rests)


def _plain_words(sentence: str) -> frozenset[str]:
    words = frozenset(_words(_NEGATION.sub(" ", sentence)))
    return words - _FILLERS if len(words) >= _MIN_SENTENCE_WORDS else frozenset()


def find_retargeted(
    before: str, after: str, there: Collection[str], names: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Yield links whose label stays and whose target is another: label, old and new target.

    A link may follow a file that is gone or renamed (`names`: new by old ones; `there`: the files that are there), and
    an address may change but for its host.
    """
    old, new = _targets(before), _targets(after)
    for label in old.keys() & new.keys():
        gone, fresh = old[label] - new[label], new[label] - old[label]
        if not gone or not fresh:
            continue
        for target in sorted(gone):
            stays = target in there or target in names
            follows = names.get(target) in fresh
            moves = bool(host := _host(target)) and host not in map(_host, fresh)
            if (stays and not follows) or moves:
                yield label, target, min(fresh)


def _targets(text: str) -> dict[str, set[str]]:
    """Where the links of a label lead: names of local files and addresses."""
    found: dict[str, set[str]] = {}
    for link in find_links(text):
        target = link.target if link.external else local_name(link)
        if target is not None and link.label.strip() and link.label.strip() != link.target:
            found.setdefault(link.label.strip(), set()).add(target)
    return found


def _host(target: str) -> str:
    try:
        return (urlsplit(target).hostname or "").removeprefix("www.")
    except ValueError:
        return target
