"""The mouse works, and nothing needs it."""

from pathlib import Path

from textual import events
from textual.pilot import Pilot

from memtui.tui.dialogs.ask import Ask
from memtui.tui.screens.editor import Editor
from memtui.tui.widgets.budget_meter import BudgetMeter
from tests.tui.conftest import Maker
from tests.tui.driving import go_to, press, screen_text, settle


async def test_a_click_chooses_and_a_double_click_opens(make_app: Maker, memory: Path) -> None:
    async with make_app().run_test(size=(100, 30)) as pilot:
        app = await settle(pilot)
        await pilot.click("#topics", offset=(5, 4))
        await settle(pilot)
        assert app.memory_view.current == memory / "feedback_commits.md"
        await pilot.double_click("#topics", offset=(5, 4))
        await settle(pilot)
        while not isinstance(app.screen, Editor):
            await pilot.pause()
        assert app.screen.path == memory / "feedback_commits.md"


async def test_a_click_on_the_meter_shows_the_index(make_app: Maker, memory: Path) -> None:
    async with make_app().run_test(size=(100, 30)) as pilot:
        app = await go_to(pilot, memory / "user_role.md")
        await pilot.click(BudgetMeter)
        while app.memory_view.current != memory / "MEMORY.md":
            await pilot.pause()


async def click_on(pilot: Pilot[int], words: str) -> None:
    """Click where these words stand on the screen."""
    app = await settle(pilot)
    rows = screen_text(app).split("\n")
    y = next(at for at, row in enumerate(rows) if words in row)
    await pilot.click(offset=(rows[y].index(words) + 1, y))
    await settle(pilot)


async def test_all_that_names_a_key_a_view_or_a_part_can_be_clicked(make_app: Maker) -> None:
    async with make_app().run_test(size=(100, 30)) as pilot:
        app = await settle(pilot)
        for words, view in (("2 Dream", "dream"), ("3 Sessions", "sessions"), ("5 Settings", "settings")):
            await click_on(pilot, words)
            assert app.view.id == view
        await click_on(pilot, "problem")  # in the first line: back to the files that have some
        assert app.view.id == "memory" and app.memory_view.wanted.only_problems
        await press(pilot, "escape", "G")
        await click_on(pilot, "links history")
        assert app.memory_view.mode == "links"
        await click_on(pilot, "/ find")
        assert isinstance(app.screen, Ask)


async def test_the_mouse_over_a_file_says_its_name_and_mark(make_app: Maker, memory: Path) -> None:
    async with make_app().run_test(size=(60, 24), tooltips=True) as pilot:
        app = await settle(pilot)
        at = next(i for i, row in enumerate(app.memory_view.list.rows) if getattr(row, "label", "") == "pnpm")
        await pilot.hover("#topics", offset=(5, at + 1))
        await settle(pilot)
        assert str(app.memory_view.list.tooltip) == "feedback_pnpm.md: not in MEMORY.md"


async def test_the_wheel_moves_the_list_and_not_the_cursor(make_app: Maker) -> None:
    async with make_app().run_test(size=(60, 8)) as pilot:
        app = await settle(pilot)
        lines, cursor = app.memory_view.list, app.memory_view.list.cursor
        lines.post_message(events.MouseScrollDown(lines, 2, 2, 0, 1, 0, False, False, False))
        while not lines.scroll_offset.y:
            await pilot.pause()
        assert lines.cursor == cursor


async def test_keys_typed_at_once_go_where_they_were_meant(make_app: Maker, memory: Path) -> None:
    async with make_app().run_test(size=(100, 30)) as pilot:
        app = await settle(pilot)
        for key in ("slash", "p", "n", "p", "m", "enter", "d"):
            app.post_message(events.Key(key, key if len(key) == 1 else {"slash": "/"}.get(key)))
        await press(pilot)
        while len(app.screen_stack) == 1:
            await pilot.pause()
        assert app.memory_view.wanted.query == "pnpm"
        assert app.memory_view.current == memory / "feedback_pnpm.md"
        assert (memory / "feedback_pnpm.md").exists()
