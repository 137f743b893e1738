"""The last picture: shown only if nothing changed, and then it is what the reading shows too."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from memtui.tui.startup.picture import FIRST_ROWS, load
from memtui.tui.startup.sketch import names

from memtui.memory.workspace import Workspace
from memtui.tui.loaders.memory import keep_picture, load_snapshot_again
from memtui.tui.render.arrange import Wanted, arrange
from memtui.tui.render.memory_rows import FileRow, GroupRow
from memtui.tui.startup.start import StartContext
from tests.tui.conftest import Maker
from tests.tui.driving import screen_text, settle


@pytest.fixture
def start(workspace: Workspace) -> StartContext:
    start = StartContext.over(workspace)
    keep_picture(start, workspace, load_snapshot_again(workspace, None, full=True))
    return start


def test_it_is_what_a_reading_shows(start: StartContext, workspace: Workspace) -> None:
    picture = load(start)
    assert picture is not None
    snapshot = workspace.read(full=True)
    assert picture.rows == arrange(snapshot, Wanted())
    assert snapshot.auto is not None
    assert picture.files == len(snapshot.auto.files)
    assert picture.fill is not None
    assert picture.fill.lines == 7
    assert picture.problems == 1
    assert picture.unlisted == 1


def write(path: Path) -> None:
    path.write_text("x")


def longer(memory: Path) -> None:
    (memory / "user_role.md").write_text("other text")


def same_length(memory: Path) -> None:
    file = memory / "user_role.md"
    file.write_bytes(file.read_bytes()[::-1])


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": longer,
    "edited to the same length": same_length,
    "touched": lambda memory: os.utime(memory / "user_role.md"),
    "added": lambda memory: write(memory / "new.md"),
    "added to the team": lambda memory: ((memory / "team").mkdir(), write(memory / "team/x.md")),
    "removed": lambda memory: (memory / "user_role.md").unlink(),
    "renamed": lambda memory: (memory / "user_role.md").rename(memory / "user_roles.md"),
    "a dream": lambda memory: write(memory / ".consolidate-lock"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_drops_it(start: StartContext, memory: Path, change: str) -> None:
    CHANGES[change](memory)
    assert load(start) is None


def test_instructions_drafts_and_pins_count_too(start: StartContext, workspace: Workspace, home: Path) -> None:
    (home / "shop/CLAUDE.md").write_text("rules")
    assert load(start) is None
    keep_picture(start, workspace, load_snapshot_again(workspace, None, full=True))
    assert load(start) is not None
    workspace.drafts.save(workspace.location.folder / "user_role.md", "draft", None)
    assert load(start) is None
    keep_picture(start, workspace, load_snapshot_again(workspace, None, full=True))
    workspace.pins.toggle(workspace.location.folder, [workspace.location.folder / "user_role.md"])
    assert load(start) is None


def test_a_file_that_was_cut_off_is_no_picture(start: StartContext) -> None:
    (file,) = (start.cache / "first").iterdir()
    whole = file.read_bytes()
    for length in range(0, len(whole), 7):
        file.write_bytes(whole[:length])
        assert load(start) is None
    file.write_bytes(whole)
    assert load(start) is not None


@pytest.mark.parametrize("text", [b"", b"{", b"\n\n\n\n", b"=\t1\t1\n", b"\xff", b"\n" * 99])
def test_a_broken_cache_is_no_picture(start: StartContext, text: bytes) -> None:
    (file,) = (start.cache / "first").iterdir()
    file.write_bytes(text)
    assert load(start) is None


async def test_it_stands_before_the_world_is_read(start: StartContext, make_app: Maker) -> None:
    app = make_app()
    assert app.state is not None
    assert app.state.first is not None
    assert app.state.snapshot is None
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert app.state.snapshot is not None
        assert "1 not in index" in screen_text(app)


def test_without_a_picture_the_names_are_shown(start: StartContext, memory: Path) -> None:
    (memory / "\x1b[31mred.md").write_bytes(b"x")
    (memory / "notes.txt").write_bytes(b"x")
    picture = names(start)
    assert picture is not None
    assert not picture.whole
    assert (picture.fill, picture.problems, picture.unlisted) == (None, 0, 0)
    group, *items = picture.rows
    assert isinstance(group, GroupRow)
    there = sorted(path for path in memory.iterdir() if path.suffix == ".md")
    assert group.files == picture.files == len(there)
    assert sorted(item.path for item in items if isinstance(item, FileRow)) == there
    assert isinstance(items[0], FileRow)
    assert items[0].label == "MEMORY.md"
    assert "\x1b" not in "".join(item.label for item in items)
    assert [item.size for item in items if isinstance(item, FileRow)] == [
        item.path.stat().st_size for item in items if isinstance(item, FileRow)
    ]


def test_of_many_names_only_a_screen_full_is_looked_at(start: StartContext, memory: Path) -> None:
    for number in range(FIRST_ROWS + 5):
        (memory / f"many_{number:04}.md").write_bytes(b"x")
    picture = names(start)
    assert picture is not None
    assert len(picture.rows) == FIRST_ROWS + 1
    assert picture.files > FIRST_ROWS + 4


def test_without_a_folder_there_are_no_names(start: StartContext, memory: Path) -> None:
    memory.rename(memory.with_name("elsewhere"))
    assert names(start) is None
