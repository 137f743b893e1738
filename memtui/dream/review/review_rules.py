"""The reasons why a run waits for review, whatever the settings say.

The model reads transcripts and memory that others may have written, so nothing it writes is trusted: shared memory
(`team/`) and secrets in particular are never written unseen.
"""

from collections.abc import Collection, Mapping

from msgspec import Struct

from memtui.dream.run.events import Held
from memtui.dream.run.stage import Stage
from memtui.dream.run.stage_changes import StageChanges, read_staged
from memtui.fs.boundary import fold_name
from memtui.memory.budget import decode_index, measure_index
from memtui.memory.index import INDEX_NAME
from memtui.secrets.scanner import Finding, scan
from memtui.util.text import pluralize

MIN_FILES_PER_REMOVED = 5  # a run may remove one file in so many
_MAX_NAMED = 3  # files that a reason names


class ReviewInput(Struct, frozen=True):
    """What the rules look at: also what each file would hold, conflicting ones left out; the files that somebody else
    changed in the same place; those that a run may not write, with the reason.
    """

    stage: Stage
    changes: StageChanges
    results: Mapping[str, bytes | None]
    conflicts: tuple[str, ...]
    refused: Mapping[str, str]
    pinned: Collection[str]


def review_reasons(given: ReviewInput) -> tuple[Held, ...]:
    """Collect the reasons why a run waits, in the order in which a person reads them."""
    changes, conflicts, refused = given.changes, given.conflicts, given.refused
    pinned = tuple(name for one in changes.touched for name in one.names if name in given.pinned)
    team = tuple(name for name in refused if fold_name(name.split("/")[0]) == "team")
    forbidden = tuple(name for name in refused if name not in team)
    odd = tuple(sorted(changes.odd))
    found = (
        _many_removed(given),
        Held("pinned", f"it changes what you pinned: {_listed(pinned)}", pinned),
        _new_secret(given),
        Held("conflict", f"{pluralize(len(conflicts), 'file')} changed meanwhile in the same place", conflicts),
        Held("team", f"it would change what the team shares: {_listed(team)}", team),
        Held("forbidden", f"it would write what a dream may not: {_with_reasons(forbidden, refused)}", forbidden),
        Held("odd", f"it left files that are no memory: {_with_reasons(odd, changes.odd)}", odd),
        _index(given),
    )
    return tuple(reason for reason in found if reason is not None and reason.names)


def _many_removed(given: ReviewInput) -> Held | None:
    gone, total = given.changes.gone, len(given.stage.files)
    if len(gone) * MIN_FILES_PER_REMOVED <= total:
        return None
    emptied = sum(one.emptied for one in given.changes.touched)
    parts = [f"deletes {len(gone) - emptied}"] if len(gone) > emptied else []
    parts += [f"empties {emptied}"] if emptied else []
    return Held("many", f"it {' and '.join(parts)} of {pluralize(total, 'file')}, more than a fifth", gone)


def _new_secret(given: ReviewInput) -> Held | None:
    """What looks like a secret and stood in no file before: text that only moved between files is not new."""
    texts = {one.name: _decoded(read_staged(given.stage, one.name)) for one in given.changes.touched}
    suspects = {name: text for name, text in texts.items() if scan(text)}
    if not suspects:
        return None
    known = {finding.fingerprint for name in given.stage.files for finding in scan(_decoded(given.stage.base(name)))}
    new: dict[str, Finding] = {}
    for name, text in suspects.items():
        if findings := scan(text, allowed=known):
            new[name] = findings[0]
    if not new:
        return None
    shown = ", ".join(f"{name}:{one.line} ({one.rule})" for name, one in list(new.items())[:_MAX_NAMED])
    return Held("secret", f"it would write what looks like a secret: {shown}", tuple(new))


def _index(given: ReviewInput) -> Held | None:
    touched = next((one for one in given.changes.touched if INDEX_NAME in one.names), None)
    if touched is None:
        return None
    if touched.kind == "removed" or touched.old == INDEX_NAME or touched.emptied:
        return Held("index", "it leaves no index: nothing would be loaded", (INDEX_NAME,))
    data = given.results.get(INDEX_NAME)
    budget = measure_index(decode_index(data)) if data is not None else None
    if budget is None or not budget.over:
        return None
    words = f"it leaves the index over its budget: {budget.lost_lines} of {budget.lines} lines would not be loaded"
    return Held("index", words, (INDEX_NAME,))


def _decoded(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _with_reasons(names: Collection[str], reasons: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({reasons[name]})" for name in list(names)[:_MAX_NAMED])


def _listed(names: Collection[str]) -> str:
    more = len(names) - _MAX_NAMED
    return ", ".join(list(names)[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
