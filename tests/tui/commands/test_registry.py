"""The command registry: every key, hint, help line and palette entry comes from it; Esc always leads back."""

import sys
from pathlib import Path

import pytest
from textual.widget import Widget

from memtui.memory.workspace import Workspace
from memtui.tui import preload, styles
from memtui.tui.app import MemtuiApp
from memtui.tui.app_base import View
from memtui.tui.commands import registry
from memtui.tui.dialogs.choose import Choose, OptionLines
from memtui.tui.palette import GoTo, RunCommand
from memtui.tui.views import table
from memtui.tui.widgets.hint_bar import HintBar
from tests.transcripts.rows import Script
from tests.tui.conftest import NOW, Maker
from tests.tui.driving import press, screen_text, settle, until

VIEWS = {view.key: view.name for view in table.VIEWS}


@pytest.fixture
def session(workspace: Workspace) -> Path:
    """A past session of the project."""
    workspace.location.transcripts.mkdir(parents=True, exist_ok=True)
    return Script().user("u0", None, "Make checkout retry").answer("a1", "u0").write(workspace.location.transcripts)


def focusable(app: MemtuiApp) -> list[Widget]:
    """What of the view that is shown can have the focus."""
    return [one for one in app.view.query(Widget) if one.focusable and one.region.area]


@pytest.mark.parametrize("size", [(40, 12), (70, 20), (100, 30), (130, 40)])
@pytest.mark.parametrize("key", VIEWS)
async def test_escape_leads_back_from_every_widget(
    make_app: Maker, session: Path, size: tuple[int, int], key: str
) -> None:
    async with make_app().run_test(size=size) as pilot:
        app = await settle(pilot)
        await press(pilot, key)
        start = app.focused
        await press(pilot, "0")
        for widget in focusable(app):
            app.screen.set_focus(widget)
            await press(pilot, "escape", "escape")
            assert app.view.id == VIEWS[key]
            if not isinstance(widget, type(start)) and key in "123":
                assert app.focused is start or widget.id == "gates"
            assert start is not None and (start.region.area or key == "4")
            await press(pilot, "0")


def test_a_key_means_one_thing_in_a_place() -> None:
    preload.load_all()
    for place in registry.PLACES:
        keys = [
            key
            for command in registry.all_commands()
            if registry.place_of(command) is place and command.keys
            for key in command.keys.split(",")
        ]
        assert len(keys) == len(set(keys)), place.title


async def test_the_palette_holds_every_command_and_says_why_one_is_off(make_app: Maker, session: Path) -> None:
    async with make_app().run_test(size=(100, 30)) as pilot:
        app = await settle(pilot)
        await press(pilot, "colon")
        assert isinstance(app.screen, Choose)
        options = app.screen.query_one(OptionLines)
        await until(pilot, lambda: any(option.detail == "session" for option in options.options))
        offered = {option.key.command.id: option for option in options.options if isinstance(option.key, RunCommand)}
        known = {one.id for one in registry.all_commands() if registry.place_of(one) is not registry.LISTS}
        assert offered.keys() == known - {"app.palette"}
        assert offered["editor.save"].off == "only in the editor"
        assert offered["dream.adopt"].off == "no dream has run here yet"
        assert offered["memory.delete"].off == ""
        places = {(option.key.view, option.label) for option in options.options if isinstance(option.key, GoTo)}
        assert {("memory", "user_role.md"), ("sessions", "Make checkout retry"), ("settings", "theme")} <= places


async def test_a_command_of_another_view_goes_there(make_app: Maker, session: Path) -> None:
    async with make_app().run_test(size=(100, 30)) as pilot:
        app = await settle(pilot)
        await press(pilot, "colon", *"only those of the git", "enter")
        await until(pilot, lambda: app.state.view == "sessions")
        await press(pilot, "colon", *"'user_role.md", "enter")
        await until(pilot, lambda: app.state.view == "memory")
        assert app.memory_view.current is not None and app.memory_view.current.name == "user_role.md"


async def test_read_only_says_why(make_app: Maker, workspace: Workspace) -> None:
    reading = Workspace(workspace.env, workspace.dirs, workspace.location, read_only=True, now=lambda: NOW)
    async with make_app(over=reading).run_test(size=(100, 30), notifications=True) as pilot:
        app = await settle(pilot)
        await press(pilot, "d")
        assert len(app.screen_stack) == 1
        assert "read only" in screen_text(app)


async def test_hints_follow_the_focus(make_app: Maker) -> None:
    async with make_app().run_test(size=(130, 30)) as pilot:
        app = await settle(pilot)
        hints = app.screen.query_one(HintBar)
        assert [*hints.hints][:2] == ["⏎ edit", "/ filter"]
        await press(pilot, "0")
        assert next(iter(hints.hints)) == "Esc back" and "⏎ follow link" in hints.hints
        await press(pilot, "escape", "slash")
        assert not any(hint.startswith("e ") for hint in hints.hints)  # letters are text here
        await press(pilot, "escape", "5")
        assert "Space on/off" in hints.hints


async def test_a_chosen_key_is_in_the_hints(make_app: Maker, workspace: Workspace) -> None:
    workspace.dirs.config.mkdir(parents=True, exist_ok=True)
    (workspace.dirs.config / "config.toml").write_text('[keys]\n"memory.new" = "N"\n')
    async with make_app().run_test(size=(130, 30)) as pilot:
        app = await settle(pilot)
        assert "N new" in app.screen.query_one(HintBar).hints


async def test_ctrl_z_in_a_text_field_does_not_suspend(make_app: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    suspended: list[bool] = []
    monkeypatch.setattr(MemtuiApp, "action_suspend_process", lambda self: suspended.append(True))
    async with make_app().run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "slash", "x", "ctrl+z")
        assert suspended == []
        await press(pilot, "escape", "ctrl+z")
        assert suspended == [True]


@pytest.mark.parametrize("entry", table.VIEWS, ids=lambda entry: entry.name)
async def test_a_line_of_the_table_is_all_that_a_view_needs(make_app: Maker, entry: table.ViewEntry) -> None:
    preload.load_all()
    assert entry.module in sys.modules
    assert registry.find(f"view.{entry.name}").keys == entry.key
    if entry.sheet:
        assert styles.FOLDER / f"{entry.sheet}.tcss" in MemtuiApp.CSS_PATH
        assert (styles.FOLDER / f"{entry.sheet}.tcss").is_file()
    async with make_app().run_test(size=(100, 30)) as pilot:
        app = await settle(pilot)
        await press(pilot, entry.key)
        assert app.view.id == entry.name
        assert type(app.view).__name__ == entry.view


async def test_every_view_is_one(make_app: Maker) -> None:
    async with make_app().run_test(size=(100, 30)) as pilot:
        app = await settle(pilot)
        await press(pilot, *VIEWS)
        assert {view.id for view in app.query(View)} == set(VIEWS.values())


async def test_the_palette_lists_first_what_can_be_chosen(make_app: Maker) -> None:
    async with make_app().run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app = await press(pilot, "5", "colon")
        lines = app.screen.query_one(OptionLines)
        commands = [option for option in lines.options if isinstance(option.key, RunCommand)]
        off = [bool(option.off) for option in commands]
        assert off == sorted(off) and True in off
        assert commands[0].detail.startswith("Settings")
        assert (lines.cursor, lines.scroll_offset.y) == (0, 0)
