"""What a run does to the memory claim by claim: what is lost, changed, moved, merged and new.

A diff shows lines; a person who judges a run wants to know what the memory no longer says. So the old and the new texts
are cut into claims (a sentence, a list item, a row, a line of front matter or code), and each claim that a changed file
no longer has is looked for afterwards: in the same file in another wording, in another file, or nowhere. A claim in
another wording is found by its terms (`meaning`): a line that has at least half of them stands for it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from memtui.dream.review.claim import CLAIM_KINDS, Claim
from memtui.dream.review.meaning import Terms, all_tokens, find_terms
from memtui.memory.frontmatter import read_frontmatter
from memtui.util.text import nfc

MIN_KEPT_SHARE = 0.5  # share of a claim's terms from which a line afterwards says it in other words
MIN_TERMS = 3  # a claim with fewer terms is compared by all its words
MAX_TERMS = 4  # lost terms that a claim names

_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\b\d\.)(?<!\b\d\d\.)(?<!e\.g\.)(?<!i\.e\.)\s+(?=[\"'“(\[`*_]*[A-Z0-9À-ÖØ-Þ])|(?<=[。！？])\s*"
)
_OWN_LINE = re.compile(r"\s*(?:[-*+]\s|\d+[.)]\s|#{1,6}\s|[|>]|<!--)")
_MARKUP = re.compile(r"^(?:[-*+]\s+|\d+[.)]\s+|#{1,6}\s+|>\s*)+|[*_`]+")
_BULLET = re.compile(r"^[-*+]\s+")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"\s*#{1,6}\s")
_LINK = re.compile(r"\]\(<?([^)>\s]+)")
_KEY = re.compile(r"\s*([\w-]+):")


class _Unit(Struct):
    """A claim as it stands in a file. `key` is its text without layout, `anchor` what it is about whatever it says."""

    name: str
    line: int
    text: str
    key: str
    anchor: str = ""

    @property
    def is_label(self) -> bool:
        """Whether it only names what follows."""
        return self.text.startswith("#") or self.key.endswith(":")

    def weights(self) -> Terms:
        """What must be found again, by half, where something stands for it."""
        terms = find_terms(self.text)
        return terms if len(terms) >= MIN_TERMS else terms | {one for one in all_tokens(self.text) if len(one) > 1}


def find_claims(
    before: Mapping[str, str], after: Mapping[str, str], *, renamed: Mapping[str, str] | None = None
) -> tuple[Claim, ...]:
    """Compare the texts of a folder, unchanged ones included, claim by claim; `renamed` are old names by new name.

    Lost claims come first, each kind in the order of the files. What only moved within its file is none.
    """
    old_names = {new: old for new, old in (renamed or {}).items() if old in before and new in after}
    new_names = {old: new for new, old in old_names.items()}
    old = {name: _units(text, name) for name, text in before.items() if after.get(new_names.get(name, name)) != text}
    new = {name: _units(text, name) for name, text in after.items() if before.get(old_names.get(name, name)) != text}
    gone = [unit for name in old for unit in _without(old[name], new.get(new_names.get(name, name), ()))]
    fresh = [unit for name in new for unit in _without(new[name], old.get(old_names.get(name, name), ()))]
    search = _Search(fresh, [unit for name, text in after.items() for unit in new.get(name) or _units(text, name)])
    known = frozenset[str]().union(*(all_tokens(text) for text in after.values())) if gone else frozenset[str]()
    found = [Claim("moved", one, 0, to=name) for name, one in old_names.items() if one != name]
    for unit in gone:
        found += _claims_of(unit, search, new_names.get(unit.name, unit.name), known, after)
    found = _with_merged(found, {name for name in old if new_names.get(name, name) not in after}, old)
    said = {unit.key for units in old.values() for unit in units}
    found += [
        Claim("new", unit.name, unit.line, new=unit.text)
        for unit in fresh
        if id(unit) not in search.taken and unit.key not in said and not unit.is_label
        and (old_names.get(unit.name, unit.name) in before or unit.anchor in ("", "key:description"))
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: (CLAIM_KINDS.index(one.kind), one.kind == "lost" and not one.terms)))


def _claims_of(unit: _Unit, search: "_Search", home: str, known: Terms, after: Mapping[str, str]) -> Iterator[Claim]:
    """What becomes of one claim that its file, now called `home`, no longer has; none if it says nothing."""
    weights = unit.weights()
    if not weights:
        return
    about, _, what = unit.anchor.partition(":")
    said = unit.text if about != "key" else unit.text.partition(":")[2] if what == "description" else ""
    terms = _examples(find_terms(said) - known)
    if not terms and (
        unit.is_label or (about == "key" and home not in after) or (about == "link" and what not in after)
    ):
        return  # a heading; front matter or index entry of a file that is gone: what was in it is told by itself
    match = search.find(unit, weights, home)
    to = "" if match is None or match.name == home else match.name
    claim = Claim("lost", unit.name, unit.line, unit.text, to=to, terms=terms)
    if match is None:
        yield claim
    elif match.key == unit.key:
        yield replace(claim, kind="moved", new=match.text)
    else:
        yield replace(claim, kind="changed", new=match.text)


def _with_merged(found: Sequence[Claim], gone: Collection[str], old: Mapping[str, Sequence[_Unit]]) -> list[Claim]:
    """Tell a file that went into another as one claim; what it says there in the same words isn't listed again."""
    claims = list(found)
    for name in sorted(gone):
        targets = Counter(one.to for one in found if one.name == name and one.to)
        if not targets or sum(targets.values()) * 2 < sum(one.name == name for one in found):
            continue
        to, _ = targets.most_common(1)[0]
        same = [one for one in claims if one.kind == "moved" and one.name == name and one.to == to]
        claims = [one for one in claims if one not in same]
        claims.append(Claim("merged", name, 0, to=to, count=targets[to]))
    return claims


def _without(units: Iterable[_Unit], others: Iterable[_Unit]) -> list[_Unit]:
    keys = {unit.key for unit in others}
    return [unit for unit in units if unit.key not in keys]


class _Search:
    """Finds what stands for a claim: the same words anywhere, or other words among what is new."""

    def __init__(self, fresh: Sequence[_Unit], everything: Sequence[_Unit]) -> None:
        self.taken: set[int] = set()
        self._same: dict[str, _Unit] = {}
        for unit in [*fresh, *everything]:
            self._same.setdefault(unit.key, unit)
        self._anchored = {(unit.name, unit.anchor): unit for unit in reversed(fresh) if unit.anchor}
        self._by_token: dict[str, list[_Unit]] = {}
        self._lengths: dict[int, int] = {}
        for unit in fresh:
            tokens = all_tokens(unit.text)
            self._lengths[id(unit)] = len(tokens)
            for token in tokens:
                self._by_token.setdefault(token, []).append(unit)

    def find(self, unit: _Unit, weights: Terms, home: str) -> _Unit | None:
        """The unit that says it afterwards; its own file's, called `home` now, before others'."""
        match = self._anchored.get((home, unit.anchor))
        if match is None and (not unit.anchor.startswith("key:") or unit.anchor == "key:description"):
            match = self._same.get(unit.key) or self._nearest(weights, home)
        if match is not None:
            self.taken.add(id(match))
        return match

    def _nearest(self, weights: Terms, home: str) -> _Unit | None:
        shared: Counter[int] = Counter()
        units: dict[int, _Unit] = {}
        for token in weights:
            for one in self._by_token.get(token, ()):
                shared[id(one)] += 1
                units[id(one)] = one
        enough = [units[key] for key, count in shared.items() if count >= MIN_KEPT_SHARE * len(weights)]
        return max(
            enough,
            key=lambda one: (shared[id(one)] / len(weights) + 0.2 * (one.name == home), -self._lengths[id(one)]),
            default=None,
        )


def _units(text: str, name: str) -> list[_Unit]:
    front = read_frontmatter(text)
    lines = nfc(text).split("\n")
    units = []
    for number, line in enumerate(lines[: front.body_line - 1], 1):
        key = _KEY.match(line)
        if line.strip() and line.strip() != "---":
            units.append(_unit(name, number, line.strip(), f"key:{key[1]}" if key else ""))
    for number, block in _blocks(lines[front.body_line - 1 :], front.body_line):
        first = block.lstrip()
        link = _LINK.search(first) if first.startswith(("- ", "* ")) else None
        if link is not None:
            units.append(_unit(name, number, " ".join(block.split()), f"link:{link[1]}"))
        else:
            units += (_unit(name, number + at, part) for at, part in _sentences(block))
    return [unit for unit in units if unit.key]


def _unit(name: str, line: int, text: str, anchor: str = "") -> _Unit:
    text = _BULLET.sub("", text)
    return _Unit(name, line, text, " ".join(_MARKUP.sub("", text).split()).casefold(), anchor)


def _blocks(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Paragraphs and items whole, headings, rows and lines of code one by one; each with its first line's number."""
    begun, held, fenced = first, list[str](), False
    for number, line in enumerate(lines, first):
        fence = _FENCE.match(line)
        if held and (fenced or fence or not line.strip() or _OWN_LINE.match(line)):
            yield begun, "\n".join(held)
            held = []
        if fence:
            fenced = not fenced
        elif line.strip():
            begun = begun if held else number
            held.append(line)
            if _HEADING.match(line) and not fenced:
                yield number, line
                held = []
    if held:
        yield begun, "\n".join(held)


def _sentences(block: str) -> Iterator[tuple[int, str]]:
    """The sentences of a block, each with the number of line ends before it."""
    at = 0
    for match in [*_SENTENCE_END.finditer(block), None]:
        end = len(block) if match is None else match.start()
        if text := " ".join(block[at:end].split()):
            yield block.count("\n", 0, at + len(block[at:]) - len(block[at:].lstrip())), text
        at = end if match is None else match.end()


def _examples(terms: Collection[str]) -> tuple[str, ...]:
    """The longest few, none that is part of another."""
    found: list[str] = []
    for term in sorted(terms, key=lambda term: (-len(term), term)):
        if len(found) < MAX_TERMS and not any(term in longer for longer in found):
            found.append(term)
    return tuple(found)
