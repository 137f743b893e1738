"""A topic that the index doesn't list. The fix adds an entry for it."""

import re
from collections.abc import Iterator
from functools import lru_cache

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Fix, FixContext, Problem, Severity
from memtui.memory.index import INDEX_NAME, EntryRow, add_entries, read_entries
from memtui.memory.links import Names
from memtui.memory.tidy import one_sentence
from memtui.util.text import nfc

_FILE_NAME = re.compile(r"[\w./-]+\.md")


def find(file: CheckedFile) -> Iterator[Problem]:
    """Report a topic of a folder with an index, unless a link of the index leads to it."""
    folder = file.folder
    if file.file is None or folder is None or folder.scope.index is None or nfc(file.name) in folder.listed:
        return
    severity: Severity
    if nfc(file.name) in _names_in(folder.scope.index_text):
        severity, message = "info", "named in MEMORY.md, but not as a link"
    else:
        severity, message = "warning", "not in MEMORY.md: the agent doesn't hear of it at start"
    yield file.problem("orphan", severity, message, fix="add it to the index", subject=file.name)


@lru_cache(maxsize=2)
def _names_in(index: str) -> frozenset[str]:
    return frozenset(nfc(name) for name in _FILE_NAME.findall(index))


def fix(problem: Problem, context: FixContext) -> Fix:
    text = context.read(INDEX_NAME)
    file = context.scope.find(problem.file)
    names = context.graph.names
    if file is not None and not _is_listed(file.name, text, names):
        row = EntryRow(file.entry_title, file.name, one_sentence(file.description or ""), file.type)
        after = add_entries(text, [row])
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
