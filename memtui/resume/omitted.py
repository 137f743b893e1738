"""What is in a transcript and isn't sent by a resume, each row with the reason, and what is wrong with its links."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from memtui.resume.content_blocks import DroppedBlock
from memtui.resume.path import parent_substitute
from memtui.resume.rows import NAMELESS, Rows
from memtui.transcripts.entries import CHAIN_TYPES, Entry, cycles_of
from memtui.transcripts.transcript import Transcript

Why = Literal[
    "rewound",
    "dead-end",
    "lost-parent",
    "late-side-row",
    "sub-agent",
    "before-boundary",
    "replaced",
    "not-sent",
    "bad-line",
]

WORDS: dict[Why, str] = {
    "rewound": "on another branch that left the way",
    "dead-end": "a reply whose prompt was continued from a row beside it",
    "lost-parent": "behind a row that never reached the file",
    "late-side-row": "behind the message that the client goes on from, because a later side record hangs there",
    "sub-agent": "a sub-agent's own conversation",
    "before-boundary": "summarised by a compaction",
    "replaced": "a later record has the same uuid",
    "not-sent": "on the way, but not sent",
    "bad-line": "stands behind something else on its line, where the client does not read",
}


class OmittedRecord(Struct, frozen=True):
    """A message that isn't sent. `why` is the kind of reason, `detail` says more where there is more to say."""

    line: int
    uuid: str
    type: str
    why: Why
    detail: str = ""


class Defect(Struct, frozen=True):
    """Something wrong with a record's link, or with a line. `line` counts from 1."""

    line: int
    kind: Literal["orphan", "bridged", "cycle", "duplicate", "bad-line"]
    uuid: str = ""
    detail: str = ""


TAKEN = "the line before it is cut off where a value would follow; the client takes this one for it"


def find_omitted(
    transcript: Transcript, rows: Rows, way: Iterable[Entry], dropped: Iterable[DroppedBlock], *, wanted: bool = False
) -> tuple[OmittedRecord, ...]:
    """The messages that a resume along `way` doesn't send, in file order.

    Args:
        transcript: The session.
        rows: What the client's loader keeps of it.
        way: The rows that the resume goes through.
        dropped: What is on the way and isn't sent.
        wanted: Whether somebody chose where the way ends: what comes behind that was left on purpose.
    """
    way = list(way)
    used = {id(entry) for entry in way}
    found: dict[int, OmittedRecord] = {}
    for item in dropped:
        found[id(item.entry)] = _row(item.entry, "not-sent", item.why)
    reasons = _Reasons(rows, way, wanted=wanted)
    everything = [*transcript.entries, *([transcript.tail] if transcript.tail else [])]
    for entry in everything:
        if entry.type in ("user", "assistant") and id(entry) not in used and id(entry) not in found:
            known = entry.salvaged or not entry.talks or rows.of(entry) is not None or entry.uuid in rows.gone
            unread = not known and entry is everything[-1]
            found[id(entry)] = _row(entry, "bad-line", TAKEN) if unread else _row(entry, *reasons.of(entry))
    return tuple(sorted(found.values(), key=lambda item: item.line))


def _row(entry: Entry, why: Why, detail: str = "") -> OmittedRecord:
    return OmittedRecord(entry.line, entry.uuid, entry.type, why, detail or WORDS[why])


class _Reasons:
    """Why a row isn't on the way; the way up from each row is walked once."""

    def __init__(self, rows: Rows, way: list[Entry], *, wanted: bool) -> None:
        self.rows = rows
        at = max((at for at, entry in enumerate(way) if entry.speaks), default=len(way))
        self.end = set() if wanted else {entry.uuid or NAMELESS for entry in way[at:]}
        self.on_way = {entry.uuid or NAMELESS for entry in way}
        self.root = way[0] if way else None
        self.last = max((entry.index for entry in way), default=-1)
        self.continued = {rows.parent.get(entry.uuid, "") for entry in way}
        self.limit = max((entry.index for entry in rows.by_uuid.values() if entry.boundary), default=-1)
        self.known: dict[str, Why] = {}

    def of(self, entry: Entry) -> tuple[Why, str]:
        """The reason for one row, and a detail."""
        if entry.salvaged:
            return "bad-line", ""
        if self.rows.of(entry) not in (None, entry):
            return "replaced", "" if entry.uuid else "of all records without a uuid only the last counts"
        if entry.sidechain:
            return "sub-agent", ""
        if entry.uuid in self.rows.gone or (self.root and self.root.boundary and entry.index < self.root.index):
            return "before-boundary", ""
        return self._above(entry), ""

    def _above(self, entry: Entry) -> Why:
        """Where the way up from a row ends: at the way, at nothing, or at another root."""
        uuid, passed = entry.uuid or NAMELESS, list[str]()
        seen: set[str] = set()
        why: Why = "rewound"
        while True:
            if uuid in self.known:
                why = self.known[uuid]
                break
            if uuid in self.on_way:
                why = self._left_way(entry, passed)
                break
            if uuid not in self.rows.by_uuid or uuid in seen:
                why = "lost-parent" if uuid and uuid not in seen else self._other_root()
                break
            seen.add(uuid)
            passed.append(uuid)
            uuid = self.rows.parent[uuid]
        for row in passed:
            self.known[row] = why
        return why

    def _left_way(self, entry: Entry, passed: list[str]) -> Why:
        first = self.rows.by_uuid[passed[-1]] if passed else entry
        if self.rows.parent.get(first.uuid or NAMELESS) in self.end:
            return "late-side-row"
        if first.index > self.last:
            return "rewound"
        if first.type == "assistant" and not any(self.rows.by_uuid[uuid].prompt for uuid in passed):
            return "dead-end"
        return "rewound"

    def _other_root(self) -> Why:
        lost = self.root is not None and self.rows.parent.get(self.root.uuid or NAMELESS, "") not in (
            "",
            self.root.uuid,
        )
        return "lost-parent" if lost and self.root and not self.root.boundary else "rewound"


def find_defects(transcript: Transcript, rows: Rows, way: Iterable[Entry]) -> tuple[Defect, ...]:
    """What is wrong with lines and links, in file order."""
    found = [Defect(bad.line, "bad-line", detail=bad.why) for bad in transcript.problems]
    names = Counter(entry.uuid for entry in transcript.entries if entry.chained)
    seen: set[str] = set()
    for entry in transcript.entries:
        if not entry.chained:
            continue
        if names[entry.uuid] > 1 and entry.uuid in seen:
            found.append(Defect(entry.line, "duplicate", entry.uuid))
        seen.add(entry.uuid)
        if entry.parent and entry.parent not in names and entry.type in CHAIN_TYPES:
            near = parent_substitute(rows, entry, {entry.uuid}) if entry.uuid in rows.by_uuid else ""
            found.append(Defect(entry.line, "bridged" if near else "orphan", entry.uuid, near))
    for cycle in cycles_of(transcript.entries):
        found.append(Defect(cycle.line, "cycle", cycle.uuid))
    return tuple(sorted(found, key=lambda item: item.line))
