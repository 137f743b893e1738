"""The way from a leaf up to where a conversation begins, and the rows beside it that belong to it.

Rules, each as client 2.1.332 was seen to follow it:

1. The way goes from parent to parent and ends at a compact boundary, whatever that one's own parent is.
2. Where a parent isn't a row, or was on the way already (a cycle), it goes on at the row with the latest time that is
   not later and at most 5 s earlier, of the same side (main or sub-agent) and not on the way yet; of equals the first in
   the file. If there is none the way begins here.
3. A parent that a compaction let go is replaced by the last preserved message.
4. Parallel calls: one answer is several rows with one message id, and its results hang from the row of their call. Rows of
   that id beside the way, then results beside it, are put behind its last row on the way, each group by time.
5. Behind the leaf come the rows without a message that hang from it: hooks, attachments, commands.
"""

from memtui.sessions.entries import Entry
from memtui.sessions.rows import Rows

NEAR = 5.0
"""Seconds: as much earlier the row may be that stands in for a lost parent."""


def walk(rows: Rows, leaf: str) -> list[str]:
    """The uuids on the way to `leaf`, oldest first (rules 1 to 3)."""
    way: list[str] = []
    seen: set[str] = set()
    uuid = leaf
    while uuid:
        if uuid not in rows.by_uuid or uuid in seen:
            if not way:
                return []
            if uuid in rows.gone and rows.kept and rows.kept[-1] not in seen:
                uuid = rows.kept[-1]
            else:
                uuid = stand_in(rows, rows.by_uuid[way[-1]], seen)
            continue
        seen.add(uuid)
        way.append(uuid)
        if rows.by_uuid[uuid].boundary:
            break
        uuid = rows.parent[uuid]
    way.reverse()
    return way


def stand_in(rows: Rows, child: Entry, seen: set[str]) -> str:
    """The row that stands in for a lost parent (rule 2); "" if none is near enough."""
    if child.time is None:
        return ""
    best, latest = "", 0.0
    for uuid, entry in rows.by_uuid.items():
        if entry.time is None or not 0 <= child.time - entry.time <= NEAR:
            continue
        if uuid not in seen and entry.sidechain == child.sidechain and (not best or entry.time > latest):
            best, latest = uuid, entry.time
    return best


def with_parallel(rows: Rows, way: list[str]) -> list[str]:
    """The way with the rest of each answer put in (rule 4)."""
    on_way = set(way)
    anchors: dict[str, str] = {}
    for uuid in way:
        if rows.by_uuid[uuid].message_id:
            anchors[rows.by_uuid[uuid].message_id] = uuid
    if not anchors:
        return way
    fragments: dict[str, list[str]] = {}
    results: dict[str, list[str]] = {}
    for uuid, entry in rows.by_uuid.items():
        if entry.message_id in anchors:
            fragments.setdefault(entry.message_id, []).append(uuid)
        elif entry.answers:
            results.setdefault(rows.parent[uuid], []).append(uuid)
    found: list[str] = []
    for uuid in way:
        found.append(uuid)
        message_id = rows.by_uuid[uuid].message_id
        if message_id and anchors[message_id] == uuid:
            beside = [other for other in fragments[message_id] if other not in on_way]
            on_way.update(beside)
            answers = [row for owner in fragments[message_id] for row in results.get(owner, ()) if row not in on_way]
            on_way.update(answers)
            found += sorted(beside, key=lambda row: rows.by_uuid[row].stamp)
            found += sorted(answers, key=lambda row: rows.by_uuid[row].stamp)
    return found


def with_trailing(rows: Rows, way: list[str], leaf: str, children: dict[str, list[str]]) -> list[str]:
    """The way with what hangs from its leaf without being a message (rule 5)."""
    found, seen = list(way), set(way)
    level = [leaf]
    while level:
        below = [child for uuid in level for child in children.get(uuid, ()) if not rows.by_uuid[child].speaks]
        level = [uuid for uuid in below if uuid not in seen]
        seen.update(level)
        found += level
    return found
