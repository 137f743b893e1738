"""Versions of a folder: what goes in comes out, with who, why and when."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.fs.atomic import digest
from memtui.history.store import Change, Store
from memtui.history.versions import KEPT, FileChange, Operation, count_lines
from memtui.util.app_dirs import Dirs
from memtui.util.errors import NotFound


class Folder:
    """A memory folder and its store; the clock stands at `now`."""

    def __init__(self, base: Path) -> None:
        self.root = base / "memory"
        self.root.mkdir()
        self.dirs = Dirs(base / "config", base / "state", base / "cache")
        self.now = 1000.0
        self.store = self.open()
        self.history = self.store.history

    def open(self) -> Store:
        return Store(self.root, self.dirs, trash=None, now=lambda: self.now)

    def put(self, why: str = "x", **files: bytes | None) -> Operation:
        named = {name.replace("__", "/") + ".md": data for name, data in files.items()}
        return self.write(named, why=why)

    def write(self, files: dict[str, bytes | None], why: str = "x", who: str = "you") -> Operation:
        changes = []
        for name, data in files.items():
            there = self.store.read(name)
            changes.append(Change(name, data, there[1] if there is not None else None))
        saved = self.store.apply(changes, why=why, who=who)
        assert saved.operation is not None
        return saved.operation

    def others_write(self, name: str, data: bytes | None) -> None:
        path = self.root / name
        if data is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (500, 500))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_an_empty_history_is_no_file(folder: Folder) -> None:
    assert folder.history.operations() == ()
    assert folder.history.head("a.md") is None
    assert folder.history.heads() == {}
    assert folder.history.content(digest(b"x")) is None
    assert not folder.dirs.state.exists()


def test_every_state_of_every_file_can_be_read(folder: Folder) -> None:
    first = folder.put(a=b"1\n", x__y__b=b"b\r\n\xff\x00 no end")
    second = folder.put(a=b"1\n2\n", c=b"")
    third = folder.put(a=None, x__y__b=None)
    history = folder.open().history
    assert history.read(first.id, "a.md") == b"1\n"
    assert history.before(first.id, "a.md") is None
    assert history.before(second.id, "a.md") == b"1\n"
    assert history.read(second.id, "x/y/b.md") == b"b\r\n\xff\x00 no end"
    assert history.read(third.id, "a.md") is None
    assert history.before(third.id, "a.md") == b"1\n2\n"
    assert history.head("c.md") == b""
    assert history.heads() == {"c.md": digest(b"")}
    for name in ("x", "x/y", "c.md/d", "none.md", "x/y/b.md/z"):
        assert history.read(second.id, name) is None
    assert history.content(digest(b"1\n2\n")) == b"1\n2\n"
    assert history.content(digest(b"3")) is None


def test_the_log_tells_who_why_when_and_what(folder: Folder) -> None:
    folder.now = 12.25
    folder.write({"a.md": b"1\n2\n"}, why='new\nnote\n\nMemtui-Who: "mallory"')
    folder.now = -5.0
    folder.store.apply(
        [Change("a.md", b"1\n3\n", digest(b"1\n2\n"))], why="메모 \udcff", who="dream ‘x’", kind="adopt",
        extra={"run": "7", "이름": "값 \ud800"},
    )  # fmt: skip
    second, first = folder.open().log()
    assert (first.who, first.why, first.when, first.kind) == ("you", 'new note Memtui-Who: "mallory"', 12.25, "new")
    made = first.files[0]
    assert made == FileChange("a.md", "added", 2, 0, None, digest(b"1\n2\n"), None, made.after_mtime_ns)
    assert (second.who, second.why, second.when, second.kind) == ("dream ‘x’", "메모 \udcff", -5.0, "adopt")
    assert second.extra == {"run": "7", "이름": "값 \ud800"}
    assert second.files[0].before_mtime_ns == made.after_mtime_ns
    assert second.files[0].after_mtime_ns == (folder.root / "a.md").stat().st_mtime_ns
    assert second.files[0].added == second.files[0].removed == 1
    assert second.file("a.md") is second.files[0]
    assert second.file("b.md") is None


def test_the_log_of_one_file_and_its_limit(folder: Folder) -> None:
    for number in range(250):
        folder.write({f"{'ab'[number % 2]}.md": b"%d\n" % number})
    assert [one.files[0].name for one in folder.store.log("a.md", limit=None)] == ["a.md"] * 125
    assert len(folder.store.log(limit=3)) == 3
    assert len(folder.store.log(limit=None)) == 250
    assert folder.store.log(limit=0) == ()


def test_an_operation_is_found_by_the_start_of_its_id(folder: Folder) -> None:
    operations = [folder.put(a=b"%d\n" % number) for number in range(5)]
    for operation in operations:
        assert folder.history.operation(operation.id[:8]) == operation
        assert folder.history.operation(operation.id.upper()) == operation
    for word in ("", "zzzz", "%%%%", operations[0].id[:3], operations[0].id + "0"):
        with pytest.raises(NotFound):
            folder.history.operation(word)


def test_undone_follows_undo_of_undo(folder: Folder) -> None:
    first = last = folder.put(a=b"1\n")
    flags = []
    for _ in range(4):
        saved = folder.store.undo(last.id)
        assert saved.operation is not None
        last = saved.operation
        flags.append(folder.history.operation(first.id).undone)
    assert flags == [True, False, True, False]
    assert folder.history.origin(last) == folder.history.operation(first.id)


def test_a_kept_text_is_reachable_but_not_the_folders_state(folder: Folder) -> None:
    folder.put(a=b"disk\n")
    kept = folder.store.keep("a.md", b"mine\n", why="kept")
    assert folder.history.head("a.md") == b"disk\n"
    assert folder.history.read(kept.id, "a.md") == b"mine\n"
    assert folder.history.before(kept.id, "a.md") == b"disk\n"
    assert [one.kind for one in folder.store.log("a.md")] == [KEPT, "new"]
    assert folder.history.folder_at(folder.store.scope.folder, until=2000)["a.md"].digest == digest(b"disk\n")


def test_names_that_are_no_text_come_back(folder: Folder) -> None:
    name = os.fsdecode(b"caf\xe9 \xff.md")
    folder.others_write(name, b"one\n")
    operation = folder.store.note_outside()
    assert operation is not None
    assert [change.name for change in operation.files] == [name]
    assert folder.open().history.heads() == {name: digest(b"one\n")}
    assert folder.history.read(operation.id, name) == b"one\n"
    folder.others_write(name, None)
    assert folder.store.note_outside() is not None
    assert folder.history.heads() == {}
    plan = folder.store.plan_restore_as_of(before=folder.store.log()[0].id)
    assert [(one.name == name, one.wanted) for one in plan.left] == [(True, b"one\n")], "memtui writes no such name"


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d"]), max_size=30)


@given(LINES, LINES)
def test_counted_lines_add_up(old: list[bytes], new: list[bytes]) -> None:
    before, after = b"".join(old), b"".join(new)
    added, removed = count_lines(before, after)
    lines = len(before.splitlines()), len(after.splitlines())
    assert lines[0] - removed == lines[1] - added
    assert (added == removed == 0) == (before.splitlines(keepends=True) == after.splitlines(keepends=True))


def test_counting_very_different_large_texts_is_quick() -> None:
    assert count_lines(b"a\n" * 50_000, b"b\n" * 60_000 + b"a\n" * 10) == (60_000, 49_990)


# The folder as of a moment.


def times(folder: Folder) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.root.rglob("*.md")}


def texts(folder: Folder) -> dict[str, bytes]:
    return {path.relative_to(folder.root).as_posix(): path.read_bytes() for path in folder.root.rglob("*.md")}


def test_the_first_write_records_all_files_so_that_what_others_remove_later_comes_back(folder: Folder) -> None:
    for name in ("a.md", "b.md", "sub/c.md"):
        folder.others_write(name, name.encode())
    folder.put(a=b"mine\n")
    folder.others_write("b.md", None)
    folder.others_write("sub/c.md", None)
    gone = folder.store.note_outside()
    assert gone is not None
    folder.store.undo(gone.id)
    assert texts(folder) == {"a.md": b"mine\n", "b.md": b"b.md", "sub/c.md": b"sub/c.md"}
    assert (folder.root / "b.md").stat().st_mtime == 500


@pytest.mark.parametrize("by", ["time", "operation"])
def test_a_folder_as_of_a_moment_with_bytes_and_times(folder: Folder, by: str) -> None:
    folder.others_write("a.md", b"one\n")
    folder.others_write("b.md", b"two\n")
    folder.others_write("sub/c.md", b"three\n")
    folder.store.note_outside()
    folder.now = 2000.0
    folder.put(a=b"one and more\n", d=b"before the dream\n")
    then, when = texts(folder), times(folder)
    folder.now = 3000.0
    dream = folder.write({"a.md": b"dreamt\n", "b.md": None, "sub/c.md": None, "new/e.md": b"made up\n"}, who="dream")
    folder.now = 4000.0
    folder.others_write("b.md", b"somebody's\n")
    moment: dict[str, object] = {"until": 2500.0} if by == "time" else {"before": dream.id[:8]}
    if by == "time":
        plan = folder.store.plan_restore_as_of(until=2500.0)
        assert {name for name, _ in plan.files} == {"a.md", "b.md", "sub/c.md", "new/e.md"}
        assert (plan.left, plan.unknown) == ((), ())
    saved = folder.store.restore_as_of(**moment)  # type: ignore[arg-type]
    assert saved.left == ()
    assert texts(folder) == then
    assert times(folder) == when
    assert not (folder.root / "new").exists()
    assert folder.history.content(digest(b"somebody's\n")) == b"somebody's\n"
    folder.store.undo()
    assert texts(folder)["a.md"] == b"dreamt\n"
    assert texts(folder)["b.md"] == b"somebody's\n"


def test_what_cannot_be_restored_is_listed_and_the_rest_is(folder: Folder, tmp_path: Path) -> None:
    folder.put(a=b"a\n", b=b"b\n")
    folder.now = 2000.0
    folder.put(a=b"a2\n", b=b"b2\n")
    (folder.root / "b.md").unlink()
    (folder.root / "b.md").symlink_to(tmp_path / "elsewhere.md")
    plan = folder.store.plan_restore_as_of(until=1500.0)
    assert plan.files == (("a.md", b"a\n"),)
    assert [(one.name, one.wanted) for one in plan.left] == [("b.md", b"b\n")]
    saved = folder.store.restore_as_of(until=1500.0)
    assert [one.name for one in saved.left] == ["b.md"]
    assert (folder.root / "a.md").read_bytes() == b"a\n"
    assert (folder.root / "b.md").is_symlink()


def test_what_memtui_first_saw_later_stays(folder: Folder) -> None:
    folder.put(a=b"a\n")
    folder.others_write("a.md", b"x\n")
    folder.now = 2000.0
    folder.store.note_outside()
    plan = folder.store.plan_restore_as_of(until=10.0)
    assert plan.files == (("a.md", None),), "it was made after that"
    other = Store(folder.root, folder.dirs, allow=frozenset({"CLAUDE.md"}), trash=None, now=lambda: 3000.0)
    (folder.root / "CLAUDE.md").write_bytes(b"rules\n")
    other.note_outside()
    assert other.plan_restore_as_of(until=10.0).unknown == ("CLAUDE.md",)
    other.restore_as_of(until=3500.0)
    assert (folder.root / "CLAUDE.md").read_bytes() == b"rules\n"


# Undo of a part.


def test_undo_does_what_it_can_and_lists_the_rest(folder: Folder) -> None:
    before = {f"t{number}.md": b"".join(b"line %d\n" % line for line in range(9)) for number in range(22)}
    folder.write(dict(before))
    folder.write({name: data.replace(b"line 4", b"dreamt") for name, data in before.items()}, who="dream")
    mine = before["t7.md"].replace(b"line 4", b"mine")
    folder.put(t7=mine)
    saved = folder.store.undo(folder.store.log()[1].id)
    assert [(one.name, one.overridable, one.disk) for one in saved.left] == [("t7.md", True, mine)]
    assert saved.left[0].merged is not None and b"<<<<<<<" in saved.left[0].merged
    assert texts(folder) == {**before, "t7.md": mine}
    dream = folder.store.log()[2]
    assert dream.undone
    assert [change.name for change in folder.history.standing(dream).files] == ["t7.md"]
    folder.store.undo(dream.id, over=["t7.md"])
    assert texts(folder) == before
    assert folder.history.content(digest(mine)) == mine
