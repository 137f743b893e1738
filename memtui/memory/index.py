"""The entries and lines of an index (`MEMORY.md`), read leniently and edited by span.

An entry is any line outside front matter, code and comments with a link to a local `.md` file: `- [Title](file.md) —
description` is the usual form; other separators, numbered lists and lines without a bullet occur. The first such link
says which file the entry stands for, the text behind it is its description. An edit replaces the characters in question
and leaves every other byte: line ends, order, headings, prose, a missing last line end.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from memtui.memory.budget import IndexBudget, body_start, counted_text, units
from memtui.memory.frontmatter import newline_of
from memtui.memory.markdown import (
    Edit,
    Link,
    apply_edits,
    code_blocks,
    find_links,
    headings,
    target_edit,
    write_label,
    write_target,
)
from memtui.util.text import nfc

INDEX_NAME = "MEMORY.md"
_SEPARATOR = re.compile(r"[*_`]{0,3}[ \t]*(?:[—–―:|→]|-{1,2}(?=[ \t\r\n]|\Z)|)[ \t]*")
_BULLET = re.compile(r"[ \t]*(?:[-*+]|(\d{1,9})([.)]))[ \t]+(?:\[[ xX]\][ \t]+)?[*_]{0,3}\Z")
_LIST_LINE = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")


class IndexEntry(Struct, frozen=True):
    """One entry of an index."""

    line: int  # from 1
    start: int  # `start` and `end` span its whole lines
    end: int
    title: str
    target: str  # the file's name, posix and relative to the index, decoded
    description: str
    loaded: bool | None  # whether the agent gets it, None if nobody asked
    link: Link
    description_start: int
    description_end: int
    more: tuple[str, ...] = ()  # further local files of the line


def local_name(link: Link) -> str | None:
    """The file that a link in an index names, relative to the index's folder; None for anything but a local `.md`."""
    if link.kind != "markdown" or link.external or not link.target.lower().endswith(".md"):
        return None
    return posixpath.normpath(link.target)


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same file's, composed and decomposed spelling alike."""
    return one == other or nfc(one) == nfc(other)


def read_entries(text: str, budget: IndexBudget | None = None) -> tuple[IndexEntry, ...]:
    """The entries of an index in their order; `budget` is its measure, if `loaded` is to be known."""
    begin = body_start(text)
    entries: list[IndexEntry] = []
    for link in find_links(text):
        name = local_name(link) if link.start >= begin else None
        if name is None:
            continue
        if entries and link.start < entries[-1].end:
            entries[-1] = replace(entries[-1], more=(*entries[-1].more, name))
            continue
        start = text.rfind("\n", 0, link.start) + 1
        end = text.find("\n", link.end) + 1 or len(text)
        separator = _SEPARATOR.match(text, link.end)
        at = link.end if separator is None else separator.end()
        description = text[at:end].rstrip()
        loaded = None
        if budget is not None:
            loaded = budget.cut_line_in_file is None or link.line < budget.cut_line_in_file
        title = link.label.strip("*_ ")
        entries.append(
            IndexEntry(link.line, start, end, title, name, description, loaded, link, at, at + len(description))
        )
    return tuple(entries)


def lost_entries(entries: tuple[IndexEntry, ...]) -> tuple[IndexEntry, ...]:
    return tuple(entry for entry in entries if entry.loaded is False)


def add_entry(text: str, title: str, target: str, description: str, section: str | None = None) -> str:
    """Put a new entry behind the last one, or the last of a section (made at the end if absent), in its manner."""
    newline = newline_of(text)
    entries = list(read_entries(text))
    line = _line(None, text, title, target, description)
    if section is not None:
        found = [h for h in headings(text) if h.text.casefold() == section.casefold() and h.start >= body_start(text)]
        if not found:
            gap = "" if not text.strip("\ufeff \r\n") else newline if text.endswith("\n") else newline * 2
            return f"{text}{gap}## {section}{newline * 2}{line}{newline}"
        heading = found[0]
        later = [h.start for h in headings(text) if h.start > heading.start and h.level <= heading.level]
        entries = [e for e in entries if heading.end <= e.start < min(later, default=len(text))]
        if not entries:
            return text[: heading.end] + newline * 2 + line + text[heading.end :]
    if entries:
        at = entry_end(text, entries[-1])
        line = _line(entries[-1], text, title, target, description)
        if text[:at].endswith("\n"):
            return text[:at] + line + newline + text[at:]
        return text[:at] + newline + line + text[at:]
    if not text.strip("\ufeff \r\n"):
        return text + line + newline
    last = text.rstrip("\r\n").rpartition("\n")[2]
    gap = "" if text.endswith("\n") else newline
    if _LIST_LINE.match(last) is None and not text.endswith(newline * 2):
        gap += newline
    added = text + gap + line + newline
    if any(same_name(entry.target, posixpath.normpath(target)) for entry in read_entries(added)):
        return added
    at = body_start(text)  # an unclosed fence swallows whatever stands behind it
    gap = newline if text[:at] and not text[:at].endswith("\n") else ""
    return text[:at] + gap + line + newline + text[at:]


class EntryRow(Struct, frozen=True):
    """A new entry: the file's name is relative to the index; `type` chooses the heading to put it under."""

    title: str
    name: str
    description: str
    type: str | None


def add_entries(text: str, rows: Iterable[EntryRow], types: Mapping[str, str | None] = MappingProxyType({})) -> str:
    """Add entries, each into the section whose heading names its type, or with most of its type, else at the end."""
    for row in rows:
        text = add_entry(text, row.title, row.name, row.description, _fitting_section(text, row.type, types))
    return text


def _fitting_section(text: str, type: str | None, types: Mapping[str, str | None]) -> str | None:
    if type is None:
        return None
    heads = [heading for heading in headings(text) if heading.start >= body_start(text)]
    wanted = (type, f"{type}s", f"{type} memory", f"{type} memories")
    named = next((heading.text for heading in heads if heading.text.casefold() in wanted), None)
    if named is not None:
        return named
    counts: Counter[str] = Counter()
    for entry in read_entries(text):
        above = [heading for heading in heads if heading.start < entry.start]
        if above and above[-1].level > 1 and types.get(entry.target) == type:
            counts[above[-1].text] += 1
    return counts.most_common(1)[0][0] if counts else None


def move_entry_up(text: str, target: str, max_line: int) -> str:
    """Move an entry, with what hangs below it, to before the first of its section, if that is before `max_line`.

    Else it goes before the first entry of all. A text with the entry above `max_line` stays as it is.
    """
    entries = read_entries(text)
    entry = next((one for one in entries if same_name(one.target, target)), None)
    if entry is None or entry.line < max_line:
        return text
    heads = [heading.start for heading in headings(text) if heading.start < entry.start]
    inside = [one for one in entries if one.start > max(heads, default=-1)]
    goal = next((one for one in (*inside[:1], entries[0]) if one.line < max_line), entries[0])
    if goal.start >= entry.start:
        return text
    end = entry_end(text, entry)
    moved, newline = text[entry.start : end], newline_of(text)
    rest = text[: entry.start] + text[end:]
    if not moved.endswith("\n"):
        moved += newline
        rest = rest.removesuffix(newline)
    return rest[: goal.start] + moved + rest[goal.start :]


def _line(like: IndexEntry | None, text: str, title: str, target: str, description: str) -> str:
    """A new line; bullet and separator as in the entry before."""
    bullet, separator = "- ", " — "
    if like is not None:
        before = text[like.start : like.link.start]
        match = _BULLET.match(before)
        if match is not None:
            bullet = before if match[1] is None else f"{before[: match.start(1)]}{int(match[1]) + 1}{match[2]} "
            bullet = bullet.rstrip("*_")
        if like.description:
            separator = text[like.link.end : like.description_start].lstrip("*_`")
            separator = separator if separator.strip() else " — "
    description = " ".join(description.split())
    return f"{bullet}[{write_label(title)}]({write_target(target)})" + (separator + description if description else "")


def entry_end(text: str, entry: IndexEntry) -> int:
    """Where an entry ends together with the deeper indented lines below it that are no entries themselves."""
    before = text[entry.start : entry.link.start]
    indent = len(before) - len(before.lstrip())
    at = entry.end
    if _LIST_LINE.match(text, entry.start) is None:
        return at
    while at < len(text):
        line = text[at : text.find("\n", at) + 1 or len(text)]
        if not line.strip() or len(line) - len(line.lstrip()) <= indent:
            break
        if any(local_name(link) is not None for link in find_links(line)):
            break
        at += len(line)
    return at


def drop_entries(text: str, target: str) -> str:
    """Take the entries of a file out, with their continuation lines; a link to it in another becomes its label."""
    edits: list[Edit] = []
    for entry in read_entries(text):
        if same_name(entry.target, target) and not entry.more and _LIST_LINE.match(text, entry.start) is not None:
            edits.append((entry.start, entry_end(text, entry), ""))
            continue
        for link in find_links(text[entry.start : entry.end]):
            name = local_name(link)
            if name is not None and same_name(name, target):
                edits.append((entry.start + link.start, entry.start + link.end, link.label))
    return apply_edits(text, edits)


def retarget_entries(text: str, old: str, new: str) -> str:
    """Let every link of an index to a file, as `IndexEntry.target` names it, name another."""
    begin = body_start(text)
    found = [link for link in find_links(text) if link.start >= begin and same_name(local_name(link) or "", old)]
    return apply_edits(text, [target_edit(text, link, new) for link in found])


def set_description(text: str, target: str, description: str) -> str:
    """Give the entries of a file another description; an empty one takes the separator away too."""
    description = " ".join(description.split())
    edits: list[Edit] = []
    for entry in read_entries(text):
        if not same_name(entry.target, target):
            continue
        if entry.description and description:
            edits.append((entry.description_start, entry.description_end, description))
        elif description:
            edits.append((entry.description_start, entry.description_end, f" — {description}"))
        elif entry.description:
            closing = re.compile(r"[*_`]*").match(text, entry.link.end)
            edits.append((entry.link.end if closing is None else closing.end(), entry.description_end, ""))
    return apply_edits(text, edits)


LineKind = Literal["free", "heading", "entry", "prose", "blank"]


class IndexLine(Struct, frozen=True):
    """A line of an index, or several that belong together; "free" lines (front matter, comments) don't count."""

    text: str
    kind: LineKind
    number: int
    entry: IndexEntry | None = None
    level: int = 0

    @property
    def cost(self) -> tuple[int, int]:
        """Lines and units that it takes of the budget."""
        return (0, 0) if self.kind == "free" else (self.text.count("\n"), units(self.text))


def index_lines(text: str) -> list[IndexLine]:
    """The lines of an index, each with its kind; an entry holds its continuation lines, code all of its lines."""
    begin = body_start(text)
    heads = {heading.start: heading.level for heading in headings(text)}
    spans = {entry.start: (entry_end(text, entry), entry) for entry in read_entries(text)}
    counts = counted_text(text).lines_in_file()
    blocks = code_blocks(text)
    lines: list[IndexLine] = []
    at, number = 0, 1
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        entry = None
        if at in spans:
            end, entry = spans[at]
        while blocks and blocks[0][0] < end:  # code or a comment over several lines stays in one piece
            end = max(end, text.find("\n", blocks.pop(0)[1] - 1) + 1 or len(text))
        piece = text[at:end]
        height = piece.count("\n") + (not piece.endswith("\n"))
        is_free = at < begin or (piece.strip() and counts.isdisjoint(range(number, number + height)))
        kind: LineKind = "free" if is_free else "entry" if entry else "blank" if not piece.strip() else "prose"
        if kind == "prose" and at in heads:
            kind = "heading"
        lines.append(IndexLine(piece, kind, number, entry, heads.get(at, 0)))
        number += height
        at = end
    return lines


def remove_entries(text: str, entries: list[IndexEntry]) -> str:
    """The text without some of its entries and what hangs below them."""
    return apply_edits(text, [(entry.start, entry_end(text, entry), "") for entry in entries])


def collapse_blank_lines(text: str) -> str:
    """Make each run of blank lines one line; those in code are part of its block."""
    lines = index_lines(text)
    pairs = zip(lines, ["", *(line.kind for line in lines)], strict=False)
    return "".join(line.text for line, before in pairs if not line.kind == before == "blank")


def drop_empty_headings(before: str, after: str) -> str:
    """Drop headings that had an entry or prose before and have none now, with the blank lines below them."""
    if before == after:
        return after
    filled = _filled_headings(index_lines(before))
    lines = index_lines(after)
    still = _filled_headings(lines)
    if len(filled) != len(still):  # a fence or comment lost its end: better a heading too many
        return after
    kept: list[IndexLine] = []
    number = 0
    skipping = False
    for line in lines:
        if line.kind == "heading":
            skipping = filled[number] and not still[number]
            number += 1
            if skipping:
                continue
        elif line.kind != "blank":
            skipping = False
        if not (skipping and line.kind == "blank"):
            kept.append(line)
    return "".join(line.text for line in kept)


def _filled_headings(lines: list[IndexLine]) -> list[bool]:
    """For each heading, whether an entry or prose stands before the next heading of its level."""
    filled: list[bool] = []
    open_: list[tuple[int, int]] = []
    for line in lines:
        if line.kind == "heading":
            open_ = [(level, number) for level, number in open_ if level < line.level] + [(line.level, len(filled))]
            filled.append(False)
        elif line.kind in ("entry", "prose"):
            for _, number in open_:
                filled[number] = True
    return filled
