"""One of several processes that edit one file at the same time; see test_store_processes.py.

    python -m tests.history.writer_loop ROOT STATE append|own NUMBER EDITS

Waits for a line on standard input, then edits; prints how often it had to look again.
"""

import sys
from pathlib import Path

from memtui.fs.atomic import digest
from memtui.history.store import Change, Stale, Store
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict

NAME = "shared.md"


def append(store: Store, number: int, edits: int) -> int:
    """Add lines at the end, where everybody does: what overlaps is done again on what is there by then."""
    again = 0
    for edit in range(edits):
        while True:
            there = store.read(NAME)
            assert there is not None
            line = b"process %d edit %d\n" % (number, edit)
            try:
                store.apply([Change(NAME, there[0] + line, there[1])], why=f"{number} adds {edit}", who=f"w{number}")
                break
            except (Stale, Conflict):
                again += 1
    return again


def own(store: Store, number: int, edits: int) -> int:
    """Change lines of one's own section, always from the text seen long ago: everything else has to be merged in."""
    there = store.read(NAME)
    assert there is not None
    base = there[0]
    again = 0
    for edit in range(edits):
        mark = b"# section %d\n" % number
        mine = base.replace(mark, mark + b"process %d edit %d\n" % (number, edit))
        while True:
            try:
                store.apply([Change(NAME, mine, digest(base), base_data=base)], why="own", who=f"w{number}")
                break
            except Stale:
                raise
            except Conflict:
                again += 1
        base = mine
    return again


if __name__ == "__main__":
    root, state, kind, number, edits = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], *map(int, sys.argv[4:6])
    opened = Store(root, Dirs(state / "c", state / "s", state / "k"), trash=None)
    print("ready", flush=True)
    sys.stdin.readline()
    print({"append": append, "own": own}[kind](opened, number, edits), flush=True)
