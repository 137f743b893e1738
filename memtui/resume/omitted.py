"""What a resume does not send of a transcript, each record with the reason, and what is wrong with its links."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Literal

from msgspec import Struct

from memtui.resume.conversation import NO_UUID, DroppedBlock, Rows
from memtui.transcripts.entries import CHAIN_TYPES, Entry, began_by_machine, find_cycles
from memtui.transcripts.transcript import Transcript

OmissionReason = Literal[
    "rewound", "machine-turn", "dead-end", "lost-parent", "late-side-row", "sub-agent", "before-boundary", "replaced",
    "not-sent", "bad-line",
]  # fmt: skip

OMISSION_REASONS: dict[OmissionReason, str] = {
    "rewound": "on a branch you rewound from",
    "machine-turn": "on a branch beside one that no person began: a notification, a hook, Claude Code's own continue",
    "dead-end": "an answer whose prompt was continued from a record beside it",
    "lost-parent": "its parent record is missing",
    "late-side-row": "after the message that the client continues from, because a later side record is attached there",
    "sub-agent": "a sub-agent's own conversation",
    "before-boundary": "summarised by a compaction",
    "replaced": "a later record has the same uuid",
    "not-sent": "on the path, but not sent",
    "bad-line": "behind something else on its line, where the client does not read",
}

READ_AS_VALUE = "the line before it is cut off where a value would follow, so the client reads this one as that value"


class OmittedRecord(Struct, frozen=True):
    """A message that is not sent. `why` is the kind of reason, `detail` the reason in words."""

    line: int
    uuid: str
    type: str
    why: OmissionReason
    detail: str = ""


class Defect(Struct, frozen=True):
    """Something wrong with a record's link, or with a line. `line` counts from 1."""

    line: int
    kind: Literal["orphan", "bridged", "cycle", "duplicate", "bad-line"]
    uuid: str = ""
    detail: str = ""


def find_omitted(
    transcript: Transcript,
    rows: Rows,
    path: Iterable[Entry],
    dropped: Iterable[DroppedBlock],  # on the path, but not sent
    *,
    on_purpose: bool = False,  # a person chose where the path ends: what comes behind is not lost
) -> tuple[OmittedRecord, ...]:
    """List the messages that a resume along a path does not send, in file order."""
    path = list(path)
    used = {id(entry) for entry in path}
    found = {id(item.entry): _omitted(item.entry, "not-sent", item.why) for item in dropped}
    reasons = _Reasons(rows, path, on_purpose=on_purpose)
    entries = [*transcript.entries, *([transcript.tail] if transcript.tail else [])]
    for entry in entries:
        if (entry.type in ("user", "assistant") or entry.prompt) and id(entry) not in used and id(entry) not in found:
            loaded = rows.row_for(entry) is not None or entry.uuid in rows.dropped
            why, detail = reasons.of(entry)
            if entry is entries[-1] and entry.is_message and not (entry.salvaged or loaded):
                why, detail = "bad-line", READ_AS_VALUE
            found[id(entry)] = _omitted(entry, why, detail)
    return tuple(sorted(found.values(), key=lambda item: item.line))


def _omitted(entry: Entry, why: OmissionReason, detail: str = "") -> OmittedRecord:
    return OmittedRecord(entry.line, entry.uuid, entry.type, why, detail or OMISSION_REASONS[why])


class _Reasons:
    """Finds out why a record is not on the path; the way up from each is followed once."""

    def __init__(self, rows: Rows, path: list[Entry], *, on_purpose: bool) -> None:
        self.rows = rows
        last_message = max((at for at, entry in enumerate(path) if entry.has_content), default=len(path))
        self.end = set() if on_purpose else {entry.uuid or NO_UUID for entry in path[last_message:]}
        self.path, self.place = path, {entry.uuid: number for number, entry in enumerate(path)}
        self.on_path = {entry.uuid or NO_UUID for entry in path}
        self.root = path[0] if path else None
        self.last = max((entry.index for entry in path), default=-1)
        self.known: dict[str, OmissionReason] = {}

    def of(self, entry: Entry) -> tuple[OmissionReason, str]:
        if entry.salvaged:
            return "bad-line", ""
        if self.rows.row_for(entry) not in (None, entry):
            return "replaced", "" if entry.uuid else "of all records without a uuid only the last counts"
        if entry.sidechain:
            return "sub-agent", ""
        if entry.uuid in self.rows.dropped or (self.root and self.root.boundary and entry.index < self.root.index):
            return "before-boundary", ""
        return self._where_it_leads(entry), ""

    def _where_it_leads(self, entry: Entry) -> OmissionReason:
        """The reason by where the parents of a record lead: to the path, to nothing, or to another root."""
        uuid, passed = entry.uuid or NO_UUID, list[str]()
        seen: set[str] = set()
        while True:
            if uuid in self.known:
                why = self.known[uuid]
                break
            if uuid in self.on_path:
                why = self._left_path(entry, passed)
                break
            if uuid not in self.rows.by_uuid or uuid in seen:
                why = "lost-parent" if uuid and uuid not in seen else self._other_root()
                break
            seen.add(uuid)
            passed.append(uuid)
            uuid = self.rows.parent[uuid]
        self.known.update(dict.fromkeys(passed, why))
        return why

    def _left_path(self, entry: Entry, passed: list[str]) -> OmissionReason:
        first = self.rows.by_uuid[passed[-1]] if passed else entry
        if self.rows.parent.get(first.uuid or NO_UUID) in self.end:
            return "late-side-row"
        prompted = any(self.rows.by_uuid[uuid].prompt for uuid in passed)
        if first.index <= self.last and first.type == "assistant" and not prompted:
            return "dead-end"
        left = self.place.get(self.rows.parent.get(first.uuid or NO_UUID, ""), -1)
        return "machine-turn" if began_by_machine(self.path[left + 1 :]) else "rewound"

    def _other_root(self) -> OmissionReason:
        if self.root is None or self.root.boundary:
            return "rewound"
        parent = self.rows.parent.get(self.root.uuid or NO_UUID, "")
        return "rewound" if parent in ("", self.root.uuid) else "lost-parent"


def find_defects(
    transcript: Transcript, rows: Rows, parent_substitute: Callable[[Rows, Entry, set[str]], str]
) -> tuple[Defect, ...]:
    """List what is wrong with lines and links, in file order; `parent_substitute` is the client family's."""
    found = [Defect(bad.line, "bad-line", detail=bad.why) for bad in transcript.problems]
    counts = Counter(entry.uuid for entry in transcript.entries if entry.chained)
    seen: set[str] = set()
    for entry in transcript.entries:
        if not entry.chained:
            continue
        if counts[entry.uuid] > 1 and entry.uuid in seen:
            found.append(Defect(entry.line, "duplicate", entry.uuid))
        seen.add(entry.uuid)
        if entry.parent and entry.parent not in counts and entry.type in CHAIN_TYPES:
            near = parent_substitute(rows, entry, {entry.uuid}) if entry.uuid in rows.by_uuid else ""
            found.append(Defect(entry.line, "bridged" if near else "orphan", entry.uuid, near))
    found += [Defect(cycle.line, "cycle", cycle.uuid) for cycle in find_cycles(transcript.entries)]
    return tuple(sorted(found, key=lambda item: item.line))
