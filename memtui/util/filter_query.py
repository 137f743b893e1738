"""The filter syntax that people know from fzf: 'exact ^start end$ !not, words joined by AND.

A bare word matches when its letters occur in that order; every other form is a plain comparison. Case counts only when
the word has a capital letter ("smart case").
"""

from typing import Literal

from msgspec import Struct

TermKind = Literal["fuzzy", "exact", "start", "end", "equal"]


class QueryTerm(Struct, frozen=True):
    """One word of a query."""

    text: str
    kind: TermKind
    negated: bool
    cased: bool


def parse_query(query: str) -> tuple[QueryTerm, ...]:
    """Split a query at blanks; lone markers such as "'" or "!" are ignored, for they are still being typed."""
    terms = []
    for word in query.split():
        negated = word.startswith("!")
        body = word.removeprefix("!")
        kind: TermKind = "exact" if negated else "fuzzy"
        if body.startswith("'"):
            body, kind = body[1:], "exact"
        starts, ends = body.startswith("^"), body.endswith("$") and len(body) > 1
        body = body.removeprefix("^") if starts else body
        body = body.removesuffix("$") if ends else body
        if starts or ends:
            kind = "equal" if starts and ends else "start" if starts else "end"
        if body:
            terms.append(QueryTerm(body, kind, negated, body != body.lower()))
    return tuple(terms)


def _matches_term(term: QueryTerm, text: str) -> bool:
    if not term.cased:
        text = text.lower()
    match term.kind:
        case "exact":
            return term.text in text
        case "start":
            return text.startswith(term.text)
        case "end":
            return text.endswith(term.text)
        case "equal":
            return text == term.text
    letters = iter(text)
    return all(letter in letters for letter in term.text)


def matches_query(terms: tuple[QueryTerm, ...], name: str, *texts: str) -> bool:
    """Whether every term holds for the name or, taken as exact text, for one of the other texts.

    A fuzzy word is looked for letter by letter in the name alone: in prose nearly everything would match.
    """
    for term in terms:
        in_text = QueryTerm(term.text, "exact", term.negated, term.cased) if term.kind == "fuzzy" else term
        hit = _matches_term(term, name) or any(_matches_term(in_text, text) for text in texts)
        if hit == term.negated:
            return False
    return True
