"""An exact copy of a topic goes, and two texts about one topic as one text.

The rule removes a file whose text is another's, white space apart, and whose front matter says nothing that the other's
doesn't. Which name stays: that of the file to which a file links that may not be changed; else the older one's, if
topics link to it; else the newer one's. Links and the index follow. Two files stay apart if files that may not be
changed link to both, or if either holds a relative date whose day the other's front matter would change. Whatever is
only similar is proposed to a person (`dream.proposals`).

How `merge_texts` merges bodies: a body is cut at its headings, a section into blocks at blank lines; code stays in one
piece. A block of the older body goes to the end of the section with the same heading, or with its heading to the end of
the text; the text below a title goes below the title, whatever either says. Lines that the newer body has already are
left out if each line stands for itself (list items, sentences); else the whole block is kept or left out. A heading
with nothing new below it, or a second title, is left out of the text and handed back.
"""

import re

from msgspec import Struct, field

from memtui.dream.rules.context import RuleContext, RuleStep, parse_timestamp
from memtui.dream.rules.dates import depends_on_its_day
from memtui.memory.frontmatter import Frontmatter, newline_of, read_frontmatter, set_field
from memtui.memory.index import INDEX_NAME, drop_entries, read_entries
from memtui.memory.links import update_links
from memtui.memory.markdown import code_blocks, headings
from memtui.memory.similarity import TopicText, matching_pairs, normalized, topic_text
from memtui.memory.topic import MemoryFile

_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_ENDS = (".", "!", "?", "。")
_BOOKKEEPING = ("modified", "created", "originSessionId", "node_type", "metadata")
_CREATED = ("created", "metadata.created")


class _Section(Struct):
    """A heading's line, "" above the first, and the blocks below it, without blank lines."""

    heading: str
    blocks: list[str] = field(default_factory=list)

    @property
    def level(self) -> int:
        bare = self.heading.lstrip()
        return len(bare) - len(bare.lstrip("#"))


def merge_texts(newer: str, older: str) -> tuple[str, tuple[str, ...]]:
    """Merge an older file into a newer one, whose head stays; also gives the headings that are left out of it."""
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
    merged, left_out = _merge_bodies(body, old_body)
    return _with_created(head + merged.replace("\n", newline), old_front), left_out


def _merge_bodies(body: str, old_body: str) -> tuple[str, tuple[str, ...]]:
    known = {normalized(line) for line in body.split("\n")}
    sections = _sections(body)
    dropped: list[str] = []
    pending: list[_Section] = []  # headings without new text of their own, below which some may follow
    changed = False
    for number, section in enumerate(_sections(old_body)):
        heading = normalized(section.heading)
        blocks = [block for block in section.blocks if not _is_known(block, known, body)]
        section.blocks = [_new_lines(block, known) for block in blocks if not _join_list(block, sections, known)]
        changed = changed or bool(blocks)
        is_new = bool(heading) and heading not in known
        while pending and pending[-1].level >= section.level:
            dropped.append(pending.pop().heading)
        if number == 0 and section.level < 2 and sections[0].level < 2:  # the title and what stands below it
            sections[0].blocks += section.blocks
            dropped += [section.heading] if is_new else []
        elif not section.blocks:
            pending += [section] if is_new else []
        elif same := next((one for one in sections if normalized(one.heading) == heading), None):
            same.blocks += section.blocks
        else:
            sections += [*pending, section]
            pending.clear()
    dropped += [section.heading for section in pending]
    words = dict.fromkeys(normalized(heading).strip("# ") for heading in dropped)
    return _as_text(body, sections) if changed else body, tuple(word for word in words if word)


def _is_known(block: str, known: set[str], body: str) -> bool:
    """Whether a block says nothing new; code does, unless it is there in one piece."""
    if _is_code(block):
        return block.strip("\n") in body
    return all(normalized(line) in known for line in block.split("\n"))


def _is_code(block: str) -> bool:
    return block.lstrip().startswith(("```", "~~~"))


def _join_list(block: str, sections: list[_Section], known: set[str]) -> bool:
    """Add the new items of a list to the same list of the other text: one that begins alike, or shares an item."""
    lines = block.split("\n")
    new = [line for line in lines if normalized(line) not in known]
    if _is_code(block) or not all(_ITEM.match(line) for line in new):
        return False
    known = {normalized(line) for line in lines if _ITEM.match(line)}
    for section in sections:
        for number, host in enumerate(section.blocks):
            items = host.split("\n")
            begins_alike = normalized(items[0]) == normalized(lines[0])
            shares = _ITEM.match(lines[0]) and any(normalized(item) in known for item in items)
            if (begins_alike or shares) and _ITEM.match(items[-1]) and not _is_code(host):
                section.blocks[number] = "\n".join([host, *new])
                return True
    return False


def _new_lines(block: str, known: set[str]) -> str:
    """The lines of a block that are new, if each line stands for itself: an item, a sentence; else the whole block."""
    lines = block.split("\n")
    if not _is_code(block) and all(_ITEM.match(line) or line.rstrip().endswith(_ENDS) for line in lines):
        return "\n".join(line for line in lines if normalized(line) not in known)
    return block


def _sections(body: str) -> list[_Section]:
    heads = {heading.start for heading in headings(body)}
    code = code_blocks(body)
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


def _as_text(body: str, sections: list[_Section]) -> str:
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
    if key is not None:
        one, other = parse_timestamp(found[1]), parse_timestamp(front.get(key))
        if one is None or (other is not None and other <= one):
            return text
    if key is None:
        key = found[0] if front.field("metadata") is not None else "created"
    made = set_field(text, key, found[1])
    return made if read_frontmatter(made).get(key) == found[1] else text


def merge_duplicates(context: RuleContext) -> None:
    """Remove exact copies that say nothing of their own, two files at a time, until no two are left."""
    refused: set[tuple[str, str]] = set()
    while True:
        context.refresh()
        texts = [topic_text(file.name, file.type, file.front.name, context.text(file.name)) for file in context.topics]
        for one, other, match in matching_pairs(texts):
            if match == "same" and (one.name, other.name) not in refused and _merge(context, one, other):
                break
            refused.add((one.name, other.name))
        else:
            return


def _merge(context: RuleContext, one: TopicText, other: TopicText) -> bool:
    files = [file for text in (one, other) if (file := context.scope.find(text.name)) is not None]
    # The newer first; of one age, the longer.
    files.sort(key=lambda file: (-file.mtime_ns, -file.size, file.name))
    newer, older = files
    if not adds_nothing(older.front, newer.front):
        if not adds_nothing(newer.front, older.front):
            return False
        newer, older = older, newer
    fixed = [_has_fixed_links(context, file) for file in (newer, older)]
    kept, gone = (older, newer) if context.graph.links_in(older) else (newer, older)
    if any(fixed):
        kept, gone = (newer, older) if fixed[0] else (older, newer)
    # Whether to merge may not depend on which is newer: our own writes change that before the next run.
    dated = newer.front.modified != older.front.modified
    if all(fixed) or (dated and any(depends_on_its_day(context.text(file.name)) for file in files)):
        context.note(f"{one.name} and {other.name} are the same text, but can't be merged for certain: both stay")
        return False
    after = _move_links(context, gone.name, kept.name)
    after[kept.name] = update_links(context.text(newer.name), newer.name, gone.name, kept.name, context.graph.names)
    after[gone.name] = None
    done = context.change("exact-duplicate", kept.name, f"{gone.name} is in {kept.name}: the same text", after)
    if done:
        context.age_like(kept.name, newer)
    return done


def adds_nothing(front: Frontmatter, other: Frontmatter) -> bool:
    """Whether a block says nothing that another doesn't; when and by which session it was written doesn't count."""
    if any(note.code in ("odd-line", "second-block") for note in front.problems) or front.verdict == "invalid":
        return False
    return all(
        field.value is None or field.value == other.get(field.key) or field.key.rpartition(".")[2] in _BOOKKEEPING
        for field in front.fields
    )


def _has_fixed_links(context: RuleContext, file: MemoryFile) -> bool:
    """Whether a file that may not be changed links to this one."""
    return any(not context.may_change(one.name) for one in context.graph.linking(file.name))


def _move_links(context: RuleContext, gone: str, kept: str) -> dict[str, str | None]:
    """The texts of the files that link to `gone`, with those links leading to `kept`; the index lists `kept` once."""
    names = context.graph.names
    after: dict[str, str | None] = {}
    for file in context.graph.linking(gone):
        if file.name in (gone, kept):
            continue
        text = context.text(file.name)
        if file.name == INDEX_NAME:
            entries = read_entries(text)
            found = {target: names.resolve(INDEX_NAME, target).name for target in {one.target for one in entries}}
            if kept in found.values():
                for target in sorted(target for target, name in found.items() if name == gone):
                    text = drop_entries(text, target)
        after[file.name] = update_links(text, file.name, gone, kept, names)
    return after


STEP = RuleStep((merge_duplicates,), order=30)
