"""Undo on the screen: one key for everything, what can't be taken back is asked about, a damaged history is said."""

import os
from pathlib import Path

from memtui.fs.atomic import digest
from memtui.history.database import HistoryDatabase
from memtui.history.store import Change
from memtui.memory.workspace import Workspace
from memtui.tui.views.settings import SettingLines
from tests.tui.conftest import NOW, Maker
from tests.tui.driving import go_to, press, screen_text, settle, until

SIZE = (110, 34)


async def test_one_key_takes_back_a_pin_and_then_the_edit_before_it(
    make_app: Maker, memory: Path, workspace: Workspace
) -> None:
    file = memory / "feedback_commits.md"
    before = file.read_bytes()
    async with make_app().run_test(size=SIZE) as pilot:
        await go_to(pilot, file)
        await press(pilot, "enter", "X", "ctrl+s")
        await until(pilot, lambda: file.read_bytes() != before)
        await press(pilot, "escape")
        workspace.pins.pin(memory, [file.name], True)
        await press(pilot, "z")
        await until(pilot, lambda: workspace.pinned == frozenset())
        assert file.read_bytes() != before
        await press(pilot, "z")
        await until(pilot, lambda: file.read_bytes() == before)
        await press(pilot, "Z", "Z")
        await until(pilot, lambda: workspace.pinned == {file.name})


async def test_one_key_takes_a_setting_of_ours_back_and_it_is_in_force_at_once(
    make_app: Maker, workspace: Workspace
) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await press(pilot, "5")
        lines = app.query_one(SettingLines)
        lines.cursor = max(n for n in range(lines.row_count()) if lines.row_key(n).endswith("theme"))
        begun = app.theme, app.config["theme"]
        await press(pilot, "enter", *"light", "enter")
        assert (app.theme, app.config["theme"]) == ("memtui-light", "memtui-light")
        await press(pilot, "z")
        assert (app.theme, app.config["theme"]) == begun
        assert not (workspace.dirs.config / "config.toml").exists()
        await press(pilot, "Z")
        assert app.theme == "memtui-light"


async def test_the_folder_goes_back_to_a_time_and_one_key_undoes_that(
    make_app: Maker, memory: Path, workspace: Workspace
) -> None:
    workspace.read(full=False)
    workspace.note_outside()
    file, new = memory / "feedback_commits.md", memory / "later.md"
    before = file.read_bytes()
    day = 86_400
    past = Workspace(workspace.env, workspace.dirs, workspace.location, now=lambda: NOW + day)
    past.save(file, b"Later.\n", digest(before))
    past.save(new, b"New.\n", None)
    later = Workspace(workspace.env, workspace.dirs, workspace.location, now=lambda: NOW + 3 * day)
    async with make_app(over=later).run_test(size=SIZE, notifications=True) as pilot:
        app = await settle(pilot)
        await press(pilot, "colon", *"restore the folder", "enter", "enter", *"yesterday", "enter")
        assert "is no time" in screen_text(app)
        await press(pilot, "ctrl+u", *"49h", "enter")
        assert file.read_bytes() == b"Later.\n", "nothing is written before it was shown"
        assert "-Later." in screen_text(app)
        assert "-New." in screen_text(app)
        await press(pilot, "y")
        await until(pilot, lambda: file.read_bytes() == before)
        assert not new.exists()
        await press(pilot, "z")
        await until(pilot, lambda: new.exists() and file.read_bytes() == b"Later.\n")


async def test_what_later_edits_overlap_is_asked_about(make_app: Maker, memory: Path, workspace: Workspace) -> None:
    names = ("feedback_commits.md", "feedback_testing.md")
    texts = {name: (memory / name).read_bytes() for name in names}
    workspace.read(full=False)
    store = workspace.store(memory)
    store.apply([Change(name, b"dreamt\n", digest(texts[name])) for name in names], why="a dream", who="dream 1")
    mine = memory / names[0]
    mine.write_bytes(b"mine\n")
    os.utime(mine, (1000, 1000))
    for answer in ("n", "y"):
        async with make_app().run_test(size=SIZE) as pilot:
            app = await settle(pilot)
            await press(pilot, "z")
            assert names[0] in screen_text(app)
            await press(pilot, answer)
            assert (memory / names[1]).read_bytes() == texts[names[1]]
            assert mine.read_bytes() == (b"mine\n" if answer == "n" else texts[names[0]])
        if answer == "n":
            store.redo()
            assert mine.read_bytes() == b"mine\n"


async def test_a_damaged_history_is_said_and_the_memory_is_shown(
    make_app: Maker, memory: Path, workspace: Workspace
) -> None:
    workspace.read(full=False)
    workspace.save(memory / "new.md", b"x\n", None)
    database = HistoryDatabase.of(workspace.dirs)
    database.close()
    database.path.write_bytes(b"\0" * 20_000)
    file = memory / "feedback_commits.md"
    before = file.read_bytes()
    async with make_app().run_test(size=SIZE, notifications=True) as pilot:
        app = await settle(pilot)
        assert "feedback_commits" in screen_text(app) or "commits" in screen_text(app)
        await until(pilot, lambda: "damaged" in screen_text(app))
        app.memory_view.go_to(str(file))
        await press(pilot, "enter", "X", "ctrl+s")
        assert "X" in screen_text(app), "the text is still there"
        assert file.read_bytes() == before
        await press(pilot, "escape", "@", "z")
        assert app.is_running
    assert database.path.read_bytes() == b"\0" * 20_000
