"""People, agents, dreams, other programs, crashes and restarts in any order.

Whatever happens: every text that was acknowledged, and every foreign text that was there when we wrote, is in the file
or in the history; the history's newest state is the folder's; undo brings back exact bytes.
"""

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memtui.fs.atomic import digest
from memtui.history.store import Change, Saved, Stale, Store
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, NotFound, Refused
from tests.fs.faults import Crash, FaultFS

NAMES = ["a.md", "b.md", "sub/c.md"]
NAME = st.sampled_from(NAMES)
WHO = st.sampled_from(["you", "agent", "dream"])
BASE = [b"line %d\n" % number for number in range(12)]


class StoreMachine(RuleBasedStateMachine):
    """The model: what every name must still be findable as, and what each file should hold."""

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="memtui-machine-"))
        self.root = self.base / "memory"
        self.root.mkdir()
        self.dirs = Dirs(self.base / "config", self.base / "state", self.base / "cache")
        self.safe: set[tuple[str, bytes]] = set()
        self.seen: dict[str, bytes | None] = dict.fromkeys(NAMES)
        self.number = 0
        self.clock = 1_000_000.0
        self.fs = FaultFS()
        self.store = self.open()

    def open(self) -> Store:
        self.fs = FaultFS()
        return Store(self.root, self.dirs, fs=self.fs, trash=None, now=lambda: self.clock, patience=1)

    def teardown(self) -> None:
        self.store.history.database.close()
        shutil.rmtree(self.base)

    def disk(self, name: str) -> bytes | None:
        path = self.root / name
        return path.read_bytes() if path.exists() else None

    def fresh(self, text: str) -> bytes:
        self.number += 1
        return f"{text} {self.number}\n".encode()

    def foreign(self, name: str, data: bytes | None) -> None:
        path = self.root / name
        if data is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (1000, 1000))

    def acknowledged(self, saved: Saved, before: dict[str, bytes | None]) -> None:
        """After a write: what its files hold now, and what they held just before, must never be lost."""
        for name in [change.name for change in saved.operation.files] if saved.operation is not None else []:
            now = self.disk(name)
            if now is not None:
                self.safe.add((name, now))
            old = before[name]
            if old is not None and now != old:
                self.safe.add((name, old))

    def state(self) -> dict[str, bytes | None]:
        return {name: self.disk(name) for name in NAMES}

    @initialize(empty=st.booleans())
    def start(self, empty: bool) -> None:
        if not empty:
            self.foreign("a.md", b"".join(BASE))
            self.store.note_outside()

    @rule(name=NAME)
    def look(self, name: str) -> None:
        """Somebody opens a file in an editor; what they save later is made from this."""
        self.seen[name] = self.disk(name)

    @rule(name=NAME, who=WHO, line=st.integers(0, 20))
    def edit(self, name: str, who: str, line: int) -> None:
        base = self.seen[name]
        lines = (base or b"".join(BASE)).splitlines(keepends=True)
        lines[line % len(lines)] = self.fresh(who)
        mine, before = b"".join(lines), self.state()
        change = Change(name, mine, digest(base) if base is not None else None)
        try:
            saved = self.store.apply([change], why="edit", who=who)
        except Stale as stale:
            assert stale.mine == mine
            assert stale.disk == before[name] == self.disk(name)
            self.seen[name] = stale.disk
            return
        now = self.disk(name)
        assert now is not None
        assert (now == mine) != bool(saved.merged) or before[name] == mine
        assert set(mine.splitlines()) - set((base or b"").splitlines()) <= set(now.splitlines())
        self.seen[name] = now
        self.acknowledged(saved, before)

    @rule(old=NAME, new=NAME, who=WHO)
    def rename(self, old: str, new: str, who: str) -> None:
        data, before = self.disk(old), self.state()
        if data is None or old == new or before[new] is not None:
            return
        saved = self.store.apply([Change(old, None, digest(data)), Change(new, data, None)], why="rename", who=who)
        assert (self.disk(old), self.disk(new)) == (None, data)
        self.acknowledged(saved, before)

    @rule(name=NAME)
    def remove(self, name: str) -> None:
        data, before = self.disk(name), self.state()
        if data is not None:
            self.acknowledged(self.store.apply([Change(name, None, digest(data))], why="remove"), before)
            assert self.disk(name) is None

    @rule(name=NAME, line=st.integers(0, 20), gone=st.booleans())
    def foreign_write(self, name: str, line: int, gone: bool) -> None:
        lines = (self.disk(name) or b"".join(BASE)).splitlines(keepends=True)
        lines[line % len(lines)] = self.fresh("foreign")
        self.foreign(name, None if gone else b"".join(lines))

    @rule()
    def note(self) -> None:
        before = self.state()
        self.store.note_outside()
        for name, data in before.items():
            if data is not None:
                self.safe.add((name, data))
        assert self.state() == before
        assert {name: self.store.history.head(name) for name in NAMES} == before

    @rule()
    def undo_and_redo(self) -> None:
        """On an untouched folder they are exact opposites."""
        self.store.note_outside()
        before = self.state()
        try:
            undone = self.store.undo()
        except (NotFound, Stale):
            assert self.state() == before
            return
        middle = self.state()
        assert undone.operation is not None
        self.acknowledged(undone, before)
        if not undone.merged and undone.operation.files:
            self.acknowledged(self.store.redo(), middle)
            assert self.state() == before

    @rule(pick=st.integers(0, 30))
    def undo_any(self, pick: int) -> None:
        log = self.store.log(limit=None)
        if not log:
            return
        before = self.state()
        try:
            saved = self.store.undo(log[pick % len(log)].id)
        except (Stale, Conflict, Refused):
            assert self.state() == before
        else:
            self.acknowledged(saved, before)

    @rule(pick=st.integers(0, 30), name=NAME)
    def restore(self, pick: int, name: str) -> None:
        log = self.store.log(name, limit=None)
        if not log:
            return
        version, before = log[pick % len(log)], self.state()
        wanted = self.store.history.read(version.id, name)
        if wanted is None:
            wanted = self.store.history.before(version.id, name)
        self.acknowledged(self.store.restore(version.id, name), before)
        assert self.disk(name) == wanted

    @rule()
    def restart(self) -> None:
        self.store = self.open()
        assert self.store.recover() == ()

    @rule(at=st.integers(1, 130), after=st.booleans())
    def crash_in_a_step(self, at: int, after: bool) -> None:
        """Killed while two files change together: at the next start both have, or neither."""
        before = self.state()
        first, second = self.fresh("crash"), self.fresh("crash")
        self.fs.count = 0
        self.fs.crash_at(at, after=after)
        changes = [
            Change(name, data, digest(old) if (old := before[name]) is not None else None)
            for name, data in (("a.md", first), ("b.md", second))
        ]
        done = False
        try:
            self.acknowledged(self.store.apply(changes, why="step"), before)
            done = True
        except Crash:
            pass
        self.store = self.open()
        self.store.recover()
        now = self.state()
        if done or now["a.md"] == first:
            assert (now["a.md"], now["b.md"]) == (first, second)
            for name in ("a.md", "b.md"):
                if (old := before[name]) is not None:
                    self.safe.add((name, old))
        else:
            assert now == before
        assert not list(self.base.rglob("*.tmp"))

    @rule(jump=st.sampled_from([-86_400.0, 7200.0, -1_000_000.0, 4e9]))
    def clock_jumps(self, jump: float) -> None:
        self.clock += jump

    @precondition(lambda self: self.number % 5 == 4)
    @rule()
    def check_the_database(self) -> None:
        assert self.store.history.database.check() == []

    @invariant()
    def nothing_is_lost(self) -> None:
        reader = self.store.history
        for name, data in self.safe:
            assert self.disk(name) == data or reader.content(digest(data)) == data, f"{name}: {data!r} is lost"

    @invariant()
    def no_descriptor_is_left_open(self) -> None:
        assert not self.fs.open_fds


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(max_examples=25, stateful_step_count=25)
