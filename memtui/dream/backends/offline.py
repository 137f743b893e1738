"""The tidy by rules: consolidation without a model, which only does what is certain.

The rules, in their order; a round of them is repeated until none finds anything to do, so a second run on the result
does nothing:

- `relative-date`    "yesterday" in a file whose front matter has its date becomes that date (`rules.dates`)
- `empty-file`       a file that says nothing goes (prune)
- `exact-duplicate`  a copy that says nothing of its own goes (`rules.merge`)
- `frontmatter`      a missing block, name or description, a type that is certain
- `dead-link`        a link to nothing leads to the one file called so
- `dead-entry`       an index line whose file isn't there goes, if nothing else is called so (prune)
- `no-index` `duplicate-entry` `orphan`  the index (`rules.index`)

Near-duplicates, contradictions and an index that is too long are only proposed (`dream.proposals`). Pinned files,
`team/`, `logs/`, files with conflict markers and what can't be edited safely are left as they are.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import tzinfo
from pathlib import Path

from memtui.dream.proposals import Proposal, find_proposals
from memtui.dream.rules.context import Mode, RuleChange, RuleContext
from memtui.dream.rules.registry import RULES
from memtui.memory.checks.registry import check_folder

MAX_ROUNDS = 20  # rounds after which a run ends whatever is left; three are the most that real folders took


def consolidate(
    root: Path,
    *,
    now: float,
    emit: Callable[[str], None],
    mode: Mode,
    pinned: frozenset[str] = frozenset(),
    project: Iterable[Path] = (),
    keep: Callable[[tuple[Proposal, ...], Mapping[str, str]], None] | None = None,
    zone: tzinfo | None = None,
) -> list[RuleChange]:
    """Consolidate a stage by rule, with the arguments of `RuleContext`, and return what was done.

    `keep` is given the proposals at the end, with the digests of all files. Raises `NotFound` or `MemtuiError`.
    """
    context = RuleContext(root, now=now, mode=mode, pinned=pinned, emit=emit, project=project, zone=zone)
    for _ in range(MAX_ROUNDS):
        done = len(context.changes)
        for rule in RULES:
            context.refresh()
            rule(context)
        if len(context.changes) == done:
            break
    if keep is not None:
        context.refresh()
        problems = check_folder(context.scope, context.graph, {}, now)
        keep(find_proposals(problems), {file.name: file.digest or "" for file in context.scope.files})
    return context.changes
