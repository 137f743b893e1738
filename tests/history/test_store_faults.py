"""The n-th call of a save fails, or the world stops there, for every n."""

import errno
import os
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from memtui.fs.atomic import digest
from memtui.history.database import HistoryDatabase
from memtui.history.store import Change, Store
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError
from tests.fs.faults import Crash, FaultFS, Snapshot, upward

A, A2, B, C = b"a\n" * 40, b"a2\n" * 50, b"b\n", b"c\n" * 3
Folder = dict[str, bytes]


class Scene:
    """A folder with some past, a deed, and the folder before and after it."""

    def __init__(self, base: Path, name: str) -> None:
        self.root = base / "memory"
        self.base = base
        self.dirs = Dirs(base / "config", base / "state", base / "cache")
        self.root.mkdir()
        (self.root / "a.md").write_bytes(A)
        (self.root / "b.md").write_bytes(B)
        self.deed: Callable[[Store], object] = getattr(self, name)
        if name != "first":
            store = self.open(FaultFS())
            store.note_outside()
            if name == "undo":
                self.step(store)
            if name == "outside":
                (self.root / "a.md").write_bytes(A + b"theirs\n")
        for file in self.root.rglob("*.md"):
            os.utime(file, (1000, 1000))
        self.before = self.folder()
        self.start = self.keep()
        self.deed(self.open(FaultFS()))
        self.after = self.folder()
        assert name == "note" or self.before != self.after
        self.put_back()
        assert self.folder() == self.before

    def keep(self) -> Snapshot:
        """Everything as it is now; the database is one file while nobody has it open."""
        HistoryDatabase.of(self.dirs).close()
        return Snapshot(self.base)

    def put_back(self, to: Snapshot | None = None) -> None:
        """Make everything what it was, with nothing open of what came after."""
        HistoryDatabase.of(self.dirs).close()
        (to or self.start).put_back()

    def open(self, fs: FaultFS) -> Store:
        return Store(self.root, self.dirs, fs=fs, trash=None, patience=1)

    def folder(self) -> Folder:
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes() for path in self.root.rglob("*") if path.is_file()
        }

    def edit(self, store: Store) -> None:
        store.apply([Change("a.md", A2, digest(A))], why="edit")

    first = edit

    def outside(self, store: Store) -> None:
        store.apply([Change("a.md", A2, digest(A + b"theirs\n"))], why="edit")

    def step(self, store: Store) -> None:
        changes = [
            Change("b.md", None, digest(B)),
            Change("a.md", A2, digest(A)),
            Change("sub/deep/c.md", C, None),
        ]
        store.apply(changes, why="several")

    def undo(self, store: Store) -> None:
        store.undo()

    def note(self, store: Store) -> None:
        (self.root / "a.md").write_bytes(A2)
        (self.root / "n.md").write_bytes(C)
        store.note_outside()

    def check(self, done: bool, *, settled: bool, where: str = "") -> None:
        """The invariant, after a fault and what the next start does about it.

        Args:
            done: Whether the deed was acknowledged.
            settled: Whether the store said that nothing was written, so that it holds even before the next start.
        """
        visible = {name: data for name, data in self.folder().items() if not name.endswith(".tmp")}
        if settled and not done and self.deed.__name__ != "note":
            assert visible == self.before, where
        whole = [*self.before.values(), *self.after.values()]
        assert all(data in whole for data in visible.values()), "torn"
        store = self.open(FaultFS())
        store.recover()
        folder = self.folder()
        assert folder == self.after if done else folder in (self.before, self.after)
        assert not list(self.base.rglob("*.tmp"))
        history = store.history
        store.note_outside()
        assert {name: history.head(name) for name in folder} == folder
        for name, data in self.before.items():  # every byte that was there when we wrote
            assert folder.get(name) == data or history.content(digest(data)) == data


@pytest.fixture
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Scene:
    return Scene(tmp_path, request.param)


SCENES = pytest.mark.parametrize("scene", ["edit", "first", "outside", "step", "undo", "note"], indirect=True)


CODES = [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EINTR]


@pytest.mark.parametrize(
    ("scene", "code"),
    # A full and a broken disk differ in what is tried again; the others only in their words: one scene tells.
    [*product(["edit", "first", "outside", "undo", "note"], CODES[:2]), *product(["step"], CODES)],
    indirect=["scene"],
    ids=lambda value: errno.errorcode[value] if isinstance(value, int) else value,
)
def test_whatever_call_fails_nothing_is_torn_or_lost(scene: Scene, code: int) -> None:
    def make(number: int) -> FaultFS:
        scene.put_back()
        fs = FaultFS()
        fs.fail_at(number, code)
        return fs

    calls = failed = 0
    words = ""
    for fs in upward(make):
        calls += 1
        try:
            scene.deed(scene.open(fs))
            done = True
        except MemtuiError as error:
            done = False
            failed += 1
            words = error.message
        assert not fs.open_fds, fs.where
        scene.check(done, settled="half-way" not in words and "later" not in words, where=f"{fs.where}: {words}")
    print(f"calls={calls} failed={failed} torn=0 lost=0")
    assert failed > 5


@SCENES
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_wherever_the_world_stops_the_next_start_finds_old_or_new(scene: Scene, after: bool) -> None:
    def make(number: int) -> FaultFS:
        scene.put_back()
        fs = FaultFS()
        fs.crash_at(number, after=after)
        return fs

    calls = 0
    for fs in upward(make):
        calls += 1
        try:
            scene.deed(scene.open(fs))
            done = True
        except Crash:
            done = False
        scene.check(done, settled=False)
    print(f"points={calls} torn=0 lost=0")


@pytest.mark.parametrize("scene", ["step"], indirect=True)
def test_a_crash_while_the_crash_is_being_ended(scene: Scene) -> None:
    """The world stops at any point of the deed, and again at any point of the next start."""
    points = 0
    number = 0
    while True:
        number += 7
        scene.put_back()
        first = FaultFS()
        first.crash_at(number)
        try:
            scene.deed(scene.open(first))
        except Crash:
            pass
        if not first.fired:
            break
        middle = scene.keep()

        def make(at: int, middle: Snapshot = middle) -> FaultFS:
            scene.put_back(middle)
            fs = FaultFS()
            fs.crash_at(at)
            return fs

        for fs in upward(make):
            points += 1
            try:
                scene.open(fs).recover()
            except Crash:
                pass
            scene.check(False, settled=False)
    assert points > 100
