"""What a change does to the words that terms don't show: their order, a rule's direction, whose words they are, links.

`meaning` compares texts as sets of terms, so a text whose words are all there, in another order or with a "never"
that became an "always", loses nothing. These functions look at sentences and links instead.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from urllib.parse import urlsplit

from memtui.dream.review.meaning import Terms, all_tokens, find_terms
from memtui.memory.index import local_name
from memtui.memory.markdown import find_links
from memtui.util.text import nfc

MIN_PAIRS = 20  # fewer neighbouring words tell nothing of their order
MIN_UNSUPPORTED_TERMS = 3
"""Terms of a sentence that nobody said, from which it needs a source; at least half of its terms have to be such."""
MIN_LIKE = 0.6  # share of words that two sentences have in common, from which one is the other, changed
MIN_INSIDE = 0.7  # share of a new sentence's words that stand in an old one, from which it is that one or a part of it
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
_CONDITION = re.compile(
    r"\b(?:unless|until|till|except|only|solely|exclusively|if|when(?:ever)?|once|provided|as long as|in case|where"
    r"|wenn|falls|nur|außer|bis|sofern|solange|si|sauf|seulement|jusqu)\b|(?:경우|때|전까지|만\b)|(?:場合|とき|限り)|(?:如果|除非|只有|仅)",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"\b(?:must|always|never|shall|required?s?|mandatory|ha(?:s|ve) to|needs? to|every time|no exceptions?|at no time"
    r"|muss|müssen|immer|nie(?:mals)?|stets|toujours|jamais|siempre|nunca)\b|반드시|항상|절대|必ず|常に|必须|总是",
    re.IGNORECASE,
)
_LAX = re.compile(
    r"\b(?:may|might|can|could|sometimes|usually|often|optional(?:ly)?|preferably|ideally|if possible|where possible"
    r"|kann|können|manchmal|meist(?:ens)?|möglichst|parfois|puede)\b|가능하면|때때로|보통|できれば|時々|可以|有时",
    re.IGNORECASE,
)
_VOID = re.compile(
    r"\b(?:no longer|not any ?more)\b.{0,20}\b(?:appl|hold|valid|need|true|relevant|in force)"
    r"|\b(?:obsolete|outdated|void|superseded|revoked|cancell?ed|withdrawn)\b"
    r""
    r"|\bthe opposite\b|\b(?:disregard|ignore|forget)\b.{0,20}\b(?:rule|this|above|below|following)"
    r"|더\s*이상.{0,12}(?:않|없)|폐기|무효|gilt nicht mehr|ungültig|hinfällig|已作废|不再",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:.!?](?=\s|\Z)")
_FILLERS = frozenset({
    "a", "an", "the", "this", "that", "any", "ever", "be", "been", "is", "are", "was", "to", "of", "it", "do", "does",
    "must", "should", "just", "very", "also", "always",
})  # fmt: skip
_OWN_LINE = re.compile(r"\s*(?:[-*+]\s|\d+[.)]\s|#{1,6}\s|[|>`])")
_MARK = re.compile(r"^(?:>|[-*+]|\d+[.)]|#+)\s+")


def sentences(text: str) -> tuple[str, ...]:
    """The sentences, list items and headings of a text, each on one line and without its mark."""
    found = (_MARK.sub("", " ".join(part.split())) for part in _SENTENCE_END.split(nfc(text)))
    return tuple(one for one in found if one)


def neighbours(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(_words(text)))


def joints(text: str) -> tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]:
    """The pairs of words that stand side by side across a comma or colon, and across a line's end in a paragraph."""
    commas, ends = set[tuple[str, str]](), set[tuple[str, str]]()
    lines = nfc(text).split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        parts = line.split()
        commas.update((one, other) for one, other in pairwise(parts) if one[-1] in ",;:")
        if parts and following.strip() and not _OWN_LINE.match(following) and parts[-1][-1] not in ".!?|`":
            ends.add((parts[-1], following.split()[0]))
    return _bare(commas), _bare(ends)


def _bare(pairs: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    found = ((one.strip(_EDGE).casefold(), other.strip(_EDGE).casefold()) for one, other in pairs)
    return frozenset(pair for pair in found if all(pair))


def count_small_words(text: str) -> int:
    """The short words without a capital or digit, which make sentences of terms."""
    return sum(
        len(word) < _STEM_CHARS and word.isascii() and word.isalpha() and word.islower() for word in text.split()
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for one in nfc(text).split() if (word := one.strip(_EDGE).casefold()))


def find_unsupported(
    text: str, before: str, sources: Callable[[str], Iterable[Terms]], said: Callable[[], Terms]
) -> Iterator[str]:
    """Yield new sentences of which at least half of the terms stand neither in the best of their sources nor, by their
    stem, in `said`.

    Dates don't count: a dream makes them absolute. `before` is the text as it was, which counts with each source;
    `sources` gives those of a sentence; `said` is called where it is needed.
    """
    own = all_tokens(before)
    known_stems: frozenset[str] | None = None
    old = set(sentences(before))
    for sentence in sentences(text):
        if sentence in old:
            continue
        terms = find_terms(sentence)
        missing = min((terms - own - known for known in sources(sentence)), key=len, default=terms - own)
        new = {term for term in missing if not _DATE.fullmatch(term)}
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
    old, new = dict.fromkeys(sentences(before)), dict.fromkeys(sentences(after))
    gone = [(one, _plain_words(one)) for one in old if one not in new]
    for one in new:
        if one in old:
            continue
        words = _plain_words(one)
        for other, other_words in gone:
            like = len(words & other_words) / max(len(words), len(other_words), 1)
            if like >= MIN_LIKE and (_is_plain_in(other, one) or _is_plain_in(one, other)):
                yield other, one
                break


def _is_plain_in(one: str, other: str) -> bool:
    """Whether a word that a sentence only negates stands in the other one, in no clause that a negation begins."""
    clauses, other_clauses = _negated_clauses(one), _negated_clauses(other)
    negated = {next((word for word in clause if word not in _FILLERS), "") for clause in clauses}
    is_at_end = "" in negated and not other_clauses  # in Korean and Japanese the negation comes last
    plain, other_plain = (Counter(_words(text)) for text in (one, other))
    plain.subtract(word for clause in set(clauses) for word in clause)
    other_plain.subtract(word for clause in set(other_clauses) for word in clause)
    return is_at_end or any(plain[word] <= 0 < other_plain[word] for word in negated)


def _negated_clauses(sentence: str) -> list[tuple[str, ...]]:
    return [_words(_CLAUSE_END.split(sentence[found.end() :], 1)[0]) for found in _NEGATION.finditer(sentence)]


def find_weakened(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of sentences, old and new: a rule, and what says it without its condition or less strictly.

    Of a sentence that became several, all count together.
    """
    old, new = dict.fromkeys(sentences(before)), dict.fromkeys(sentences(after))
    fresh = [(one, words) for one in new if one not in old and (words := _plain_words(one))]
    for one in old:
        if one in new or not (_CONDITION.search(one) or _STRICT.search(one)):
            continue
        words = _plain_words(one)
        parts = [other for other, its in fresh if len(its & words) >= MIN_INSIDE * len(its)]
        if not parts:
            continue
        now = " ".join(parts)
        conditions, strict, lax = (
            len(kind.findall(now)) - len(kind.findall(one)) for kind in (_CONDITION, _STRICT, _LAX)
        )
        if (conditions < 0 and len(_plain_words(now)) < len(words)) or (strict < 0 < lax):
            yield one, parts[0]


def find_voided(before: str, after: str) -> Iterator[str]:
    """Yield sentences that call what stands around them void in words that no text used before."""
    for one in sentences(after):
        if (found := _VOID.search(one)) and found[0].casefold() not in before.casefold():
            yield one


def _plain_words(sentence: str) -> frozenset[str]:
    words = frozenset(_words(_NEGATION.sub(" ", sentence)))
    return words - _FILLERS if len(words) >= _MIN_SENTENCE_WORDS else frozenset()


def find_retargeted(
    before: str, after: str, there: Collection[str], names: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Yield links whose label stays and whose target is another: label, old and new target.

    A link may follow a file that is gone or renamed (`names`: new by old), an address may change but for its host.
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
