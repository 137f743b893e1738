"""Which memory files go where, and an index that takes in another one.

Topics go byte for byte. Two folders have no common ancestor, so nothing is merged: of two files with one name and
other bytes both stay, the one that comes as `NAME.from-PLACE.md`. Of an index that comes to another one, only the lines
that this one lacks are put under it.
"""

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from memtui.base.boundary import check_path, fold_name
from memtui.base.errors import MemtuiError
from memtui.base.text import many
from memtui.host.paths import LOCK
from memtui.memory.budget import body_start, measure_index
from memtui.memory.index import INDEX_NAME, newline_of, read_entries, retarget
from memtui.memory.ledger import scan, walk
from memtui.memory.plans import Plan, Sheets
from memtui.projects.transfer import Stay

LONGEST_TAIL = 40
"""Characters of a place that become part of a file name."""

_NOT_IN_NAMES = re.compile(r"[^\w-]+|_+")
_BLOCKS = ("```", "~~~", "<!--")
"""What begins a stretch of lines that mean nothing one by one."""
_LIST_LINE = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")


class FileName(Struct, frozen=True):
    """One memory file: its name in the old folder and in the new one; `there`: the new folder has these bytes already.

    `mtime_ns` is when it was last written. For an index that is taken in by another, `lines` are those put under it.
    """

    source: str
    target: str
    there: bool
    mtime_ns: int
    lines: tuple[str, ...] = ()

    @property
    def renamed(self) -> bool:
        """Whether both sides of a conflict stay."""
        return self.source != self.target

    @property
    def how(self) -> str:
        """What a person should know of it, "" for nothing."""
        if self.lines:
            return f"{many(len(self.lines), 'line')} put under the one that is there"
        return f"as {self.target}" if self.renamed else "is there already" if self.there else ""


class MemoryMove(Struct, frozen=True):
    """What becomes of a memory folder: `coming` is done in the new folder first, then `leaving` in the old one."""

    files: tuple[FileName, ...]
    coming: Plan
    leaving: Plan


def plan_memory(old: Path, new: Path, place: str) -> tuple[MemoryMove | None, list[Stay], list[str]]:
    """What has to be done for the memory of one folder to lie in another.

    Args:
        old, new: Memory folders; neither need exist.
        place: Where the memory comes from, in a word; it becomes part of names that are taken.

    Returns:
        The move (`None` if there is nothing to move), what stays in the old folder and why, and notes.

    Raises:
        MemtuiError: If a file can't be read.
    """
    here, there = Sheets(old), Sheets(new)
    stays = [Stay(name, "not a memory file") for name in _others(old)]
    tail = tail_of(place)
    files: list[FileName] = []
    stamps = scan(old, None)
    spelled = Counter(map(fold_name, stamps))
    for name in sorted(stamps, key=lambda name: (posixpath.basename(name) == INDEX_NAME, name)):
        twin = spelled[fold_name(name)] > 1  # one that went alone could not come back beside the other
        reason = "differs only in case from another file" if twin else _refusal(old, name, name)
        if reason:
            stays.append(Stay(name, reason))
            continue
        text = here.text(name)
        mtime = stamps[name].mtime_ns
        renamed = {file.source: file.target for file in files if file.renamed}
        if posixpath.basename(name) == INDEX_NAME:
            found = _index(there, name, text, renamed, mtime)
        else:
            found = _topic(there, new, name, text, tail, mtime)
        if isinstance(found, Stay):
            stays.append(found)
            continue
        files.append(found)
        here.drop(name)
    if not files:
        return None, stays, []
    coming = there.plan(f"memory of {place} comes here")
    leaving = here.plan(f"memory goes to {new.parent.name}")
    return MemoryMove(tuple(files), coming, leaving), stays, _notes(there, files)


def tail_of(place: str) -> str:
    """A word for a place that may stand in a file name."""
    words = _NOT_IN_NAMES.sub("-", unicodedata.normalize("NFC", place)).strip("-")[-LONGEST_TAIL:].strip("-")
    return words or "elsewhere"


def _topic(sheets: Sheets, root: Path, name: str, text: str, tail: str, mtime: int) -> FileName | Stay:
    for number in range(1, 1000):
        target = name if number == 1 else _beside(name, tail, number - 1)
        reason = _refusal(root, target, name)
        if reason and number > 1:
            return Stay(name, reason)
        if reason:
            continue  # taken by one that differs in case only, or by a link
        if not sheets.exists(target):
            sheets.put(target, text)
            return FileName(name, target, False, mtime)
        if sheets.text(target) == text:
            return FileName(name, target, True, mtime)
    raise MemtuiError(f"too many files are called like {name}")


def _beside(name: str, tail: str, number: int) -> str:
    more = f"-{number}" if number > 1 else ""
    return f"{name.removesuffix('.md')}.from-{tail}{more}.md"


def _refusal(root: Path, name: str, known: str) -> str:
    """Why a file can't be written there, "" if it can."""
    verdict = check_path(root, name, op="write", actor="user")
    if not verdict.allowed:
        return verdict.reason
    return "" if verdict.name == name else f"{verdict.name} is another spelling of {known}"


def _index(sheets: Sheets, name: str, text: str, renamed: Mapping[str, str], mtime: int) -> FileName | Stay:
    reason = _refusal(sheets.root, name, name)
    if reason:
        return Stay(name, reason)
    folder = posixpath.dirname(name)
    for old, new in renamed.items():
        if posixpath.dirname(old) == folder:
            text = retarget(text, posixpath.basename(old), posixpath.basename(new))
    if not sheets.exists(name):
        sheets.put(name, text)
        return FileName(name, name, False, mtime)
    before = sheets.text(name)
    after, lines = take_in(before, text)
    sheets.put(name, after)
    return FileName(name, name, not lines, mtime, lines)


def take_in(index: str, other: str) -> tuple[str, tuple[str, ...]]:
    """Put what an index lacks of another one under it.

    Args:
        index: The whole text; every byte of it stays.
        other: The whole text of the one that comes; its front matter is left out.

    Returns:
        The new text, and the lines that were put there, without line ends.
    """
    have = {line.strip() for line in index.split("\n")}
    body = [line.rstrip("\r") for line in other[body_start(other) :].removeprefix("\ufeff").split("\n")]
    lacking = [line for line in body if line.strip() and line.strip() not in have]
    if not lacking:
        return index, ()
    whole = any(mark in line for line in body for mark in _BLOCKS)
    lines = _kept(body, None if whole else set(lacking))
    newline = newline_of(index)
    text = index if not index or index.endswith("\n") else index + newline
    last = text.rstrip("\r\n").rpartition("\n")[2]
    if text.strip("\ufeff \r\n") and not (_LIST_LINE.match(last) and _LIST_LINE.match(lines[0])):
        text += "" if text.endswith(newline * 2) else newline
    return text + newline.join(lines) + newline, tuple(line for line in lines if line)


def _kept(body: list[str], wanted: set[str] | None) -> list[str]:
    """The wanted lines of a text, all if it is `None`; of blank lines at most one between two of them."""
    kept: list[str] = []
    gap = False
    for line in body:
        if not line.strip():
            gap = True
            continue
        if wanted is None or line in wanted:
            kept += [""] if gap and kept else []
            kept.append(line)
            gap = False
    return kept


def _notes(sheets: Sheets, files: list[FileName]) -> list[str]:
    notes = []
    for file in files:
        if file.renamed:
            notes.append(f"{file.source} is another one there: both stay, this one as {file.target}")
    index = sheets.text_or(INDEX_NAME, "")
    budget = measure_index(index)
    if budget.over:
        notes.append(f"{INDEX_NAME} is over its limit then: from line {budget.cut_line_in_file} on nothing is loaded")
    listed = {entry.target for entry in read_entries(index)}
    lost = [line for file in files if file.source == INDEX_NAME for line in file.lines
            if not all(entry.target in listed for entry in read_entries(line))]  # fmt: skip
    if lost:
        notes.append(f"{INDEX_NAME} there ends in a block that isn't closed: it takes in {many(len(lost), 'line')}")
    return notes


def _others(root: Path) -> list[str]:
    """What lies in a memory folder and is no memory: hidden files, other kinds, links."""
    found = []
    for above, _, entries in walk(root, hidden=True):
        for entry in entries:
            if entry.name == LOCK:
                continue  # goes its own way
            plain = entry.name.endswith(".md") and not entry.name.startswith(".")
            if entry.is_dir(follow_symlinks=False):
                found += [above + entry.name] if entry.name.startswith(".") else []
            elif not plain or not entry.is_file(follow_symlinks=False):
                found.append(above + entry.name)
    return sorted(found)
