"""Kill a saving process again and again, and look at what it left.

    python -m tests.history.kill_loop 1000 [SEED]

The child saves as fast as it can and says so after each save: a single file, or two files that must change together.
The parent kills it at a random moment (its own child, by its id), then looks at the files as they are, lets the next
start put things right, and looks again. The
database is checked as well: SQLite's own integrity, and every content against its digest. Prints
`kills=1000 torn=0 lost=0 half=0 temps=0 damaged=0`; ends with 1 if a figure is not zero.
"""

import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from memtui.fs.atomic import digest
from memtui.history.store import Change, Store
from memtui.util.app_dirs import Dirs

PAD = b"some words of a memory that is about as long as they are\n"


def text(number: int) -> bytes:
    """A content that tells whether it is whole: its number first and last, and a size that depends on it."""
    return b"first %d\n" % number + PAD * (20 + number % 60) + b"last %d\n" % number


def number_of(data: bytes) -> int | None:
    """The number of a whole content; `None` if it is torn."""
    try:
        number = int(data.split(b"\n", 1)[0].removeprefix(b"first "))
    except ValueError:
        return None
    return number if data == text(number) else None


def save_on(root: Path, dirs: Dirs, start: int, out: int) -> None:
    """Save until killed; each acknowledged number goes to `out`, 8 bytes each."""
    store = Store(root, dirs, trash=None)
    number = start
    while True:
        old, new = text(number), text(number + 1)
        if number % 3:
            store.apply([Change("one.md", new, digest(old))], why=f"save {number + 1}")
            store.apply([Change("left.md", new, digest(old)), Change("right.md", new, digest(old))], why="both")
        else:
            names = ("one.md", "left.md", "right.md")
            store.apply([Change(name, new, digest(old)) for name in names], why=f"save {number + 1}")
        number += 1
        os.write(out, number.to_bytes(8, "big"))


def once(root: Path, dirs: Dirs, start: int, chance: random.Random) -> int:
    """One child, killed after a random time; the last number that it acknowledged."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            save_on(root, dirs, start, write)
        finally:
            os._exit(9)
    os.close(write)
    try:
        # Every other one from its first system calls on, the rest somewhere in or between later saves.
        if chance.random() < 0.5:
            select.select([read], [], [], 10)
        time.sleep(chance.uniform(0, 0.06))
    finally:
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        raise RuntimeError("the child ended by itself: a save failed")
    acknowledged = start
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read()
    if len(told) >= 8:
        acknowledged = int.from_bytes(told[len(told) // 8 * 8 - 8 : len(told) // 8 * 8], "big")
    return acknowledged


def main(kills: int, seed: int) -> dict[str, int]:
    """Run the loop in a temporary folder; the figures."""
    base = Path(tempfile.mkdtemp(prefix="memtui-kill-"))
    root, dirs = base / "memory", Dirs(base / "config", base / "state", base / "cache")
    root.mkdir()
    chance = random.Random(seed)
    found = dict.fromkeys(("kills", "saves", "torn", "lost", "half", "temps_before", "temps", "damaged"), 0)
    try:
        store = Store(root, dirs, trash=None)
        store.apply([Change(name, text(0), None) for name in ("one.md", "left.md", "right.md")], why="start")
        number = 0
        for _ in range(kills):
            acknowledged = once(root, dirs, number, chance)
            found["kills"] += 1
            found["saves"] += acknowledged - number
            before = {name: number_of((root / name).read_bytes()) for name in ("one.md", "left.md", "right.md")}
            found["torn"] += sum(value is None for value in before.values())
            found["temps_before"] += len(list(base.rglob("*.tmp")))
            store.recover()
            after = {name: number_of((root / name).read_bytes()) for name in ("one.md", "left.md", "right.md")}
            found["torn"] += sum(value is None for value in after.values())
            found["temps"] += len(list(base.rglob("*.tmp")))
            values = [value if value is not None else -1 for value in after.values()]
            found["lost"] += sum(value < acknowledged for value in values)
            found["half"] += after["left.md"] != after["right.md"]
            found["half"] += {name: store.history.head(name) for name in after} != {
                name: (root / name).read_bytes() for name in after
            }
            if found["kills"] % 50 == 0:
                found["damaged"] += len(store.history.database.check())
            number = settle(store, root, values)
        # Every acknowledged content is in the history, in order.
        held = {file.after for one in store.log("left.md", limit=None) for file in one.files if file.name == "left.md"}
        found["lost"] += sum(digest(text(one)) not in held for one in range(number + 1))
        found["lost"] += sum(store.history.content(digest(text(one))) != text(one) for one in range(number + 1))
        found["damaged"] += len(store.history.database.check())
    finally:
        shutil.rmtree(base)
    return found


def settle(store: Store, root: Path, values: list[int]) -> int:
    """All three files to the newest number, for the next child to start from."""
    newest = max(values)
    changes = [
        Change(name, text(newest), digest((root / name).read_bytes()))
        for name, value in zip(("one.md", "left.md", "right.md"), values, strict=True)
        if value != newest
    ]
    store.apply(changes, why="settle")
    return newest


if __name__ == "__main__":
    began = time.monotonic()
    figures = main(int(sys.argv[1]) if len(sys.argv) > 1 else 100, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(*(f"{name}={value}" for name, value in figures.items()), f"seconds={time.monotonic() - began:.0f}")
    sys.exit(any(figures[name] for name in ("torn", "lost", "half", "temps", "damaged")))
