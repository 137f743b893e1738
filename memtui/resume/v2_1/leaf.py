"""Where a resumed session continues: the choice of its leaf."""

from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from memtui.resume.conversation import NO_UUID, ResumePoint, Rows
from memtui.resume.family import RuleSet
from memtui.resume.v2_1.path import covered_by_path, find_path
from memtui.transcripts.entries import Entry, uuid_text


def find_resume_point(rows: Rows, entries: list[Entry], children: dict[str, list[str]], rules: RuleSet) -> ResumePoint:
    """Choose the leaf that the client continues from; `entries` are all records that it reads."""
    has_pin = any(entry.type == "last-prompt" and entry.note and "leafUuid" in entry.note for entry in entries)
    last = _last_main_record(rows, entries) if "leaf.last-record" in rules else ""
    if rows.anchored and "leaf.preserved" in rules:
        leaf = leaf_after_preserved(rows, last, rules)
    else:
        latest = "" if has_pin or "leaf.latest-below" not in rules else _latest_main_row(rows, entries)
        leaf = leaf_of_last_record(rows, children, last, latest, rules)
    if leaf is None:
        uuid = next((uuid for uuid in reversed(rows.by_uuid) if not rows.by_uuid[uuid].sidechain), "")
        uuid = uuid if "leaf.no-message" in rules else ""
        leaf = ResumePoint(uuid, "no-message" if uuid else "none", uuid)
    pin = _read_pin(rows, entries)
    leaf = pinned_leaf(rows, pin, leaf, children, rules) or leaf
    return replace(leaf, rewound=pin.rewound and leaf.uuid == pin.uuid)


def _last_main_record(rows: Rows, entries: list[Entry]) -> str:
    """The uuid of the last record of a main row, even of one that a compaction dropped; "" if there is none."""
    for entry in reversed(entries):
        dropped = entry.chained and entry.uuid in rows.dropped
        if not entry.sidechain and (dropped or rows.row_for(entry) is entry):
            return entry.uuid or NO_UUID
    return ""


def leaf_of_last_record(
    rows: Rows, children: dict[str, list[str]], last: str, latest: str, rules: RuleSet
) -> ResumePoint | None:
    """The message above the last record, or above the latest row below it where another record is later."""
    leaf = rows.nearest_message(last) if last != NO_UUID else ""
    below = "" if last == NO_UUID or latest in ("", last) else _latest_below(rows, last, children)
    if below and rows.nearest_message(below):
        return ResumePoint(rows.nearest_message(below), "latest-below", last)
    if leaf:
        return ResumePoint(leaf, "last-record", last)
    end = latest_end(rows) if "leaf.latest-end" in rules else ""
    return ResumePoint(end, "latest-end", last) if end else None


def _latest_main_row(rows: Rows, entries: list[Entry]) -> str:
    """The main row that a record with the latest time belongs to, the first of equals; "" without times."""
    found, latest = "", float("-inf")
    for entry in entries:
        if not entry.sidechain and rows.row_for(entry) and (time := entry.time) is not None and time > latest:
            found, latest = entry.uuid or NO_UUID, time
    return found


def latest_end(rows: Rows) -> str:
    """The latest message that no message follows, a main one if any; of equal times the first, else the last."""
    messages = _messages(rows)
    followed = {rows.nearest_message(rows.parent[uuid]) for uuid in messages}
    without_uuid = rows.by_uuid.get(NO_UUID)
    if without_uuid is not None and without_uuid.note == {}:  # without uuid and parent it counts as its own parent
        followed.add(NO_UUID)
    ends = [uuid for uuid in messages if uuid not in followed]
    ends = [uuid for uuid in ends if not rows.by_uuid[uuid].sidechain] or ends
    timed = [(time, -rows.position[uuid], uuid) for uuid in ends if (time := rows.by_uuid[uuid].time) is not None]
    return max(timed)[2] if timed else ends[-1] if ends else ""


def _latest_below(rows: Rows, top: str, children: dict[str, list[str]]) -> str:
    """The latest main row below a row, even below a sub-agent's; the last of equals, "" if there is none."""
    found: list[tuple[float, int, str]] = []
    seen, queue = {top}, [top]
    for uuid in queue:
        below = [child for child in children.get(uuid, ()) if child not in seen]
        seen.update(below)
        queue += below
        main = [child for child in below if not rows.by_uuid[child].sidechain]
        found += [
            (time, rows.position[child], child) for child in main if (time := rows.by_uuid[child].time) is not None
        ]
    return max(found)[2] if found else ""


def leaf_after_preserved(rows: Rows, last: str, rules: RuleSet) -> ResumePoint | None:
    """The only end of the tree if there is just one, else the message above the last record."""
    parents = {rows.parent[uuid] for uuid in rows.by_uuid}
    followed = {rows.parent[uuid] for uuid in _messages(rows)}
    ends = {rows.nearest_message(uuid) for uuid in rows.by_uuid if uuid not in parents} - followed - {""}
    if len(ends) == 1:
        end = ends.pop()
        return ResumePoint(end, "preserved", end)
    leaf = leaf_of_last_record(rows, {}, last, "", rules)
    return ResumePoint(leaf.uuid, "preserved", leaf.selected_by) if leaf else None


def _messages(rows: Rows) -> list[str]:
    return [uuid for uuid, entry in rows.by_uuid.items() if entry.is_message]


class _Pin(Struct, frozen=True):
    """What the `last-prompt` records amount to: the uuid that the last of them names."""

    uuid: str = ""
    explicit: bool = False  # it was marked so
    current: bool = False  # it was marked explicit, and no main row was written since
    rewound: bool = False  # it was marked rewound, and no main row was written since
    emptied: bool = False  # a record took everything back, and no main row was written since


def _read_pin(rows: Rows, entries: list[Entry]) -> _Pin:
    """Read the `last-prompt` records behind the newest boundary.

    The last one that names a leaf counts, with the marks of those right before it that name the same. One that is
    explicit and whose leafUuid is null takes back those before it.
    """
    boundary = last_main = -1
    for index, entry in enumerate(entries):
        if entry.boundary:
            boundary = index
        if not entry.sidechain and rows.row_for(entry):
            last_main = index
    pins: list[tuple[str, int, Entry]] = []
    for index, entry in enumerate(entries[boundary + 1 :], boundary + 1):
        if entry.type != "last-prompt" or not entry.note:
            continue
        uuid = uuid_text(entry.note.get("leafUuid"), entry.index)
        if uuid:
            pins.append((uuid, index, entry))
        elif _is_marked(entry, "explicit") and entry.note.get("leafUuid", "") is None:
            pins = [("", index, entry)]
    if not pins:
        return _Pin()
    if not pins[-1][0]:
        return _Pin(emptied=pins[-1][1] > last_main)
    same = list(takewhile(lambda pin: pin[0] == pins[-1][0], reversed(pins)))
    explicit, rewound = (
        max((index for _, index, entry in same if _is_marked(entry, mark)), default=-1)
        for mark in ("explicit", "rewound")
    )
    return _Pin(pins[-1][0], explicit >= 0, explicit > last_main, rewound > last_main)


def pinned_leaf(
    rows: Rows, pin: _Pin, leaf: ResumePoint, children: dict[str, list[str]], rules: RuleSet
) -> ResumePoint | None:
    """The leaf that a `last-prompt` record names, where it wins over the one found by file order."""
    if pin.emptied and "leaf.emptied" in rules:
        return ResumePoint("", "emptied")
    target = rows.nearest_message(pin.uuid)
    if not target:
        return None
    path = [] if leaf.selected_by == NO_UUID else find_path(rows, leaf.selected_by, rules, bridge=False)
    covers_answers = not pin.explicit and "path.last-prompt" in rules
    on_path = pin.uuid in (covered_by_path(rows, path, children) if covers_answers else path)
    if not on_path and "leaf.pinned" in rules:
        followed = any(rows.nearest_message(rows.parent[uuid]) == target for uuid in _messages(rows))
        if not rows.preserved or (pin.uuid == target and not followed):
            return ResumePoint(target, "pinned", pin.uuid)
    back = pin.current and target != leaf.uuid and "leaf.pinned-back" in rules
    return ResumePoint(target, "pinned-back", pin.uuid) if back else None


def _is_marked(entry: Entry, mark: str) -> bool:
    return entry.note is not None and entry.note.get(mark) is True
