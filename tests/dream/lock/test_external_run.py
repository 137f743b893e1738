"""Another program's dream, as the folder tells it: who, since when, what changed; none of ours, none that is dead."""

import os

import pytest

from memtui.dream.lock.external_run import find_external_run, text_before_run
from memtui.dream.lock.lock import DreamLock
from memtui.dream.lock.lock_file import LOCK_EXPIRY_S
from memtui.fs.atomic import digest
from memtui.util.errors import NotFound
from tests.dream.scene import NOW, Scene


def held(scene: Scene, word: str = "") -> None:
    """The lock, for a minute, by the parent of this process or whoever the word names."""
    scene.put_lock((word or str(os.getppid())).encode(), 60)


def test_it_is_told_with_what_changed_since(scene: Scene) -> None:
    held(scene)
    gone, changed, *_ = sorted(path for path in scene.folder.glob("*.md"))
    first = find_external_run(scene.workspace, NOW)
    assert first is not None and (first.pid, first.files) == (os.getppid(), ())
    gone.unlink()
    os.utime(changed, (NOW - 5,) * 2)
    scene.write("new.md", "x\n")
    found = find_external_run(scene.workspace, NOW, first)
    assert found is not None
    assert {file.name: file.kind for file in found.files} == {
        gone.name: "removed", changed.name: "changed", "new.md": "added",
    }  # fmt: skip


@pytest.mark.parametrize("word", ["9999999", "0", "x", "-1"])
def test_a_lock_that_nobody_holds_is_no_dream(scene: Scene, word: str) -> None:
    held(scene, word)
    assert find_external_run(scene.workspace, NOW) is None


def test_an_old_lock_counts_as_left_behind(scene: Scene) -> None:
    held(scene)
    assert find_external_run(scene.workspace, NOW - 59 + LOCK_EXPIRY_S) is None


def test_our_own_is_none_of_another_program(scene: Scene) -> None:
    lock = DreamLock(scene.folder, scene.dirs, now=lambda: NOW)
    lock.take()
    assert find_external_run(scene.workspace, NOW) is None
    lock.roll_back()


def test_the_text_before_is_what_history_has(scene: Scene) -> None:
    before = scene.text("topic_03.md").encode()
    scene.workspace.note_outside()
    scene.now += 60
    scene.workspace.save(scene.folder / "topic_03.md", before + b"more\n", digest(before), base_data=before)
    assert text_before_run(scene.workspace, "topic_03.md", NOW + 5) == before
    assert text_before_run(scene.workspace, "topic_03.md", NOW + 90) == before + b"more\n"
    with pytest.raises(NotFound, match="not known"):
        text_before_run(scene.workspace, "topic_04.md", NOW - 5)
