"""Every state that a power cut may leave during a save ends in the old or the new folder, and keeps what was
acknowledged.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from memtui.fs.atomic import digest
from memtui.history.store import Change, Store
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError
from tests.fs.faults import FaultFS
from tests.fs.power import Disk, PowerFS

A, A2, B, C = b"a\n" * 40, b"a2\n" * 50, b"b\n", b"c\n" * 3
Folder = dict[str, bytes]


def edit(store: Store) -> None:
    there = store.read("a.md")
    assert there is not None
    store.apply([Change("a.md", there[0] + b"more\n", there[1])], why="edit")


def step(store: Store) -> None:
    there = store.read("a.md")
    assert there is not None
    gone = store.read("b.md")
    changes = [Change("a.md", A2 + there[0], there[1]), Change("sub/c.md", C, None)]
    if gone is not None:
        changes.append(Change("b.md", None, gone[1]))
    store.apply(changes, why="several")


def undo(store: Store) -> None:
    store.undo()


def note(store: Store) -> None:
    store.note_outside()


def folder(root: Path) -> Folder:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.md")}


@pytest.mark.parametrize(
    "operations",
    [
        (edit,),
        (edit, edit),
        (step,),
        (note, edit),
        (edit, undo),
        pytest.param((note, step, undo), marks=pytest.mark.long),
    ],
    ids=lambda operations: "+".join(operation.__name__ for operation in operations),
)
def test_no_state_after_a_power_cut_is_bad(tmp_path: Path, operations: Sequence[Callable[[Store], None]]) -> None:
    base = tmp_path / "disk"
    root = base / "memory"
    root.mkdir(parents=True)
    (root / "a.md").write_bytes(A)
    (root / "b.md").write_bytes(B)
    dirs = Dirs(base / "config", base / "state", base / "cache")
    fs = PowerFS(base, noise=lambda name: name.endswith(".lock"))
    store = Store(root, dirs, fs=fs, trash=None)
    folders = [folder(root)]
    marks: list[int] = []  # how many states there were when each deed was acknowledged
    for operation in operations:
        operation(store)
        folders.append(folder(root))
        marks.append(len(fs.states))
    fs._record("the end")
    store.history.database.close()
    bad: list[str] = []
    for number, (what, disk) in enumerate(fs.states):
        acknowledged = sum(number >= mark for mark in marks)
        disk.put(base)
        after = Store(root, dirs, fs=FaultFS(), trash=None)
        try:
            problem = check(after, root, folders, acknowledged)
        except MemtuiError as error:
            problem = str(error)
        after.history.database.close()
        if problem:
            bad.append(f"{what}: {problem}")
    print(f"states={len(fs.states)} bad={len(bad)}")
    assert not bad, bad[:5]
    assert len(fs.states) > 10


def check(store: Store, root: Path, folders: Sequence[Folder], acknowledged: int) -> str:
    """What is wrong with the folder after the next start; "" if nothing is."""
    store.recover()
    now = folder(root)
    if now not in folders[acknowledged : acknowledged + 2]:
        return f"the folder is neither old nor new after {acknowledged} deeds"
    if list(root.rglob("*.tmp")):
        return "temporary files are left"
    store.note_outside()
    if {name: store.history.head(name) for name in now} != now:
        return "the history has another folder"
    for earlier in folders[: acknowledged + 1]:
        for name, data in earlier.items():
            if now.get(name) != data and store.history.content(digest(data)) != data:
                return f"bytes of {name} are in neither file nor history"
    return ""


def test_the_model_knows_what_an_unsynced_write_risks(tmp_path: Path) -> None:
    """The usual mistake, rename without sync, has a state in which both are gone. Else the above proves nothing."""
    (tmp_path / "a").write_bytes(b"old")
    fs = PowerFS(tmp_path)
    fd = fs.open(tmp_path / "b", os.O_WRONLY | os.O_CREAT)
    fs.write(fd, b"newer")
    fs.replace(tmp_path / "b", tmp_path / "a")
    states = [disk.files for _, disk in fs.states]
    assert {"a": b""} in states
    assert {"a": b"ne"} in states
    assert {"a": b"newer"} in states
    assert {"a": b"old"} in states
    fs.fsync(fd)
    fs.close(fd)
    assert all(disk.files.get("a") in (b"old", b"newer") for disk in fs.possible())
    assert isinstance(fs.states[0][1], Disk)
