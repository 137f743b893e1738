"""A transcript as a tree of branches, of which only those that a person made are branches.

A record has several children for many reasons: parallel calls, hooks, attachments, progress, errors beside an answer.
None of these is a branch. A branch begins where two of the children lead to a prompt, or to an answer of their own: a
rewind, or a retry. Of two records with one uuid the first is in the tree, the others are counted.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, field

from memtui.transcripts.entries import CHAIN_TYPES, Entry, began_by_machine, find_cycles

BranchKind = Literal["root", "rewind", "retry", "left", "compaction", "orphan", "sub-agent"]


class Branch(Struct, frozen=True):
    """Records that follow each other without a fork by a person, side records included, in file order.

    A compaction's branch leaves at the record that its boundary names, an orphan's nowhere.
    """

    index: int
    kind: BranchKind
    rows: tuple[Entry, ...]
    parent: int | None = None  # the index of the branch that it leaves, None for a root
    off: Entry | None = None  # the record at which it leaves

    @property
    def start(self) -> Entry:
        return self.rows[0]

    @property
    def tip(self) -> Entry:
        """Its last message, or its last row if it has none."""
        return next((row for row in reversed(self.rows) if row.has_content), self.rows[-1])

    @property
    def prompts(self) -> int:
        return sum(row.prompt for row in self.rows)


class Tree(Struct):
    """A transcript's records as a forest. Branches are computed at the first use."""

    by_uuid: dict[str, Entry] = field(default_factory=dict)
    children: dict[str, list[Entry]] = field(default_factory=dict)  # in file order
    roots: list[Entry] = field(default_factory=list)
    orphans: list[Entry] = field(default_factory=list)  # name a parent that is not in the file
    cycles: list[Entry] = field(default_factory=list)  # one record of each
    duplicates: list[Entry] = field(default_factory=list)  # later records of a uuid
    _branches: tuple[Branch, ...] | None = None

    @property
    def branches(self) -> tuple[Branch, ...]:
        """Roots in file order, each fork behind the branch that it leaves."""
        if self._branches is None:
            self._branches = _Branches(self).all()
        return self._branches


def build_tree(entries: Iterable[Entry]) -> Tree:
    """Link the records of a transcript, in file order; 100,000 in a row are no deeper than ten."""
    tree = Tree()
    by_uuid = tree.by_uuid
    known: set[str] = set()
    ahead: list[str] = []  # parents not before their child: only with one that comes later can there be a cycle
    for entry in entries:
        uuid = entry.uuid
        known.add(uuid)
        if not uuid or entry.type not in CHAIN_TYPES:
            continue
        if uuid in by_uuid:
            tree.duplicates.append(entry)
            continue
        if entry.parent and entry.parent not in by_uuid:
            ahead.append(entry.parent)
        by_uuid[uuid] = entry
    if any(uuid in by_uuid for uuid in ahead):
        tree.cycles = find_cycles(by_uuid.values())
    broken = {entry.uuid for entry in tree.cycles}
    for entry in by_uuid.values():
        parent = entry.parent
        if parent in by_uuid and entry.uuid not in broken:
            tree.children.setdefault(parent, []).append(entry)
            continue
        tree.roots.append(entry)
        if parent and parent not in known:
            tree.orphans.append(entry)
    return tree


class _Branches:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.order = self._order()
        self.leads: dict[str, bool] = {}
        self.last: dict[str, int] = {}
        for entry in reversed(self.order):
            below = tree.children.get(entry.uuid, ())
            self.last[entry.uuid] = max([entry.index, *(self.last[child.uuid] for child in below)])
            above = tree.by_uuid.get(entry.parent)
            own = entry.prompt or (bool(entry.message_id) and (above is None or above.message_id != entry.message_id))
            self.leads[entry.uuid] = own or any(self.leads[child.uuid] for child in below)

    def _order(self) -> list[Entry]:
        found, waiting = [], list(self.tree.roots)
        while waiting:
            entry = waiting.pop()
            found.append(entry)
            waiting += self.tree.children.get(entry.uuid, ())
        return found

    def all(self) -> tuple[Branch, ...]:
        found: list[Branch] = []
        where: dict[str, int] = {}
        waiting: list[tuple[Entry, BranchKind, int | None, Entry | None]] = [
            (root, self._kind(root), None, None) for root in sorted(self.tree.roots, key=lambda entry: -entry.index)
        ]
        while waiting:
            start, kind, parent, off = waiting.pop()
            if start.boundary:
                off = self.tree.by_uuid.get(start.logical_parent) or off
                parent = where.get(off.uuid) if off else None
            rows, forks = self._follow(start)
            branch = Branch(len(found), kind, tuple(rows), parent, off)
            found.append(branch)
            where.update((row.uuid, branch.index) for row in rows)
            waiting += [
                (child, _fork_kind(child, row, self.tree, rows), branch.index, row) for child, row in reversed(forks)
            ]
        return tuple(found)

    def _kind(self, root: Entry) -> BranchKind:
        if root.sidechain:
            return "sub-agent"
        if root.boundary:
            return "compaction"
        return "orphan" if root.parent else "root"

    def _follow(self, start: Entry) -> tuple[list[Entry], list[tuple[Entry, Entry]]]:
        """The rows of the branch that begins at a row, and the forks (first row, the row that they leave)."""
        rows: list[Entry] = []
        forks: list[tuple[Entry, Entry]] = []
        waiting = [start]
        while waiting:
            row = waiting.pop()
            rows.append(row)
            below = self.tree.children.get(row.uuid, [])
            leading = [child for child in below if self.leads[child.uuid] and child.sidechain == row.sidechain]
            inner = [child for child in leading if not child.boundary]  # a compaction begins a branch, parent or not
            main = max(inner, key=lambda child: self.last[child.uuid], default=None)
            for child in below:
                leaves = child in leading or child.sidechain != row.sidechain
                if child is main or not leaves:
                    waiting.append(child)
                else:
                    forks.append((child, row))
        rows.sort(key=lambda entry: entry.index)
        if rows[0] is not start:  # a child may come before its parent in the file
            rows.remove(start)
            rows.insert(0, start)
        return rows, forks


def _fork_kind(child: Entry, off: Entry, tree: Tree, main: list[Entry]) -> BranchKind:
    """What a fork is: "left" where a machine's turn, not a person, made the session go on beside it."""
    if child.sidechain:
        return "sub-agent"
    if child.boundary:
        return "compaction"
    if began_by_machine(main[main.index(off) + 1 :]):
        return "left"
    row: Entry | None = child
    seen: set[str] = set()
    while row is not None and row.uuid not in seen:
        seen.add(row.uuid)
        if row.prompt:
            return "rewind"
        if row.message_id:
            return "retry"
        row = next(iter(tree.children.get(row.uuid, ())), None)
    return "rewind"
