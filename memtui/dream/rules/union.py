"""What is left of two texts of one topic: every line of both, the newer first.

A body is cut at its headings, a section into blocks at blank lines; code stays in one piece. A block of the older text
of which every line is in the newer one is left out; else it is put at the end of the section of the same heading, or
with its heading at the end; what stands below the title goes below the title, whatever that is. Of a list, or of lines
that are a sentence each, only those that are new are put there. A heading below which nothing is new, or a second
title, has no place in the text any more: it is handed back by itself.
"""

import re
from typing import NamedTuple

from msgspec import Struct, field

from memtui.dream.rules.desk import plain, stamp_of
from memtui.memory.fields import Frontmatter, read_frontmatter
from memtui.memory.frontmatter import set_field
from memtui.memory.index import newline_of
from memtui.memory.markdown import code_spans, headings

_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_ENDS = (".", "!", "?", "。")
_CREATED = ("created", "metadata.created")


class Union(NamedTuple):
    """A text out of two, and the headings of the older one that have no place in it."""

    text: str
    headings: tuple[str, ...] = ()


class _Section(Struct):
    """A heading's line, "" above the first, and the blocks below it, without blank lines."""

    heading: str
    blocks: list[str] = field(default_factory=list)

    @property
    def level(self) -> int:
        """That of the heading, 0 without one."""
        bare = self.heading.lstrip()
        return len(bare) - len(bare.lstrip("#"))


def union(newer: str, older: str) -> Union:
    """Bring two files together.

    Args:
        newer: The text whose front matter and order stay; its line ends are used.
        older: The text of which only what is new is taken, and the earlier date of creation.

    Returns:
        The text; every line of both bodies is in it, but for the headings named beside it.
    """
    front, old_front = read_frontmatter(newer), read_frontmatter(older)
    newline = newline_of(newer)
    head = newer[: front.body_start]
    if not front.block and old_front.block:
        mark = "\ufeff" if newer.startswith("\ufeff") else ""
        head = mark + older[: old_front.body_start].removeprefix("\ufeff").replace("\r\n", "\n").replace("\n", newline)
        newer = newer.removeprefix("\ufeff")
        front = Frontmatter("ok")
        head = head if head.endswith(newline * 2) else head + newline
    body = newer[front.body_start :].replace("\r\n", "\n")
    old_body = older[old_front.body_start :].removeprefix("\ufeff").replace("\r\n", "\n")
    made, lone = _united(body, old_body)
    return Union(_with_created(head + made.replace("\n", newline), old_front), lone)


def _united(body: str, old_body: str) -> Union:
    have = {plain(line) for line in body.split("\n")}
    sections = _sections(body)
    lone: list[str] = []
    above: list[_Section] = []  # headings without text of their own, below which something new may still come
    changed = False
    for number, section in enumerate(_sections(old_body)):
        blocks = [block for block in section.blocks if not _is_there(block, have, body)]
        joined = [block for block in blocks if _joins(block, sections, have)]
        section.blocks = [_new_of(block, have) for block in blocks if block not in joined]
        changed = changed or bool(blocks)
        known = not section.heading or plain(section.heading) in have
        while above and above[-1].level >= section.level:
            lone.append(above.pop().heading)
        if number == 0 and section.level < 2 and sections[0].level < 2:  # the title and what stands below it
            sections[0].blocks += section.blocks
            lone += [] if known else [section.heading]
        elif not section.blocks:
            above += [] if known else [section]
            continue
        elif (
            same := next((one for one in sections if plain(one.heading) == plain(section.heading)), None)
        ) is not None:
            same.blocks += section.blocks
        else:
            sections += [*above, section]
            above.clear()
    lone += [section.heading for section in above]
    words = dict.fromkeys(plain(heading).strip("# ") for heading in lone)
    return Union(_joined(body, sections) if changed else body, tuple(word for word in words if word))


def _is_there(block: str, have: set[str], body: str) -> bool:
    """Whether a block says nothing new; code does, unless it is there in one piece."""
    if _is_code(block):
        return block.strip("\n") in body
    return all(plain(line) in have for line in block.split("\n"))


def _is_code(block: str) -> bool:
    return block.lstrip().startswith(("```", "~~~"))


def _joins(block: str, sections: list[_Section], have: set[str]) -> bool:
    """Put the new items of a list at the end of the same list, if it is there: it begins alike, or shares an item."""
    lines = block.split("\n")
    new = [line for line in lines if plain(line) not in have]
    if _is_code(block) or not all(_ITEM.match(line) for line in new):
        return False
    known = {plain(line) for line in lines if _ITEM.match(line)}
    for section in sections:
        for number, host in enumerate(section.blocks):
            items = host.split("\n")
            begins_alike = plain(items[0]) == plain(lines[0])
            shares = _ITEM.match(lines[0]) and any(plain(item) in known for item in items)
            if (begins_alike or shares) and _ITEM.match(items[-1]) and not _is_code(host):
                section.blocks[number] = "\n".join([host, *new])
                return True
    return False


def _new_of(block: str, have: set[str]) -> str:
    """The lines of a block that are new, if each line stands for itself: an item, a sentence; else the whole block."""
    lines = block.split("\n")
    if not _is_code(block) and all(_ITEM.match(line) or line.rstrip().endswith(_ENDS) for line in lines):
        return "\n".join(line for line in lines if plain(line) not in have)
    return block


def _sections(body: str) -> list[_Section]:
    heads = {heading.start for heading in headings(body)}
    code = [span for span in code_spans(body) if "\n" in body[span[0] : span[1]]]
    sections = [_Section("")]
    block: list[str] = []
    at = 0

    def end_block() -> None:
        if block:
            sections[-1].blocks.append("\n".join(block))
            block.clear()

    for line in body.split("\n"):
        inside = any(start < at < end for start, end in code)
        if at in heads:
            end_block()
            sections.append(_Section(line))
        elif line.strip() or inside:
            block.append(line)
        else:
            end_block()
        at += len(line) + 1
    end_block()
    return [one for one in sections if one.heading or one.blocks] or [_Section("")]


def _joined(body: str, sections: list[_Section]) -> str:
    """The sections as text: blocks with a blank line between them, items of one list without."""
    lead = body[: len(body) - len(body.lstrip("\n"))]
    parts: list[str] = []
    for section in sections:
        if section.heading:
            parts.append(section.heading)
        last = ""
        for block in section.blocks:
            if last and _ITEM.match(last.split("\n")[-1]) and _ITEM.match(block) and "\n\n" not in block:
                parts[-1] += "\n" + block
            else:
                parts.append(block)
            last = block
    return lead + "\n\n".join(parts) + "\n"


def _with_created(text: str, old: Frontmatter) -> str:
    """The text with the earlier of two dates of creation, where the older text has one."""
    found = next(((key, value) for key in _CREATED if (value := old.get(key)) is not None), None)
    front = read_frontmatter(text)
    if found is None or not front.block or front.verdict == "invalid":
        return text
    key = next((key for key in _CREATED if front.get(key) is not None), None)
    if key is not None and not _earlier(found[1], front.get(key)):
        return text
    if key is None:
        key = found[0] if front.field("metadata") is not None else "created"
    made = set_field(text, key, found[1])
    return made if read_frontmatter(made).get(key) == found[1] else text


def _earlier(one: str, other: str | None) -> bool:
    a, b = stamp_of(one), stamp_of(other)
    return a is not None and (b is None or a < b)
