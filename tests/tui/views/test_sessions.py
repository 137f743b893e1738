"""The Sessions view over real files: what it lists, unfolds, filters, and what it never changes."""

import os
from pathlib import Path
from uuid import UUID

import pytest
from textual.pilot import Pilot

from memtui.client.memory_location import locate_memory
from memtui.memory.workspace import Workspace
from memtui.tui.app import MemtuiApp
from memtui.tui.views.sessions import SessionsView
from memtui.tui.widgets.properties import PropertyTable
from tests.support import digest_tree
from tests.transcripts.rows import Script
from tests.tui.conftest import NOW, Maker
from tests.tui.driving import press, screen_text, settle

SIZE = (120, 30)
DAY = 86_400


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session is read as soon as the cursor stands on it."""
    monkeypatch.setattr("memtui.tui.views.sessions.READ_DELAY_S", 0.0)


def put(folder: Path, number: int, script: Script, *, days: float) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{UUID(int=number << 96)}.jsonl"
    path.write_text("".join(f"{line}\n" for line in script.lines), encoding="utf-8")
    os.utime(path, (NOW - days * DAY,) * 2)
    return path


@pytest.fixture
def sessions(workspace: Workspace) -> list[Path]:
    """Three sessions of the project, one of another; the first has a rewind and a sub-agent."""
    here = workspace.location.transcripts
    first = (
        Script()
        .user("u0", None, "Make checkout retry")
        .call("c1", "u0", "t1", "Task", prompt="look", description="Look")
    )
    first.user("s1", None, "look", isSidechain=True).result("r1", "c1", "t1").answer("a1", "r1", id="m2")
    first.user("u2", "a1", "with backoff").answer("a3", "u2").user("u4", "a1", "without backoff").answer("a5", "u4")
    first.note(type="custom-title", customTitle="Checkout retries")
    second = Script().user("u0", None, "Migrate to pnpm", gitBranch="feat/pnpm").answer("a1", "u0")
    third = Script().user("u0", None, "Fix [b]flaky[/b] CI \x1b[31m").answer("a1", "u0")
    other = Script().user("u0", None, "Elsewhere", cwd="/home/ana/site").answer("a1", "u0")
    found = [put(here, 1, first, days=0), put(here, 2, second, days=2), put(here, 3, third, days=28.5)]
    return [*found, put(here.parent / "-home-ana-site", 4, other, days=1)]


async def opened(pilot: "Pilot[int]") -> tuple[MemtuiApp, SessionsView]:
    await settle(pilot)
    app = await press(pilot, "3")
    return app, app.query_one(SessionsView)


def listed(view: SessionsView) -> list[str]:
    return [view.list.row(index, 60).plain.strip() for index in range(view.list.row_count())]


async def test_the_projects_sessions_newest_first(make_app: Maker, sessions: list[Path]) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        rows = listed(view)
        shown = screen_text(app)
    assert ["Checkout" in rows[0], "Migrate" in rows[1], "Fix" in rows[2]] == [True, True, True]
    assert "project · 3" in shown
    assert "Fix [b]flaky[/b] CI ␛[31m" in rows[2]
    assert "\x1b" not in shown


async def test_a_session_near_the_clean_up_says_so(make_app: Maker, sessions: list[Path]) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        _, view = await opened(pilot)
        assert "goes in 1d" in next(row for row in listed(view) if "Fix" in row)


async def test_branches_and_agents_unfold(make_app: Maker, sessions: list[Path]) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        _, view = await opened(pilot)
        view.list.to_key(str(sessions[0]))
        await press(pilot, "right")
        rows = listed(view)
        at = next(i for i, row in enumerate(rows) if "Checkout retries" in row)
        assert "→ Make checkout retry" in rows[at + 1]
        assert "rewind: with backoff" in rows[at + 2]
        assert "agents · 1" in rows[at + 3]
        await press(pilot, "j", "j", "j", "enter")
        assert len(listed(view)) == len(rows) + 1
        await press(pilot, "h", "h", "left")
        assert len(listed(view)) == 3


async def test_properties_of_the_session_under_the_cursor(make_app: Maker, sessions: list[Path]) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        _, view = await opened(pilot)
        view.list.to_key(str(sessions[0]))
        await settle(pilot)
        values = {name: value for name, value, _ in view.query_one(PropertyTable).pairs}
    assert values["messages"] == "8"
    assert values["prompts"] == "3"
    assert values["rewinds"] == "1"
    assert values["resume sends"] == "6 messages, from 6 of 8 records"
    assert values["tools"] == "other 1"


async def test_scope_branch_and_filter(make_app: Maker, sessions: list[Path], workspace: Workspace) -> None:
    git = workspace.location.cwd / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/feat/pnpm\n")
    async with make_app().run_test(size=SIZE) as pilot:
        _, view = await opened(pilot)
        await press(pilot, "A")
        assert len(listed(view)) == 4
        assert "all · " in str(view.list.border_title)
        await press(pilot, "B")
        assert [row for row in listed(view) if "Migrate" in row] == listed(view)
        await press(pilot, "escape", "A", "slash", "apostrophe", *"flaky")
        assert len(listed(view)) == 1
        await press(pilot, "enter", "escape")
        assert len(listed(view)) == 3


async def test_what_is_written_meanwhile_comes_and_the_cursor_stays(make_app: Maker, sessions: list[Path]) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        view.list.to_key(str(sessions[1]))
        put(sessions[0].parent, 9, Script().user("u0", None, "Brand new").answer("a1", "u0"), days=0)
        app.session_loader.read_again()
        await settle(pilot)
        assert any("Brand new" in row for row in listed(view))
        assert view.current is not None
        assert view.current.title == "Migrate to pnpm"


async def test_looking_changes_no_byte_and_no_time(make_app: Maker, sessions: list[Path], home: Path) -> None:
    before = digest_tree(home / ".claude")
    async with make_app().run_test(size=SIZE) as pilot:
        await opened(pilot)
        await press(pilot, "right", "j", "j", "A", "W", "B", "escape", "o", "o", "o", "o", "G", "space", "escape")
    assert digest_tree(home / ".claude") == before


async def test_another_project_has_its_own_sessions(
    make_app: Maker, sessions: list[Path], workspace: Workspace, home: Path
) -> None:
    site = home / "site"
    site.mkdir()
    other = Workspace(workspace.env, workspace.dirs, locate_memory(workspace.env, site), now=lambda: NOW)
    put(other.location.transcripts, 7, Script().user("u0", None, "Build the site").answer("a1", "u0"), days=1)
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        await press(pilot, "slash", "apostrophe", *"pnpm", "enter")
        app.open_workspace(other)
        await settle(pilot)
        await press(pilot, "escape")
        assert ["Build the site" in row for row in listed(view)] == [True]


async def test_a_huge_session_is_read_when_asked_for(
    make_app: Maker, sessions: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.tui.views.sessions.MAX_CHECKED_BYTES", sessions[1].stat().st_size)
    async with make_app().run_test(size=SIZE) as pilot:
        _, view = await opened(pilot)
        view.list.to_key(str(sessions[1]))
        await settle(pilot)
        assert view.reader is not None
        view.list.to_key(str(sessions[0]))
        await settle(pilot)
        assert view.reader is None
        assert "p reads it" in str(view.query_one("#conversation").border_subtitle)
        await press(pilot, "right")
        assert any("rewind" in row for row in listed(view))
        assert view.reader is not None


async def test_sessions_of_all_projects_are_marked_those_on_the_screen_first(
    make_app: Maker, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = Script().user("u0", None).answer("a1", "u0").user("u2", "nowhere").answer("a3", "u2")
    for number in range(1, 71):
        put(workspace.location.transcripts.parent / "-home-ana-site", number, lost, days=number)
    monkeypatch.setattr("memtui.tui.loaders.health.MAX_UNPACED_SESSIONS", 50)
    monkeypatch.setattr("memtui.tui.loaders.health.REST_FACTOR", float("inf"))
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        await press(pilot, "A")
        marked = [place for place, words in app.state.health.items() if words] if app.state else []
        assert marked == [one.file_path for one in view.list.on_screen]
        assert 10 < len(marked) < 40
        assert all(row.startswith(app.glyphs.problem) for row in listed(view)[: len(marked)])
        await press(pilot, "G")
        app.session_loader.health.look()
        await settle(pilot)
        assert app.state is not None
        assert {one.file_path for one in view.list.on_screen} <= set(app.state.health)
        assert len(app.state.health) < 70
        monkeypatch.setattr("memtui.tui.loaders.health.REST_FACTOR", 0)
        app.session_loader.health._not_before = 0.0
        app.session_loader.health.look()
        await settle(pilot)
        assert len(app.state.health) == 70
