"""Where a resumed session goes on.

Rules, each as client 2.1.332 was seen to follow it:

1. The last row in the file that is no sub-agent's leads, even one without a message (a late hook or attachment) if a
   message is at or above it; of what hangs below it the row with the latest time, if that isn't earlier. The leaf is the
   nearest message at or above that.
2. With preserved messages: the last main message in the file, or, if it hangs below that one, the tip of the tree whose
   message stands last in the file, be it a sub-agent's.
3. `last-prompt` names a leaf: the last such record behind the newest boundary that has a leafUuid. It wins if its row is
   not on the way that rules 1 and 2 give; on the way, it counts only if it was marked `explicit` and no main row was
   written after it.
4. Where no row leads to a message the last main row is the leaf; without rows with a uuid, the last message is.
5. A leaf of a sub-agent means that no conversation is found.
"""

from dataclasses import dataclass
from typing import Literal

from memtui.sessions.entries import Entry, text
from memtui.sessions.rows import Rows
from memtui.sessions.walk import walk, with_parallel

Reason = Literal["last-record", "latest-below", "preserved", "pinned", "pinned-back", "no-message", "chosen", "none"]

REASONS: dict[Reason, str] = {
    "last-record": "the last record in the file decides",
    "latest-below": "the latest record below the last one in the file decides",
    "preserved": "the last record behind the compaction that kept messages decides",
    "pinned": "a last-prompt record points to it, and it is on another branch",
    "pinned-back": "a rewind points to it (last-prompt, explicit), and nothing was written since",
    "no-message": "no record leads to a message",
    "chosen": "you chose it",
    "none": "the file has no main conversation",
}


@dataclass(frozen=True, slots=True)
class Leaf:
    """The row that a session goes on from; uuid "" if there is none. `led` is the row that led to it."""

    uuid: str
    reason: Reason
    led: str = ""


def find_leaf(rows: Rows, entries: list[Entry], children: dict[str, list[str]]) -> Leaf:
    """Where the client goes on.

    Args:
        rows: What its loader keeps.
        entries: Every record that it reads, in file order, for the `last-prompt` ones.
        children: `rows.children()`.
    """
    leaf = _spliced_leaf(rows, children) if rows.anchored else _newest_leaf(rows, children)
    if leaf is None:
        last = next((uuid for uuid in reversed(rows.by_uuid) if not rows.by_uuid[uuid].sidechain), "")
        leaf = Leaf(last, "no-message" if last else "none", last)
    return _pinned(rows, entries, leaf) or leaf


def _newest_leaf(rows: Rows, children: dict[str, list[str]]) -> Leaf | None:
    """Rule 1."""
    for uuid in reversed(rows.by_uuid):
        if rows.by_uuid[uuid].sidechain or not rows.speaker(uuid):
            continue
        best, latest = uuid, rows.by_uuid[uuid].time
        seen, waiting = {uuid}, [uuid]
        for above in waiting:
            for child in children.get(above, ()):
                entry = rows.by_uuid[child]
                if child in seen or entry.sidechain:
                    continue
                seen.add(child)
                waiting.append(child)
                if entry.time is not None and (latest is None or entry.time >= latest):
                    best, latest = child, entry.time
        return Leaf(rows.speaker(best), "last-record" if best == uuid else "latest-below", best)
    return None


def _spliced_leaf(rows: Rows, children: dict[str, list[str]]) -> Leaf | None:
    """Rule 2."""
    last = next((uuid for uuid in reversed(rows.by_uuid) if _main_message(rows.by_uuid[uuid])), "")
    if not last:
        return None
    tips = {rows.speaker(uuid) for uuid in rows.by_uuid if uuid not in children}
    tip = max(tips - {""}, key=rows.place.__getitem__, default="")
    uuid, seen = tip, set[str]()
    while uuid in rows.by_uuid and uuid not in seen:
        if uuid == last:
            return Leaf(tip, "preserved", tip)
        seen.add(uuid)
        uuid = rows.parent[uuid]
    return Leaf(last, "preserved", last)


def _main_message(entry: Entry) -> bool:
    return entry.speaks and not entry.sidechain


def _pinned(rows: Rows, entries: list[Entry], leaf: Leaf) -> Leaf | None:
    """Rule 3."""
    start = max((index for index, entry in enumerate(entries) if entry.boundary), default=-1) + 1
    pins = [
        (index, uuid, entry)
        for index, entry in enumerate(entries[start:], start)
        if entry.type == "last-prompt" and entry.note and (uuid := text(entry.note.get("leafUuid")))
    ]
    if not pins:
        return None
    at, pin, _ = pins[-1]
    target = rows.speaker(pin)
    if not target:
        return None
    if pin not in set(with_parallel(rows, walk(rows, leaf.uuid))) | {leaf.led}:
        return Leaf(target, "pinned", pin)
    explicit = any(entry.note and entry.note.get("explicit") is True for _, uuid, entry in pins if uuid == pin)
    later = any(entry.uuid in rows.by_uuid and not entry.sidechain for entry in entries[at + 1 :])
    return Leaf(target, "pinned-back", pin) if explicit and not later and target != leaf.uuid else None
