"""The rows of the memory list, and how a snapshot becomes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from memtui.presentation.context_text import shown_imports
from memtui.util.filter_query import matches_query, parse_query
from memtui.util.text import visible

if TYPE_CHECKING:
    from memtui.memory.instructions import Import, Instruction
    from memtui.memory.scope import Scope
    from memtui.memory.snapshot import Snapshot
    from memtui.memory.topic import MemoryFile


Mark = Literal["", "problem", "unlisted", "changed", "unsaved", "pinned"]
MARK_WORDS: dict[Mark, str] = {
    "problem": "has a problem", "unlisted": "not in MEMORY.md", "changed": "changed by the last dream",
    "unsaved": "has unsaved text", "pinned": "pinned: no background run may touch it",
}  # fmt: skip
Grouping = Literal["type", "folder", "flat"]
Order = Literal["name", "age", "size"]
GROUPINGS: tuple[Grouping, ...] = ("type", "folder", "flat")
ORDERS: tuple[Order, ...] = ("name", "age", "size")
TYPES = ("feedback", "project", "user", "reference")


class GroupRow(Struct, frozen=True, tag=True):
    """A line that can be folded; `files` is how many are in it."""

    key: str
    label: str
    files: int
    folded: bool


class FileRow(Struct, frozen=True, tag=True):
    """One file."""

    where: str
    label: str
    scope: str
    size: int
    modified: float
    mark: Mark  # the most important thing about it
    marked: bool = False
    line: int | None = None  # where the index names it
    lines: int | None = None  # of an index, shown instead of the size

    @property
    def path(self) -> Path:
        return Path(self.where)


Row = GroupRow | FileRow


class Wanted(Struct, frozen=True):
    """How the list is to be arranged, and what the screen knows beside the snapshot."""

    grouping: Grouping = "type"
    order: Order = "name"
    query: str = ""
    only_problems: bool = False
    folded: frozenset[str] = frozenset({"logs", "instructions"})
    marked: frozenset[Path] = frozenset()
    unsaved: frozenset[Path] = frozenset()
    pinned: frozenset[Path] = frozenset()
    changed: frozenset[Path] = frozenset()


def listed_lines(scope: Scope) -> dict[str, int]:
    """The line of the index that names each file first."""
    return {target: entry.line for entry in reversed(scope.entries) for target in (entry.target, *entry.more)}


def unlisted(scope: Scope) -> tuple[MemoryFile, ...]:
    """The topic files that the index does not name; none where there is no index."""
    listed = listed_lines(scope)
    return tuple(file for file in scope.topics if file.name not in listed) if scope.index else ()


def arrange(snapshot: Snapshot, wanted: Wanted) -> tuple[Row, ...]:
    """All rows, in order; a group without a match is left out while a filter is on."""
    counted = [problem for problem in snapshot.problems if problem.severity != "info"]
    troubled = {problem.path for problem in counted}
    worse = {problem.path for problem in counted if problem.code != "orphan"}  # "not in the index" has its own mark
    terms = parse_query(wanted.query)

    def matches(path: Path, *texts: str) -> bool:
        return (not wanted.only_problems or path in troubled) and (not terms or matches_query(terms, *texts))

    rows: list[Row] = []
    for scope in snapshot.scopes:
        listed = listed_lines(scope)
        files = [file for file in scope.files if matches(file.path, file.name, file.title, file.description or "")]
        for key, label, members in _groups(scope, files, wanted):
            items = [_item(file, scope, listed.get(file.name), wanted, file.path in worse) for file in members]
            rows += _rows(key, label, short_labels(items, label) if key in TYPES else items, wanted)
    imports = list(shown_imports(snapshot.instructions))
    instructions: list[FileRow] = []
    for one in snapshot.instructions:
        if one.exists and matches(one.path, one.path.name, str(one.path)):
            instructions.append(_instruction(one, wanted, one.path in worse))
        for item, each in imports:
            if item is one and matches(each.path, each.path.name, str(each.path)):
                instructions.append(_import(each, wanted))
    rows += _rows("instructions", "instructions", instructions, wanted)
    return tuple(rows)


def _groups(scope: Scope, files: list[MemoryFile], wanted: Wanted) -> Iterable[tuple[str, str, list[MemoryFile]]]:
    index = [f for f in files if f.kind == "index"]
    rest = [f for f in files if f.kind != "index"]
    if scope.id != "auto":
        yield scope.id, scope.label, index + rest
    elif wanted.grouping == "flat":
        yield "flat", "", index + rest
    elif wanted.grouping == "folder":
        for folder in sorted({str(Path(f.name).parent) for f in files}):
            here = [f for f in index + rest if str(Path(f.name).parent) == folder]
            yield f"folder:{folder}", "memory" if folder == "." else folder, here
    else:
        yield "index", "index", index
        for type_ in TYPES:
            yield type_, type_, [f for f in rest if f.type == type_]
        yield "untyped", "no type", [f for f in rest if f.type not in TYPES]


def _rows(key: str, label: str, members: list[FileRow], wanted: Wanted) -> list[Row]:
    if not members:
        return []
    if wanted.order == "age":
        members.sort(key=lambda item: -item.modified)
    elif wanted.order == "size":
        members.sort(key=lambda item: -item.size)
    members.sort(key=lambda item: item.lines is None)  # the index stays on top of its group
    if not label:
        return list(members)
    folded = key in wanted.folded and not wanted.query and not wanted.only_problems
    head = GroupRow(key, visible(label, keep=""), len(members), folded)
    return [head] if folded else [head, *members]


def short_labels(items: list[FileRow], heading: str) -> list[FileRow]:
    """Below the heading of a type, names without the type in front and ".md" behind, unless two would read alike."""
    short = [item.label.removesuffix(".md") for item in items]
    short = [re.sub(rf"^{heading}[-_ ](?=.)", "", label) for label in short]
    pairs = zip(items, short, strict=True)
    return [replace(item, label=label) if short.count(label) == 1 else item for item, label in pairs]


def _item(file: MemoryFile, scope: Scope, line: int | None, wanted: Wanted, troubled: bool) -> FileRow:
    unlisted = scope.index is not None and file.kind == "topic" and line is None
    name = file.name if scope.id != "logs" else Path(file.name).name
    row = _row(file, name, scope.id, wanted, _mark(file.path, wanted, troubled, unlisted))
    return replace(row, line=line, lines=scope.budget.lines if file.kind == "index" and scope.budget else None)


def _instruction(item: Instruction, wanted: Wanted, troubled: bool) -> FileRow:
    mark = _mark(item.path, wanted, troubled)
    return _row(item, f"{item.path.name} ({item.layer})", "instructions", wanted, mark)


def _import(each: Import, wanted: Wanted) -> FileRow:
    """The row of a file that is imported, or should be; it stands below the file that names it."""
    name = f"  {each.path.name} ({'import' if each.state == 'loaded' else 'not loaded'})"
    return _row(each, name, "instructions", wanted, _mark(each.path, wanted, troubled=False))


def _row(of: MemoryFile | Instruction | Import, label: str, scope: str, wanted: Wanted, mark: Mark) -> FileRow:
    name, modified = visible(label, keep=""), of.mtime_ns / 1e9
    return FileRow(str(of.path), name, scope, of.size, modified, mark, of.path in wanted.marked)


def _mark(path: Path, wanted: Wanted, troubled: bool, unlisted: bool = False) -> Mark:
    if path in wanted.unsaved:
        return "unsaved"
    if troubled:
        return "problem"
    if unlisted:
        return "unlisted"
    if path in wanted.changed:
        return "changed"
    return "pinned" if path in wanted.pinned else ""
