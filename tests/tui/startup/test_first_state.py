"""With what was saved of the last start the app draws its first frame again before anything is read."""

from pathlib import Path

import pytest

from memtui.memory.workspace import Workspace
from memtui.tui.app import MemtuiApp
from memtui.tui.loaders.memory import MemoryLoader
from memtui.tui.render.memory_rows import FileRow, GroupRow
from memtui.tui.startup.first_state import MAX_NAMES, decode, names_in
from memtui.tui.startup.frame_cache import FrameCache
from memtui.tui.startup.start import StartContext
from memtui.tui.theme import PLAIN, UNICODE, Glyphs
from memtui.util.config import read_config
from tests.screen import ScreenOf
from tests.tui.conftest import NOW
from tests.tui.driving import press, screen_text, settle

SIZES = [(40, 12), (59, 14), (60, 20), (80, 24), (100, 30), (120, 40), (200, 50)]


def app_over(workspace: Workspace, cache: FrameCache, glyphs: Glyphs = UNICODE) -> MemtuiApp:
    location = workspace.location
    start = StartContext(
        location, workspace.env.home, workspace.dirs.cache, False, lambda: NOW, lambda: workspace, cache
    )
    return MemtuiApp(start, read_config(workspace.dirs.config), glyphs=glyphs, watch=False)


async def save(workspace: Workspace, size: tuple[int, int], glyphs: Glyphs = UNICODE, *keys: str) -> FrameCache:
    """A start of which the first frame is saved."""
    cache = FrameCache(str(workspace.dirs.cache / "frames"), size, "key")
    app = app_over(workspace, cache, glyphs)
    async with app.run_test(size=size) as pilot:
        if keys:
            await press(pilot, *keys)
        await settle(pilot)
        text = screen_text(app)
    frame = cache.read()
    if frame is not None:
        assert [line.rstrip() for line in ScreenOf(frame.encode(), size).lines()] == text.split("\n")
    return cache


@pytest.mark.parametrize("glyphs", [UNICODE, PLAIN], ids=["unicode", "ascii"])
@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
async def test_the_frame_is_drawn_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], glyphs: Glyphs
) -> None:
    cache = await save(workspace, size, glyphs)
    frame = cache.read()
    assert frame is not None
    monkeypatch.setattr(MemoryLoader, "first", lambda self: None)
    app = app_over(workspace, cache, glyphs)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        assert app.state is not None
        assert app.state.snapshot is None
        lines = screen_text(app).split("\n")
    assert lines == [line.rstrip() for line in ScreenOf(frame.encode(), size).lines()]


async def test_the_reading_follows_and_changes_nothing(workspace: Workspace) -> None:
    cache = await save(workspace, (100, 30))
    frame = cache.read()
    assert frame is not None
    app = app_over(workspace, cache)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert app.state is not None
        assert app.state.snapshot is not None
        assert screen_text(app).split("\n") == [line.rstrip() for line in ScreenOf(frame.encode(), (100, 30)).lines()]


async def test_keys_work_before_anything_is_read(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = await save(workspace, (100, 30))
    assert cache.read()
    monkeypatch.setattr(MemoryLoader, "first", lambda self: None)
    app = app_over(workspace, cache)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        first = screen_text(app)
        await press(pilot, "j", "j")
        assert app.memory_view.current == workspace.location.folder / "feedback_commits.md"
        assert "# Memory" in first
        assert "# Memory" not in screen_text(app), "a preview is of the file under the cursor, or there is none"
        await press(pilot, "k", "k")
        assert screen_text(app) == first


@pytest.mark.parametrize("keys", [("j",), ("2",), ("?",), ("space",)], ids="".join)
async def test_a_screen_that_somebody_changed_is_not_saved(workspace: Workspace, keys: tuple[str, ...]) -> None:
    cache = await save(workspace, (100, 30), UNICODE, *keys)
    assert cache.read() is None


async def test_a_state_of_another_folder_is_not_used(workspace: Workspace, home: Path) -> None:
    cache = await save(workspace, (100, 30))
    assert cache.read()
    cache.state = cache.state.replace(b'"folder":"', b'"folder":"/other')
    app = app_over(workspace, cache)
    assert app.state is not None
    assert app.state.first == names_in(workspace.location.folder)
    assert app.state.notice == "reading…"


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b'{"folder":"x"}', b"\xff", b'{"folder":"\\u001b[31m"}', b'"\xc2\x9b"']
)
def test_a_damaged_state_is_none(data: bytes) -> None:
    assert decode(data) is None


async def test_without_a_saved_frame_names_are_shown(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemoryLoader, "first", lambda self: None)
    app = app_over(workspace, FrameCache(str(workspace.dirs.cache / "frames"), (100, 30), "key"))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        lines = screen_text(app).split("\n")
    assert "reading…" in lines[0] and "reading…" in lines[2]
    assert any("memory · 7" in line for line in lines)
    assert any("project_한글" in line for line in lines)


def test_names_are_harmless_and_no_more_than_a_screenful(memory: Path) -> None:
    (memory / "\x1b[31mred.md").write_bytes(b"x")
    (memory / "notes.txt").write_bytes(b"x")
    for number in range(MAX_NAMES):
        (memory / f"many_{number:04}.md").write_bytes(b"xx")
    state = names_in(memory)
    assert state is not None
    group, index, *files = state.rows
    assert isinstance(group, GroupRow)
    assert isinstance(index, FileRow)
    assert index.label == "MEMORY.md"
    assert len(files) + 1 == MAX_NAMES
    assert group.files == state.files == MAX_NAMES + 8
    labels = {file.label: file.size for file in files if isinstance(file, FileRow)}
    assert labels["many_0000.md"] == 2
    assert "␛[31mred.md" in labels


def test_without_a_folder_there_are_no_names(memory: Path) -> None:
    memory.rename(memory.with_name("elsewhere"))
    assert names_in(memory) is None
