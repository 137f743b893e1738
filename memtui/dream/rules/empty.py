"""Files that say nothing: no text, no description. Only *prune* removes them."""

from memtui.dream.rules.context import RuleContext, RuleStep
from memtui.memory.index import INDEX_NAME, IndexEntry, drop_entries, read_entries
from memtui.memory.topic import MemoryFile

_BOOKKEEPING = ("name", "type", "modified", "created", "originSessionId", "node_type", "metadata")


def remove_empty(context: RuleContext) -> None:
    """Remove empty files, unless the index or another file says something about them."""
    for file in context.topics:
        if not is_empty(context, file):
            continue
        if context.mode == "reflect":
            context.note(f"{file.name} is empty: a run in the mode prune removes it")
        elif _is_described(context, file):
            context.note(f"{file.name} is empty, but the index or another file says something of it: it stays")
        else:
            index = context.text(INDEX_NAME)
            for entry in _entries_of(context, file):
                index = drop_entries(index, entry.target)
            after = {file.name: None} if index == context.text(INDEX_NAME) else {file.name: None, INDEX_NAME: index}
            context.change("empty-file", file.name, f"{file.name} is gone: it was empty", after)


def is_empty(context: RuleContext, file: MemoryFile) -> bool:
    """Whether a file says nothing; one whose front matter can't be read says something."""
    front = file.front
    if front.verdict == "invalid" or context.text(file.name)[front.body_start :].strip("\ufeff \t\r\n"):
        return False
    if any(note.code == "odd-line" for note in front.problems):
        return False
    return all(field.value is None or field.key.rpartition(".")[2] in _BOOKKEEPING for field in front.fields)


def _is_described(context: RuleContext, file: MemoryFile) -> bool:
    if context.graph.links_in(file):
        return True
    linked = any(out.target.name == file.name for out in context.graph.out(INDEX_NAME))
    named = _entries_of(context, file)
    return any(one.description or one.more for one in named) or (
        linked and (not named or not context.may_change(INDEX_NAME))
    )


def _entries_of(context: RuleContext, file: MemoryFile) -> list[IndexEntry]:
    names = context.graph.names
    return [
        entry for entry in read_entries(context.text(INDEX_NAME))
        if names.resolve(INDEX_NAME, entry.target).name == file.name
    ]  # fmt: skip


STEP = RuleStep((remove_empty,), order=20)
