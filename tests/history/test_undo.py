"""One order of undo and redo, whatever was done."""

from collections.abc import Collection
from pathlib import Path

import pytest

from memtui.fs.atomic import digest
from memtui.history.log import OperationsLog
from memtui.history.store import Change, Store
from memtui.history.undo import UndoOrder
from memtui.history.versions import FILES, REDO, UNDO, FolderScope, Item, Operation, Saved
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, NotFound, Refused, UsageError


class Lamps:
    """A subject of the test's own: lamps of a folder that are on or off."""

    def __init__(self, base: Path) -> None:
        self.root = base / "memory"
        self.root.mkdir()
        self.store = Store(self.root, Dirs(base / "c", base / "s", base / "k"), trash=None, now=lambda: 1.0)
        self.log = OperationsLog(self.store.history.database)
        self.on: set[str] = set()
        self.stuck: set[str] = set()
        inverses = {FILES: lambda one, over: self.store.undo(one.id, over=over), "lamp": self.invert}
        self.order = UndoOrder(self.store.history, [self.store.scope], inverses)

    def switch(self, *names: str, kind: str = "on", undoes: str | None = None, finished: bool = True) -> str:
        items = [Item(str(self.root), name, {}) for name in names]
        self.on ^= set(names)
        return self.log.record("lamp", kind, f"{kind} {names}", items, when=2.0, undoes=undoes, finished=finished)

    def invert(self, operation: Operation, over: Collection[str]) -> Saved:
        names = [item.key for item in self.store.history.standing(operation).items if item.key not in self.stuck]
        if not names:
            raise Conflict("stuck")
        kind = REDO if operation.kind == UNDO else UNDO
        return Saved(self.store.history.operation(self.switch(*names, kind=kind, undoes=operation.id)))

    def edit(self, data: bytes) -> None:
        there = self.store.read("a.md")
        self.store.apply([Change("a.md", data, there and there[1])], why="edit")

    @property
    def text(self) -> bytes:
        return (self.root / "a.md").read_bytes() if (self.root / "a.md").exists() else b""


@pytest.fixture
def lamps(tmp_path: Path) -> Lamps:
    return Lamps(tmp_path)


def test_files_and_others_are_taken_back_in_one_order_and_done_again(lamps: Lamps) -> None:
    states = []
    for number in range(3):
        states.append((lamps.text, set(lamps.on)))
        lamps.edit(b"%d\n" % number)
        states.append((lamps.text, set(lamps.on)))
        lamps.switch(f"lamp {number}")
    states.append((lamps.text, set(lamps.on)))
    for state in states[-2::-1]:
        lamps.order.undo()
        assert (lamps.text, lamps.on) == state
    with pytest.raises(NotFound):
        lamps.order.undo()
    for state in states[1:]:
        lamps.order.redo()
        assert (lamps.text, lamps.on) == state
    with pytest.raises(NotFound):
        lamps.order.redo()
    lamps.order.undo()
    lamps.edit(b"something new\n")
    with pytest.raises(NotFound):
        lamps.order.redo()


def test_the_clock_has_no_say_in_the_order(lamps: Lamps) -> None:
    lamps.edit(b"1\n")
    lamps.log.record("lamp", "on", "later, by a clock of 1970", [Item(str(lamps.root), "x", {})], when=-1e9)
    assert lamps.order.next_undo().why == "later, by a clock of 1970"


def test_an_undo_that_left_something_is_done_with_but_can_be_asked_for_again(lamps: Lamps) -> None:
    lamps.edit(b"1\n")
    first = lamps.switch("a", "b", "c")
    lamps.stuck = {"b"}
    _, target = lamps.order.undo()
    assert (lamps.on, target.id) == ({"b"}, first)
    assert lamps.order.next_undo().kind == "new"
    lamps.stuck = set()
    lamps.order.undo(first)
    assert lamps.on == set()
    with pytest.raises(Conflict):
        lamps.order.undo(first)


def test_one_that_was_stopped_half_way_is_continued(lamps: Lamps) -> None:
    first = lamps.switch("a", "b", "c")
    lamps.switch("a", kind=UNDO, undoes=first, finished=False)  # and then the power went
    assert lamps.order.next_undo().id == first
    lamps.order.undo()
    assert lamps.on == set()
    with pytest.raises(NotFound):
        lamps.order.undo()


def test_an_operation_grows_item_by_item(lamps: Lamps) -> None:
    items = [Item(str(lamps.root), name, {"n": name}) for name in "abc"]
    id = lamps.log.record("lamp", "on", "one", items[:1], when=1.0, finished=False)
    for count in (2, 3, 3):
        assert lamps.log.record("lamp", "on", f"{count} lamps", items[:count], when=1.0, id=id, finished=False) == id
    found = lamps.store.history.operation(id)
    assert ([item.key for item in found.items], found.why, found.finished) == (["a", "b", "c"], "3 lamps", False)
    lamps.log.finish(id)
    assert lamps.store.history.operation(id).finished
    lamps.log.drop(id)
    with pytest.raises(NotFound):
        lamps.store.history.operation(id)


def test_only_what_concerns_the_folders_is_taken_back_by_the_key(lamps: Lamps, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Store(tmp_path / "other", Dirs(tmp_path / "c", tmp_path / "s", tmp_path / "k"), trash=None)
    other.apply([Change("b.md", b"1\n", None)], why="elsewhere")
    lamps.log.record("lamp", "on", "elsewhere", [Item(str(tmp_path / "other"), "x", {})], when=1.0)
    with pytest.raises(NotFound):
        lamps.order.undo()
    assert lamps.order.find(other.log()[0].id).why == "elsewhere"
    both = [lamps.store.scope, other.scope]
    assert len(lamps.store.history.operations(both)) == 2
    assert len(lamps.store.history.operations([FolderScope(other.scope.folder, frozenset({"c.md"}))])) == 0


def test_who_cannot_be_taken_back_is_said(lamps: Lamps) -> None:
    lamps.log.record("door", "open", "open the door", [Item(str(lamps.root), "x", {})], when=1.0)
    with pytest.raises(Refused, match="open the door"):
        lamps.order.undo()
    with pytest.raises(UsageError):
        lamps.order.undo("abc")


def test_what_a_crash_left_is_ended_first(lamps: Lamps) -> None:
    ended: list[str] = []
    order = UndoOrder(
        lamps.store.history, [lamps.store.scope], {"lamp": lamps.invert}, [lambda: ended.append(lamps.switch("late"))]
    )
    order.undo()
    assert len(ended) == 1
    assert lamps.on == set()


def test_a_write_that_another_process_is_at_does_not_count(lamps: Lamps) -> None:
    lamps.edit(b"1\n")
    seen: list[str] = []

    def meanwhile() -> None:
        seen.append(lamps.order.next_undo().kind)
        seen.extend(one.kind for one in lamps.store.log())

    lamps.store.apply([Change("a.md", b"2\n", digest(b"1\n"))], why="x", before_write=meanwhile)
    assert seen == ["new", "new"]
