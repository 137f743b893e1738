"""Where a resumed session goes on.

Rules, each as client 2.1.332 was seen to follow it:

1. The last row in the file that is no sub-agent's leads, even one without a message (a late hook or attachment). In
   a file without any such `last-prompt` as rule 3 needs, and with a record of a main row, be it replaced, that is
   later than it or as late and before it, the latest row below it does. The leaf is the nearest message at or above
   the one that leads; if there is none, or the last row was let go or has no uuid, the latest of all messages that no
   message follows: of the main conversation, else of a sub-agent.
2. With preserved messages: of the messages that are nearest at or above a row from which nothing hangs, and from which
   no message hangs itself, the only one is the leaf, be it a sub-agent's; if there are more, or none, rule 1 decides.
3. `last-prompt` names a leaf: the last such record behind the newest boundary that has a leafUuid. It wins if its
   row is not on the way to the row that leads (lost parents not bridged; with what belongs to its answers, unless the
   record is `explicit`, as is one where another right before it is that names the same; there is no way to a row
   without a uuid) and, with preserved messages, is a message that none follows; else it counts only if it is explicit
   and no main row was written after it.
   One that is `explicit` and whose leafUuid is null takes back those before it; with no main row after it nothing is
   left of the conversation.
4. Where rule 1 finds no message the last main row is the leaf.
5. A leaf of a sub-agent means that no conversation is found.
"""

from itertools import takewhile
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from memtui.resume.path import find_path, within_reach
from memtui.resume.rows import NAMELESS, Rows
from memtui.transcripts.entries import Entry, link

Reason = Literal[
    "last-record",
    "latest-below",
    "latest-end",
    "preserved",
    "pinned",
    "pinned-back",
    "emptied",
    "no-message",
    "chosen",
    "none",
]

REASONS: dict[Reason, str] = {
    "last-record": "the last record in the file decides",
    "latest-below": "the latest record below the last one in the file decides, for the last isn't the latest of all",
    "latest-end": "the last record in the file leads to no message, so the latest end of all decides",
    "preserved": "the last record behind the compaction that kept messages decides",
    "pinned": "a last-prompt record points to it, and it is on another branch",
    "pinned-back": "a rewind points to it (last-prompt, explicit), and nothing was written since",
    "emptied": "a rewind to the beginning (last-prompt, explicit), and nothing was written since",
    "no-message": "no record leads to a message",
    "chosen": "you chose it",
    "none": "the file has no main conversation",
}


class ResumePoint(Struct, frozen=True):
    """The row that a session goes on from; uuid "" if there is none. `led` is the row that led to it.

    `rewound`: a person went back to it and wrote nothing since, so that its turn isn't one that was interrupted.
    """

    uuid: str
    reason: Reason
    led: str = ""
    rewound: bool = False


def find_resume_point(rows: Rows, entries: list[Entry], children: dict[str, list[str]]) -> ResumePoint:
    """Where the client goes on.

    Args:
        rows: What its loader keeps.
        entries: Every record that it reads, in file order, for the `last-prompt` ones.
        children: `rows.children()`.
    """
    pinned = any(entry.type == "last-prompt" and entry.note and "leafUuid" in entry.note for entry in entries)
    last = _last(rows, entries)
    if rows.anchored:
        leaf = _spliced_leaf(rows, last)
    else:
        leaf = _newest_leaf(rows, children, last, "" if pinned else _newest(rows, entries))
    if leaf is None:
        last = next((uuid for uuid in reversed(rows.by_uuid) if not rows.by_uuid[uuid].sidechain), "")
        leaf = ResumePoint(last, "no-message" if last else "none", last)
    pin = _pin(rows, entries)
    leaf = _pinned(rows, pin, leaf, children) or leaf
    return replace(leaf, rewound=pin.rewound and leaf.uuid == pin.uuid)


def _last(rows: Rows, entries: list[Entry]) -> str:
    """The uuid of the last record of a main row, be it one that was let go; "" if there is none."""
    for entry in reversed(entries):
        if not entry.sidechain and (rows.of(entry) is entry or (entry.chained and entry.uuid in rows.gone)):
            return entry.uuid or NAMELESS
    return ""


def _newest_leaf(rows: Rows, children: dict[str, list[str]], last: str, newest: str) -> ResumePoint | None:
    """Rule 1, of the last main row and the one that may be later."""
    leaf = rows.speaker(last) if last != NAMELESS else ""
    below = "" if last == NAMELESS or newest in ("", last) else _latest_below(rows, last, children)
    if below and rows.speaker(below):
        return ResumePoint(rows.speaker(below), "latest-below", last)
    if leaf:
        return ResumePoint(leaf, "last-record", last)
    latest = _latest_end(rows)
    return ResumePoint(latest, "latest-end", last) if latest else None


def _newest(rows: Rows, entries: list[Entry]) -> str:
    """The main row that a record with the latest time is of, of equals the first in the file; "" without times."""
    found, latest = "", float("-inf")
    for entry in entries:
        if not entry.sidechain and rows.of(entry) and (time := entry.time) is not None and time > latest:
            found, latest = entry.uuid or NAMELESS, time
    return found


def _latest_end(rows: Rows) -> str:
    """The latest message that none follows, a main one if there is one; of equals the first, without times the last."""
    ends = _ends(rows)
    found = [uuid for uuid in ends if not rows.by_uuid[uuid].sidechain] or ends
    timed = [(time, -rows.place[uuid], uuid) for uuid in found if (time := rows.by_uuid[uuid].time) is not None]
    return max(timed)[2] if timed else found[-1] if found else ""


def _ends(rows: Rows) -> list[str]:
    """Messages that no message follows, in file order."""
    messages = _messages(rows)
    continued = {rows.speaker(rows.parent[uuid]) for uuid in messages}
    nameless = rows.by_uuid.get(NAMELESS)
    if nameless is not None and nameless.note == {}:  # that it has no uuid and names no parent makes it its own
        continued.add(NAMELESS)
    return [uuid for uuid in messages if uuid not in continued]


def _latest_below(rows: Rows, top: str, children: dict[str, list[str]]) -> str:
    """The latest main row below a row, be it below a sub-agent's, of equals the last in the file; "" if none is."""
    found: list[tuple[float, int, str]] = []
    seen, waiting = {top}, [top]
    for uuid in waiting:
        below = [child for child in children.get(uuid, ()) if child not in seen]
        seen.update(below)
        waiting += below
        main = [child for child in below if not rows.by_uuid[child].sidechain]
        found += [(time, rows.place[child], child) for child in main if (time := rows.by_uuid[child].time) is not None]
    return max(found)[2] if found else ""


def _spliced_leaf(rows: Rows, last: str) -> ResumePoint | None:
    """Rule 2."""
    above = {rows.parent[uuid] for uuid in rows.by_uuid}
    followed = {rows.parent[uuid] for uuid in _messages(rows)}
    tips = {rows.speaker(uuid) for uuid in rows.by_uuid if uuid not in above} - followed - {""}
    if len(tips) == 1:
        tip = tips.pop()
        return ResumePoint(tip, "preserved", tip)
    leaf = _newest_leaf(rows, {}, last, "")
    return ResumePoint(leaf.uuid, "preserved", leaf.led) if leaf else None


def _messages(rows: Rows) -> list[str]:
    return [uuid for uuid, entry in rows.by_uuid.items() if entry.talks]


class _Pin(Struct, frozen=True):
    """What the `last-prompt` records come to: the uuid that the last of them names.

    `explicit`: it was marked so. `back`, `rewound`: it was marked `explicit`, `rewound`, and no main row was written
    since. `emptied`: all is taken back, and no main row was written since.
    """

    uuid: str = ""
    explicit: bool = False
    back: bool = False
    rewound: bool = False
    emptied: bool = False


def _pin(rows: Rows, entries: list[Entry]) -> _Pin:
    start = last = -1
    for index, entry in enumerate(entries):
        if entry.boundary:
            start = index
        if not entry.sidechain and rows.of(entry):
            last = index
    pins: list[tuple[str, int, Entry]] = []
    for index, entry in enumerate(entries[start + 1 :], start + 1):
        if entry.type != "last-prompt" or not entry.note:
            continue
        uuid = link(entry.note.get("leafUuid"), entry.index)
        if uuid:
            pins.append((uuid, index, entry))
        elif _says(entry, "explicit") and entry.note.get("leafUuid", "") is None:
            pins = [("", index, entry)]
    if not pins:
        return _Pin()
    if not pins[-1][0]:
        return _Pin(emptied=pins[-1][1] > last)
    same = list(takewhile(lambda pin: pin[0] == pins[-1][0], reversed(pins)))
    explicit, rewound = (
        max((index for _, index, entry in same if _says(entry, word)), default=-1) for word in ("explicit", "rewound")
    )
    return _Pin(pins[-1][0], explicit >= 0, explicit > last, rewound > last)


def _pinned(rows: Rows, pin: _Pin, leaf: ResumePoint, children: dict[str, list[str]]) -> ResumePoint | None:
    """Rule 3."""
    if pin.emptied:
        return ResumePoint("", "emptied")
    target = rows.speaker(pin.uuid)
    if not target:
        return None
    way = [] if leaf.led == NAMELESS else find_path(rows, leaf.led, strict=True)
    if pin.uuid not in (way if pin.explicit else within_reach(rows, way, children)):
        ends = pin.uuid == target and all(rows.speaker(rows.parent[uuid]) != target for uuid in _messages(rows))
        if ends or not rows.kept:
            return ResumePoint(target, "pinned", pin.uuid)
    return ResumePoint(target, "pinned-back", pin.uuid) if pin.back and target != leaf.uuid else None


def _says(entry: Entry, word: str) -> bool:
    return entry.note is not None and entry.note.get(word) is True
