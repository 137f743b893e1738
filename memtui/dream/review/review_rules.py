"""The reasons why a run waits for review, whatever the settings say; one function for each.

Judged by meaning, not by counting: a run waits if it loses what stands nowhere afterwards, leaves out text or puts it
out of order, gives orders to a reader, writes as a person's wish what no person said, breaks the index, front matter or
links, or had a write that failed. The model reads transcripts and memory that others may have written, so nothing it
writes is trusted; the rules without a model are judged in the same way.

What no rule sees (`tests/dream/review/statement_edits.py` has most of it): a fact of a `project` or `reference` topic
that becomes its opposite, gets another number, path or name, or is made up (a correction looks like that); a sentence
made of words that persons or the topic used, about something else; a rule turned round in other words ("always ask" for
"never ask" is seen, "push without asking" for "ask first" is not); a reason or use of a wish whose words stand in its
other paragraphs; few of a topic's items or rows; names and numbers replaced where they are few; a list of words, and
the order of lines, where there are few sentences; a description of a word or two; an order in polite words or in a
language without patterns; a term that one paragraph loses while another keeps it.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial

from msgspec import Struct

from memtui.dream.gates.sessions import DAILY_LOGS
from memtui.dream.review.meaning import (
    MAX_BLOCK_LOSS,
    MIN_COVERED,
    EarlierChange,
    Loss,
    Terms,
    Words,
    code_terms,
    find_terms,
    lost_blocks,
    measure_losses,
    not_in_one,
    read_words,
    worst_losses,
    written_tokens,
)
from memtui.dream.review.wording import (
    MIN_PAIRS,
    count_small_words,
    find_flips,
    find_retargeted,
    find_unsupported,
    find_voided,
    find_weakened,
    joints,
    neighbours,
    stems,
)
from memtui.dream.run.events import Held
from memtui.dream.run.stage import Stage
from memtui.dream.run.stage_changes import StageChanges, StagedChange, read_staged
from memtui.fs.boundary import fold_name
from memtui.memory.budget import measure_index
from memtui.memory.checks.base import Problem
from memtui.memory.elision import find_elision
from memtui.memory.frontmatter import read_frontmatter, type_of_name
from memtui.memory.index import INDEX_NAME, local_name
from memtui.memory.markdown import find_links
from memtui.memory.suspicious import find_control_characters, find_lookalikes, find_suspicious
from memtui.secrets.scanner import Finding, scan
from memtui.util.text import clip, pluralize, visible

LEARNING_DREAMS = 3  # dreams of a project that a person judges before clean ones are adopted unasked
MIN_KEPT_PAIRS = 0.2
"""Share of a file's neighbouring words that have to stand side by side afterwards; an honest compaction keeps 36 %."""
MIN_FIT = 0.4  # share of a description's terms that stand in the text, from which it fits; of 173 real ones 93 % do
MAX_MISFIT = 0.2
"""The same share, up to which it doesn't fit; three of four descriptions are that far from a neighbour's text."""
MAX_TOPIC_CHARS = 100_000
"""What an agent reads of a file in one go, about 25,000 tokens; the longest real topic has a quarter of it."""
MAX_ADDED = 20  # files by which a folder may grow in one run
MIN_NUMBERS = 5
MIN_LOST_BLOCKS = 3
MAX_LOST_BLOCKS = 0.25  # share of a topic's paragraphs, items and rows that may say nothing any more
MIN_SMALL_WORDS_LEFT = 0.3
"""Share of the frequency of short words from which a text still has sentences; without articles it keeps half."""
MIN_SMALL_WORDS = 20
MIN_JOINTS = 6
MAX_JOINTS_LEFT = 0.25  # share of the ends of lines, or of clauses, that something else may follow afterwards
MIN_PAIRS_LEFT = 0.5
MIN_SAME = 0.8  # share of what is missing of a wish that another file must have to say the same
MIN_WISH_PAIRS = 8
MIN_WISH_PAIRS_LEFT = 0.25
MIN_NAMES = 5
MIN_SAME_LENGTH = 0.7  # share of a text's words from which nothing was moved out of it
_MIN_DESCRIPTION_TERMS = 4
_DIGIT = re.compile(r"\d")
_FindInText = Callable[[str], tuple[tuple[int, str], ...]]
_JOINTS = re.compile(r"[._/:-]+")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)
_ENTRY = re.compile(r"^[ \t]*[-*+] .*$", re.MULTILINE)
_PERSONS_TYPES = ("user", "feedback")
_MIN_ENTRY_CHARS = 12
_MAX_NAMED = 3  # files that a reason names
_MAX_QUOTE_CELLS = 60
BROKEN_CODES = {
    "orphan": "not in MEMORY.md", "dead-link": "a dead link", "duplicate-entry": "listed twice",
    "duplicate-topic": "the name of another topic",
}  # fmt: skip
"""Problems that a run must not add, in the words of its reason; errors are never added."""


class ReviewInput(Struct, frozen=True, dict=True):
    """What the rules look at."""

    stage: Stage
    changes: StageChanges
    results: Mapping[str, bytes | None]  # what changed files would hold, without those below
    conflicts: tuple[str, ...]  # files that somebody else changed in the same place
    refused: Mapping[str, str]  # files that a run may not write, with the reason
    pinned: Collection[str]
    failed_writes: tuple[str, ...] = ()  # writes to the stage, as the run's events tell them
    earlier: Sequence[EarlierChange] = ()  # what runs adopted in the last days changed
    problems: tuple[Problem, ...] = ()  # those of the stage that the copied folder didn't have
    prompts: Callable[[], Terms] = frozenset  # what persons typed since the last dream; called where needed

    def before(self, name: str) -> str:
        """A file as it was copied; "" for none."""
        return decoded(self.stage.base(name))

    def after(self, name: str) -> str:
        """A file as the folder would hold it, in a conflict as the run has it; "" for none."""
        return decoded(self.results[name] if name in self.results else read_staged(self.stage, name))

    @cached_property
    def texts_before(self) -> Mapping[str, str]:
        """The texts that the run was given, by name; of an index what is loaded."""
        return {name: _as_read(name, self.before(name)) for name in self.stage.files}

    @cached_property
    def texts_after(self) -> Mapping[str, str]:
        """The texts that the folder would hold, without files that are gone or blank; of an index what is loaded."""
        texts = dict(self.texts_before)
        for name in (name for one in self.changes.touched for name in one.names):
            texts[name] = _as_read(name, self.after(name))
        return {name: text for name, text in texts.items() if text.strip()}

    @cached_property
    def all_before(self) -> str:
        return "\n".join(self.texts_before.values())

    @cached_property
    def losses(self) -> tuple[Loss, ...]:
        return measure_losses(
            self.texts_before, self.texts_after, renamed=self.old_names, earlier=self.earlier, read=self.read
        )

    @cached_property
    def old_names(self) -> Mapping[str, str]:
        """Old names of renamed files, by new ones."""
        return {new: old for old, new in self.new_names.items()}

    @cached_property
    def new_names(self) -> Mapping[str, str]:
        """New names of renamed files, by old ones."""
        return {one.old: one.name for one in self.changes.touched if one.old is not None}

    @cached_property
    def read(self) -> Callable[[str], Words]:
        """`read_words`, which looks at each text once for all rules."""
        return cache(read_words)

    @cached_property
    def tokens_after(self) -> Terms:
        return frozenset().union(*(self.read(text).tokens for text in self.texts_after.values()))

    @cached_property
    def written(self) -> Terms:
        """The tokens of the lines that the run wrote, of an index what is loaded."""
        return written_tokens(self.texts_before, self.texts_after, self.old_names)

    @cached_property
    def persons_sources(self) -> tuple[Terms, ...]:
        """The tokens of each topic that held persons' wishes before."""
        return tuple(self.read(text).tokens for name, text in self.texts_before.items() if is_persons(name, text))

    def wishes_of(self, sentence: str) -> Iterator[Terms]:
        """The sources of a sentence about a person's wishes, each with the names of the topics that it links to."""
        names = [name for link in find_links(sentence) if (name := local_name(link)) and name in self.texts_before]
        fronts = [read_frontmatter(self.texts_before[name]) for name in names]
        linked = read_words(" ".join([*names, *(f"{front.name} {front.description}" for front in fronts)])).tokens
        yield from (known | linked for known in self.persons_sources or (frozenset[str](),))

    def topics_of(self, sentence: str) -> Iterator[Terms]:
        """The tokens of the topics that a sentence of the index links to, of all topics if it links to none."""
        names = [name for link in find_links(sentence) if (name := local_name(link)) is not None]
        texts = [text for name, text in self.texts_after.items() if name in names or (not names and name != INDEX_NAME)]
        yield frozenset().union(*(self.read(text).tokens for text in texts))

    def is_lost(self, name: str, block: str, terms: Terms) -> bool:
        """Whether a block that a file had says nothing any more: half of its terms stand neither there nor in what the
        run wrote nor, together, in one other file; of a wish also if hardly two of its words stand side by side."""
        now = self.new_names.get(name, name)
        is_wish = is_persons(name, self.texts_before[name])
        missing = terms - self.written - self.read(self.texts_after.get(now, "")).tokens
        if missing:
            others = [self.read(text).tokens for other, text in self.texts_after.items() if other != now]
            missing = not_in_one(missing, others, MIN_SAME if is_wish else MIN_COVERED)
        if len(missing) > MAX_BLOCK_LOSS * len(terms):
            return True
        pairs = neighbours(block) if is_wish else frozenset()
        return len(pairs) >= MIN_WISH_PAIRS and _share(pairs, self.pairs_after) < MIN_WISH_PAIRS_LEFT

    @cached_property
    def pairs_after(self) -> frozenset[tuple[str, str]]:
        """The words that stand side by side anywhere in the folder afterwards."""
        return frozenset().union(*(neighbours(_body(text)) for text in self.texts_after.values()))

    @property
    def rewritten(self) -> Iterator[tuple[StagedChange, str, str]]:
        """The files that were there and are there still, with their texts before and after."""
        for one in self.changes.touched:
            if one.kind in ("changed", "renamed"):
                yield one, self.before(one.old or one.name), self.after(one.name)


def is_persons(name: str, text: str) -> bool:
    """Whether a topic holds a person's wishes: by its type, or without one by its file name."""
    return (read_frontmatter(text).type or type_of_name(name)) in _PERSONS_TYPES


def _as_read(name: str, text: str) -> str:
    return measure_index(text).loaded if name == INDEX_NAME else text


def review_reasons(given: ReviewInput) -> tuple[Held, ...]:
    """Collect the reasons why a run waits, in the order in which a person reads them."""
    return tuple(reason for rule in _RULES for reason in rule(given))


def _touches_what_it_may_not(given: ReviewInput) -> Iterator[Held]:
    """Pinned, conflicting, shared, forbidden and odd files."""
    changes, conflicts, refused = given.changes, given.conflicts, given.refused
    pinned = tuple(name for one in changes.touched for name in one.names if name in given.pinned)
    team = tuple(name for name in refused if fold_name(name.split("/")[0]) == "team")
    forbidden = tuple(name for name in refused if name not in team)
    odd = tuple(sorted(changes.odd))
    found = (
        Held("pinned", f"it changes what you pinned: {_listed(pinned)}", pinned),
        Held("conflict", f"{pluralize(len(conflicts), 'file')} changed meanwhile in the same place", conflicts),
        Held("team", f"it would change what the team shares: {_listed(team)}", team),
        Held("forbidden", f"it would write what a dream may not: {_with_reasons(forbidden, refused)}", forbidden),
        Held("odd", f"it left files that are no memory: {_with_reasons(odd, changes.odd)}", odd),
    )
    yield from (reason for reason in found if reason.names)


def _losses(given: ReviewInput) -> Iterator[Held]:
    """A file, or the folder, loses too much of what it says. `meaning` has the limits."""
    found = worst_losses(given.losses)
    if not found:
        return
    files = [loss for loss in found if loss.name]
    parts = [_loss_words(loss) for loss in files[:_MAX_NAMED]]
    if len(files) > _MAX_NAMED:
        parts.append(f"{len(files) - _MAX_NAMED} more files lose as much")
    parts += [_loss_words(loss) for loss in found if not loss.name]
    names = tuple(loss.name for loss in files)
    yield Held("lost", "it loses what stands nowhere afterwards: " + "; ".join(parts), names)


def _persons_losses(given: ReviewInput) -> Iterator[Held]:
    """What persons asked for stands only in topics of another type, where nobody takes it for a wish."""
    before = {name: text for name, text in given.texts_before.items() if is_persons(name, text)}
    if all(given.texts_after.get(name) == text for name, text in before.items()):
        return
    after = {name: text for name, text in given.texts_after.items() if is_persons(name, text)}
    known = {loss.name for loss in worst_losses(given.losses)}
    losses = measure_losses(before, after, renamed=given.old_names, read=given.read)
    found = [loss for loss in worst_losses(losses) if loss.name and loss.name not in known]
    if found:
        words = "; ".join(f"{loss.name}, {loss.lost} of {loss.total} terms" for loss in found[:_MAX_NAMED])
        names = tuple(loss.name for loss in found)
        yield Held("type", f"what you asked for stands only in topics of another type: {words}", names)


def _lost_statements(given: ReviewInput) -> Iterator[Held]:
    """Paragraphs, items or rows that say nothing any more: one that a person asked for, a third of another topic's."""
    known = {loss.name for loss in worst_losses(given.losses)}
    for name, text in given.texts_before.items():
        now = given.texts_after.get(given.new_names.get(name, name), "")
        if name == INDEX_NAME or name in known or now == text:
            continue
        lost, total = lost_blocks(_body(text), _body(now), partial(given.is_lost, name))
        if lost and is_persons(name, text):
            yield Held("lost", f"{name} loses what you asked for: {_quoted(lost[0])}", (name,))
        elif len(lost) >= MIN_LOST_BLOCKS and len(lost) > MAX_LOST_BLOCKS * total:
            words = f"{name} loses {len(lost)} of {total} paragraphs and items, like {_quoted(lost[0])}"
            yield Held("lost", words, (name,))


def _scrambled(given: ReviewInput) -> Iterator[Held]:
    """A text whose words are there, but hardly two of them side by side as before: it says nothing any more."""
    lossy = {loss.name for loss in worst_losses(given.losses)}
    before = {
        name: neighbours(_body(text))
        for name, text in given.texts_before.items()
        if name not in lossy and name != INDEX_NAME
        and not _keeps_lines(text, given.texts_after.get(given.new_names.get(name, name), ""))
    }  # fmt: skip
    if not before:
        return
    same = [text for name, text in given.texts_after.items() if given.texts_before.get(name) == text]
    changed = [text for name, text in given.texts_after.items() if given.texts_before.get(name) != text]
    after = frozenset().union(*(neighbours(_body(text)) for text in changed))
    kept = {name: _share(pairs, after) for name, pairs in before.items() if len(pairs) >= MIN_PAIRS}
    for name, share in kept.items():
        if share < MIN_KEPT_PAIRS:  # it may stand in a file that the run left alone
            kept[name] = max((_share(before[name], after | neighbours(text)) for text in same), default=share)
    found = sorted(name for name, share in kept.items() if share < MIN_KEPT_PAIRS)
    if found:
        share = min(kept[name] for name in found)
        words = f"it puts words out of order: of the words of {_listed(found)} {share:.0%} stand side by side as before"
        yield Held("scrambled", words, tuple(found))


def _broken_up(given: ReviewInput) -> Iterator[Held]:
    """A text becomes a list of words, or its lines or clauses come in any order: no sentence holds."""
    lossy = {loss.name for loss in worst_losses(given.losses)}
    for one, before, after in given.rewritten:
        old, new = _body(before), _body(after)
        if one.name == INDEX_NAME or (one.old or one.name) in lossy or _keeps_order(old, new):
            continue
        had, has = count_small_words(old), count_small_words(new)
        if had >= MIN_SMALL_WORDS and has * len(old.split()) < MIN_SMALL_WORDS_LEFT * had * len(new.split()):
            yield Held("scrambled", f"{one.name} has words in place of sentences: {_quoted(new)}", (one.name,))
            continue
        pairs, now = neighbours(old), neighbours(new)
        if not pairs or _share(pairs, now) < MIN_PAIRS_LEFT:  # written anew, with an order of its own
            continue
        for found in joints(old):
            if len(found) >= MIN_JOINTS and (left := _share(found, now)) < MAX_JOINTS_LEFT:
                words = f"{left:.0%} of them go on as before"
                yield Held("scrambled", f"it puts lines or clauses of {one.name} out of order: {words}", (one.name,))
                break


def _keeps_order(old: str, new: str) -> bool:
    """Whether most lines stand there as before, in their order."""
    lines = [line for line in old.split("\n") if line.strip()]
    rest = iter(new.split("\n"))
    return sum(line in rest for line in lines if line in new) * 2 > len(lines)


def _said(text: str) -> str:
    return f"{read_frontmatter(text).description or ''}\n\n{_body(text)}"


def _body(text: str) -> str:
    return text[read_frontmatter(text).body_start :]


def _keeps_lines(before: str, after: str) -> bool:
    """Whether most lines of the body stand there as before, so that its words need no look."""
    old = {line for line in _body(before).split("\n") if line.strip()}
    return before == after or len(old & set(after.split("\n"))) * 2 > len(old)


def _share(pairs: Collection[tuple[str, str]], after: Collection[tuple[str, str]]) -> float:
    return sum(pair in after for pair in pairs) / len(pairs)


def _open_fences(given: ReviewInput) -> Iterator[Held]:
    """It leaves a code fence open, below which nothing is read as before, or takes the code out of its fence."""
    for one in given.changes.touched:
        (was_open, was_empty), (is_open, is_empty) = (
            _fences(text) for text in (given.before(one.old or one.name), given.after(one.name))
        )
        if is_open and not was_open:
            yield Held("elision", f"{one.name} has a code fence without an end", (one.name,))
        elif is_empty > was_empty and one.kind != "added":
            yield Held(
                "elision", f"{one.name} has {pluralize(is_empty, 'code fence')} with nothing inside", (one.name,)
            )


def _fences(text: str) -> tuple[bool, int]:
    """Whether a fence has no end, and how many hold nothing."""
    mark, begun, empty = "", 0, 0
    for found in _FENCE.finditer(text):
        if not mark:
            mark, begun = found[1], found.end()
        elif found[1].startswith(mark) and not found[2].strip():
            mark, empty = "", empty + (not text[begun : found.start()].strip())
    return bool(mark), empty


def _elisions(given: ReviewInput) -> Iterator[Held]:
    """A line stands for text that is left out, or a text ends inside a line that went on."""
    known = frozenset(line for text in given.texts_before.values() for line in text.split("\n"))
    gone = sum(other.removed for other in given.changes.touched if other.kind == "removed")
    for one in given.changes.touched:
        before, after = given.before(one.old or one.name), given.after(one.name)
        lost = one.removed or gone
        cut = after.rstrip()
        if lost and (line := find_elision(after, known=known)) is not None:
            words = f"{one.name} has a placeholder for text: {_quoted(line)} ({pluralize(lost, 'line')} gone)"
            yield Held("elision", words, (one.name,))
        elif cut and before.startswith(cut) and before[len(cut) :].rstrip() and before[len(cut)] not in "\r\n":
            share = f"{len(before) - len(cut):,} of {len(before):,} characters gone"
            words = f"{one.name} ends inside a line that went on: {share}"
            yield Held("elision", words, (one.name,))


def _names(given: ReviewInput) -> Iterator[Held]:
    """A text of the same length without most of its names and numbers: it speaks of "something"."""
    lossy = {loss.name for loss in worst_losses(given.losses)}
    for one, before, after in given.rewritten:
        if one.name == INDEX_NAME or (one.old or one.name) in lossy:
            continue
        old, new = _body(before), _body(after)
        if len(new.split()) <= MIN_SAME_LENGTH * len(old.split()):
            continue
        for what, known in (("names", code_terms(old)), ("numbers", _numbers_in(given.read(old).terms))):
            lost = known - given.read(new).tokens - given.written
            if len(known) >= MIN_NAMES and len(lost) * 2 > len(known):
                some = ", ".join(sorted(lost, key=lambda term: (-len(term), term))[:_MAX_NAMED])
                words = f"{one.name} says as much without {len(lost)} of {len(known)} {what} ({some} …)"
                yield Held("lost", words, (one.name,))
                break


def _numbers_in(terms: Terms) -> Terms:
    """Those with digits; what is a part of a range, date or version counts with it alone."""
    numbers = {term for term in terms if not term.isalpha() and _DIGIT.search(term)}
    return frozenset(numbers.difference(*(_JOINTS.split(one) for one in numbers if _JOINTS.search(one))))


def _numbers(given: ReviewInput) -> Iterator[Held]:
    """More than half of a file's numbers and dates go at once: a correction changes some."""
    lossy = {loss.name for loss in worst_losses(given.losses)}
    for one, before, _ in given.rewritten:
        if one.name == INDEX_NAME or (one.old or one.name) in lossy:
            continue
        numbers = _numbers_in(given.read(before).terms)
        lost = numbers - given.tokens_after
        if len(numbers) >= MIN_NUMBERS and len(lost) * 2 > len(numbers):
            some = ", ".join(sorted(lost)[:_MAX_NAMED])
            words = f"{one.name} loses {len(lost)} of {len(numbers)} numbers and dates ({some} …)"
            yield Held("lost", words, (one.name,))


def _front_matter(given: ReviewInput) -> Iterator[Held]:
    """A topic loses its front matter or a field of it, or its description and text are two things."""
    for one, before, after in given.rewritten:
        if one.name == INDEX_NAME or one.name.startswith(DAILY_LOGS):
            continue
        old, new = read_frontmatter(before), read_frontmatter(after)
        pairs = (
            ("name", old.name, new.name),
            ("description", old.description, new.description),
            ("type", old.type, new.type),
        )
        gone = [key for key, had, has in pairs if had and not has]
        if one.emptied:
            yield Held("front-matter", f"{one.name} is cut to its front matter", (one.name,))
        elif old.block and not new.block:
            yield Held("front-matter", f"{one.name} has no front matter any more", (one.name,))
        elif gone:
            yield Held("front-matter", f"{one.name} has no {' and no '.join(gone)} any more", (one.name,))
        elif not new.description or (new.description == old.description and _keeps_lines(before, after)):
            continue
        elif _fit(before, least=_MIN_DESCRIPTION_TERMS) >= MIN_FIT and _fit(after) <= MAX_MISFIT:
            share = f"{_fit(after):.0%} of its terms stand there"
            words = f"{one.name} has a description that doesn't fit its text ({share}): {_quoted(new.description)}"
            yield Held("front-matter", words, (one.name,))
        elif new.description != old.description and new.description in _descriptions(given, one):
            words = f"{one.name} has the description of another topic: {_quoted(new.description)}"
            yield Held("front-matter", words, (one.name,))
        elif new.description == old.description:
            pairs_before, pairs_after = neighbours(_body(before)), neighbours(_body(after))
            is_other = bool(pairs_after) and _share(pairs_after, pairs_before) < 0.5  # not a part of it alone
            if is_other and len(pairs_before) >= MIN_PAIRS and _share(pairs_before, pairs_after) < MIN_KEPT_PAIRS:
                yield Held("front-matter", f"{one.name} has another text under its old description", (one.name,))


def _descriptions(given: ReviewInput, one: StagedChange) -> frozenset[str | None]:
    names = given.texts_before.keys() - {*one.names, INDEX_NAME}
    stay = (name for name in names if given.new_names.get(name, name) in given.texts_after)
    return frozenset(read_frontmatter(given.texts_before[name]).description for name in stay) - {None}


def _fit(text: str, *, least: int = 1) -> float:
    """The share of a description's terms that stand in the text or name; of fewer than `least` none."""
    front = read_frontmatter(text)
    terms = stems(find_terms(front.description or ""))
    if len(terms) < least:
        return 0.0
    return len(terms & stems(read_words(f"{front.name}\n{_body(text)}").tokens)) / len(terms)


def _too_long(given: ReviewInput) -> Iterator[Held]:
    """A topic grows beyond what an agent reads of it, or the folder by more topics than a run has reason to make."""
    more = sum(one.kind == "added" for one in given.changes.touched) - len(given.changes.gone)
    if more > MAX_ADDED:
        names = tuple(one.name for one in given.changes.touched if one.kind == "added")
        yield Held("size", f"it adds {more} files to {len(given.stage.files)}: {_listed(names)}", names)
    for one in given.changes.touched:
        size, before = len(given.after(one.name)), len(given.before(one.old or one.name))
        if one.name != INDEX_NAME and size > max(MAX_TOPIC_CHARS, before):
            yield Held("size", f"{one.name} has {size:,} characters: more than an agent reads of a file", (one.name,))


def _daily_logs(given: ReviewInput) -> Iterator[Held]:
    """Daily logs are a source; and what is moved there, nobody hears of."""
    names = tuple(name for one in given.changes.touched for name in one.names if name.startswith(DAILY_LOGS))
    if names:
        yield Held("logs", f"it changes daily logs, which stay as they are: {_listed(names)}", names)


def _loss_words(loss: Loss) -> str:
    what = loss.name or "the whole folder"
    examples = f" ({', '.join(visible(term, keep='') for term in loss.examples)} …)" if loss.name else ""
    earlier = f", {loss.earlier} of them in the last days" if loss.earlier else ""
    verb = "is gone with" if loss.is_gone else "loses"
    return f"{what} {verb} {loss.share:.0%} of its terms, {loss.lost} of {loss.total}{earlier}{examples}"


def _new_secret(given: ReviewInput) -> Iterator[Held]:
    """What looks like a secret and stood in no file before: text that only moved between files is not new."""
    texts = {one.name: decoded(read_staged(given.stage, one.name)) for one in given.changes.touched}
    suspects = {name: text for name, text in texts.items() if scan(text)}
    if not suspects:
        return
    known = {finding.fingerprint for name in given.stage.files for finding in scan(decoded(given.stage.base(name)))}
    new: dict[str, Finding] = {}
    for name, text in suspects.items():
        if findings := scan(text, allowed=known):
            new[name] = findings[0]
    if not new:
        return
    shown = ", ".join(f"{name}:{one.line} ({one.rule})" for name, one in list(new.items())[:_MAX_NAMED])
    yield Held("secret", f"it would write what looks like a secret: {shown}", tuple(new))


def _index(given: ReviewInput) -> Iterator[Held]:
    touched = next((one for one in given.changes.touched if INDEX_NAME in one.names), None)
    if touched is None:
        names = tuple(name for one in given.changes.touched if one.kind != "changed" for name in one.names)
        if names and (why := given.stage.left_out.get(INDEX_NAME)):
            yield Held("index", f"MEMORY.md can't be changed ({why}), so it doesn't follow: {_listed(names)}", names)
        return
    if touched.kind == "removed" or touched.old == INDEX_NAME or touched.emptied:
        yield Held("index", "it leaves no index: nothing would be loaded", (INDEX_NAME,))
        return
    before, after = given.before(INDEX_NAME), given.after(INDEX_NAME)
    old, new = measure_index(before), measure_index(after)
    if new.lost_lines > old.lost_lines:
        words = f"it leaves the index over its limit: {new.lost_lines} of {new.lines} lines would not be loaded"
        yield Held("index", words, (INDEX_NAME,))
    there = {name for name in _listed_in(before) if given.new_names.get(name, name) in given.texts_after}
    still = _listed_in(after)
    gone = sorted(name for name in there if given.new_names.get(name, name) not in still)
    if gone:
        words = f"MEMORY.md lists {len(there) - len(gone)} of {pluralize(len(there), 'topic')} that it listed"
        yield Held("index", f"{words} and that are still there: not {_listed(gone)}", (INDEX_NAME,))


def _listed_in(index: str) -> frozenset[str]:
    return frozenset(name for link in find_links(measure_index(index).loaded) if (name := local_name(link)) is not None)


def _entries(given: ReviewInput) -> Iterator[Held]:
    """Entries of the index can't be told apart, or have the words of another topic's entry."""
    before, after = (_entry_words(text.get(INDEX_NAME, "")) for text in (given.texts_before, given.texts_after))
    if before == after:
        return
    before = {given.new_names.get(name, name): words for name, words in before.items()}
    counts, known = Counter(after.values()), Counter(before.values())
    alike = [name for name, words in after.items() if counts[words] > 1 and known[words] < 2]
    if alike:
        yield Held("index", f"MEMORY.md lists topics in the same words: {_listed(alike)}", (INDEX_NAME,))
    owners = {words: name for name, words in before.items() if name in after and len(words) >= _MIN_ENTRY_CHARS}
    taken = [name for name, words in after.items() if before.get(name) != words and owners.get(words, name) != name]
    if taken and not alike:
        yield Held("index", f"MEMORY.md has the words of another topic for {_listed(taken)}", (INDEX_NAME,))


def _entry_words(index: str) -> dict[str, str]:
    """What entries say beside their links, by topic."""
    found = {}
    for line in _ENTRY.findall(index):
        links = find_links(line)
        name = local_name(links[0]) if links else None
        if name is not None:
            found[name] = " ".join(line[line.find(")", line.find("](")) + 1 :].split()).strip("—–-: ") or links[0].label
    return found


def _broken(given: ReviewInput) -> Iterator[Held]:
    """It adds problems that the checks find: topics that nothing lists, dead links, errors."""
    # What no index listed is no worse afterwards; of what it listed `_index` speaks.
    there = {given.new_names.get(name, name) for name in given.stage.files}
    problems = [one for one in given.problems if one.code != "orphan" or one.file not in there]
    for code in dict.fromkeys(one.code for one in problems):
        found = [one for one in problems if one.code == code]
        names = tuple(dict.fromkeys(one.file for one in found))
        words = BROKEN_CODES.get(code) or found[0].message
        yield Held("check", f"it leaves {pluralize(len(found), 'new problem')}: {_listed(names)}: {words}", names)


def _failed_writes(given: ReviewInput) -> Iterator[Held]:
    """A write failed, and a file was emptied or removed or lost terms: its text may have been on the way."""
    names = tuple(dict.fromkeys((*given.changes.gone, *(loss.name for loss in given.losses if loss.name))))
    if given.failed_writes and names:
        failed = "; ".join(_quoted(one) for one in given.failed_writes[:_MAX_NAMED])
        words = f"a write failed ({failed}), and it removes text of {_listed(names)}"
        yield Held("failed-write", words, names)


def _orders(given: ReviewInput) -> Iterator[Held]:
    """It adds text that gives orders to a reader, or moves such text into the index."""
    known: set[str] | None = None
    for one in given.changes.touched:
        for found in find_suspicious(given.after(one.name)):
            if known is None:
                known = {
                    " ".join(old.text.split()) for text in given.texts_before.values() for old in find_suspicious(text)
                }
            if " ".join(found.text.split()) not in known:
                yield Held("orders", f"{one.name}:{found.line} {found.does}: {_quoted(found.text)}", (one.name,))


def _control_characters(given: ReviewInput) -> Iterator[Held]:
    for one, line, chars in _new_in(given, find_control_characters):
        codes = ", ".join(dict.fromkeys(f"U+{ord(char):04X}" for char in chars[:_MAX_NAMED]))
        yield Held("control", f"it would write control characters: {one}:{line} ({codes})", (one,))


def _lookalikes(given: ReviewInput) -> Iterator[Held]:
    """It writes words in which a letter of another script stands for one that looks the same."""
    for one, line, found in _new_in(given, find_lookalikes):
        yield Held("control", f"{one}:{line} has a word with letters of another script: {_quoted(found[0])}", (one,))


def _new_in(given: ReviewInput, find: _FindInText) -> Iterator[tuple[str, int, list[str]]]:
    """The files in which there is something to find that they didn't have, with the first line of it."""
    for one in given.changes.touched:
        known = {found for name in one.names for _, found in find(given.before(name))}
        if new := [(line, found) for line, found in find(given.after(one.name)) if found not in known]:
            yield one.name, new[0][0], [found for _, found in new]


def _said_by_nobody(given: ReviewInput) -> Iterator[Held]:
    """It adds a sentence to a `user` or `feedback` topic, or to the index, of which no person said anything.

    Such topics are a person's wishes, and the index is loaded every time. What is new in a wish has to stand in a
    prompt that a person typed or in a wish of before, in the index in a topic or prompt: half the terms of a sentence.
    """
    for one in given.changes.touched:
        after = given.after(one.name)
        sources: Callable[[str], Iterable[Terms]]
        if one.name == INDEX_NAME:
            sources = given.topics_of
            text, words = given.texts_after.get(INDEX_NAME, ""), "says what neither a topic nor a prompt of yours says"
        elif is_persons(one.name, after):
            sources = given.wishes_of
            words, text = "gets what no prompt of yours says", _said(after)
        else:
            continue
        before = given.before(one.old or one.name)
        old = _said(before) if one.name == INDEX_NAME or is_persons(one.old or one.name, before) else ""
        if sentence := next(find_unsupported(text, old, sources, given.prompts), None):
            yield Held("source", f"{one.name} {words}: {_quoted(sentence)}", (one.name,))


def _flipped(given: ReviewInput) -> Iterator[Held]:
    """It turns a person's rule round, makes it weaker or calls it void, and no prompt speaks of it."""
    for one, before, after in given.rewritten:
        if not is_persons(one.name, before):
            continue
        old, new = _said(before), _said(after)
        found = (
            *((now, f"turns a rule round: {_quoted(was)} → {_quoted(now)}") for was, now in find_flips(old, new)),
            *((now, f"makes a rule weaker: {_quoted(was)} → {_quoted(now)}") for was, now in find_weakened(old, new)),
            *((now, f"calls a rule void: {_quoted(now)}") for now in find_voided(given.all_before, new)),
        )
        for now, words in found:
            terms = find_terms(now)
            if len(terms & given.prompts()) * 2 <= len(terms):
                yield Held("flip", f"{one.name} {words}", (one.name,))
                break


def _retargeted(given: ReviewInput) -> Iterator[Held]:
    """A link leads elsewhere under its old label, though what it led to is still there."""
    for one, before, after in given.rewritten:
        for label, old, new in find_retargeted(before, after, given.texts_after.keys(), given.new_names):
            words = f"in {one.name} the link {_quoted(label)} leads to {_quoted(new)}, no more to {_quoted(old)}"
            yield Held("link", words, (one.name,))
            break


_RULES = (
    _losses, _lost_statements, _names, _numbers, _elisions, _open_fences, _scrambled, _broken_up, _persons_losses,
    _failed_writes, _index, _entries, _front_matter, _broken, _retargeted, _orders, _said_by_nobody, _flipped,
    _control_characters, _lookalikes, _new_secret, _too_long, _daily_logs, _touches_what_it_may_not,
)  # fmt: skip


def _quoted(text: str) -> str:
    return visible(clip(" ".join(text.split()), _MAX_QUOTE_CELLS), keep="")


def decoded(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _with_reasons(names: Collection[str], reasons: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({reasons[name]})" for name in list(names)[:_MAX_NAMED])


def _listed(names: Collection[str]) -> str:
    more = len(names) - _MAX_NAMED
    return ", ".join(list(names)[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
