"""The index: made where there is none, one entry a file, every file listed while there is room, within its limit.

Each fault is a problem of a check, and the check's own fix repairs it; beyond that, what only an entry said is put into
its file before the entry goes or is shortened. An index within its limit takes more entries only up to the share that
an index over it is brought down to, so that the next run doesn't undo what this one did.
"""

from memtui.dream.rules.context import RuleContext, RuleStep
from memtui.dream.rules.empty import is_empty
from memtui.memory.budget import measure_index
from memtui.memory.checks import duplicate_entry
from memtui.memory.frontmatter import newline_of, read_frontmatter
from memtui.memory.index import INDEX_NAME, IndexEntry, entry_end, read_entries
from memtui.memory.similarity import normalized
from memtui.memory.tidy import TIDY_GOAL, TidyTopic, usefulness


def make_index(context: RuleContext) -> None:
    for problem in context.problems_of("no-index"):
        context.change("no-index", INDEX_NAME, f"{INDEX_NAME} is made from the topics", context.fix(problem))


def list_once(context: RuleContext) -> None:
    """Take out further entries of one file; what only they said goes to the first, or into the file."""
    for problem in context.problems_of("duplicate-entry"):
        text = context.text(INDEX_NAME)
        pair = duplicate_entry.find_duplicate(text, problem, context.graph.names)
        name = context.graph.names.resolve(INDEX_NAME, problem.subject).name
        if pair is None or name is None:
            continue
        first, second = pair
        rest = context.fix(problem)[INDEX_NAME]
        after = {INDEX_NAME: rest}
        said = _entry_words(text, second)
        if said and not first.description and said == normalized(second.description):
            after[INDEX_NAME] = f"{rest[: first.description_end]} — {said}{rest[first.description_end :]}"
        elif said and said not in normalized(rest):
            after[name] = _with_words(context.text(name) if context.may_change(name) else "", said)
        words = f"{INDEX_NAME} lists {name} once: line {second.line} is gone"
        context.change("duplicate-entry", INDEX_NAME, words, after)


def list_orphans(context: RuleContext) -> None:
    """List the files that aren't, the most useful first, while there is room."""
    if context.scope.index is None or not context.may_change(INDEX_NAME):
        return
    orphans = []
    for problem in context.problems:
        file = context.scope.find(problem.file) if problem.code == "orphan" else None
        if file is not None and not (context.may_change(file.name) and is_empty(context, file)):
            worth = usefulness(TidyTopic.of(file, context.graph.links_in(file)), file.description or "", context.now)
            orphans.append((-worth, file.name, problem))
    left, full = 0, _is_full(context.text(INDEX_NAME))
    for _, name, problem in sorted(orphans, key=lambda orphan: orphan[:2]):
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


def fit_index(context: RuleContext) -> None:
    """Bring an index that is over its limit down to the goal."""
    problem = next(context.problems_of("over-budget"), None)
    if problem is None or context.scope.budget is None:
        return
    after = context.fix(problem)
    if not after:
        context.note(f"{INDEX_NAME} is over its limit, and all that is in it is pinned")
        return
    before = context.text(INDEX_NAME)
    kept = normalized(after[INDEX_NAME])
    for entry in read_entries(before):
        name = context.graph.names.resolve(INDEX_NAME, entry.target).name
        said = _entry_words(before, entry)
        if name is not None and said and said not in kept and context.may_change(name):
            after[name] = _with_words(after.get(name, context.text(name)), said)
    was, now = context.scope.budget, measure_index(after[INDEX_NAME])
    words = (
        f"{INDEX_NAME} fits: {was.lines} → {now.lines} of {now.max_lines} lines, "
        f"{was.units:,} → {now.units:,} of {now.max_units:,} characters"
    )
    context.change("index-budget", INDEX_NAME, words, after)


def _entry_words(text: str, entry: IndexEntry) -> str:
    """What an entry says beyond its title: the description and what hangs below it."""
    return normalized(f"{entry.description} {text[entry.end : entry_end(text, entry)]}")


def _with_words(text: str, said: str) -> str:
    """A topic's text that says what its entry said."""
    known = normalized(text).casefold()
    description = read_frontmatter(text).description
    if said.casefold() in known or (description is not None and said.casefold() in normalized(description).casefold()):
        return text
    newline = newline_of(text)
    stem = text.rstrip("\r\n")
    return f"{stem}{newline * 2 if stem else ''}From the index: {said}{newline}"


STEP = RuleStep((make_index, list_once, list_orphans, fit_index), order=60)
