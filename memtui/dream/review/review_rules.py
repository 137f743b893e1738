"""The reasons why a run waits for review, whatever the settings say; one function for each.

Judged by meaning, not by counting: a run waits if it loses what stands nowhere afterwards, gives orders to a reader,
writes as a person's wish what no person said, breaks the index or links, or had a write that failed. The model reads
transcripts and memory that others may have written, so nothing it writes is trusted; the rules without a model are
judged in the same way.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from memtui.dream.review.meaning import EarlierChange, Loss, Terms, find_losses, find_terms, tokens_of
from memtui.dream.run.events import Held
from memtui.dream.run.stage import Stage
from memtui.dream.run.stage_changes import StageChanges, read_staged
from memtui.fs.boundary import fold_name
from memtui.memory.budget import decode_index, measure_index
from memtui.memory.checks.base import Problem
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.index import INDEX_NAME
from memtui.memory.suspicious import find_control_characters, find_suspicious
from memtui.secrets.scanner import Finding, scan
from memtui.util.text import clip, pluralize, visible

LEARNING_DREAMS = 3
"""Dreams of a project that a person judges before clean ones are adopted unasked."""
MIN_UNSUPPORTED_TERMS = 3
"""New terms of one line of a `user` or `feedback` topic, from which a person's prompt must have some of them."""
_PERSONS_TYPES = ("user", "feedback")
_MAX_NAMED = 3
"""Files that a reason names."""
_MAX_QUOTE_CELLS = 60
BROKEN_CODES = {"orphan": "not in MEMORY.md", "dead-link": "a dead link", "duplicate-entry": "listed twice"}
"""Problems that a run must not add, in the words of its reason; errors are never added."""


class ReviewInput(Struct, frozen=True):
    """What the rules look at.

    Args:
        results: What each changed file would hold, conflicting ones left out.
        conflicts: Files that somebody else changed in the same place.
        refused: Files that a run may not write, with the reason.
        failed_writes: Writes to the stage that failed, as the run's events tell them.
        earlier: What runs adopted in the last days changed.
        problems: What the checks find in the stage and didn't find in the copied folder.
        prompts: The tokens of what persons typed since the last dream; called where a rule needs them.
    """

    stage: Stage
    changes: StageChanges
    results: Mapping[str, bytes | None]
    conflicts: tuple[str, ...]
    refused: Mapping[str, str]
    pinned: Collection[str]
    failed_writes: tuple[str, ...] = ()
    earlier: Sequence[EarlierChange] = ()
    problems: tuple[Problem, ...] = ()
    prompts: Callable[[], Terms] = frozenset

    def before(self, name: str) -> str:
        """A file as it was copied; "" for none."""
        return _decoded(self.stage.base(name))

    def after(self, name: str) -> str:
        """A file as the folder would hold it, in a conflict as the run has it; "" for none."""
        return _decoded(self.results[name] if name in self.results else read_staged(self.stage, name))


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
    before = {name: given.before(name) for name in given.stage.files}
    after = dict(before)
    for name in (name for one in given.changes.touched for name in one.names):
        after[name] = given.after(name)
    left = {name: text for name, text in after.items() if text.strip()}
    renamed = {one.name: one.old for one in given.changes.touched if one.old is not None}
    found = find_losses(before, left, renamed=renamed, earlier=given.earlier)
    if not found:
        return
    files = [loss for loss in found if loss.name]
    parts = [_loss_words(loss, is_gone=loss.name not in left) for loss in files[:_MAX_NAMED]]
    if len(files) > _MAX_NAMED:
        parts.append(f"{len(files) - _MAX_NAMED} more files lose as much")
    parts += [_loss_words(loss, is_gone=False) for loss in found if not loss.name]
    yield Held("lost", "it loses what stands nowhere afterwards: " + "; ".join(parts), _names(files))


def _loss_words(loss: Loss, *, is_gone: bool) -> str:
    what = loss.name or "the whole folder"
    examples = f" ({', '.join(visible(term, keep='') for term in loss.examples)} …)" if loss.name else ""
    earlier = f", {loss.earlier} of them in the last days" if loss.earlier else ""
    verb = "is gone with" if is_gone else "loses"
    return f"{what} {verb} {loss.share:.0%} of its terms, {loss.lost} of {loss.total}{earlier}{examples}"


def _names(losses: Sequence[Loss]) -> tuple[str, ...]:
    return tuple(loss.name for loss in losses)


def _new_secret(given: ReviewInput) -> Iterator[Held]:
    """What looks like a secret and stood in no file before: text that only moved between files is not new."""
    texts = {one.name: _decoded(read_staged(given.stage, one.name)) for one in given.changes.touched}
    suspects = {name: text for name, text in texts.items() if scan(text)}
    if not suspects:
        return
    known = {finding.fingerprint for name in given.stage.files for finding in scan(_decoded(given.stage.base(name)))}
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
        return
    if touched.kind == "removed" or touched.old == INDEX_NAME or touched.emptied:
        yield Held("index", "it leaves no index: nothing would be loaded", (INDEX_NAME,))
        return
    data = given.results.get(INDEX_NAME)
    budget = measure_index(decode_index(data)) if data is not None else None
    if budget is not None and budget.over:
        words = f"it leaves the index over its limit: {budget.lost_lines} of {budget.lines} lines would not be loaded"
        yield Held("index", words, (INDEX_NAME,))


def _broken(given: ReviewInput) -> Iterator[Held]:
    """It adds problems that the checks find: topics that nothing lists, dead links, errors."""
    for code in dict.fromkeys(one.code for one in given.problems):
        found = [one for one in given.problems if one.code == code]
        names = tuple(dict.fromkeys(one.file for one in found))
        words = BROKEN_CODES.get(code) or found[0].message
        yield Held("check", f"it leaves {pluralize(len(found), 'new problem')}: {_listed(names)}: {words}", names)


def _failed_writes(given: ReviewInput) -> Iterator[Held]:
    """A write failed, and a file was emptied or removed: its text may have been on the way."""
    if given.failed_writes and given.changes.gone:
        failed = "; ".join(visible(clip(one, _MAX_QUOTE_CELLS), keep="") for one in given.failed_writes[:_MAX_NAMED])
        words = f"a write failed ({failed}), and it removes {_listed(given.changes.gone)}"
        yield Held("failed-write", words, given.changes.gone)


def _orders(given: ReviewInput) -> Iterator[Held]:
    """It adds text that gives orders to a reader, or moves such text into the index."""
    known = " ".join(" ".join(given.before(name).split()) for name in given.stage.files)
    for one in given.changes.touched:
        after = given.after(one.name)
        for found in find_suspicious(after):
            if " ".join(found.text.split()) not in known:
                quote = visible(clip(found.text, _MAX_QUOTE_CELLS), keep="")
                yield Held("orders", f"{one.name}:{found.line} {found.does}: {quote}", (one.name,))


def _control_characters(given: ReviewInput) -> Iterator[Held]:
    for one in given.changes.touched:
        known = {char for name in one.names for _, char in find_control_characters(given.before(name))}
        found = [(line, char) for line, char in find_control_characters(given.after(one.name)) if char not in known]
        if found:
            codes = ", ".join(dict.fromkeys(f"U+{ord(char):04X}" for _, char in found[:_MAX_NAMED]))
            words = f"it would write control characters: {one.name}:{found[0][0]} ({codes})"
            yield Held("control", words, (one.name,))


def _said_by_nobody(given: ReviewInput) -> Iterator[Held]:
    """It adds a line to a `user` or `feedback` topic of which no person said anything.

    Such topics are a person's wishes. What is new in them has to stand in a prompt that a person typed, or in the
    memory before: of the new terms of a line at least half.
    """
    known: Terms | None = None
    for one in given.changes.touched:
        after = given.after(one.name)
        front = read_frontmatter(after)
        if front.type not in _PERSONS_TYPES:
            continue
        old = {" ".join(line.split()) for name in one.names for line in given.before(name).split("\n")}
        lines = [front.description or "", *after[front.body_start :].split("\n")]
        lines = [line for line in lines if " ".join(line.split()) not in old]
        if known is None:
            known = tokens_of(given.before(name) for name in given.stage.files)
        for line in lines:
            new = find_terms(line) - known
            if len(new) >= MIN_UNSUPPORTED_TERMS and len(new - given.prompts()) * 2 > len(new):
                quote = visible(clip(line.strip(), _MAX_QUOTE_CELLS), keep="")
                words = f"{one.name} gets what no prompt of yours says: {quote}"
                yield Held("source", words, (one.name,))
                break


_RULES = (
    _losses, _failed_writes, _index, _broken, _orders, _said_by_nobody, _control_characters, _new_secret,
    _touches_what_it_may_not,
)  # fmt: skip


def _decoded(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _with_reasons(names: Collection[str], reasons: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({reasons[name]})" for name in list(names)[:_MAX_NAMED])


def _listed(names: Collection[str]) -> str:
    more = len(names) - _MAX_NAMED
    return ", ".join(list(names)[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
