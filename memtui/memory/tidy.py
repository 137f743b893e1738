"""What a shorter index would keep: a plan, shown as a difference before anything is written.

`tidy_index` works on the index as it is, in this order: entries of files that aren't there go, further entries of one
file go, long descriptions become one sentence; then, if the text is over the goal, runs of blank lines become one,
prose beyond half of the goal moves into a topic of its own, and the least useful entries go until the rest fits.
Headings that lost their last entry go too. `rebuild_index` writes a new index from the topics, grouped by type.

Both are pure and deterministic; tidying what was tidied changes nothing.
"""

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from memtui.memory.budget import MAX_LINES, MAX_UNITS, IndexBudget, measure_index
from memtui.memory.frontmatter import TYPES
from memtui.memory.index import (
    IndexEntry,
    IndexLine,
    add_entry,
    collapse_blank_lines,
    drop_empty_headings,
    entry_end,
    index_lines,
    newline_of,
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
    """What usefulness is judged by: `modified` in seconds since the epoch, `links_in` from other topics."""

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
    """An entry that the plan changes or leaves out.

    `line` counts from 1 in the text before; `reason` is "dead", "duplicate", "shortened" or "over-budget".
    """

    line: int
    title: str
    target: str
    reason: str
    message: str


class TidyResult(Struct, frozen=True):
    """A shorter index, and what became of the rest.

    `moved` is prose that the caller puts into a topic called `moved_to` (both "" if nothing moves), at its end if the
    topic is there; `text_after` has an entry for it already. Nothing else is lost but what `dropped` lists.
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
    """How much an entry is worth its line: type, links from other topics, age, shortness; pinned ones always stay."""
    if topic is None:
        return -1.0
    age = max(0.0, now - topic.modified) / 86_400
    score = _WEIGHT.get(topic.type or "", 1.0) + 0.5 * min(topic.links_in, 6) + 2.0 / (1.0 + age / 60)
    return (
        score
        - min(len(description), 2 * LONG_DESCRIPTION_CHARS) / (2 * LONG_DESCRIPTION_CHARS)
        + (1000.0 if topic.pinned else 0.0)
    )


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
    """Plan a shorter index.

    Args:
        text: The whole index.
        topics: The files that are there; an entry of any other local file is dead.
        now: Seconds since the epoch, for ages.
        goal: The share of both limits to come down to, above 0.
        max_lines: Lines loaded at start.
        max_units: UTF-16 code units loaded at start.

    Returns:
        The plan; `text_after` is `text` itself if there is nothing to do.

    Source:
        The client asks for an index under 70 % of its limits (2.1.210).
    """
    by_name = {nfc(topic.name): topic for topic in topics}
    before = measure_index(text, max_lines=max_lines, max_units=max_units)
    room = (int(max_lines * goal), int(max_units * goal))
    dropped: list[DroppedEntry] = []
    moved: list[str] = []
    after, last = text, None
    while after != last:  # each round only takes away; the last finds nothing to do, so another tidying won't either
        last = after
        after = drop_empty_headings(last, _drop_useless(last, by_name, dropped))
        after = _shorten(after, dropped)
        if not _fits(after, room):
            after = _fit(after, by_name, room, now, dropped, moved)
    done = measure_index(after, max_lines=max_lines, max_units=max_units)
    notes = NOTES_NAME if moved else ""
    return TidyResult(text, after, before, done, _numbered(text, dropped), "\n".join(moved), notes)


def rebuild_index(
    text: str, topics: Sequence[TidyTopic], *, now: float, goal: float = TIDY_GOAL, max_lines: int = MAX_LINES,
    max_units: int = MAX_UNITS,
) -> TidyResult:  # fmt: skip
    """Plan an index made anew: one entry a topic under a heading a type, most useful first, down to the goal.

    Front matter, comments and the first heading of the old text stay; titles and descriptions of old entries are used
    again; prose of the old text moves into a topic. Arguments and result as for `tidy_index`.
    """
    newline = newline_of(text)
    before = measure_index(text, max_lines=max_lines, max_units=max_units)
    lines = index_lines(text)
    head = "".join(line.text for line in lines if line.kind == "free")
    title = next((line.text for line in lines if line.kind == "heading" and line.level == 1), "# Memory")
    moved = "".join(line.text for line in lines if line.kind == "prose")
    # What hangs below an entry has no place in the new index either.
    moved += "".join(line.text[line.entry.end - line.entry.start :] for line in lines if line.entry is not None)
    moved = moved if moved.strip() else ""
    dropped: list[DroppedEntry] = []
    rows = _rows(text, topics, now, dropped, with_notes=bool(moved))
    room = (int(max_lines * goal), int(max_units * goal))
    while True:
        after = head + title.rstrip("\r\n") + newline
        for kind in (*TYPES, None):
            group = [row for row in rows if (row.topic.type if row.topic.type in TYPES else None) == kind]
            if group:
                after += f"{newline}## {_GROUPS[kind]}{newline}{newline}"
            for row in group:
                after += add_entry("", row.title, row.topic.name, row.description).rstrip("\n") + newline
        if _fits(after, room) or not rows or rows[-1].topic.pinned:
            break
        for row in rows[-max(1, min(len(rows), measure_index(after).lines - room[0])) :]:
            if not row.topic.pinned:
                rows.remove(row)
                message = "among the least useful"
                dropped.append(DroppedEntry(row.line, row.title, row.topic.name, "over-budget", message))
    done = measure_index(after, max_lines=max_lines, max_units=max_units)
    order = tuple(sorted(dropped, key=lambda drop: (drop.line, drop.target)))
    return TidyResult(text, after, before, done, order, moved, NOTES_NAME if moved else "")


class _Row(Struct, frozen=True):
    """A line of a new index; `line` is the old entry's, 0 if it had none."""

    topic: TidyTopic
    title: str
    description: str
    line: int


def _rows(
    text: str, topics: Sequence[TidyTopic], now: float, dropped: list[DroppedEntry], *, with_notes: bool
) -> list[_Row]:
    """What a new index would list, most useful first; entries of missing files are dropped."""
    listed = {nfc(topic.name): topic for topic in topics}
    old: dict[str, IndexEntry] = {}
    for entry in read_entries(text):
        name = nfc(entry.target)
        if name not in listed and _is_ours(entry.target):
            dropped.append(DroppedEntry(entry.line, entry.title, entry.target, "dead", "the file isn't there"))
            continue
        listed.setdefault(name, TidyTopic(entry.target, entry.title))
        if name not in old or (entry.description and not old[name].description):
            old[name] = entry
    if with_notes:
        listed[NOTES_NAME] = TidyTopic(NOTES_NAME, NOTES_TITLE, NOTES_DESCRIPTION, None, 0, now, pinned=True)
    rows = []
    for name, topic in listed.items():
        known = old.get(name)
        title, description, line = (known.title, known.description, known.line) if known else (topic.title, "", 0)
        short = one_sentence(description or topic.description or "")
        if description and len(description) > LONG_DESCRIPTION_CHARS:
            message = f"description cut from {len(description)} to {len(short)} characters"
            dropped.append(DroppedEntry(line, title, topic.name, "shortened", message))
        rows.append(_Row(topic, title, short, line))
    return sorted(rows, key=lambda row: (-usefulness(row.topic, row.description, now), row.topic.name))


def _is_ours(target: str) -> bool:
    """Whether a target lies in the folder, so that its absence is known."""
    return not target.startswith(("../", "/", "~"))


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


def _drop_useless(text: str, by_name: dict[str, TidyTopic], dropped: list[DroppedEntry]) -> str:
    """Take out entries of missing files and all but the first of one file; the first may take over a description."""
    entries = read_entries(text)
    first: dict[str, IndexEntry] = {}
    spans: list[tuple[int, int]] = []
    inherits: dict[str, str] = {}
    for entry in entries:
        name = nfc(entry.target)
        if name not in by_name and _is_ours(entry.target) and not any(nfc(more) in by_name for more in entry.more):
            dropped.append(DroppedEntry(entry.line, entry.title, entry.target, "dead", "the file isn't there"))
            spans.append((entry.start, entry_end(text, entry)))
        elif name in first and not entry.more and name in by_name:
            dropped.append(DroppedEntry(entry.line, entry.title, entry.target, "duplicate", "listed above already"))
            spans.append((entry.start, entry_end(text, entry)))
            if not first[name].description and entry.description:
                inherits.setdefault(entry.target, entry.description)
        else:
            first.setdefault(name, entry)
    for start, end in reversed(spans):
        text = text[:start] + text[end:]
    for target, description in inherits.items():
        text = set_description(text, target, description)
    return text


def _shorten(text: str, dropped: list[DroppedEntry]) -> str:
    """Make long descriptions one sentence."""
    for entry in reversed(read_entries(text)):
        if len(entry.description) > LONG_DESCRIPTION_CHARS and not entry.more:
            short = one_sentence(entry.description)
            message = f"description cut from {len(entry.description)} to {len(short)} characters"
            dropped.append(DroppedEntry(entry.line, entry.title, entry.target, "shortened", message))
            text = text[: entry.description_start] + short + text[entry.description_end :]
    return text


def _fits(text: str, room: tuple[int, int]) -> bool:
    budget = measure_index(text)
    return budget.lines <= room[0] and budget.units <= room[1]


def _fit(
    text: str,
    by_name: dict[str, TidyTopic],
    room: tuple[int, int],
    now: float,
    dropped: list[DroppedEntry],
    moved: list[str],
) -> str:
    """Bring a text down to the goal: blank lines, then prose, then entries; pinned topics keep theirs."""
    text = "".join(line.text for line in collapse_blank_lines(index_lines(text)))
    if _fits(text, room):
        return text
    prose, kept = _move_prose(index_lines(text), (room[0] // 2, room[1] // 2))
    if prose:
        moved.append(prose)
        text = drop_empty_headings(text, "".join(line.text for line in kept))
        text = "".join(line.text for line in collapse_blank_lines(index_lines(text)))
        if all(entry.target != NOTES_NAME for entry in read_entries(text)):
            text = add_entry(text, NOTES_TITLE, NOTES_NAME, NOTES_DESCRIPTION)
        by_name[NOTES_NAME] = TidyTopic(NOTES_NAME, "Notes", pinned=True)
    rows = []
    for line in index_lines(text):
        topic = by_name.get(nfc(line.entry.target)) if line.entry is not None else None
        if line.entry is not None and not (topic is not None and topic.pinned):
            rows.append((usefulness(topic, line.entry.description, now), -line.number, line.entry))
    gone: list[IndexEntry] = []
    for _, _, entry in sorted(rows, key=lambda row: row[:2]):
        if _fits(remove_entries(text, gone), room):
            break
        gone.append(entry)
        dropped.append(DroppedEntry(entry.line, entry.title, entry.target, "over-budget", "among the least useful"))
    return drop_empty_headings(text, remove_entries(text, gone))


def _move_prose(lines: list[IndexLine], room: tuple[int, int]) -> tuple[str, list[IndexLine]]:
    """Keep prose from the top while all that is no entry is within the room; the rest moves, with its headings."""
    other = [line.cost for line in lines if line.kind in ("prose", "heading", "blank")]
    if sum(cost[0] for cost in other) <= room[0] and sum(cost[1] for cost in other) <= room[1]:
        return "", lines
    used_lines = used_units = 0
    kept: list[IndexLine] = []
    moved: list[str] = []
    heading: IndexLine | None = None
    for line in lines:
        if line.kind in ("prose", "heading", "blank"):
            used_lines, used_units = used_lines + line.cost[0], used_units + line.cost[1]
        full = used_lines > room[0] or used_units > room[1]
        if line.kind == "heading":
            heading = line
        elif line.kind == "prose" and full:
            if heading is not None:
                moved.append(("\n" if moved else "") + heading.text)
                heading = None
            moved.append(line.text)
            continue
        elif line.kind == "blank" and moved and moved[-1].strip():
            moved.append(line.text)
        kept.append(line)
    return ("".join(moved).strip("\r\n") + "\n" if moved else ""), kept
