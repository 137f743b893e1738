"""An index that is over the limit under which it is loaded. The fix tidies it, so a person sees it first."""

from collections.abc import Iterator

from memtui.memory.checks.base import INDEX, Check, CheckedFile, Fix, FixContext, Problem
from memtui.memory.frontmatter import new_block
from memtui.memory.index import INDEX_NAME, lost_entries, read_entries
from memtui.memory.tidy import NOTES_DESCRIPTION, NOTES_TITLE, TidyResult, TidyTopic, rebuild_index, tidy_index
from memtui.util.text import nfc


def find(file: CheckedFile) -> Iterator[Problem]:
    budget = file.budget
    if not budget.over:
        return
    count = len(lost_entries(file.entries))
    lost = f"{count} {'entry is' if count == 1 else 'entries are'} lost" if count else "no entry is lost"
    if budget.limit == "lines":
        over = f"{budget.lines - budget.max_lines} lines too many"
    else:
        over = f"{budget.units - budget.max_units:,} characters too many"
    message = f"{over}: not loaded from line {budget.cut_line_in_file} on, {lost}"
    yield file.problem("over-budget", "error", message, budget.cut_line_in_file, fix="tidy the index")


def fix(problem: Problem, context: FixContext) -> Fix:
    return shorten(context)


def shorten(context: FixContext, *, rebuild: bool = False) -> Fix:
    """Tidy or rebuild the index of a folder; prose of the index may move to a topic."""
    text = context.read(INDEX_NAME)
    graph = context.graph
    topics = [
        TidyTopic.of(file, graph.links_in(file), pinned=file.name in context.pinned) for file in context.scope.topics
    ]
    # An entry may lead to a file that is no topic of this folder (`team/x.md`): neither dead nor ours to judge.
    known = {nfc(topic.name) for topic in topics}
    for entry in read_entries(text):
        if nfc(entry.target) not in known and graph.names.resolve(INDEX_NAME, entry.target).state != "missing":
            topics.append(TidyTopic(entry.target, entry.title, pinned=True))
    result = (rebuild_index if rebuild else tidy_index)(text, topics, now=context.now)
    texts = {INDEX_NAME: result.text_after} if result.changed else {}
    if result.moved:
        texts[result.moved_to] = _with_prose(context.read(result.moved_to), result.moved)
    return Fix(texts, "rebuild the index" if rebuild else "tidy the index", tuple(_notes(result)))


def _with_prose(text: str, prose: str) -> str:
    if not text:
        return new_block(NOTES_TITLE, NOTES_DESCRIPTION, "reference") + prose
    return text + ("" if text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n") + prose


def _notes(result: TidyResult) -> Iterator[str]:
    if not result.changed:
        yield "nothing to do: the index is as short as it should be"
        return
    before, after = result.before, result.after
    yield f"lines {before.lines} → {after.lines} of {after.max_lines}, characters {before.units:,} → {after.units:,}"
    if result.moved:
        yield f"prose of the index moves to {result.moved_to}"
    yield from (f"line {one.line} {one.title}: {one.message}" for one in result.dropped)


CHECK = Check(("over-budget",), INDEX, find, fix, order=20)
