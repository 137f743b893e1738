"""Consolidation without a model: rules that only do what is certain, each change with the rule that made it.

The rules, in their order; a round of them is repeated until none finds anything to do, so a second run on the result
does nothing:

- `relative-date`    "yesterday" in a file whose front matter has its date becomes that date (`rules.absolute`)
- `empty-file`       a file that says nothing goes (prune)
- `exact-duplicate`  a copy that says nothing of its own goes (prune)
- `merge`            files that are one topic become one, both sources named (`rules.alike`, `rules.union`)
- `frontmatter`      a missing block, name or description, a type that is certain
- `dead-link`        a link to nothing leads to the one file called so, or becomes plain text
- `dead-entry`       an index line whose file isn't there goes (prune)
- `no-index` `duplicate-entry` `orphan` `index-budget`  the index (`rules.index`)

Dates come before merges, since afterwards a sentence stands in a file of another day. Pinned files, `team/`, `logs/`
and what can't be edited safely are left as they are.
"""

from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path

from memtui.dream.rules.context import Mode, RuleChange, RuleContext
from memtui.dream.rules.dates import absolute
from memtui.dream.rules.empty import remove_empty
from memtui.dream.rules.frontmatter import fill_front
from memtui.dream.rules.index import fit_index, list_once, list_orphans, make_index
from memtui.dream.rules.links import mend_links
from memtui.dream.rules.merge import merge_duplicates
from memtui.memory.frontmatter import set_field

__all__ = ["Mode", "RuleChange", "consolidate"]

MOST_ROUNDS = 20
"""Rounds after which a run ends whatever is left; three are the most that real folders took."""


def consolidate(
    root: Path,
    *,
    now: float,
    emit: Callable[[str], None],
    mode: Mode,
    pinned: frozenset[str] = frozenset(),
    zone: tzinfo | None = None,
) -> list[RuleChange]:
    """Consolidate a memory folder by rule.

    Args:
        root: A stage: a copy of the folder, which is ours to write.
        now: Seconds since 1970; the only clock.
        emit: Told each deed as it is done, and why something was left; safe to show, one line each.
        mode: "reflect" merges and repairs; "prune" also removes empty files, copies and entries of files that are gone.
        pinned: Names (POSIX, relative to the folder) of files that stay as they are.
        zone: In which a `modified` stamp in UTC becomes a day; `None` is the machine's own, which the writer's was.

    Returns:
        What was done, in order. Running it again on the result does nothing.

    Raises:
        NotFound: If the stage is no folder.
        MemtuiError: If the disk refuses a write; what was written until then is in the stage.
    """
    desk = RuleContext(root, now=now, mode=mode, pinned=pinned, emit=emit, zone=zone)
    rules = (
        _date,
        remove_empty,
        merge_duplicates,
        fill_front,
        mend_links,
        make_index,
        list_once,
        list_orphans,
        fit_index,
    )
    for _ in range(MOST_ROUNDS):
        done = len(desk.operations)
        for rule in rules:
            desk.look()
            rule(desk)
        if len(desk.operations) == done:
            break
    return desk.operations


def _date(desk: RuleContext) -> None:
    """Turn the relative dates of each file with a day of its own absolute, in its text and its description."""
    for file in desk.topics:
        day = desk.day(file)
        if day is None:
            continue
        turned = absolute(desk.text(file.name), day)
        text, dates = turned.text, turned.dates
        if file.description is not None and file.front.verdict != "invalid":
            said = absolute(file.description, day)
            text = set_field(text, "description", said.text) if said.dates else text
            dates += said.dates
        means = ", ".join(dict.fromkeys(f'"{phrase}" is {when}' for phrase, when in dates))
        desk.change("relative-date", file.name, f"{file.name} of {day.isoformat()}: {means}", {file.name: text})
