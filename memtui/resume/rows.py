"""What the agent client's loader keeps of a transcript, before it looks for a way through it.

Rules, each as client 2.1.332 was seen to follow it:

1. A row is a user, assistant, system or attachment record. A progress record is none, nor is a message whose content
   is neither a text (of the model: one that isn't empty) nor a list that is empty or has a block with a type, be that
   a text without text; who hangs from one of these hangs from its parent: from a progress record if it stands behind
   it, from such a message if no row has the same uuid. All rows without a uuid count as having the same one, that no
   parent names. A parent of another kind than text is a lost one.
2. Of two records with one uuid the last counts: at the last place where the last row is asked for, else at the first.
3. Preserved messages: only the newest boundary matters. If all the uuids that it keeps are rows, everything before it
   that isn't kept is let go; the kept ones are chained behind the anchor, and whatever hung from the anchor now
   hangs from the last of them. A message that hung from a row that was let go, be it a kept one, hangs from the last
   kept one too; of any other row the parent is lost.
4. A newest boundary that keeps nothing lets go of what is before it only if another boundary in the file keeps some.
5. A kept segment is the way from its tail up to its head; if that way doesn't arrive, nothing is kept nor let go.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field

from memtui.transcripts.entries import CHAIN_TYPES, Entry, text

NAMELESS: Final = "no uuid"
"""Stands for the uuid of rows that have none."""


class Rows(Struct):
    """Rows by uuid in the order of their last place, and who hangs from whom; `place` is the order of their first.

    `gone` are the uuids that a compaction let go, `kept` those that it preserved, in their new order. `anchored`
    says that the row which they hang from is there.
    """

    by_uuid: dict[str, Entry] = field(default_factory=dict)
    parent: dict[str, str] = field(default_factory=dict)
    place: dict[str, int] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    kept: tuple[str, ...] = ()
    anchored: bool = False
    _timeline: list[tuple[float, int, str]] | None = None

    def timeline(self) -> list[tuple[float, int, str]]:
        """Time, place (negative, so that of equal times the first in the file comes last) and uuid, sorted."""
        if self._timeline is None:
            timed = ((entry.time, -self.place[uuid], uuid) for uuid, entry in self.by_uuid.items())
            self._timeline = sorted((time, place, uuid) for time, place, uuid in timed if time is not None)
        return self._timeline

    def children(self) -> dict[str, list[str]]:
        """Uuids by the row that they hang from, in the order of their first place."""
        found: dict[str, list[str]] = {}
        for uuid in self.in_place():
            if self.parent[uuid] in self.by_uuid:
                found.setdefault(self.parent[uuid], []).append(uuid)
        return found

    def in_place(self) -> list[str]:
        """Uuids in the order of their first place."""
        return sorted(self.by_uuid, key=self.place.__getitem__)

    def of(self, entry: Entry) -> Entry | None:
        """The row that counts for the uuid of a record."""
        return self.by_uuid.get(entry.uuid or NAMELESS) if entry.type in CHAIN_TYPES else None

    def speaker(self, uuid: str) -> str:
        """The nearest message at or above a row; "" if the way up ends before."""
        seen: set[str] = set()
        while uuid in self.by_uuid and uuid not in seen:
            if self.by_uuid[uuid].talks:
                return uuid
            seen.add(uuid)
            uuid = self.parent[uuid]
        return ""


def rows_of(entries: Iterable[Entry]) -> Rows:
    """The rows of a transcript, compaction applied.

    Args:
        entries: Records that the client reads (`Transcript.known`), in file order.
    """
    rows = Rows()
    first: dict[str, int] = {}
    passed: dict[str, str] = {}
    empty: dict[str, str] = {}
    for entry in entries:
        if entry.type not in CHAIN_TYPES:
            continue
        parent = _above(entry.parent, passed)
        if not _is_row(entry):
            if entry.uuid:
                (passed if entry.type == "progress" else empty)[entry.uuid] = parent
            continue
        uuid = entry.uuid or NAMELESS
        first.setdefault(uuid, len(first))
        rows.by_uuid.pop(uuid, None)
        rows.by_uuid[uuid] = entry
        rows.parent[uuid] = parent
    for uuid in empty.keys() & rows.by_uuid.keys():
        del empty[uuid]
    if empty:
        rows.parent = {uuid: _above(parent, empty) for uuid, parent in rows.parent.items()}
    _compact(rows, first)
    rows.place = first
    return rows


def _above(uuid: str, passed: dict[str, str]) -> str:
    """The uuid that counts as the parent where this one is named: records that are no rows are passed."""
    seen: set[str] = set()
    while uuid in passed and uuid not in seen:
        seen.add(uuid)
        uuid = passed[uuid]
    return uuid


def _is_row(entry: Entry) -> bool:
    return bool(entry.content) if entry.type in ("user", "assistant") else entry.type != "progress"


def preserved(entry: Entry, rows: Rows) -> tuple[str, tuple[str, ...]] | None:
    """What a boundary keeps: the anchor and the uuids; None if it keeps nothing, an unknown uuid if it is broken."""
    meta = entry.note.get("compactMetadata") if entry.note else None
    if not isinstance(meta, dict):
        return None
    messages, segment = meta.get("preservedMessages"), meta.get("preservedSegment")
    if isinstance(messages, dict) and isinstance(messages.get("uuids"), list):
        return text(messages.get("anchorUuid")), tuple(text(uuid) for uuid in messages["uuids"])
    if not isinstance(segment, dict):
        return None
    head, uuid = text(segment.get("headUuid")), text(segment.get("tailUuid"))
    way: list[str] = []
    seen: set[str] = set()
    while uuid in rows.by_uuid and uuid not in seen:
        seen.add(uuid)
        way.append(uuid)
        if uuid == head:
            return text(segment.get("anchorUuid")), tuple(reversed(way))
        uuid = rows.parent[uuid]
    return text(segment.get("anchorUuid")), ("",)


def _compact(rows: Rows, first: dict[str, int]) -> None:
    """Apply rules 3 to 5."""
    boundaries = [entry for entry in rows.by_uuid.values() if entry.boundary]
    if not any(preserved(entry, rows) for entry in boundaries):
        return
    newest = max(boundaries, key=lambda entry: first[entry.uuid or NAMELESS])
    anchor, kept = preserved(newest, rows) or ("", ())
    if any(uuid not in rows.by_uuid for uuid in kept):
        return
    limit, keep = first[newest.uuid or NAMELESS], set(kept)
    gone = frozenset(uuid for uuid in rows.by_uuid if first[uuid] < limit and uuid not in keep)
    above = anchor
    for uuid in kept:
        rows.parent[uuid] = above
        above = uuid
    if kept:
        for uuid in rows.by_uuid:
            if rows.parent[uuid] == anchor and uuid != kept[0] and uuid not in gone:
                rows.parent[uuid] = kept[-1]
    for uuid in gone:
        del rows.by_uuid[uuid]
    if kept:
        for uuid, entry in rows.by_uuid.items():
            if rows.parent[uuid] in gone and entry.talks:
                rows.parent[uuid] = kept[-1]
    rows.gone, rows.kept, rows.anchored = gone, kept, bool(kept) and anchor in rows.by_uuid
