"""What a session is given at its start, in words."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from memtui.client.paths import tilde_path
from memtui.memory.budget import units
from memtui.memory.context import SessionContext
from memtui.memory.instructions import (
    ADVISED_LINES,
    MANAGED_TEXT,
    Import,
    Instruction,
    line_count,
    walk_imports,
)
from memtui.util.text import pluralize


class ContextRow(Struct, frozen=True):
    """One file as a row of a table; `path` is where it lies, `depth` is 1 for an import."""

    path: Path
    type: str
    name: str
    chars: str
    lines: str
    tokens: str
    share: str
    is_import: bool


def context_title(found: SessionContext) -> str:
    if not found.files:
        return "a session is given no file"
    return (
        f"a session is given {pluralize(len(found.files), 'file')}, {pluralize(found.chars, 'character')}, about "
        f"{pluralize(found.tokens, 'token')}"
    )


def context_rows(found: SessionContext, cwd: Path, home: Path) -> Iterator[ContextRow]:
    """The files that are loaded, imports indented below the file that names them."""
    total = found.chars or 1
    for file in found.files:
        name = file.name if file.name == MANAGED_TEXT else _name(file.path, cwd, home)
        is_import = file.imported_by is not None
        lines = f"{file.lines:,}" + ("!" if file.lines > ADVISED_LINES and file.type != "AutoMem" else "")
        yield ContextRow(
            file.path, file.type, f"  {name}" if is_import else name, f"{file.chars:,}", lines, f"{file.tokens:,}",
            f"{file.chars / total:.0%}", is_import,
        )  # fmt: skip


def omitted_rows(found: SessionContext, cwd: Path, home: Path) -> Iterator[tuple[str, str]]:
    """What isn't loaded, each with its reason and the place that names it."""
    for one in found.omitted:
        place = "" if one.imported_by is None else f"{_name(one.imported_by, cwd, home)} line {one.line}: "
        yield _name(one.path, cwd, home), f"{place}{one.reason}"


def loaded_words(item: Instruction) -> str:
    words = f"{pluralize(item.loaded_lines, 'line')}, {pluralize(item.loaded_chars, 'character')}"
    more = item.total_chars - item.loaded_chars
    words += f", imports {more:,} more" if more else ""
    return f"{words}; Claude Code's advice is at most {ADVISED_LINES} lines" if item.is_long else words


def import_words(each: Import) -> str:
    if each.state != "loaded":
        return f"not loaded: {each.reason}" if each.state != "repeated" else each.reason
    return f"loaded, {pluralize(line_count(each.text), 'line')}, {pluralize(units(each.text), 'character')}"


def shown_imports(instructions: Iterable[Instruction]) -> Iterator[tuple[Instruction, Import]]:
    """The imports that get a row of their own: each file once, not where it is an instruction file itself."""
    seen = {item.path for item in instructions if item.exists}
    for item in instructions:
        for each in walk_imports(item.imports):
            if each.state != "repeated" and each.is_meant and each.path not in seen:
                seen.add(each.path)
                yield item, each


def _name(path: Path, cwd: Path, home: Path) -> str:
    return str(path.relative_to(cwd)) if path.is_relative_to(cwd) else tilde_path(path, home)
