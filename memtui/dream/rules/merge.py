"""Two files that are one topic become one: every line of both, the newer first, both sources named.

The name that stays is that of the file to which one links that may not be changed, else the older one's if topics link
to it, else the newer one's; links and the index follow. In *prune* a copy that says nothing of its own, in its front
matter neither, goes without a note.

Two files aren't merged where files that may not be changed link to both, or where either still holds a relative date
whose day the other's front matter would change.

What is left of two texts of one topic: every line of both, the newer first.

A body is cut at its headings, a section into blocks at blank lines; code stays in one piece. A block of the older text
of which every line is in the newer one is left out; else it is put at the end of the section of the same heading, or
with its heading at the end; what stands below the title goes below the title, whatever that is. Of a list, or of lines
that are a sentence each, only those that are new are put there. A heading below which nothing is new, or a second
title, has no place in the text any more: it is handed back by itself.
"""

import re

from msgspec import Struct, field
from msgspec.structs import replace

from memtui.dream.rules.context import RuleContext, plain, stamp_of
from memtui.dream.rules.dates import rests_on_its_day
from memtui.dream.rules.similarity import MERGED, Text, Way, pairs, text_of
from memtui.memory.frontmatter import Frontmatter, read_frontmatter, set_field
from memtui.memory.index import INDEX_NAME, drop_entries, newline_of, read_entries
from memtui.memory.links import slug
from memtui.memory.markdown import code_spans, headings
from memtui.memory.plans import relink
from memtui.memory.topic import MAX_SIZE, MemoryFile

_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_ENDS = (".", "!", "?", "。")
_CREATED = ("created", "metadata.created")


class Union(Struct, frozen=True):
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
    union = _united(body, old_body)
    return replace(union, text=_with_created(head + union.text.replace("\n", newline), old_front))


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


_WAYS: dict[Way, str] = {
    "same": "the same text",
    "held": "every line of it was there",
    "near": "nearly the same text",
}


def merge_duplicates(desk: RuleContext) -> None:
    """Merge what is one topic, until nothing more is."""
    refused: set[tuple[str, str]] = set()
    while True:
        desk.look()
        texts = [text_of(file.name, file.type, file.front.name, desk.text(file.name)) for file in desk.topics]
        for one, other, way in pairs(texts):
            if (one.name, other.name) not in refused and _merge(desk, one, other, way):
                break
            refused.add((one.name, other.name))
        else:
            return


def _merge(desk: RuleContext, one: Text, other: Text, way: Way) -> bool:
    files = [file for text in (one, other) if (file := desk.scope.find(text.name)) is not None]
    # The newer first; of one age, the one that says more.
    files.sort(key=lambda file: (-file.mtime_ns, -file.size, file.name))
    newer, older = files
    held = [_is_held_by_others(desk, file) for file in files]
    kept, gone = (older, newer) if desk.graph.links_in(older) else (newer, older)
    if any(held):
        kept, gone = (newer, older) if held[0] else (older, newer)
    # Nothing here may rest on which is newer: our own writes change that before the next run.
    if all(held) or (newer.front.modified != older.front.modified and _rests(desk, newer, older)):
        desk.remark(f"{one.name} and {other.name} are {_WAYS[way]}, but can't be merged for certain: both stay")
        return False
    same = plain(one.body) == plain(other.body)  # notes of earlier merges too
    copy = desk.mode == "prune" and same and _says_the_same(newer, older)
    text = desk.text(newer.name)
    if not copy:
        both = union(text, desk.text(older.name))
        text = _noted(both.text, newer, older, both.headings)
    if len(text.encode("utf-8")) > MAX_SIZE:
        return False
    after = _relinked(desk, gone.name, kept.name)
    after[kept.name] = relink(text, newer.name, gone.name, kept.name, desk.graph.names)
    after[gone.name] = None
    rule = "exact-duplicate" if copy else "merge"
    words = f"{gone.name} is in {kept.name}: {_WAYS[way]}"
    done = desk.change(rule, kept.name, words, after)
    if done:
        desk.grow(kept.name, newer)
    return done


def _is_held_by_others(desk: RuleContext, gone: MemoryFile) -> bool:
    """Whether a link leads to a file from one that may not be changed, or can't be made to lead elsewhere."""
    linking = (file for file in desk.scope.files if any(out.target.name == gone.name for out in desk.graph.out(file)))
    return any(not desk.may(file.name) for file in linking)


def _rests(desk: RuleContext, newer: MemoryFile, older: MemoryFile) -> bool:
    return any(rests_on_its_day(desk.text(file.name)) for file in (newer, older))


def _says_the_same(newer: MemoryFile, older: MemoryFile) -> bool:
    return (older.front.name in (None, newer.front.name)) and older.description in (None, newer.description)


def _noted(text: str, newer: MemoryFile, older: MemoryFile, headings: tuple[str, ...]) -> str:
    """The text with both sources named at its end, and what else the older one and its parts were called."""
    newline = newline_of(text)
    lines = [f"Merged from `{newer.name}` and `{older.name}`."]
    called = older.front.name if older.front.name != newer.front.name else None
    said = older.description if older.description != newer.description else None
    parts = [heading for heading in headings if slug(heading) not in (slug(called or ""), slug(older.title))]
    if called or said or headings:
        rest = (f": {plain(said)}" if said else "") + (f" (parts: {'; '.join(parts)})" if parts else "")
        lines.append(f'`{older.name}` was called "{plain(called or older.title)}"{rest}')
    stem = text.rstrip("\r\n")
    last = stem.rpartition("\n")[2].rstrip("\r")
    gap = newline if MERGED.match(last) else newline * 2
    return stem + gap + newline.join(lines) + newline


def _relinked(desk: RuleContext, gone: str, kept: str) -> dict[str, str | None]:
    """The texts of the files that link to what goes, linking to what stays; one entry of it in the index."""
    names = desk.graph.names
    after: dict[str, str | None] = {}
    for file in desk.scope.files:
        if file.name in (gone, kept) or all(out.target.name != gone for out in desk.graph.out(file)):
            continue
        text = desk.text(file.name)
        if file.name == INDEX_NAME:
            entries = read_entries(text)
            found = {target: names.resolve(INDEX_NAME, target).name for target in {one.target for one in entries}}
            if kept in found.values():
                for target in sorted(target for target, name in found.items() if name == gone):
                    text = drop_entries(text, target)
        after[file.name] = relink(text, file.name, gone, kept, names)
    return after
