"""The index: made where there is none, one entry a file, every file listed while there is room.

Each fault is a problem of a check, and the check's own fix repairs it where that is certain. An index over its limit is
only proposed to a person (`dream.proposals`): which of its lines may go, no rule can tell. The index takes entries only
up to the share that an index over its limit is brought down to, so that a person's next memory has room. A topic that
gives orders to its reader, a copy that a sync tool left, and what holds control characters is never listed.
"""

from memtui.dream.rules.context import RuleContext, RuleStep
from memtui.dream.rules.empty import is_empty
from memtui.memory.budget import measure_index
from memtui.memory.checks import duplicate_entry, orphan
from memtui.memory.index import INDEX_NAME, entry_end
from memtui.memory.similarity import normalized
from memtui.memory.tidy import TIDY_GOAL, TidyTopic, usefulness


def make_index(context: RuleContext) -> None:
    for problem in context.problems_of("no-index"):
        context.change("no-index", INDEX_NAME, f"{INDEX_NAME} is made from the topics", context.fix(problem))


def list_once(context: RuleContext) -> None:
    """Take out further entries of one file that say nothing of their own; the first may take over a description."""
    found = sorted(context.problems_of("duplicate-entry"), key=lambda one: -(one.line or 0))  # lines above stay true
    for problem in found:
        text = context.text(INDEX_NAME)
        pair = duplicate_entry.find_duplicate(text, problem, context.graph.names)
        rest = context.fix(problem).get(INDEX_NAME)
        if pair is None or rest is None:
            continue
        first, second = pair
        if problem.asks:
            said = normalized(second.description)
            below = text[second.end : entry_end(text, second)].strip()
            if first.description or not said or below or second.title != first.title:
                continue
            rest = f"{rest[: first.description_end]} — {said}{rest[first.description_end :]}"
        words = f"{INDEX_NAME} lists {problem.subject} once: line {second.line} is gone"
        context.change("duplicate-entry", INDEX_NAME, words, {INDEX_NAME: rest})


def list_orphans(context: RuleContext) -> None:
    """List the files that aren't, the most useful first, while there is room."""
    if context.scope.index is None or not context.may_change(INDEX_NAME):
        return
    orphans, left = [], 0
    for problem in context.problems:
        file = context.scope.find(problem.file) if problem.code == "orphan" else None
        if file is None or (context.may_change(file.name) and is_empty(context, file)):
            continue
        if words := orphan.doubt(context.read(file.name)):
            context.note(f"{file.name} is not listed: {words}")
        elif problem.severity == "info":
            left += problem.file in context.folder.without_room
        else:
            worth = usefulness(TidyTopic.of(file, context.graph.links_in(file)), file.description or "", context.now)
            orphans.append((-worth, file.name, problem))
    full = _is_full(context.text(INDEX_NAME))
    for _, name, problem in sorted(orphans, key=lambda one: one[:2]):
        after = {} if full else context.fix(problem)
        if not after or measure_index(after[INDEX_NAME]).used > TIDY_GOAL:
            left += 1
            continue
        context.change("orphan", name, f"{name} is listed in {INDEX_NAME}", after)
        full = _is_full(after[INDEX_NAME])
    if left:
        files_are = "file is" if left == 1 else "files are"
        context.note(f"{left} {files_are} not listed: {INDEX_NAME} would be fuller than {TIDY_GOAL:.0%} of its limit")


def _is_full(text: str) -> bool:
    """Whether not even the shortest entry fits any more."""
    budget = measure_index(text)
    lines, units = budget.lines + 1, budget.units + len("\n[a](a.md)")
    return max(lines / budget.max_lines, units / budget.max_units) > TIDY_GOAL


STEP = RuleStep((make_index, list_once, list_orphans), order=60)
