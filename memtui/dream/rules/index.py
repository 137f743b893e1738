"""The index: made where there is none, one entry a file, every file listed while there is room, within its limit.

An index over its limit comes down to 70 % of it, which is what the client asks for: long hooks become one sentence,
prose moves into a topic, the least useful entries go. Usefulness, most first: type (feedback and user before project
before reference before none), links from other topics, age, shortness of the hook; pinned files keep their entry. What
only an entry said is put into its file before the entry is shortened or goes. An index within its limit is left as it
is but for repairs, and takes more entries only up to the same 70 %, so that the next run doesn't undo what this one
did.
"""

from memtui.dream.rules.context import RuleContext, plain
from memtui.dream.rules.empty import is_empty
from memtui.memory.budget import measure_index
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.index import INDEX_NAME, IndexEntry, entry_end, newline_of, read_entries
from memtui.memory.plans import plan_rebuild, plan_tidy, title_of, with_entries
from memtui.memory.tidy import TidyTopic, one_sentence, usefulness
from memtui.memory.topic import MemoryFile

GOAL = 0.7
"""The share of both limits to come down to."""


def make_index(desk: RuleContext) -> None:
    """Make an index from the topics where there is none."""
    if desk.scope.index is None and any(file.kind == "topic" for file in desk.scope.files) and desk.may(INDEX_NAME):
        plan = plan_rebuild(desk.snapshot, pinned=desk.pinned, goal=GOAL)
        desk.carry_out("no-index", INDEX_NAME, f"{INDEX_NAME} is made from the topics", plan)


def list_once(desk: RuleContext) -> None:
    """Take out further entries of one file; what only they said goes to the first, or into the file."""
    if not desk.may(INDEX_NAME):
        return
    passed: set[int] = set()
    while True:
        text = desk.text(INDEX_NAME)
        again = _second(desk, text, passed)
        if again is None:
            return
        first, second = again
        rest = text[: second.start] + text[entry_end(text, second) :]
        after = {INDEX_NAME: rest}
        said = _said(text, second)
        name = desk.graph.names.resolve(INDEX_NAME, second.target).name or second.target
        if said and not first.hook and said == plain(second.hook):
            after[INDEX_NAME] = f"{rest[: first.hook_end]} — {said}{rest[first.hook_end :]}"
        elif said and said not in plain(rest):
            after[name] = _told(desk.text(name) if desk.may(name) else "", said)
        words = f"{INDEX_NAME} lists {name} once: line {second.line} is gone"
        if not desk.change("duplicate-entry", INDEX_NAME, words, after):
            passed.add(second.line)


def _second(desk: RuleContext, text: str, passed: set[int]) -> tuple[IndexEntry, IndexEntry] | None:
    first: dict[str, IndexEntry] = {}
    for entry in read_entries(text):
        name = desk.graph.names.resolve(INDEX_NAME, entry.target).name
        if name in first and not entry.more and entry.line not in passed:
            return first[name], entry
        if name is not None:
            first.setdefault(name, entry)
    return None


def list_orphans(desk: RuleContext) -> None:
    """List the files that aren't, the most useful first, while there is room."""
    if desk.scope.index is None or not desk.may(INDEX_NAME):
        return
    names = {problem.file for problem in desk.snapshot.problems if problem.code == "orphan"}
    files = [file for file in desk.scope.topics if file.name in names]
    files = [file for file in files if not (desk.may(file.name) and is_empty(desk, file))]
    left, full = 0, _is_full(desk.text(INDEX_NAME))
    for file in sorted(files, key=lambda file: (-_worth(desk, file), file.name)):
        text = None if full else _with_file(desk, file)
        if text is None:
            left += 1
            continue
        desk.change("orphan", file.name, f"{file.name} is listed in {INDEX_NAME}", {INDEX_NAME: text})
        full = _is_full(text)
    if left:
        files_are = "file is" if left == 1 else "files are"
        desk.remark(f"{left} {files_are} not listed: {INDEX_NAME} would be fuller than {GOAL:.0%} of its limit")


def _with_file(desk: RuleContext, file: MemoryFile) -> str | None:
    """The index with a file listed in it; `None` if that is too much for it."""
    row = (title_of(file), file.name, one_sentence(file.description or ""), file.type)
    text = with_entries(desk.text(INDEX_NAME), [row])
    if measure_index(text).used > GOAL:
        return None
    listed = {desk.graph.names.resolve(INDEX_NAME, entry.target).name for entry in read_entries(text)}
    return text if file.name in listed else None


def _is_full(text: str) -> bool:
    """Whether not even the shortest entry fits any more."""
    budget = measure_index(text)
    return (budget.lines + 1) / budget.max_lines > GOAL or (budget.units + len("\n[a](a.md)")) / budget.max_units > GOAL


def _worth(desk: RuleContext, file: MemoryFile) -> float:
    links = desk.graph.links_in(file)
    topic = TidyTopic(file.name, file.title, file.description, file.type, links, file.modified)
    return usefulness(topic, file.description or "", desk.now)


def fit_index(desk: RuleContext) -> None:
    """Bring an index that is over its limit down to the goal."""
    if desk.scope.budget is None or not desk.scope.budget.over or not desk.may(INDEX_NAME):
        return
    plan = plan_tidy(desk.snapshot, pinned=desk.pinned, goal=GOAL)
    after = {one.name: (one.data or b"").decode("utf-8") for one in plan.changes}
    if INDEX_NAME not in after:
        desk.remark(f"{INDEX_NAME} is over its limit, and all that is in it is pinned")
        return
    before = desk.text(INDEX_NAME)
    kept = plain(after[INDEX_NAME])
    for entry in read_entries(before):
        name = desk.graph.names.resolve(INDEX_NAME, entry.target).name
        said = _said(before, entry)
        if name is not None and said and said not in kept and desk.may(name):
            after[name] = _told(after.get(name, desk.text(name)), said)
    was, now = desk.scope.budget, measure_index(after[INDEX_NAME])
    words = (
        f"{INDEX_NAME} fits: {was.lines} → {now.lines} of {now.max_lines} lines, "
        f"{was.units:,} → {now.units:,} of {now.max_units:,} characters"
    )
    desk.change("index-budget", INDEX_NAME, words, after)


def _said(text: str, entry: IndexEntry) -> str:
    """What an entry says beyond its title: the hook and what hangs below it."""
    return plain(f"{entry.hook} {text[entry.end : entry_end(text, entry)]}")


def _told(text: str, said: str) -> str:
    """A topic's text that says what its entry said."""
    known = plain(text).casefold()
    description = read_frontmatter(text).description
    if said.casefold() in known or (description is not None and said.casefold() in plain(description).casefold()):
        return text
    newline = newline_of(text)
    stem = text.rstrip("\r\n")
    return f"{stem}{newline * 2 if stem else ''}From the index: {said}{newline}"
