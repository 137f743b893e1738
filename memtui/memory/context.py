r"""What Claude Code gives a session at its start: instruction files and the index of the memory, with their text.

`memtui.memory.instructions` has the rules for the files. The index follows them, as type "AutoMem", if auto memory and
instructions are on and the file has at most 4 MiB; `memtui.memory.budget` says what of it is loaded. Behind an index
that is cut stands a warning. All of it recorded on Claude Code 2.1.332.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation
from memtui.client.paths import read_small_file
from memtui.fs.links import why_unreadable
from memtui.memory.budget import IndexBudget, as_sent, counted_text, decode_index, measure_index, units
from memtui.memory.instructions import (
    MANAGED_TEXT,
    MAX_FILE_BYTES,
    ContextType,
    Import,
    Instruction,
    instructions_off,
    line_count,
)

INDEX_NAME = "MEMORY.md"
_QUOTED_UNITS = 80  # of the first line that is cut, in the warning


class ContextFile(Struct, frozen=True):
    """A file that is loaded, its text as it is loaded, and the file that names it (`None` where none does)."""

    path: Path
    type: ContextType
    content: str
    imported_by: Path | None = None

    @property
    def name(self) -> str:
        """Its path as Claude Code has it: a text of managed settings has no file of its own."""
        return MANAGED_TEXT if self.path.suffix == ".json" and self.type == "Managed" else str(self.path)

    @property
    def lines(self) -> int:
        return line_count(self.content)

    @property
    def chars(self) -> int:
        return units(self.content)

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.content)


class OmittedFile(Struct, frozen=True):
    """A file that is there or named by another, and isn't loaded at the start; `line` is that of the `@path`."""

    path: Path
    type: ContextType
    reason: str
    imported_by: Path | None = None
    line: int | None = None


class SessionContext(Struct, frozen=True):
    """What a session is given, and what it is not; `off` says what switches all of it off."""

    files: tuple[ContextFile, ...]
    omitted: tuple[OmittedFile, ...]
    off: str | None = None

    @property
    def chars(self) -> int:
        return sum(file.chars for file in self.files)

    @property
    def tokens(self) -> int:
        return sum(file.tokens for file in self.files)


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is: one for four characters of ASCII, and one for each other character."""
    ascii_chars = len(text) if text.isascii() else sum(char < "\x80" for char in text)
    return -(-ascii_chars // 4) + len(text) - ascii_chars


def session_context(env: Env, location: MemoryLocation, instructions: Iterable[Instruction]) -> SessionContext:
    """What a session in a directory is given, in the order of loading, each file once; writes nothing."""
    files: list[ContextFile] = []
    omitted: list[OmittedFile] = []
    for item in instructions:
        if item.loaded:
            files.append(ContextFile(item.path, item.type, item.text))
        elif item.exists:
            omitted.append(OmittedFile(item.link or item.path, item.type, item.why_not))
        for parent, each in _imports(item.path, item.imports):
            if each.state == "loaded":
                files.append(ContextFile(each.path, item.type, each.text, parent))
            elif each.state != "repeated" and each.is_meant:
                omitted.append(OmittedFile(each.path, item.type, each.reason, parent, each.line))
    path = location.agent_folder / INDEX_NAME
    off = instructions_off(env, location)
    found = _index(location, path, off)
    if isinstance(found, str):
        omitted.append(OmittedFile(path, "AutoMem", found))
    elif found is not None:
        text = decode_index(found)
        budget = measure_index(text)
        files.append(ContextFile(path, "AutoMem", budget.loaded + index_warning(budget, text)))
    return SessionContext(tuple(files), tuple(omitted), off)


def _imports(parent: Path, imports: tuple[Import, ...]) -> Iterator[tuple[Path, Import]]:
    for each in imports:
        yield parent, each
        yield from _imports(each.path, each.imports)


def _index(location: MemoryLocation, path: Path, off: str | None) -> bytes | str | None:
    """The index's bytes, why it isn't loaded, or `None` where there is none."""
    if not os.path.lexists(path):
        return None
    if off is not None or not location.enabled:
        return off or "auto memory is off"
    reason = why_unreadable(path)
    with suppress(OSError):
        reason = reason or ("larger than 4 MiB: nothing of it is loaded" * (path.stat().st_size > MAX_FILE_BYTES))
    if reason:
        return reason
    data = read_small_file(path, MAX_FILE_BYTES)
    if data is None:
        return "can't be read"
    return data if counted_text(decode_index(data)).pieces else "nothing in it counts"


def index_warning(budget: IndexBudget, text: str) -> str:
    """What Claude Code adds behind an index that is cut; "" where it isn't. `text` is the whole file."""
    if budget.cut_line is None:
        return ""
    size = f"{budget.units / 1024:.1f}KB"
    if budget.units <= budget.max_units:
        what = f"{budget.lines} lines (limit: {budget.max_lines})"
    elif budget.lines <= budget.max_lines:
        what = f"{size} (limit: {budget.max_units / 1024:.1f}KB) — index entries are too long"
    else:
        what = f"{budget.lines} lines and {size}"
    line = counted_text(text).text.split("\n")[budget.cut_line - 1].strip()
    if units(line) > _QUOTED_UNITS:
        line = line.encode("utf-16-le", "surrogatepass")[: 2 * _QUOTED_UNITS - 2].decode("utf-16-le", "ignore") + "…"
    if budget.cut_line == 1:
        lost = f"everything after the first {budget.max_units} characters of line 1 was cut off"
    else:
        quoted = f' ("{line}")' if line else ""
        lost = f"{budget.lost_lines} of {budget.lines} lines were cut off, starting at line {budget.cut_line}{quoted}"
    return as_sent(
        f"\n\n> WARNING: {INDEX_NAME} is {what}. Only part of it was loaded: {lost}. Keep index entries to one line"
        " under ~200 chars; move detail into topic files."
    )
