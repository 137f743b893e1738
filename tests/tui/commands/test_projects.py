"""A project that moved: what it has left comes to the directory that is open."""

from pathlib import Path

import pytest

from memtui.client.memory_location import locate_memory
from memtui.memory.workspace import Workspace
from memtui.tui.commands import projects
from memtui.tui.dialogs.choose import Choose, OptionLines
from memtui.tui.dialogs.show_diff import ShowDiff
from tests.support import digest_tree
from tests.transcripts.rows import Script
from tests.tui.conftest import NOW, Maker
from tests.tui.driving import press, screen_text, settle, until

SIZE = (100, 30)
ID = "11111111-1111-4111-8111-111111111111"


@pytest.fixture
def old(workspace: Workspace, home: Path) -> Path:
    """What a project named shop has left whose directory is gone: a session and a topic file."""
    folder = workspace.location.transcripts.parent / "-gone-shop"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/user_pet.md").write_text("---\nname: pet\ntype: user\n---\nA cat.\n", encoding="utf-8")
    script = Script().user("u1", None, "feed the [b]cat[/b]", cwd="/gone/shop").answer("a1", "u1")
    (folder / f"{ID}.jsonl").write_text("\n".join(script.lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def new(workspace: Workspace, home: Path) -> Workspace:
    """A directory of that name without any memory."""
    cwd = home / "code/shop"
    cwd.mkdir(parents=True)
    location = locate_memory(workspace.env, cwd)
    return Workspace(workspace.env, workspace.dirs, location, now=lambda: NOW)


async def test_the_first_page_offers_what_a_namesake_has_left(make_app: Maker, new: Workspace, old: Path) -> None:
    before = digest_tree(old)
    async with make_app(over=new).run_test(size=SIZE, notifications=True) as pilot:
        app = await settle(pilot)
        assert "1  bring what /gone/shop has left" in screen_text(app)
        assert "1 topic  1 session" in screen_text(app)
        await press(pilot, "1")
        assert isinstance(app.screen, ShowDiff)
        assert "feed the [b]cat[/b]" in screen_text(app) and "+memory  user_pet.md" in screen_text(app)
        await press(pilot, "n")
        assert digest_tree(old) == before
        app.perform(lambda context: projects.bring(context, old))
        await settle(pilot)
        await press(pilot, "y")
        await until(pilot, lambda: "moved 1 session and 1" in screen_text(app))
        assert (new.location.folder / "user_pet.md").exists() and (new.location.transcripts / f"{ID}.jsonl").exists()
        assert not old.exists()
        app.perform(projects.bring)
        await settle(pilot)
        assert "no project's directory is gone" in screen_text(app)


async def test_any_project_that_is_gone_can_be_chosen(make_app: Maker, workspace: Workspace, old: Path) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await press(pilot, ":", *"bring", "enter")
        assert isinstance(app.screen, Choose)
        options = app.screen.query_one(OptionLines).options
        assert [(option.key, option.label) for option in options] == [(old, "/gone/shop")]
        await press(pilot, "enter")
        assert isinstance(app.screen, ShowDiff)
        await press(pilot, "escape")
    assert (old / f"{ID}.jsonl").exists()


async def test_read_only_it_is_only_shown(make_app: Maker, new: Workspace, old: Path) -> None:
    kept = Workspace(new.env, new.dirs, new.location, read_only=True, now=lambda: NOW)
    async with make_app(over=kept).run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        assert "bring what" not in screen_text(app)
        app.perform(lambda context: projects.bring(context, old))
        await settle(pilot)
        await press(pilot, "y")
        assert isinstance(app.screen, ShowDiff)
    assert (old / f"{ID}.jsonl").exists()
