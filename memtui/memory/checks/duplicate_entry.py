"""A file that the index lists more than once.

The fix drops the later line. That is certain where the line says nothing of its own; else a person sees what goes.
"""

from collections.abc import Iterator

from memtui.memory.checks.base import INDEX, Check, CheckedFile, Fix, FixContext, Problem
from memtui.memory.index import INDEX_NAME, IndexEntry, entry_end, read_entries, remove_entries
from memtui.memory.links import Names
from memtui.util.text import nfc


def find(file: CheckedFile) -> Iterator[Problem]:
    """Report each further entry of a file that leads to no other file as well."""
    first: dict[str, IndexEntry] = {}
    if file.folder is None:
        return
    for entry in file.entries:
        earlier = first.setdefault(_file_of(entry, file.folder.graph.names), entry)
        if earlier is not entry and not entry.more:
            message = f"{entry.target} is listed already in line {earlier.line}"
            asks = not says_nothing_new(file.text or "", entry, earlier)
            yield file.problem(
                "duplicate-entry", "warning", message, entry.line, fix="drop this line", subject=entry.target, asks=asks
            )


def _file_of(entry: IndexEntry, names: Names) -> str:
    """The file that an entry stands for, by the name that the file has, so that letter case doesn't matter."""
    return names.resolve(INDEX_NAME, entry.target).name or nfc(entry.target)


def says_nothing_new(text: str, later: IndexEntry, first: IndexEntry) -> bool:
    """Whether a later entry of a file has no word that the first one doesn't have, title included."""
    if later.more or text[later.end : entry_end(text, later)].strip():
        return False
    said, known = (" ".join(text[one.start : entry_end(text, one)].split()).casefold() for one in (later, first))
    said = said.replace(later.link.target.casefold(), first.link.target.casefold())
    bare = text[later.start : later.link.start].strip(" \t-*+.)_0123456789")
    described = " ".join(later.description.split()).casefold()
    return said == known or (not bare and described in known and (later.title.casefold() in known))


def find_duplicate(text: str, problem: Problem, names: Names) -> tuple[IndexEntry, IndexEntry] | None:
    """The entry that stays and the later one that the problem is about; None if there is no such pair any more."""
    target = names.resolve(INDEX_NAME, problem.subject).name or nfc(problem.subject)
    entries = [entry for entry in read_entries(text) if _file_of(entry, names) == target]
    later = [entry for entry in entries[1:] if not entry.more]
    if not problem.asks:
        later = [entry for entry in later if says_nothing_new(text, entry, entries[0])]
    if not later:
        return None
    return entries[0], min(later, key=lambda entry: abs(entry.line - (problem.line or 0)))


def fix(problem: Problem, context: FixContext) -> Fix:
    text = context.read(problem.file)
    pair = find_duplicate(text, problem, context.graph.names)
    return Fix({problem.file: text if pair is None else remove_entries(text, [pair[1]])})


CHECK = Check(("duplicate-entry",), INDEX, find, fix, is_certain=True, order=30)
