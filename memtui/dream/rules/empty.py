"""Files that say nothing: no text, no description. Only *prune* removes them."""

from memtui.dream.rules.context import RuleContext
from memtui.memory.index import INDEX_NAME, read_entries
from memtui.memory.plans import plan_delete
from memtui.memory.topic import MemoryFile

_BOOKKEEPING = ("name", "type", "modified", "created", "originSessionId", "node_type", "metadata")


def remove_empty(desk: RuleContext) -> None:
    """Remove empty files, unless something is said of them elsewhere."""
    for file in desk.topics:
        if not is_empty(desk, file):
            continue
        if desk.mode == "reflect":
            desk.remark(f"{file.name} is empty: a run in the mode prune removes it")
        elif _is_spoken_of(desk, file):
            desk.remark(f"{file.name} is empty, but the index or another file says something of it: it stays")
        else:
            plan = plan_delete(desk.snapshot, [file])
            desk.carry_out("empty-file", file.name, f"{file.name} is gone: it was empty", plan)


def is_empty(desk: RuleContext, file: MemoryFile) -> bool:
    """Whether a file says nothing; one whose front matter can't be read says something."""
    front = file.front
    if front.verdict == "invalid" or desk.text(file.name)[front.body_start :].strip("\ufeff \t\r\n"):
        return False
    if any(note.code == "odd-line" for note in front.problems):
        return False
    return all(field.value is None or field.key.rpartition(".")[2] in _BOOKKEEPING for field in front.fields)


def _is_spoken_of(desk: RuleContext, file: MemoryFile) -> bool:
    """Whether a hook in the index or a link tells something that would lead nowhere then."""
    if desk.graph.links_in(file):
        return True
    linked = any(out.target.name == file.name for out in desk.graph.out(INDEX_NAME))
    if linked and not desk.may(INDEX_NAME):
        return True
    entries = read_entries(desk.scope.index_text)
    named = [one for one in entries if desk.graph.names.resolve(INDEX_NAME, one.target).name == file.name]
    return any(one.hook or one.more for one in named) or (linked and not named)
