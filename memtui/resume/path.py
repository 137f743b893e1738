"""The way from a leaf up to where a conversation begins, and the rows beside it that belong to it.

Rules, each as client 2.1.332 was seen to follow it:

1. The way goes from parent to parent and ends at a compact boundary, whatever that one's own parent is.
2. Where a parent isn't a row, or was on the way already (a cycle), it goes on at the row with the latest time that
   is not later and at most 5 s earlier, of the same side (main or sub-agent) and not on the way yet; of equals the
   first in the file. If there is none the way begins here.
3. Parallel calls: one answer is several rows with one message id, and its results hang from the row of their call.
   Rows of that id beside the way, and results of its calls, are put among what is on it between the answer's first
   row and the next message of another kind: each before the first row there that comes later in the file. A result
   that hangs elsewhere, or from a later answer, belongs to the answer that made its call, if only one did and both are
   on the same side; it counts only where neither the way nor a result that hangs from the answer has that call's, and
   as standing behind the answer's last row in the file. Where it doesn't count it belongs to the answer that it hangs
   from, if to any. A result that stands before its call then, and before every other row of the answer that made it,
   is put behind the call, if the user said nothing in between.
4. Where nothing but results and rows without a message (a command counts as one here) is between the rows of an
   answer, and at least one of the latter, all that comes behind the last of them.
5. Rows without a message (hooks, attachments, commands) that hang from the leaf come behind it; a compact boundary
   among them ends what was said so far, and the conversation begins behind it. Such rows and notes (isMeta), but no
   boundaries, that hang from an answer with calls or from its results are put in by rule 3, if nothing else and no two
   hang from one of them; where some are on the way, those that hang from them come right behind them.
6. A `last-prompt` that isn't explicit finds on the way: its rows; calls of an answer below those of its calls that are
   on it; the results that hang from either, if another call of that answer is on the way and no result on it answers
   the same call; where an answer has any of these, also what hangs from its results by rule 5.
"""

from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from operator import or_

from msgspec import Struct, field

from memtui.resume.rows import Rows
from memtui.transcripts.entries import Entry

NEAR = 5.0
"""Seconds: as much earlier the row may be that stands in for a lost parent."""


def find_path(rows: Rows, leaf: str, *, strict: bool = False) -> list[str]:
    """The uuids on the way to `leaf`, oldest first (rules 1 and 2); a strict way has no stand-ins for lost parents."""
    way: list[str] = []
    seen: set[str] = set()
    uuid = leaf
    while uuid:
        if uuid not in rows.by_uuid or uuid in seen:
            if not way:
                return []
            uuid = "" if strict else parent_substitute(rows, rows.by_uuid[way[-1]], seen)
            continue
        seen.add(uuid)
        way.append(uuid)
        if rows.by_uuid[uuid].boundary:
            break
        uuid = rows.parent[uuid]
    way.reverse()
    return way


def parent_substitute(rows: Rows, child: Entry, seen: set[str]) -> str:
    """The row that stands in for a lost parent (rule 2); "" if none is near enough."""
    time = child.time
    if time is None:
        return ""
    timeline = rows.timeline()
    at = bisect_right(timeline, (time, 1, ""))
    while at and time - timeline[at - 1][0] <= NEAR:
        at -= 1
        uuid = timeline[at][2]
        if uuid not in seen and rows.by_uuid[uuid].sidechain == child.sidechain:
            return uuid
    return ""


def with_parallel(rows: Rows, way: list[str], children: dict[str, list[str]]) -> list[str]:
    """The way with the rest of each answer put in (rules 3 and 4)."""
    answers = _answers(rows, way)
    if not answers:
        return way
    on_way = set(way)
    position = {uuid: at for at, uuid in enumerate(way)}
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    behind: dict[str, list[str]] = {}
    for answer in answers:
        told = {*answer.results, *answer.orphans}
        end = 1 + max(position[uuid] for uuid in answer.rows if uuid in position)
        while end < len(way) and (way[end] in told or _is_aside(rows.by_uuid[way[end]])):
            end += 1
        own = [*answer.rows, *answer.results, *answer.orphans]
        beside = [uuid for uuid in own if uuid not in on_way]
        on_way.update(beside)
        if any(rows.by_uuid[uuid].calls for uuid in answer.rows):
            asides = _asides(rows, own, children, on_way)
            on_way.update(asides)
            for uuid, host in asides.items():
                (behind.setdefault(host, []) if host else beside).append(uuid)
        region = way[position[answer.first] + 1 : end]
        latest = list(accumulate((rows.place[uuid] for uuid in region), max))
        last = max(rows.place[uuid] for uuid in answer.rows)
        orphans = set(answer.orphans)
        place = {uuid: max(rows.place[uuid], last if uuid in orphans else 0) for uuid in beside}
        for uuid in sorted(beside, key=lambda uuid: (place[uuid], rows.place[uuid])):
            later = bisect_right(latest, place[uuid])
            if later < len(region):
                before.setdefault(region[later], []).append(uuid)
            else:
                after.setdefault(way[end - 1], []).append(uuid)
    found = [row for uuid in way for row in (*before.get(uuid, ()), uuid, *behind.get(uuid, ()), *after.get(uuid, ()))]
    return _rows_together(rows, _results_behind_calls(rows, found))


def within_reach(rows: Rows, way: list[str], children: dict[str, list[str]]) -> set[str]:
    """The way, and what counts as being on it when a `last-prompt` names it (rule 6)."""
    on_way = set(way)
    calls = {uuid for uuid in way if rows.by_uuid[uuid].calls}
    calls |= _parallel_calls(rows, calls, children)
    made = {call for uuid in calls for call in rows.by_uuid[uuid].calls}
    unanswered = made.difference(call for uuid in way for call in rows.by_uuid[uuid].answers)
    beginnings = Counter(rows.by_uuid[uuid].message_id for uuid in calls & on_way)
    results = {
        child
        for uuid in calls
        if beginnings[rows.by_uuid[uuid].message_id] > (uuid in on_way)
        for child in children.get(uuid, ())
        if child not in on_way and not unanswered.isdisjoint(rows.by_uuid[child].answers)
    }
    beside = {rows.by_uuid[uuid].message_id for uuid in calls - on_way}
    beside |= {rows.by_uuid[rows.parent[uuid]].message_id for uuid in results}
    on_way |= calls | results
    asked = {call for uuid in calls if rows.by_uuid[uuid].message_id in beside for call in rows.by_uuid[uuid].calls}
    told = [uuid for uuid in on_way if not asked.isdisjoint(rows.by_uuid[uuid].answers)]
    return on_way.union(_asides(rows, told, children, on_way))


def _parallel_calls(rows: Rows, calls: set[str], children: dict[str, list[str]]) -> set[str]:
    """The calls of an answer below some of its calls, with nothing between but rows of it, results and asides."""
    found: set[str] = set()
    waiting = [(uuid, rows.by_uuid[uuid].message_id) for uuid in calls]
    seen = set(waiting)
    for uuid, answer in waiting:
        for child in children.get(uuid, ()):
            entry = rows.by_uuid[child]
            if (child, answer) in seen or (entry.talks and not entry.answers and entry.message_id != answer):
                continue
            seen.add((child, answer))
            waiting.append((child, answer))
            if entry.calls:
                found.add(child)
    return found


class _Answer(Struct):
    """One answer of the model: the rows with its id, the results that hang from these, and strays, results of its calls
    that hang elsewhere; each in file order."""

    first: str
    rows: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)


def _answers(rows: Rows, way: list[str]) -> list[_Answer]:
    """The answers on the way, with what belongs to them anywhere in the file."""
    by_id: dict[str, _Answer] = {}
    for uuid in way:
        if rows.by_uuid[uuid].message_id:
            by_id.setdefault(rows.by_uuid[uuid].message_id, _Answer(uuid))
    owner: dict[str, str] = {}  # of a call: the answer that made it; "" if two claim it
    caller: dict[str, Entry] = {}
    for uuid in rows.in_place():
        entry = rows.by_uuid[uuid]
        if entry.message_id in by_id:
            by_id[entry.message_id].rows.append(uuid)
            for call in entry.calls if entry.uuid else ():
                owner[call] = entry.message_id if owner.get(call, entry.message_id) == entry.message_id else ""
                caller[call] = entry
    turn = {answer: place for place, answer in enumerate(by_id)}
    for uuid in rows.in_place():
        entry = rows.by_uuid[uuid]
        if not entry.answers:
            continue
        above = rows.by_uuid.get(rows.parent[uuid])
        host = turn.get(above.message_id) if above is not None else None
        if (
            above is not None
            and host is not None
            and any(host <= turn.get(owner.get(call, ""), host) for call in entry.answers)
        ):
            by_id[above.message_id].results.append(uuid)
            continue
        for call in entry.answers:
            if owner.get(call) and (entry.sidechain, entry.agent) == (caller[call].sidechain, caller[call].agent):
                by_id[owner[call]].orphans.append(uuid)
                break
    _keep_wanted(rows, way, by_id)
    return list(by_id.values())


def _keep_wanted(rows: Rows, way: list[str], by_id: dict[str, _Answer]) -> None:
    """Keep strays that are on the way or have a result that neither the way nor the answer's rows have; any other goes
    to the answer that it hangs from, if it hangs from one."""
    on_way = set(way)
    answered = {call for uuid in way for call in rows.by_uuid[uuid].answers}
    hosts: set[str] = set()
    for answer in by_id.values():
        told = {call for uuid in answer.results for call in rows.by_uuid[uuid].answers}
        orphans, answer.orphans = answer.orphans, []
        for uuid in orphans:
            if uuid in on_way or any(call not in answered and call not in told for call in rows.by_uuid[uuid].answers):
                answer.orphans.append(uuid)
            elif (above := rows.by_uuid.get(rows.parent[uuid])) is not None and above.message_id in by_id:
                by_id[above.message_id].results.append(uuid)
                hosts.add(above.message_id)
    for host in hosts:
        by_id[host].results.sort(key=rows.place.__getitem__)


def _results_behind_calls(rows: Rows, way: list[str]) -> list[str]:
    """A result that stands before all rows of its call's answer is put behind the call, if nothing was said between."""
    made = {call: uuid for uuid in reversed(way) for call in rows.by_uuid[uuid].calls}
    begun = {rows.by_uuid[uuid].message_id or uuid: at for at, uuid in reversed(list(enumerate(way)))}
    place = {uuid: begun[rows.by_uuid[uuid].message_id or uuid] for uuid in way}
    turn = dict(zip(way, accumulate(_is_said(rows.by_uuid[uuid]) for uuid in way), strict=True))
    early: dict[str, list[str]] = {}
    for uuid in way:
        calls = [made[call] for call in rows.by_uuid[uuid].answers if call in made]
        if calls and place[calls[0]] > place[uuid] and turn[calls[0]] == turn[uuid]:
            early.setdefault(calls[0], []).append(uuid)
    if not early:
        return way
    moved = {uuid for group in early.values() for uuid in group}
    found: list[str] = []
    for uuid in way:
        if uuid not in moved:
            found += [uuid, *early.get(uuid, ())]
    return found


def _rows_together(rows: Rows, way: list[str]) -> list[str]:
    """Rule 4: the rows of an answer without what is between them, if that is asides and results."""
    places: dict[str, list[int]] = {}
    for at, uuid in enumerate(way):
        if rows.by_uuid[uuid].message_id:
            places.setdefault(rows.by_uuid[uuid].message_id, []).append(at)
    found = list(way)
    for own in places.values():
        start, end = own[0], own[-1] + 1
        if end - start == len(own):
            continue
        rest = set(range(start, end)).difference(own)
        between = [way[at] for at in sorted(rest)]
        silent = [not rows.by_uuid[uuid].talks and not _is_said(rows.by_uuid[uuid]) for uuid in between]
        told = [bool(rows.by_uuid[uuid].answers) for uuid in between]
        if any(silent) and all(map(or_, silent, told)):
            found[start:end] = [*(way[at] for at in own), *between]
    return found


def _is_said(entry: Entry) -> bool:
    """Whether it is a user's message or command that answers no call."""
    return entry.subtype == "local_command" or (entry.type == "user" and entry.speaks and not entry.answers)


def _asides(rows: Rows, start: list[str], children: dict[str, list[str]], on_way: set[str]) -> dict[str, str]:
    """What hangs from calls and results beside the way, if it is a line of rows without a message and notes.

    What hangs from such a row on the way counts as hanging from what that one hangs from; the value is that row, "" of
    anything else.
    """
    found: dict[str, str] = {}
    own = set(start)
    waiting, passed = list(start), set(start)
    for uuid in waiting:
        for top in children.get(uuid, ()):
            if top in on_way:
                if top not in passed and _is_aside(rows.by_uuid[top]) and not rows.by_uuid[top].sidechain:
                    passed.add(top)
                    waiting.append(top)
                continue
            group, seen = [top], {top}
            for row in group:
                below = [child for child in children.get(row, ()) if child not in seen and child not in on_way]
                seen.update(below)
                group += below
            alone = all(len(children.get(row, ())) < 2 for row in group)
            if alone and all(_is_aside(rows.by_uuid[row]) and not rows.by_uuid[row].sidechain for row in group):
                found.update(dict.fromkeys(group, "" if uuid in own else uuid))
    return found


def _is_aside(entry: Entry) -> bool:
    return not (entry.talks or entry.boundary) or (
        entry.meta and entry.type == "user" and not entry.sidechain and not entry.answers
    )


def trailing(rows: Rows, way: list[str], leaf: str, children: dict[str, list[str]]) -> list[str]:
    """What hangs from the leaf of a way without being a message (rule 5)."""
    on_way = set(way)
    return [uuid for uuid in _below(rows, [leaf], children) if uuid not in on_way]


def _below(rows: Rows, start: list[str], children: dict[str, list[str]]) -> list[str]:
    """Rows without a message that hang from some rows, level by level."""
    found: list[str] = []
    seen, level = set(start), start
    while level:
        below = [child for uuid in level for child in children.get(uuid, ()) if not rows.by_uuid[child].talks]
        level = [uuid for uuid in below if uuid not in seen]
        seen.update(level)
        found += level
    return found
