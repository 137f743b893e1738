"""The path from where a conversation begins down to its leaf, and the records beside it that belong to it.

One answer of the model is several rows with one message id. Parallel calls fork the tree: each result is a child of the
row of its call, so only one of them is on the plain path, and the others are put in here.
"""

from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from operator import or_
from typing import Final

from msgspec import Struct, field

from memtui.resume.conversation import ResumePoint, Rows
from memtui.resume.family import RuleSet
from memtui.transcripts.entries import Entry

MAX_BRIDGE_S: Final = 5.0  # a parent that is not in the file is replaced by a row at most so much older than the child


def records_to_send(
    rows: Rows, point: ResumePoint, children: dict[str, list[str]], rules: RuleSet
) -> tuple[list[Entry], int]:
    """The records that lead to a resume point, oldest first, and how many are not sent; none without a conversation."""
    chosen = point.reason == "chosen"
    sidechain = bool(point.uuid) and rows.by_uuid[point.uuid].sidechain and "leaf.sub-agent" in rules
    if not chosen and (not point.uuid or sidechain):
        return [], 0
    path = add_parallel_rows(rows, find_path(rows, point.uuid, rules), children, rules)
    trailing = [] if chosen or "path.trailing" not in rules else _rows_below(rows, point.uuid, children, set(path))
    start = 0
    if "path.trailing-boundary" in rules:
        boundaries = (at for at, uuid in enumerate(trailing, len(path)) if rows.by_uuid[uuid].boundary)
        start = max(boundaries, default=0)
    return [rows.by_uuid[uuid] for uuid in (*path, *trailing)], start


def find_path(rows: Rows, leaf: str, rules: RuleSet, *, bridge: bool = True) -> list[str]:
    """The uuids from the root to a leaf; `bridge`: a parent that is not in the file is replaced by another row."""
    path: list[str] = []
    seen: set[str] = set()
    bridge = bridge and "path.bridge" in rules
    uuid = leaf
    while uuid:
        if uuid not in rows.by_uuid or uuid in seen:
            if not path:
                return []
            uuid = parent_substitute(rows, rows.by_uuid[path[-1]], seen) if bridge else ""
            continue
        seen.add(uuid)
        path.append(uuid)
        if rows.by_uuid[uuid].boundary and "path.boundary" in rules:
            break
        uuid = rows.parent[uuid]
    path.reverse()
    return path


def parent_substitute(rows: Rows, child: Entry, seen: set[str]) -> str:
    """The row that replaces a parent that is not in the file; "" if none is near enough in time."""
    time = child.time
    if time is None:
        return ""
    timeline = rows.timeline()
    at = bisect_right(timeline, (time, 1, ""))
    while at and time - timeline[at - 1][0] <= MAX_BRIDGE_S:
        at -= 1
        uuid = timeline[at][2]
        if uuid not in seen and rows.by_uuid[uuid].sidechain == child.sidechain:
            return uuid
    return ""


def add_parallel_rows(rows: Rows, path: list[str], children: dict[str, list[str]], rules: RuleSet) -> list[str]:
    """The path with the rest of each answer put in.

    A row beside the path is put before the first row of the answer's region that comes later in the file; the region
    reaches from the answer's first row to the next message of another kind.
    """
    answers = _answers_on(rows, path, rules)
    if not answers:
        return path
    on_path = set(path)
    position_on_path = {uuid: at for at, uuid in enumerate(path)}
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    directly_after: dict[str, list[str]] = {}
    for answer in answers:
        results = {*answer.results, *answer.detached}
        end = 1 + max(position_on_path[uuid] for uuid in answer.rows if uuid in position_on_path)
        while end < len(path) and (path[end] in results or _is_side_row(rows.by_uuid[path[end]])):
            end += 1
        own = [*answer.rows, *answer.results, *answer.detached]
        beside = [uuid for uuid in own if uuid not in on_path]
        on_path.update(beside)
        if "path.side-rows" in rules and any(rows.by_uuid[uuid].calls for uuid in answer.rows):
            side_rows = side_rows_below(rows, own, children, on_path)
            on_path.update(side_rows)
            for uuid, host in side_rows.items():
                (directly_after.setdefault(host, []) if host else beside).append(uuid)
        region = path[position_on_path[answer.first] + 1 : end]
        latest = list(accumulate((rows.position[uuid] for uuid in region), max))
        last = max(rows.position[uuid] for uuid in answer.rows)
        detached = set(answer.detached)
        order = {uuid: max(rows.position[uuid], last if uuid in detached else 0) for uuid in beside}
        for uuid in sorted(beside, key=lambda uuid: (order[uuid], rows.position[uuid])):
            later = bisect_right(latest, order[uuid])
            if later < len(region):
                before.setdefault(region[later], []).append(uuid)
            else:
                after.setdefault(path[end - 1], []).append(uuid)
    found: list[str] = []
    for uuid in path:
        found += (*before.get(uuid, ()), uuid, *directly_after.get(uuid, ()), *after.get(uuid, ()))
    if "path.result-after-call" in rules:
        found = results_after_calls(rows, found)
    return answers_together(rows, found) if "path.answer-together" in rules else found


def covered_by_path(rows: Rows, path: list[str], children: dict[str, list[str]]) -> set[str]:
    """The rows that count as being on a path when a `last-prompt` that is not explicit names one of them.

    Besides the path: calls of an answer below its calls on the path; the results that are children of either, if
    another call of that answer is on the path and no result on it answers the same call; and the side rows below these
    results.
    """
    covered = set(path)
    calls = {uuid for uuid in path if rows.by_uuid[uuid].calls}
    calls |= _parallel_calls(rows, calls, children)
    made = {call for uuid in calls for call in rows.by_uuid[uuid].calls}
    unanswered = made.difference(call for uuid in path for call in rows.by_uuid[uuid].answers)
    calls_on_path = Counter(rows.by_uuid[uuid].message_id for uuid in calls & covered for _ in rows.by_uuid[uuid].calls)
    results = {
        child
        for uuid in calls
        if calls_on_path[rows.by_uuid[uuid].message_id] > (uuid in covered)
        for child in children.get(uuid, ())
        if child not in covered and not unanswered.isdisjoint(rows.by_uuid[child].answers)
    }
    message_ids = {rows.by_uuid[uuid].message_id for uuid in calls - covered}
    message_ids |= {rows.by_uuid[rows.parent[uuid]].message_id for uuid in results}
    covered |= calls | results
    asked = {
        call for uuid in calls if rows.by_uuid[uuid].message_id in message_ids for call in rows.by_uuid[uuid].calls
    }
    results_on_path = [uuid for uuid in covered if not asked.isdisjoint(rows.by_uuid[uuid].answers)]
    return covered.union(side_rows_below(rows, results_on_path, children, covered))


def _parallel_calls(rows: Rows, calls: set[str], children: dict[str, list[str]]) -> set[str]:
    """Calls of the same answer below some of its calls, with only its own rows, results and side rows between."""
    found: set[str] = set()
    queue = [(uuid, rows.by_uuid[uuid].message_id) for uuid in calls]
    seen = set(queue)
    for uuid, message_id in queue:
        for child in children.get(uuid, ()):
            entry = rows.by_uuid[child]
            other_message = entry.is_message and not entry.answers and entry.message_id != message_id
            if (child, message_id) in seen or other_message:
                continue
            seen.add((child, message_id))
            queue.append((child, message_id))
            if entry.calls:
                found.add(child)
    return found


class _Answer(Struct):
    """One answer of the model, each list in file order."""

    first: str
    rows: list[str] = field(default_factory=list)  # have its message id
    results: list[str] = field(default_factory=list)  # children of these
    detached: list[str] = field(default_factory=list)  # results of its calls with another parent


def _answers_on(rows: Rows, path: list[str], rules: RuleSet) -> list[_Answer]:
    """The answers on a path, with what belongs to them anywhere in the file.

    A result belongs to the answer of its parent, unless an earlier answer on the path made its call. Any other result
    belongs to the answer that made its call, if only one did and both are of one side (main or the same sub-agent).
    """
    by_id: dict[str, _Answer] = {}
    for uuid in path:
        if rows.by_uuid[uuid].message_id:
            by_id.setdefault(rows.by_uuid[uuid].message_id, _Answer(uuid))
    if "path.parallel" not in rules:
        return []
    owner: dict[str, str] = {}  # call id -> message id of the answer that made it; "" if two did
    caller: dict[str, Entry] = {}
    for uuid in rows.in_file_order():
        entry = rows.by_uuid[uuid]
        if entry.message_id in by_id:
            by_id[entry.message_id].rows.append(uuid)
            for call in entry.calls if entry.uuid else ():
                owner[call] = entry.message_id if owner.get(call, entry.message_id) == entry.message_id else ""
                caller[call] = entry
    answers = list(by_id.values())
    number = {message_id: at for at, message_id in enumerate(by_id)}
    for uuid in rows.in_file_order():
        entry = rows.by_uuid[uuid]
        if not entry.answers:
            continue
        parent = rows.by_uuid.get(rows.parent[uuid])
        host = number.get(parent.message_id) if parent is not None else None
        if host is not None and any(host <= number.get(owner.get(call, ""), host) for call in entry.answers):
            answers[host].results.append(uuid)
            continue
        for call in entry.answers:
            if owner.get(call) and (entry.sidechain, entry.agent) == (caller[call].sidechain, caller[call].agent):
                by_id[owner[call]].detached.append(uuid)
                break
    assign_detached(rows, path, by_id, rules)
    return answers


def assign_detached(rows: Rows, path: list[str], by_id: dict[str, _Answer], rules: RuleSet) -> None:
    """Keep a detached result that is on the path, or that nothing on it and no result of its answer's rows replaces.

    Any other goes to the answer of its parent, if there is one.
    """
    on_path = set(path)
    answered = {call for uuid in path for call in rows.by_uuid[uuid].answers}
    hosts: set[str] = set()
    for answer in by_id.values():
        own = {call for uuid in answer.results for call in rows.by_uuid[uuid].answers}
        detached, answer.detached = answer.detached, []
        for uuid in detached if "path.detached-result" in rules else ():
            wanted = any(call not in answered and call not in own for call in rows.by_uuid[uuid].answers)
            if uuid in on_path or wanted:
                answer.detached.append(uuid)
            elif (parent := rows.by_uuid.get(rows.parent[uuid])) is not None and parent.message_id in by_id:
                by_id[parent.message_id].results.append(uuid)
                hosts.add(parent.message_id)
    for host in hosts:
        by_id[host].results.sort(key=rows.position.__getitem__)


def results_after_calls(rows: Rows, path: list[str]) -> list[str]:
    """Move a result that comes before its call's whole answer behind the call, if the user wrote nothing between."""
    made = {call: uuid for uuid in reversed(path) for call in rows.by_uuid[uuid].calls}
    begun = {rows.by_uuid[uuid].message_id or uuid: at for at, uuid in reversed(list(enumerate(path)))}
    start = {uuid: begun[rows.by_uuid[uuid].message_id or uuid] for uuid in path}
    turn = dict(zip(path, accumulate(_is_user_input(rows.by_uuid[uuid]) for uuid in path), strict=True))
    early: dict[str, list[str]] = {}
    for uuid in path:
        calls = [made[call] for call in rows.by_uuid[uuid].answers if call in made]
        if calls and start[calls[0]] > start[uuid] and turn[calls[0]] == turn[uuid]:
            early.setdefault(calls[0], []).append(uuid)
    if not early:
        return path
    moved = {uuid for group in early.values() for uuid in group}
    return [row for uuid in path if uuid not in moved for row in (uuid, *early.get(uuid, ()))]


def answers_together(rows: Rows, path: list[str]) -> list[str]:
    """Put the rows of an answer next to each other where only results and side rows, at least one, are between them."""
    places: dict[str, list[int]] = {}
    for at, uuid in enumerate(path):
        if rows.by_uuid[uuid].message_id:
            places.setdefault(rows.by_uuid[uuid].message_id, []).append(at)
    found = list(path)
    for own in places.values():
        start, end = own[0], own[-1] + 1
        if end - start == len(own):
            continue
        rest = set(range(start, end)).difference(own)
        between = [path[at] for at in sorted(rest)]
        side = [not rows.by_uuid[uuid].is_message and not _is_user_input(rows.by_uuid[uuid]) for uuid in between]
        results = [bool(rows.by_uuid[uuid].answers) for uuid in between]
        if any(side) and all(map(or_, side, results)):
            found[start:end] = [*(path[at] for at in own), *between]
    return found


def _is_user_input(entry: Entry) -> bool:
    """Whether it is a user's message or command that answers no call."""
    return entry.subtype == "local_command" or (entry.type == "user" and entry.has_content and not entry.answers)


def side_rows_below(rows: Rows, start: list[str], children: dict[str, list[str]], on_path: set[str]) -> dict[str, str]:
    """Unbranched chains of side rows beside the path, below some rows.

    Those below a side row on the path count too: their value is that row, else "".
    """
    found: dict[str, str] = {}
    own = set(start)
    queue, passed = list(start), set(start)
    for uuid in queue:
        for top in children.get(uuid, ()):
            if top in on_path:
                if top not in passed and _is_side_row(rows.by_uuid[top]) and not rows.by_uuid[top].sidechain:
                    passed.add(top)
                    queue.append(top)
                continue
            group, seen = [top], {top}
            for row in group:
                below = [child for child in children.get(row, ()) if child not in seen and child not in on_path]
                seen.update(below)
                group += below
            unbranched = all(len(children.get(row, ())) < 2 for row in group)
            if unbranched and all(_is_side_row(rows.by_uuid[row]) and not rows.by_uuid[row].sidechain for row in group):
                found.update(dict.fromkeys(group, "" if uuid in own else uuid))
    return found


def _is_side_row(entry: Entry) -> bool:
    """Whether it is a row without a message (hook, attachment, command), or a note to the model (isMeta)."""
    note = entry.meta and entry.type == "user" and not entry.sidechain and not entry.answers
    return note or not (entry.is_message or entry.boundary)


def _rows_below(rows: Rows, leaf: str, children: dict[str, list[str]], on_path: set[str]) -> list[str]:
    """Rows without a message below a leaf, level by level, without those on the path."""
    found: list[str] = []
    seen, level = {leaf}, [leaf]
    while level:
        below = [child for uuid in level for child in children.get(uuid, ()) if not rows.by_uuid[child].is_message]
        level = [uuid for uuid in below if uuid not in seen]
        seen.update(level)
        found += level
    return [uuid for uuid in found if uuid not in on_path]
