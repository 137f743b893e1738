"""Which runs always wait for a person, whatever the settings say.

A run waits if it deletes or empties more than a fifth of the files, touches a pinned file, brings in what looks like a
secret, conflicts with what somebody did meanwhile, would write what is shared with others or may not be written, leaves
things in its stage that don't belong there, or leaves the index without a text or over its budget.

Source: DESIGN.md D1; SAFETY.md section 2 (F35 to F38).
"""

from collections.abc import Collection, Mapping

from msgspec import Struct

from memtui.dream.run.stage import Stage
from memtui.dream.run.stage_changes import StageChanges, read_staged
from memtui.fs.boundary import fold_name
from memtui.memory.budget import decode_index, measure_index
from memtui.memory.index import INDEX_NAME
from memtui.secrets.scanner import Finding, scan

MIN_FILES_PER_REMOVED = 5
"""A run may take away one file in so many."""


class ReviewReason(Struct, frozen=True):
    """A reason to wait.

    `rule` is "many", "pinned", "secret", "conflict", "team", "forbidden", "odd" or "index"; `words` say it to a person,
    `names` are the files it is about.
    """

    rule: str
    words: str
    names: tuple[str, ...]


def review_reasons(
    stage: Stage,
    ledger: StageChanges,
    results: Mapping[str, bytes | None],
    conflicts: tuple[str, ...],
    refused: Mapping[str, str],
    pinned: Collection[str],
) -> tuple[ReviewReason, ...]:
    """The reasons why a run waits.

    Args:
        results: What each file would hold; the conflicting ones are not in it.
        conflicts: The files that somebody else changed as well.
        refused: The files that a run may not write, with the reason.
        pinned: The pinned files.
    """
    found = [_many(stage, ledger), _pinned(ledger, pinned), _secrets(stage, ledger)]
    if conflicts:
        words = f"{_files(len(conflicts))} changed meanwhile in the same place"
        found.append(ReviewReason("conflict", words, conflicts))
    team = tuple(name for name in refused if fold_name(name.split("/")[0]) == "team")
    if team:
        found.append(ReviewReason("team", f"it would change what the team shares: {_list(team)}", team))
    other = tuple(name for name in refused if name not in team)
    if other:
        reasons = ", ".join(f"{name} ({refused[name]})" for name in other[:3])
        found.append(ReviewReason("forbidden", f"it would write what a dream may not: {reasons}", other))
    if ledger.odd:
        reasons = ", ".join(f"{name} ({reason})" for name, reason in sorted(ledger.odd.items())[:3])
        found.append(ReviewReason("odd", f"it left what is no memory: {reasons}", tuple(sorted(ledger.odd))))
    found.append(_index(stage, ledger, results))
    return tuple(hold for hold in found if hold is not None)


def _many(stage: Stage, ledger: StageChanges) -> ReviewReason | None:
    gone, total = ledger.gone, len(stage.files)
    if len(gone) * MIN_FILES_PER_REMOVED <= total:
        return None
    emptied = sum(one.emptied for one in ledger.touched)
    operations = [f"deletes {len(gone) - emptied}"] if len(gone) > emptied else []
    operations += [f"empties {emptied}"] if emptied else []
    words = f"it {' and '.join(operations)} of {_files(total)}, more than a fifth"
    return ReviewReason("many", words, gone)


def _pinned(ledger: StageChanges, pinned: Collection[str]) -> ReviewReason | None:
    names = tuple(name for one in ledger.touched for name in one.names if name in pinned)
    return ReviewReason("pinned", f"it touches what you pinned: {_list(names)}", names) if names else None


def _secrets(stage: Stage, ledger: StageChanges) -> ReviewReason | None:
    """What looks like a secret and stood in no file before: moving a text from file to file brings in nothing."""
    found: dict[str, Finding] = {}
    for one in ledger.touched:
        text = read_staged(stage, one.name) if one.kind != "removed" else None
        for finding in scan(text.decode("utf-8", "replace")) if text is not None else ():
            found.setdefault(one.name, finding)
    if not found:
        return None
    known = {
        finding.fingerprint
        for name in stage.files
        for finding in scan((stage.base(name) or b"").decode("utf-8", "replace"))
    }
    new: dict[str, Finding] = {}
    for name in found:
        fresh = scan((read_staged(stage, name) or b"").decode("utf-8", "replace"), allowed=known)
        if fresh:
            new[name] = fresh[0]
    if not new:
        return None
    shown = ", ".join(f"{name}:{one.line} ({one.rule})" for name, one in list(new.items())[:3])
    return ReviewReason("secret", f"it would write what looks like a secret: {shown}", tuple(new))


def _index(stage: Stage, ledger: StageChanges, results: Mapping[str, bytes | None]) -> ReviewReason | None:
    touched = next((one for one in ledger.touched if INDEX_NAME in one.names), None)
    if touched is None:
        return None
    if touched.kind == "removed" or touched.old == INDEX_NAME or touched.emptied:
        return ReviewReason("index", "it leaves no index: nothing would be loaded", (INDEX_NAME,))
    data = results.get(INDEX_NAME)
    budget = measure_index(decode_index(data)) if data is not None else None
    if budget is None or not budget.over:
        return None
    words = f"it leaves the index over its budget: {budget.lost_lines} of {budget.lines} lines would not be loaded"
    return ReviewReason("index", words, (INDEX_NAME,))


def _files(count: int) -> str:
    return f"{count} file{'s' * (count != 1)}"


def _list(names: Collection[str]) -> str:
    shown = list(names)[:3]
    return ", ".join(shown) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
