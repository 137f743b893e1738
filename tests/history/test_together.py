"""Changes in several folders as one operation: one undo, one redo, and nothing half done where a part is refused."""

from pathlib import Path

import pytest

from memtui.history.database import HistoryDatabase
from memtui.history.log import OperationsLog
from memtui.history.store import Change, Stale, Store
from memtui.history.together import Part, Together, parts_of
from memtui.history.versions import Versions
from memtui.util.app_dirs import Dirs


class Scene:
    """Two folders; the first has a file that goes to the second."""

    def __init__(self, tmp: Path) -> None:
        dirs = Dirs(tmp / "config", tmp / "state", tmp / "cache")
        self.database = HistoryDatabase.of(dirs)
        self.old, self.new = tmp / "old", tmp / "new"
        for root in (self.old, self.new):
            root.mkdir()
        (self.old / "a.md").write_bytes(b"one\n")
        self.stores = {str(root): Store(root, dirs, trash=None) for root in (self.old, self.new)}
        for store in self.stores.values():
            store.note_outside()
        self.together = Together(OperationsLog(self.database), self.stores.__getitem__, lambda: 1_800_000_000.0)

    def move(self, base: str | None = None) -> object:
        here, there = self.stores[str(self.old)], self.stores[str(self.new)]
        found = here.read("a.md")
        coming = Part(there, [Change("a.md", b"one\n", None)], "comes")
        leaving = Part(here, [Change("a.md", None, base or (found[1] if found else None))], "goes")
        return self.together.apply([coming, leaving], kind="move", why="move a.md").operation

    @property
    def files(self) -> dict[str, str]:
        paths = [*self.old.glob("*.md"), *self.new.glob("*.md")]
        return {f"{path.parent.name}/{path.name}": path.read_text() for path in paths}


def test_one_undo_takes_all_parts_back_and_one_redo_does_them_again(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    move = scene.move()
    assert scene.files == {"new/a.md": "one\n"}
    undo = scene.together.invert(move).operation  # type: ignore[arg-type]
    assert scene.files == {"old/a.md": "one\n"} and undo is not None and undo.kind == "undo"
    assert scene.together.invert(undo).operation.kind == "redo"  # type: ignore[union-attr]
    assert scene.files == {"new/a.md": "one\n"}
    versions = Versions(scene.database)
    assert not versions.operation(move.id).undone  # type: ignore[attr-defined]
    assert [one.why for one in parts_of(versions, versions.operation(move.id))] == ["comes", "goes"]  # type: ignore[attr-defined]


def test_a_part_that_is_refused_takes_the_others_back(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    with pytest.raises(Stale):
        scene.move(base="0" * 64)
    assert scene.files == {"old/a.md": "one\n"}
    assert [one for one in Versions(scene.database).walk() if one.subject == "folders"] == []


def test_what_was_edited_since_is_left_and_taken_back_if_asked(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    move = scene.move()
    (scene.new / "a.md").write_bytes(b"two\n")
    saved = scene.together.invert(move)  # type: ignore[arg-type]
    assert [one.name for one in saved.left] == ["a.md"] and saved.left[0].overridable
    assert scene.files == {"old/a.md": "one\n", "new/a.md": "two\n"}
    move = Versions(scene.database).operation(move.id)  # type: ignore[attr-defined]
    scene.together.invert(move, over=["a.md"])
    assert scene.files == {"old/a.md": "one\n"}
