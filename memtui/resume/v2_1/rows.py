"""Which records the client's loader keeps of a transcript, before it looks for a path through it."""

from collections.abc import Iterable

from memtui.resume.conversation import NO_UUID, Rows
from memtui.resume.family import RuleSet
from memtui.transcripts.entries import CHAIN_TYPES, Entry, text


def load_rows(entries: Iterable[Entry], rules: RuleSet) -> Rows:
    """Keep the rows of a transcript (of `Transcript.known`), with its compactions applied.

    A row is a user, assistant, system or attachment record. A parent that is not a string names no row.
    """
    rows = Rows()
    positions: dict[str, int] = {}
    skipped_progress: dict[str, str] = {}
    skipped_messages: dict[str, str] = {}
    last_wins, without_uuid = "rows.last-duplicate" in rules, "rows.no-uuid" in rules
    skip = {"progress": "rows.progress" in rules, "message": "rows.empty-message" in rules}
    for entry in entries:
        if entry.type not in CHAIN_TYPES:
            continue
        parent = _resolve(entry.parent, skipped_progress)
        if entry.type == "progress":
            if entry.uuid and skip["progress"]:
                skipped_progress[entry.uuid] = parent
            continue
        if entry.type in ("user", "assistant") and not entry.is_message:
            if entry.uuid and skip["message"]:
                skipped_messages[entry.uuid] = parent
            continue
        if not (entry.uuid or without_uuid):
            continue
        uuid = entry.uuid or NO_UUID
        if uuid in positions and not last_wins:
            continue
        positions.setdefault(uuid, len(positions))
        rows.by_uuid.pop(uuid, None)
        rows.by_uuid[uuid] = entry
        rows.parent[uuid] = parent
    for uuid in skipped_messages.keys() & rows.by_uuid.keys():
        del skipped_messages[uuid]
    if skipped_messages:
        rows.parent = {uuid: _resolve(parent, skipped_messages) for uuid, parent in rows.parent.items()}
    apply_compaction(rows, positions, rules)
    rows.position = positions
    return rows


def _resolve(uuid: str, skipped: dict[str, str]) -> str:
    """The nearest parent that is not skipped."""
    seen: set[str] = set()
    while uuid in skipped and uuid not in seen:
        seen.add(uuid)
        uuid = skipped[uuid]
    return uuid


def preserved_by(boundary: Entry, rows: Rows, rules: RuleSet) -> tuple[str, tuple[str, ...]] | None:
    """What a boundary preserves: the anchor and the uuids; None for nothing, an unknown uuid for a broken segment."""
    meta = boundary.note.get("compactMetadata") if boundary.note else None
    if not isinstance(meta, dict):
        return None
    messages, segment = meta.get("preservedMessages"), meta.get("preservedSegment")
    if isinstance(messages, dict) and isinstance(messages.get("uuids"), list) and "rows.preserved-messages" in rules:
        return text(messages.get("anchorUuid")), tuple(text(uuid) for uuid in messages["uuids"])
    if not isinstance(segment, dict) or "rows.preserved-segment" not in rules:
        return None
    head, uuid = text(segment.get("headUuid")), text(segment.get("tailUuid"))
    path: list[str] = []
    seen: set[str] = set()
    while uuid in rows.by_uuid and uuid not in seen:
        seen.add(uuid)
        path.append(uuid)
        if uuid == head:
            return text(segment.get("anchorUuid")), tuple(reversed(path))
        uuid = rows.parent[uuid]
    return text(segment.get("anchorUuid")), ("",)


def apply_compaction(rows: Rows, positions: dict[str, int], rules: RuleSet) -> None:
    """Drop what comes before the newest boundary and splice in what it preserves, if any boundary preserves some."""
    boundaries = [entry for entry in rows.by_uuid.values() if entry.boundary]
    if not any(preserved_by(entry, rows, rules) for entry in boundaries):
        return
    newest = max(boundaries, key=lambda entry: positions[entry.uuid or NO_UUID])
    anchor, preserved = preserved_by(newest, rows, rules) or ("", ())
    if any(uuid not in rows.by_uuid for uuid in preserved) or not (preserved or "rows.older-boundary" in rules):
        return
    limit, kept = positions[newest.uuid or NO_UUID], set(preserved)
    dropped = frozenset(uuid for uuid in rows.by_uuid if positions[uuid] < limit and uuid not in kept)
    parent = anchor
    for uuid in preserved:
        rows.parent[uuid] = parent
        parent = uuid
    if preserved and "rows.behind-preserved" in rules:
        for uuid in rows.by_uuid:
            if rows.parent[uuid] == anchor and uuid != preserved[0] and uuid not in dropped:
                rows.parent[uuid] = preserved[-1]
    for uuid in dropped:
        del rows.by_uuid[uuid]
    if preserved and "rows.dropped-parent" in rules:
        for uuid, entry in rows.by_uuid.items():
            if rows.parent[uuid] in dropped and entry.is_message:
                rows.parent[uuid] = preserved[-1]
    rows.dropped, rows.preserved = dropped, preserved
    rows.anchored = bool(preserved) and anchor in rows.by_uuid
