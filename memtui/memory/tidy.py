"""A shorter index, worked out before anything is written.

`tidy_index` drops entries of missing files and further entries of one file, and cuts long descriptions behind their
first sentence. If the text is over the goal then, it collapses blank lines, moves the prose of `##` sections to topics
named by their headings, the last section first, moves other prose beyond half of the goal into a topic of its own, and
drops the least useful entries until the rest fits. Headings that lost their last entry go too. `split_index` only moves
sections: every entry stays, and what was loaded stays loaded. `rebuild_index` writes a new index from the topics.

Doing any of it again changes nothing. Nothing is lost but what `dropped` lists; what an entry said stands in `said`.
"""

import re
from collections import Counter
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
    entry_end,
    index_lines,
    read_entries,
    remove_entries,
    set_description,
)
from memtui.memory.sentences import LONG_DESCRIPTION_CHARS, first_sentence, first_sentences, one_sentence, without_marks
from memtui.memory.topic import MemoryFile, file_name
from memtui.util.text import nfc

TIDY_GOAL = 0.7
"""The share of both limits to come down to: what the client asks for once an index is over them (2.1.210)."""
NOTES_NAME = "index_notes.md"
NOTES_TITLE = "Notes from the index"
NOTES_DESCRIPTION = "What stood in the index itself"
MAX_SECTIONS = 40  # sections that become topics at once; with more of them their entries alone would fill the index
MIN_SECTION_LINES, MIN_SECTION_UNITS = 3, 200  # prose of a section that takes less of the index is not worth a topic

_WEIGHT = {"feedback": 3.0, "user": 3.0, "project": 2.0, "reference": 1.5}
_LIST = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
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
        return cls(file.name, file.entry_title, file.description, file.type, links_in, file.modified, pinned)


class DroppedEntry(Struct, frozen=True):
    """An entry that was left out or shortened: "dead", "duplicate", "shortened" or "over-budget"."""

    line: int
    title: str
    target: str
    reason: str
    message: str


class MovedText(Struct, frozen=True):
    """Prose of the index that belongs into a topic: the file's name, what stands in its front matter, and its body."""

    name: str
    title: str
    description: str
    type: str
    text: str


class TidyResult(Struct, frozen=True):
    """A shorter index, and what became of the rest."""

    text_before: str
    text_after: str
    before: IndexBudget
    after: IndexBudget
    dropped: tuple[DroppedEntry, ...]
    moved: tuple[MovedText, ...] = ()  # prose that the caller writes to topics, listed already
    said: tuple[tuple[str, str], ...] = ()  # what dropped or shortened entries said, by target

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


def tidy_index(
    text: str, topics: Sequence[TidyTopic], *, now: float, goal: float = TIDY_GOAL, max_lines: int = MAX_LINES,
    max_units: int = MAX_UNITS,
) -> TidyResult:  # fmt: skip
    """Shorten an index to a share of its limits; an entry of a local file that isn't among `topics` is dead."""
    tidier = _Tidier.of(topics, now, goal, max_lines, max_units)
    after, last = text, None
    while after != last:  # each round only takes away; the last finds nothing to do, so another tidying won't either
        last = after
        after = drop_empty_headings(last, tidier.drop_useless(last))
        after = tidier.shorten(after)
        if not tidier.fits(after):
            after = tidier.fit(after)
    return tidier.result(text, after, max_lines, max_units)


def split_index(text: str, topics: Sequence[TidyTopic], *, goal: float = TIDY_GOAL) -> TidyResult:
    """Make sections of an index topics until it is down to `goal`; no entry goes, and what was loaded stays loaded."""
    tidier = _Tidier.of(topics, 0.0, goal, MAX_LINES, MAX_UNITS)
    after = text
    if not tidier.fits(text):
        after = tidier.move_sections(collapse_blank_lines(text))
    return tidier.result(text, after if tidier.moved else text, MAX_LINES, MAX_UNITS)


def rebuild_index(text: str, topics: Sequence[TidyTopic], *, now: float, max_lines: int = MAX_LINES) -> TidyResult:
    """Write an index anew: one entry a topic under a heading a type, most useful first, tidied.

    Front matter, comments, the first heading and the entries' words stay; prose of the old text moves into a topic.
    """
    newline = newline_of(text)
    lines = index_lines(text)
    tidier = _Tidier.of(topics, now, 0.0, max_lines, MAX_UNITS)
    rest = index_lines(tidier.move_sections(text, all_of_them=True))
    notes = "".join(line.text for line in rest if line.kind == "prose")
    # What hangs below an entry doesn't fit into the new index either.
    notes += "".join(line.text[line.entry.end - line.entry.start :] for line in lines if line.entry is not None)
    moved = [*tidier.moved, *([_notes(notes)] if notes.strip() else [])]
    dropped: list[DroppedEntry] = []
    said: list[tuple[str, str]] = []
    listed = {nfc(topic.name): topic for topic in topics}
    old: dict[str, IndexEntry] = {}
    for entry in read_entries(text):
        name = nfc(entry.target)
        if name not in listed and _is_in_folder(entry.target):
            dropped.append(_dropped(entry, "dead", "the file isn't there"))
            continue
        listed.setdefault(name, TidyTopic(entry.target, entry.title))
        if name in old and entry.description and old[name].description:
            said.append((entry.target, entry.description))
        if name not in old or (entry.description and not old[name].description):
            old[name] = entry
    for one in moved:
        listed[nfc(one.name)] = TidyTopic(one.name, one.title, one.description, one.type, 0, now, pinned=True)
    rows = []
    for name, topic in listed.items():
        entry_before = old.get(name)
        described = entry_before.description if entry_before is not None else ""
        short = first_sentences(described) or one_sentence(topic.description or "")
        if entry_before is not None and short != described and described:
            dropped.append(_shortened(entry_before, short))
            said.append((entry_before.target, described))
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
    return TidyResult(text, result.text_after, before, result.after, order, tuple(moved), (*said, *result.said))


def _notes(text: str) -> MovedText:
    return MovedText(NOTES_NAME, NOTES_TITLE, NOTES_DESCRIPTION, "reference", text.strip("\r\n") + "\n")


def _is_in_folder(target: str) -> bool:
    return not target.startswith(("../", "/", "~"))


def _dropped(entry: IndexEntry, reason: str, message: str) -> DroppedEntry:
    return DroppedEntry(entry.line, entry.title, entry.target, reason, message)


def _below(text: str, entry: IndexEntry) -> str:
    return text[entry.end : entry_end(text, entry)].strip()


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
    moved: list[MovedText] = []
    said: list[tuple[str, str]] = []

    @classmethod
    def of(cls, topics: Sequence[TidyTopic], now: float, goal: float, max_lines: int, max_units: int) -> "_Tidier":
        return cls({nfc(one.name): one for one in topics}, now, int(max_lines * goal), int(max_units * goal))

    def result(self, before: str, after: str, max_lines: int, max_units: int) -> TidyResult:
        was, now = (measure_index(one, max_lines=max_lines, max_units=max_units) for one in (before, after))
        dropped = _numbered(before, self.dropped)
        return TidyResult(before, after, was, now, dropped, tuple(self.moved), tuple(self.said))

    def fits(self, text: str) -> bool:
        budget = measure_index(text)
        return budget.lines <= self.max_lines and budget.units <= self.max_units

    def drop_useless(self, text: str) -> str:
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
                if not first[name].description and entry.description and entry.target not in inherited:
                    inherited[entry.target] = entry.description
                else:
                    self.said.append((entry.target, entry.description))
                self.said.append((entry.target, _below(text, entry)))
            else:
                first.setdefault(name, entry)
        text = remove_entries(text, gone)
        for target, description in inherited.items():
            text = set_description(text, target, description)
        return text

    def shorten(self, text: str) -> str:
        for entry in reversed(read_entries(text)):
            short = first_sentences(entry.description)
            if short != entry.description and not entry.more:
                self.dropped.append(_shortened(entry, short))
                self.said.append((entry.target, entry.description))
                text = text[: entry.description_start] + short + text[entry.description_end :]
        return text

    def fit(self, text: str) -> str:
        text = self.move_sections(collapse_blank_lines(text))
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
            self.said.append((entry.target, f"{entry.description} {_below(text, entry)}"))
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
        self.moved.append(_notes("".join(moved)))
        text = collapse_blank_lines(drop_empty_headings(text, "".join(line.text for line in kept)))
        if all(entry.target != NOTES_NAME for entry in read_entries(text)):
            text = add_entry(text, NOTES_TITLE, NOTES_NAME, NOTES_DESCRIPTION)
        self.topics[NOTES_NAME] = TidyTopic(NOTES_NAME, "Notes", pinned=True)
        return text

    def move_sections(self, text: str, *, all_of_them: bool = False) -> str:
        lines = index_lines(text)
        levels = Counter(line.level for line in lines if line.kind == "heading")
        level = next((one for one in (2, 1, 3) if levels[one] > (one == 1)), 0)
        starts = [at for at, line in enumerate(lines) if line.kind == "heading" and line.level == level]
        moved: list[MovedText] = []
        best = text
        for start in reversed(starts):
            if len(moved) == MAX_SECTIONS or (not all_of_them and self.fits(best)):
                break
            higher = (at for at in range(start + 1, len(lines)) if 0 < lines[at].level <= level)
            end = next(higher, len(lines))
            section = self._section(lines[start:end], all_of_them)
            if section is None:
                continue
            entries = [line for line in lines[start:end] if line.kind in ("entry", "free")]
            lines[start:end] = [lines[start], *entries] if any(line.entry for line in entries) else entries
            self.topics[nfc(section.name)] = TidyTopic(section.name, section.title, pinned=True)
            moved.insert(0, section)
            best = self._with_sections(text, lines, moved, level)
        if not moved or not {one.target for one in read_entries(text)} <= {one.target for one in read_entries(best)}:
            return text  # a fence or comment lost its end: better a long index
        self.moved += moved
        return best

    def _section(self, lines: Sequence[IndexLine], all_of_them: bool) -> MovedText | None:
        """The prose of a section as a topic, `None` if it is too little."""
        prose = [line for line in lines[1:] if line.kind == "prose"]
        height, size = (sum(line.cost[number] for line in prose) for number in (0, 1))
        if not prose or not (all_of_them or height >= MIN_SECTION_LINES or size >= MIN_SECTION_UNITS):
            return None
        text = "".join(line.text for line in lines[1:] if line.kind in ("prose", "heading", "blank")).strip("\r\n")
        title = without_marks(lines[0].text.strip().strip("#").strip()) or NOTES_TITLE
        kind = next((one for one in TYPES if title.casefold().rstrip("s") == one), "reference")
        stem = file_name(kind, title).removesuffix(".md")
        names = (f"{stem}.md", *(f"{stem}_{number}.md" for number in range(2, 1000)))
        name = next(one for one in names if nfc(one) not in self.topics)
        return MovedText(name, title, first_sentence(text) or title, kind, text + "\n")

    def _with_sections(self, text: str, lines: Sequence[IndexLine], moved: Sequence[MovedText], level: int) -> str:
        """The index with entries for moved sections above its first section, where they are surely loaded."""
        newline = newline_of(text)
        rows = "".join(add_entry("", one.title, one.name, one.description) for one in moved).replace("\n", newline)
        first = next(
            (at for at, line in enumerate(lines) if line.kind == "heading" and line.level == level), len(lines)
        )
        above, below = ("".join(line.text for line in part) for part in (lines[:first], lines[first:]))
        above = above.rstrip("\r\n")
        last = above.rpartition("\n")[2]
        gap = "" if not above else newline if _LIST.match(last) else newline * 2
        return collapse_blank_lines(above + gap + rows + (newline + below if below else ""))
