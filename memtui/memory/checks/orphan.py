"""A topic that the index doesn't list. The fix adds an entry for it.

Certain while the index has room: a topic for which it has none is a hint, said once for all of them by `index_budget`,
since an entry behind the cut helps nobody and one more would push another out. A person decides about a topic that
gives orders to its reader or holds control characters: what the index lists is read at every start.
"""

from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Fix, FixContext, Problem, entry_row
from memtui.memory.index import INDEX_NAME, add_entries, read_entries
from memtui.memory.links import Names
from memtui.memory.suspicious import find_control_characters, find_suspicious
from memtui.util.text import nfc

_REMEDY = "add it to the index"


def doubt(text: str) -> str:
    """What speaks against listing a topic unasked, in words; "" for nothing."""
    for one in find_suspicious(text):
        return f"line {one.line} {one.does}"
    for line, char in find_control_characters(text):
        return f"line {line} holds the control character U+{ord(char):04X}"
    return ""


def find(file: CheckedFile) -> Iterator[Problem]:
    """Report a topic of a folder with an index, unless a link of the index leads to it."""
    folder = file.folder
    if file.file is None or folder is None or folder.scope.index is None or nfc(file.name) in folder.listed:
        return
    doubts = file.hits("suspicious")
    if doubts:
        does = doubts[0].rule or f"holds the control character {doubts[0].words}"
        message = f"not in MEMORY.md, and line {doubts[0].line} {does}: read it before you list it"
        yield file.problem("orphan", "warning", message, fix=_REMEDY, subject=file.name, asks=True)
    elif nfc(file.name) in folder.named:
        message = "named in MEMORY.md, but not as a link"
        yield file.problem("orphan", "info", message, fix=_REMEDY, subject=file.name, asks=True)
    elif file.name in folder.without_room:
        message = "not in MEMORY.md, which has no room for it"
        yield file.problem("orphan", "info", message, fix=_REMEDY, subject=file.name, asks=True)
    else:
        message = "not in MEMORY.md: the agent doesn't hear of it at start"
        yield file.problem("orphan", "warning", message, fix=_REMEDY, subject=file.name)


def fix(problem: Problem, context: FixContext) -> Fix:
    text = context.read(INDEX_NAME)
    file = context.scope.find(problem.file)
    names = context.graph.names
    if file is not None and not _is_listed(file.name, text, names):
        after = add_entries(text, [entry_row(file)], context.scope.types)
        if _is_listed(file.name, after, names):
            return Fix({INDEX_NAME: after}, f"add {file.name} to {INDEX_NAME}")
    return Fix({INDEX_NAME: text})


def _is_listed(name: str, index: str, names: Names) -> bool:
    return any(
        names.resolve(INDEX_NAME, target).name == name
        for entry in read_entries(index)
        for target in (entry.target, *entry.more)
    )


CHECK = Check(("orphan",), TOPICS, find, fix, is_certain=True, order=50)
