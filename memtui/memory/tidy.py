"""A shorter index, worked out before anything is written.

`tidy_index` shortens the index as it is, in this order: it drops entries of missing files and further entries of one
file, and cuts long descriptions to one sentence. If the text is over the goal then, it collapses blank lines, moves
prose beyond half of the goal into a topic of its own, and drops the least useful entries until the rest fits. Headings
that lost their last entry go too. `rebuild_index` writes a new index from the topics, grouped by type.

Both are pure and deterministic; tidying a tidied index changes nothing.
"""

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from memtui.memory.budget import MAX_LINES, MAX_UNITS, IndexBudget, measure_index
from memtui.memory.frontmatter import TYPES, newline_of
from memtui.memory.index import (
    IndexEntry,
    IndexLine,
    add_entry,
    collapse_blank_lines,
    drop_empty_headings,
    index_lines,
    read_entries,
    remove_entries,
    set_description,
)
from memtui.memory.topic import MemoryFile
from memtui.util.text import nfc

TIDY_GOAL = 0.7
"""The share of both limits to come down to: what the client asks for once an index is over them (2.1.210)."""
LONG_DESCRIPTION_CHARS = 150
"""The client asks for entries shorter than this."""
NOTES_NAME = "index_notes.md"
NOTES_TITLE = "Notes from the index"
NOTES_DESCRIPTION = "What stood in the index itself"

_WEIGHT = {"feedback": 3.0, "user": 3.0, "project": 2.0, "reference": 1.5}
_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|[。！？]")
_GROUPS = {"user": "User", "feedback": "Feedback", "project": "Project", "reference": "Reference", None: "Other"}


class TidyTopic(Struct, frozen=True):
    """What the usefulness of a topic's entry depends on; `links_in` counts the other topics that link to it."""

    name: str
    title: str
    description: str | None = None
    type: str | None = None
    links_in: int = 0
    modified: float = 0.0
    pinned: bool = False

    @classmethod
    def of(cls, file: MemoryFile, links_in: int, *, pinned: bool = False) -> "TidyTopic":
        """A topic as it was read."""
        return cls(file.name, file.entry_title, file.description, file.type, links_in, file.modified, pinned)


class DroppedEntry(Struct, frozen=True):
    """An entry that was shortened or left out.

    `line` counts from 1 in the text before; `reason` is "dead", "duplicate", "shortened" or "over-budget".
    """

    line: int
    title: str
    target: str
    reason: str
    message: str


class TidyResult(Struct, frozen=True):
    """A shorter index, and what became of the rest.

    `moved` is prose that the caller adds to a topic called `moved_to` (both "" if nothing moves); `text_after` lists
    that topic already. Nothing else is lost but what `dropped` lists.
    """

    text_before: str
    text_after: str
    before: IndexBudget
    after: IndexBudget
    dropped: tuple[DroppedEntry, ...]
    moved: str = ""
    moved_to: str = ""

    @property
    def changed(self) -> bool:
        return self.text_before != self.text_after


def usefulness(topic: TidyTopic | None, description: str, now: float) -> float:
    """How much an entry is worth its line: by type, links from other topics, age, shortness; most if it is pinned."""
    if topic is None:
        return -1.0
    age_days = max(0.0, now - topic.modified) / 86_400
    length = min(len(description) / (2 * LONG_DESCRIPTION_CHARS), 1.0)
    score = _WEIGHT.get(topic.type or "", 1.0) + 0.5 * min(topic.links_in, 6) + 2.0 / (1.0 + age_days / 60)
    return score - length + (1000.0 if topic.pinned else 0.0)


def one_sentence(text: str, limit: int = LONG_DESCRIPTION_CHARS) -> str:
    """The first sentence of a text, cut at a word and marked with an ellipsis if even that is over the limit."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    for match in _SENTENCE_END.finditer(text, 20, limit):
        return text[: match.end()]
    head = text[: limit - 1]
    space = head.rfind(" ")
    return (head[:space] if space > limit // 2 else head).rstrip(" ,;:—–-") + "…"


def tidy_index(
    text: str, topics: Sequence[TidyTopic], *, now: float, goal: float = TIDY_GOAL, max_lines: int = MAX_LINES,
    max_units: int = MAX_UNITS,
) -> TidyResult:  # fmt: skip
    """Shorten an index; `text_after` is `text` itself if there is nothing to do.

    `topics` are the files that are there: an entry of any other local file is dead. `goal` is the share of both limits
    to come down to.
    """
    tidier = _Tidier({nfc(topic.name): topic for topic in topics}, now, int(max_lines * goal), int(max_units * goal))
    after, last = text, None
    while after != last:  # each round only takes away; the last finds nothing to do, so another tidying won't either
        last = after
        after = drop_empty_headings(last, tidier.drop_useless(last))
        after = tidier.shorten(after)
        if not tidier.fits(after):
            after = tidier.fit(after)
    before, done = (measure_index(one, max_lines=max_lines, max_units=max_units) for one in (text, after))
    notes = NOTES_NAME if tidier.moved else ""
    return TidyResult(text, after, before, done, _numbered(text, tidier.dropped), "\n".join(tidier.moved), notes)


def rebuild_index(text: str, topics: Sequence[TidyTopic], *, now: float, max_lines: int = MAX_LINES) -> TidyResult:
    """Write an index anew: one entry a topic under a heading a type, most useful first, tidied.

    Front matter, comments and the first heading of the old text stay; titles and descriptions of old entries are used
    again; prose of the old text moves into a topic.
    """
    newline = newline_of(text)
    lines = index_lines(text)
    moved = "".join(line.text for line in lines if line.kind == "prose")
    # What hangs below an entry doesn't fit into the new index either.
    moved += "".join(line.text[line.entry.end - line.entry.start :] for line in lines if line.entry is not None)
    moved = moved if moved.strip() else ""
    dropped: list[DroppedEntry] = []
    listed = {nfc(topic.name): topic for topic in topics}
    old: dict[str, IndexEntry] = {}
    for entry in read_entries(text):
        name = nfc(entry.target)
        if name not in listed and _is_in_folder(entry.target):
            dropped.append(_dropped(entry, "dead", "the file isn't there"))
            continue
        listed.setdefault(name, TidyTopic(entry.target, entry.title))
        if name not in old or (entry.description and not old[name].description):
            old[name] = entry
    if moved:
        listed[NOTES_NAME] = TidyTopic(NOTES_NAME, NOTES_TITLE, NOTES_DESCRIPTION, None, 0, now, pinned=True)
    rows = []
    for name, topic in listed.items():
        entry_before = old.get(name)
        described = entry_before.description if entry_before is not None else ""
        short = one_sentence(described or topic.description or "")
        if entry_before is not None and len(described) > LONG_DESCRIPTION_CHARS:
            dropped.append(_shortened(entry_before, short))
        title = entry_before.title if entry_before is not None else topic.title
        rows.append((-usefulness(topic, short, now), topic.name, topic.type, add_entry("", title, topic.name, short)))
    title = next((line.text for line in lines if line.kind == "heading" and line.level == 1), "# Memory")
    made = "".join(line.text for line in lines if line.kind == "free") + title.rstrip("\r\n") + newline
    for kind, heading in _GROUPS.items():
        group = [row for row in sorted(rows) if (row[2] if row[2] in TYPES else None) == kind]
        made += f"{newline}## {heading}{newline}{newline}" if group else ""
        made += "".join(row[3].rstrip("\n") + newline for row in group)
    result = tidy_index(made, list(listed.values()), now=now, max_lines=max_lines)
    lines_before = {target: entry.line for target, entry in old.items()}
    dropped += [replace(drop, line=lines_before.get(nfc(drop.target), 0)) for drop in result.dropped]
    order = tuple(sorted(dropped, key=lambda drop: (drop.line, drop.target)))
    before = measure_index(text, max_lines=max_lines)
    return TidyResult(text, result.text_after, before, result.after, order, moved, NOTES_NAME if moved else "")


def _is_in_folder(target: str) -> bool:
    return not target.startswith(("../", "/", "~"))


def _dropped(entry: IndexEntry, reason: str, message: str) -> DroppedEntry:
    return DroppedEntry(entry.line, entry.title, entry.target, reason, message)


def _shortened(entry: IndexEntry, short: str) -> DroppedEntry:
    return _dropped(entry, "shortened", f"description cut from {len(entry.description)} to {len(short)} characters")


def _numbered(text: str, dropped: list[DroppedEntry]) -> tuple[DroppedEntry, ...]:
    """Line numbers of the text before, since the steps between have moved the lines."""
    waiting: dict[str, list[int]] = {}
    for entry in read_entries(text):
        waiting.setdefault(entry.target, []).append(entry.line)
    numbered = []
    for drop in dropped:
        lines = waiting.get(drop.target) or [drop.line]
        number = lines.pop(1) if drop.reason == "duplicate" and len(lines) > 1 else lines[0]
        numbered.append(replace(drop, line=number))
    return tuple(sorted(numbered, key=lambda drop: (drop.line, drop.reason)))


class _Tidier(Struct):
    """The steps of tidying; `max_lines` and `max_units` are those of the goal."""

    topics: dict[str, TidyTopic]
    now: float
    max_lines: int
    max_units: int
    dropped: list[DroppedEntry] = []
    moved: list[str] = []

    def fits(self, text: str) -> bool:
        budget = measure_index(text)
        return budget.lines <= self.max_lines and budget.units <= self.max_units

    def drop_useless(self, text: str) -> str:
        """Drop entries of missing files and all but the first of one file; the first may take over a description."""
        first: dict[str, IndexEntry] = {}
        gone: list[IndexEntry] = []
        inherited: dict[str, str] = {}
        for entry in read_entries(text):
            name = nfc(entry.target)
            is_known = name in self.topics
            has_topic = any(nfc(target) in self.topics for target in (name, *entry.more))
            if not has_topic and _is_in_folder(entry.target):
                self.dropped.append(_dropped(entry, "dead", "the file isn't there"))
                gone.append(entry)
            elif name in first and not entry.more and is_known:
                self.dropped.append(_dropped(entry, "duplicate", "listed above already"))
                gone.append(entry)
                if not first[name].description and entry.description:
                    inherited.setdefault(entry.target, entry.description)
            else:
                first.setdefault(name, entry)
        text = remove_entries(text, gone)
        for target, description in inherited.items():
            text = set_description(text, target, description)
        return text

    def shorten(self, text: str) -> str:
        """Cut long descriptions to one sentence."""
        for entry in reversed(read_entries(text)):
            if len(entry.description) > LONG_DESCRIPTION_CHARS and not entry.more:
                short = one_sentence(entry.description)
                self.dropped.append(_shortened(entry, short))
                text = text[: entry.description_start] + short + text[entry.description_end :]
        return text

    def fit(self, text: str) -> str:
        """Bring a text down to the goal: blank lines, then prose, then entries; pinned topics keep theirs."""
        text = collapse_blank_lines(text)
        if self.fits(text):
            return text
        text = self.move_prose(text)
        rows = []
        for entry in read_entries(text):
            topic = self.topics.get(nfc(entry.target))
            if topic is None or not topic.pinned:
                rows.append((usefulness(topic, entry.description, self.now), -entry.line, entry))
        gone: list[IndexEntry] = []
        for _, _, entry in sorted(rows, key=lambda row: row[:2]):
            if self.fits(remove_entries(text, gone)):
                break
            gone.append(entry)
            self.dropped.append(_dropped(entry, "over-budget", "among the least useful"))
        return drop_empty_headings(text, remove_entries(text, gone))

    def move_prose(self, text: str) -> str:
        """Keep prose from the top while all but the entries takes half of the goal; the rest moves, with headings."""
        used_lines = used_units = 0
        kept: list[IndexLine] = []
        moved: list[str] = []
        heading: IndexLine | None = None
        for line in index_lines(text):
            if line.kind in ("prose", "heading", "blank"):
                used_lines, used_units = used_lines + line.cost[0], used_units + line.cost[1]
            is_full = used_lines > self.max_lines // 2 or used_units > self.max_units // 2
            if line.kind == "heading":
                heading = line
            elif line.kind == "prose" and is_full:
                if heading is not None:
                    moved.append(("\n" if moved else "") + heading.text)
                    heading = None
                moved.append(line.text)
                continue
            elif line.kind == "blank" and moved and moved[-1].strip():
                moved.append(line.text)
            kept.append(line)
        if not moved:
            return text
        self.moved.append("".join(moved).strip("\r\n") + "\n")
        text = collapse_blank_lines(drop_empty_headings(text, "".join(line.text for line in kept)))
        if all(entry.target != NOTES_NAME for entry in read_entries(text)):
            text = add_entry(text, NOTES_TITLE, NOTES_NAME, NOTES_DESCRIPTION)
        self.topics[NOTES_NAME] = TidyTopic(NOTES_NAME, "Notes", pinned=True)
        return text
